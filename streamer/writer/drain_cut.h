/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draining within a cut. The time of a record decides its stream: records from before the cut go
 * into the old stream, the others into the new one (drain_begin_cut()).
 *
 * Threads: the writer.
 */
#ifndef TS_STREAMER_WRITER_DRAIN_CUT_H
#define TS_STREAMER_WRITER_DRAIN_CUT_H

#include "streamer/writer/drain.h"

/* The same as drain_step() for a ring that may have records from before and after the cut. */
enum drain_step drain_cut_step(struct drain *d, struct drain_ring *r);

#endif
