/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draining within a cut: records go by their time, those before it into the stream that is there, the
 * others into the new one (drain_begin_cut()).
 *
 * Threads: the writer.
 */
#ifndef TS_STREAMER_WRITER_DRAIN_CUT_H
#define TS_STREAMER_WRITER_DRAIN_CUT_H

#include "streamer/writer/drain.h"

/* As drain_step(), of a ring that may have records from before the cut and from behind it. */
enum drain_step drain_cut_step(struct drain *d, struct drain_ring *r);

#endif
