/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command says on stderr of the places that it could not read.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_DAMAGE_H
#define TS_READER_TRUST_PRINT_DAMAGE_H

#include "reader/capture/capture.h"
#include "reader/capture/damage.h"

/* Sorts the list and warns of its first places; where the others can be had. */
void say_damage(const struct capture *c, struct damage *damage);

#endif
