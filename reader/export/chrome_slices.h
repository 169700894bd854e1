/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slices of a track in a Chrome trace: calls that samples next to each other share are one slice. On the track of
 * a CPU they lie in a slice of their thread.
 *
 * A track is walked from its last sample to the first. So a slice is written when its begin is met, with
 * its end known, and behind the slices that it lies in if all begin at once: viewers need that order.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_EXPORT_CHROME_SLICES_H
#define TS_READER_EXPORT_CHROME_SLICES_H

#include "common/base/error.h"
#include "reader/encoding/json_file.h"
#include "reader/export/chrome_lanes.h"
#include "reader/export/export_source.h"

struct chrome_slices {
	const struct export_source *source;
	const struct chrome_lanes *lanes;
	struct json_file *file;
	bool is_clock;	   /* periods of the event are times */
	uint64_t usual_ns; /* between two samples, if a sample does not tell it */
	/* of one sample: the length of all samples, at least 1 s, at most an hour */
	uint64_t most_ns;
	uint64_t lead_us; /* what first samples stand for before time 0, so times are moved by it */
	uint64_t *ends_us; /* owned; by depth: of the open slices */
	uint32_t nr_open;
};

/* The source, its lanes and the file must outlive *c. 0 or -ENOMEM; release in both cases. */
int chrome_slices_init(struct chrome_slices *c, const struct export_source *source,
		       const struct chrome_lanes *lanes, struct json_file *file);
void chrome_slices_release(struct chrome_slices *c); /* accepts a zeroed one; idempotent */

/* The time of the trace, in microseconds, of a time_ns of samples or gaps. */
uint64_t chrome_slices_us(const struct chrome_slices *c, uint64_t time_ns);
/* Puts "pid", "tid" and "ts" of an event. */
void chrome_slices_put_place(struct json *j, uint64_t pid, uint64_t tid, uint64_t time_us);
/*
 * Puts "dur". It ends 125 ns before the time that it stands for: speedscope mixes up slices of one name if one begins
 * where another one ends.
 */
void chrome_slices_put_length(struct json *j, uint64_t us);

/* Puts the slices of one of the lanes. Errors are those of json_file_pass(). */
int chrome_slices_put(struct chrome_slices *c, const struct chrome_lane *lane,
		      struct ts_error *err);

#endif
