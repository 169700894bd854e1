/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings of a `struct loss`, found by their numbers while one is opened.
 *
 * Threads: only the thread that opens the loss.
 */
#ifndef TS_READER_TRUST_LOSS_RINGS_H
#define TS_READER_TRUST_LOSS_RINGS_H

#include <stdint.h>

#include "reader/trust/loss.h"

/* The ring of that number, added if it is new; NULL: out of memory. */
struct loss_ring *loss_rings_find(struct loss *l, uint32_t number);

#endif
