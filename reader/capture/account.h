/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's note about its own capture (tstream.json). It tells whether the recording ended
 * cleanly, how long each stream then was, how many records were lost, and how many samples are of
 * the recorder itself.
 *
 * No reader needs the note to read the capture: the note shows which data is missing. A note that
 * is missing, too large or nonsense leaves all fields 0, and the capture is read without it.
 *
 * Threads: none of its own; read once, then constant.
 */
#ifndef TS_READER_CAPTURE_ACCOUNT_H
#define TS_READER_CAPTURE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/json/json.h"
#include "common/stream/timeline.h"
#include "reader/capture/capture.h"

#define ACCOUNT_RINGS_MAX 16384u /* no recorder has more */

struct account_stream {
	char name[16];	/* "data.N" */
	uint64_t bytes; /* of the file when it was complete */
};

struct account_ring {
	uint32_t number, cpu;
	bool is_sideband;
	bool is_overwritten;		      /* the newest records replace the oldest */
	uint64_t records;		      /* copied out of the ring */
	uint64_t lost;			      /* records that found it full */
	uint64_t lost_disk, lost_compression; /* of them: by the disk, by compression */
	uint64_t lost_at_unknown_time;	      /* of them: at an unknown time */
	struct ts_timeline timeline;
};

struct account_absence {
	uint32_t cpu;
	bool is_late;	     /* the CPU came online during the recording */
	double from_s, to_s; /* since samples were enabled; to_s < 0: until the end */
};

struct account_gap {		 /* names and maps may be missing; on the clock of the records */
	uint64_t from_ns, to_ns; /* to_ns 0: until the end */
};

struct account_damage {	      /* of a capture that was made of damaged ones */
	uint64_t nr_places;   /* damaged places and records */
	uint64_t bytes;	      /* left out there */
	uint64_t nr_doubtful; /* records of damaged chunks that were copied */
};

struct account {
	bool is_complete;		/* the recording ended cleanly */
	struct account_stream *streams; /* owned; only when complete */
	size_t nr_streams;
	uint64_t lost_ring_full, lost_compression, lost_disk; /* records, by cause */
	uint64_t lost_paused;	    /* while their ring was paused to be dumped */
	bool is_exact;		    /* the kernel counted the lost records */
	struct account_ring *rings; /* owned; if the recording ended and has times of losses */
	size_t nr_rings;
	struct account_absence *absences; /* owned; stretches in which a CPU was not recorded */
	size_t nr_absences;
	struct account_gap *gaps; /* owned; times after a loss of side-band */
	size_t nr_gaps;
	struct account_damage damage;
	uint64_t own_samples;	    /* samples of the recorder itself */
	uint64_t flush_ns;	    /* --flush; 0: the note does not have it */
	uint64_t start_realtime_ns; /* when it began, on the wall clock; 0: not noted */
};

enum account_found {
	ACCOUNT_SOUND,
	ACCOUNT_MISSING, /* the stream does not exist */
	ACCOUNT_SHORT,	 /* it is shorter than when it was complete */
	ACCOUNT_NO_END,	 /* it is long enough, but has no footer at its end */
};

/*
 * Reads the note of a capture. If no note makes sense, all fields of *ret are 0. Returns 0 or
 * -errno if the machine failed (ts_error_is_of_machine()); all fields are then 0, too.
 */
int account_read(struct account *ret, const struct capture *c);
/*
 * Only the streams, also those of a recording that did not end cleanly. Of *c only kind and path
 * are used.
 */
int account_read_streams(struct account *ret, const struct capture *c);
/* As account_read(), from a parsed note; NULL: no note. */
int account_take(struct account *ret, const struct ts_json *note);
/*
 * The parsed note, for the caller to ts_json_free(); NULL: there is no note that makes sense.
 * Returns 0 or -errno, as account_read().
 */
int account_note(const struct capture *c, struct ts_json **ret);
/*
 * Adds damage to the note of a capture that is made of damaged ones; *note NULL: makes a note. The
 * capture counts as repaired. Without damage nothing changes.
 */
void account_put_damage(struct ts_json **note, const struct account_damage *d);
/*
 * Compares one stream of the note with the capture. *ret_missing_bytes: so many bytes of its end
 * are missing.
 */
enum account_found account_check(const struct account_stream *s, const struct capture *c,
				 uint64_t *ret_missing_bytes);
void account_release(struct account *a); /* accepts a zeroed one; idempotent */

#endif
