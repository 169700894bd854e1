/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings on stderr about the places that could not be read.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_DAMAGE_H
#define TS_READER_TRUST_PRINT_DAMAGE_H

#include "reader/capture/capture.h"
#include "reader/capture/damage.h"

/* Sorts the list and warns of its first places; names the command that lists the others. */
void print_damage(const struct capture *c, struct damage *damage);

#endif
