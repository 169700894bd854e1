/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of side-band without a kernel behind it: main hands whole records to a writer, which
 * drains them like those of any ring.
 *
 *	main: ring_fed_give() -> writer: ring_fed_copy() until nothing is left -> main again
 *
 * The memory of a run stays main's, and belongs to the writer while it has the turn.
 *
 * Threads: main calls init, is_free and give; the writer pending and copy (ordering note 14 of
 * docs/threads.md).
 */
#ifndef TS_STREAMER_RINGS_RING_FED_H
#define TS_STREAMER_RINGS_RING_FED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streamer/rings/ring.h"

void ring_fed_init(struct ring *r, const struct ring_id *id);
/* True if the writer has copied all that it was given. */
bool ring_fed_is_free(const struct ring *r);
/* `run`: whole records, valid until the ring is free again. The ring must be free. */
void ring_fed_give(struct ring *r, const void *run, size_t bytes);
/* As ring_pending() and ring_copy(). */
uint64_t ring_fed_pending(const struct ring *r);
enum ring_copied ring_fed_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes);

#endif
