/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder noted about its own capture (tstream.json): whether it ended cleanly, how long
 * each stream then was, what was lost while recording, how much of it is the recorder itself.
 *
 * Nothing needs it to read the capture; it tells what is not there any more. A note that is
 * missing, too large or nonsense says nothing, so a capture reads as well without it.
 *
 * Threads: none of its own; read once, then constant.
 */
#ifndef TS_READER_CAPTURE_ACCOUNT_H
#define TS_READER_CAPTURE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	uint64_t lost;			      /* that found it full */
	uint64_t lost_disk, lost_compression; /* the parts of them that are their fault */
	uint64_t lost_at_unknown_time;	      /* the part of them whose time is not known */
	struct ts_timeline timeline;
};

struct account_absence {
	uint32_t cpu;
	bool is_late;	     /* it came online when the recording ran already */
	double from_s, to_s; /* since samples were enabled; to_s < 0: until the end */
};

struct account {
	bool is_complete;		/* the recording ended cleanly */
	struct account_stream *streams; /* owned; only when complete */
	size_t nr_streams;
	uint64_t lost_ring_full, lost_compression, lost_disk; /* records, by cause */
	uint64_t lost_paused;				      /* their ring was being dumped */
	bool is_exact;					      /* the kernel counted what was lost */
	struct account_ring *rings; /* owned; only where the recording ended, and says when */
	size_t nr_rings;
	struct account_absence *absences; /* owned; when CPUs were not recorded */
	size_t nr_absences;
	uint64_t own_samples; /* of the recorder itself */
	uint64_t flush_ns;    /* --flush; 0: it does not say */
};

enum account_found {
	ACCOUNT_SOUND,
	ACCOUNT_MISSING, /* there is no such stream */
	ACCOUNT_SHORT,	 /* it is shorter than it was */
	ACCOUNT_NO_END,	 /* it is long enough, but no footer ends it */
};

/* Reads the note of a capture; without one that makes sense *ret says nothing. */
void account_read(struct account *ret, const struct capture *c);
/* The same of a text that need not end in NUL. */
void account_parse(struct account *ret, const char *text, size_t len);
/* The note itself; NULL: there is none that makes sense. The caller's to json_object_put(). */
struct json_object *account_note(const struct capture *c);
/* How one of its streams stands in the capture. */
enum account_found account_check(const struct account_stream *s, const struct capture *c,
				 uint64_t *ret_missing_bytes);
void account_release(struct account *a); /* accepts a zeroed one; idempotent */

#endif
