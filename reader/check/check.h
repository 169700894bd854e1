/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a capture: verifies everything in it against everything else in it.
 *
 *	data          header, events, features, records             check_header.c
 *	each stream   chunk headers, indices, footer, padding       check_stream.c
 *	each chunk    checksum, compression, records, times         check_chunk.c
 *	tstream.json  its statements about all these                check_note.c
 *
 * Each part adds its findings to check.findings and goes on. A capture whose recorder was killed is
 * sound. If `data` cannot be parsed, the streams are checked as far as is possible without it.
 *
 * Threads: check_open() uses several threads itself; afterwards everything is constant. Only
 * check.c calls the functions of the parts.
 */
#ifndef TS_READER_CHECK_CHECK_H
#define TS_READER_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/capture/account.h"
#include "reader/capture/capture.h"
#include "reader/check/check_finding.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_read.h"

/* Sums over the chunks of one stream: from their headers, or counted. */
struct check_stream {
	bool is_ours; /* the stream consists of our chunks */
	bool has_footer;
	bool is_noted; /* tstream.json names it */
	uint64_t nr_chunks, nr_records, raw_bytes;
	uint64_t nr_unfinished; /* covers and torn chunks of a killed recorder */
};

/* Records that the kernel lengthened (common/perf/lengthened.h), and their chunks. */
struct check_lengthened {
	uint64_t nr, nr_chunks;
	uint32_t stream; /* place of the first of these chunks */
	uint64_t offset;
};

struct check {
	struct capture capture; /* without events if the header cannot be parsed */
	bool has_header;
	struct ts_error refusal; /* why the header cannot be parsed */
	struct chunk_table table;
	struct check_stream *streams; /* one per stream of the capture; owned */
	struct findings findings;
	bool is_ours;	  /* tstream recorded it */
	bool is_complete; /* according to tstream.json it ended cleanly */
	bool has_note;	  /* tstream.json exists and can be read */

	/* sums, by check_chunks() */
	uint64_t nr_records, nr_samples;
	uint64_t time_min_ns, time_max_ns; /* UINT64_MAX, 0: no record has a time */
	uint64_t nr_back;     /* records that are earlier than one before them in their ring */
	uint64_t back_max_ns; /* the largest distance of these */
	uint64_t nr_unknown;  /* records of unknown events or types */
	uint64_t nr_doubtful; /* records of damaged chunks that look sound */
	uint64_t unreadable;  /* bytes left out of these chunks */
	struct account_damage earlier; /* of the captures that this one was made of */
	struct check_lengthened lengthened;
	struct range_layout layout;
};

/* The file of a finding that is in no stream: tstream.json. */
#define CHECK_NOTE (UINT32_MAX - 1)
/* The file of a finding about a missing stream; its text begins with the name. */
#define CHECK_MISSING (UINT32_MAX)

/*
 * Checks the capture at `path` (NULL: as capture_open()) with nr_workers threads. Memory comes from
 * `memory`, which must outlive *c (NULL: no limit). If the progress (may be NULL) is stopped, the
 * result has the findings until then. Damage is in check.findings, sorted. Returns -errno if there
 * is no capture to check, or no memory.
 */
int check_open(struct check *c, const char *path, unsigned int nr_workers, struct memory *memory,
	       struct progress *progress, struct ts_error *err);
void check_close(struct check *c); /* accepts a zeroed one; idempotent */

/* --- the parts --- */

/* Checks a file `data` whose header cannot be parsed. */
void check_header(struct check *c);
/* Checks the sections of a header that was parsed. */
void check_features(struct check *c);
/* Checks the chunk headers of one stream of ours, and everything between its chunks. */
void check_structure(struct check *c, uint32_t stream);
/* Checks the records of all chunks. Returns 0 or -ENOMEM. */
int check_chunks(struct check *c, unsigned int nr_workers);
int check_note(struct check *c); /* 0 or -ENOMEM */

#endif
