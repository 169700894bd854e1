/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracks of a Perfetto trace, beside its samples: names of processes and threads, and slices that
 * say what was lost when, and what the captures are.
 *
 * Source: protos/perfetto/trace/track_event/ of github.com/google/perfetto.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_EXPORT_PERFETTO_TRACKS_H
#define TS_READER_EXPORT_PERFETTO_TRACKS_H

#include "reader/export/export_about.h"
#include "reader/export/export_times.h"
#include "reader/packed/perfetto_packets.h"

struct perfetto_tracks {
	struct perfetto_packets *packets;    /* outlives it */
	const struct export_times *times;    /* outlives it */
	uint64_t nr;			     /* tracks: the last one has this number */
	const struct named_thread **threads; /* owned; by capture, then in their order */
	uint32_t next_thread;		     /* not written yet */
	size_t next_gap;		     /* the same */
};

/* Both must outlive *t. 0 or -ENOMEM; release in both cases. */
int perfetto_tracks_init(struct perfetto_tracks *t, struct perfetto_packets *packets,
			 const struct export_times *times);
void perfetto_tracks_release(struct perfetto_tracks *t); /* accepts a zeroed one; idempotent */

/*
 * Each writes to the sequence of packets->capture, and captures are written in the order of their numbers.
 * Errors are those of packed_file_put().
 */

/* The processes and threads of the capture. */
int perfetto_tracks_put_names(struct perfetto_tracks *t, struct ts_error *err);
/* A slice for each span in which samples were lost, and the sum, of which viewers warn. */
int perfetto_tracks_put_losses(struct perfetto_tracks *t, struct ts_error *err);
/* A slice over the whole time with the lines as its argument. */
int perfetto_tracks_put_about(struct perfetto_tracks *t, const struct export_about *about,
			      struct ts_error *err);

#endif
