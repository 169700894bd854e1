/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line that a recording shows on a terminal while it runs, redrawn in place once a second.
 *
 * All its values are read from relaxed counters, the mapped pages of the rings and the filesystem.
 * No writer is woken or waited for. The cursor stays at the beginning of the line, so the output of
 * other programs goes over it. Nothing is drawn where that would disturb: by a background job, or
 * while a program reads the terminal key by key.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORD_STATUS_LINE_H
#define TS_STREAMER_RECORD_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/terminal.h"
#include "streamer/recording/recording.h"
#include "streamer/writer/histogram.h"

#define STATUS_TEXT_BYTES TS_TERMINAL_LINE_BYTES

struct status_facts {
	uint64_t events_per_s, bytes_per_s;
	uint64_t lost;	  /* all records known to be lost so far, of the whole recording */
	bool has_samples; /* some sample ring is drained all the time: not only --overwrite */
	double fullest_percent;
	uint32_t fullest_cpu;
	bool overwrites;	    /* backward rings, which are read at cuts only: */
	uint64_t overwritten_per_s; /* bytes */
	uint64_t ring_span_ns;	    /* about so much of the past is in these rings */
	bool is_held;		    /* -M: */
	uint64_t held_bytes, held_ns;
	uint64_t write_ns; /* 99 % of the writes since the last look took no longer; 0: none */
	uint64_t free_bytes;
	bool has_disk; /* free_bytes is valid */
};

struct status_line {
	bool is_on, is_drawn;
	uint64_t next_ns; /* when to draw; TS_TIME_NEVER: never */
	uint64_t last_ns; /* of the last look; the values at that time: */
	uint64_t last_samples, last_bytes, last_overwritten;
	struct histogram_counts last_write;
};

/* Is on if stderr is a terminal and -q was not given. */
void status_line_start(struct status_line *s);
/* Draws when the time has come. */
void status_line_draw(struct status_line *s, const struct recording *r);
/*
 * Erases the line, before anything else is printed and at the end. The next drawing shows it again.
 */
void status_line_erase(struct status_line *s);

/*
 * The text, of at most columns - 1 bytes, so that the line cannot wrap. If not all parts have room,
 * losses come first, and parts without room are left out. Returns buf.
 */
const char *status_line_text(char buf[STATUS_TEXT_BYTES], const struct status_facts *f,
			     size_t columns);

#endif
