/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line that a recording shows on a terminal while it runs, redrawn in place once a second.
 *
 * Everything in it is read from relaxed counters, the mapped pages of the rings and the filesystem:
 * no writer is woken or waited for. The cursor stays at the beginning of the line, so what
 * somebody else prints goes over it. Nothing is drawn where that would disturb: by a background
 * job, or while a program reads the terminal key by key.
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
	uint64_t lost;	  /* all that is known of so far, of the whole recording */
	bool has_samples; /* some ring of samples is read while it is written: not only --overwrite */
	double fullest_percent;
	uint32_t fullest_cpu;
	bool overwrites;	    /* backward rings, which are read at cuts only: */
	uint64_t overwritten_per_s; /* bytes */
	uint64_t ring_span_ns;	    /* about so much of the past is in them */
	bool is_held;		    /* -M: */
	uint64_t held_bytes, held_ns;
	uint64_t write_ns; /* 99 % of the writes since the last look took no longer; 0: none */
	uint64_t free_bytes;
	bool has_disk; /* free_bytes means something */
};

struct status_line {
	bool is_on, is_drawn;
	uint64_t next_ns; /* when to draw; TS_TIME_NEVER: never */
	uint64_t last_ns; /* of the last look; what stood then: */
	uint64_t last_samples, last_bytes, last_overwritten;
	struct ts_histogram_counts last_write;
};

/* On where stderr is a terminal and -q was not given. */
void status_line_start(struct status_line *s);
/* Draws when the time has come. */
void status_line_draw(struct status_line *s, const struct recording *r);
/* Takes it away, before anything else is printed and at the end; it comes back with the next one. */
void status_line_erase(struct status_line *s);

/*
 * The words, at most columns - 1 of them, so that the line cannot wrap. Where not all have room, what was
 * lost comes first, and what has no room is left out. Returns buf.
 */
const char *status_line_text(char buf[STATUS_TEXT_BYTES], const struct status_facts *f,
			     size_t columns);

#endif
