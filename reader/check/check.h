/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a capture: everything that is in it, against itself.
 *
 *	data          header, events, features, records            check_header.c
 *	each stream   chunk headers, indices, footer, padding       check_stream.c
 *	each chunk    checksum, compression, records, times         check_chunk.c
 *	tstream.json  what it says of all these                     check_note.c
 *
 * Each part adds what it found to check.findings and goes on. A capture whose recorder was killed is
 * sound; a capture whose `data` cannot be parsed is checked as far as its streams tell by themselves.
 *
 * Threads: check_open() uses several threads itself; afterwards everything is constant. The
 * functions of the parts belong to check.c.
 */
#ifndef TS_READER_CHECK_CHECK_H
#define TS_READER_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/capture/capture.h"
#include "reader/check/check_finding.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_scan.h"

/* What the chunks of one stream add up to: as their headers say, or as it was counted. */
struct check_stream {
	bool is_ours; /* made of chunks */
	bool has_footer;
	uint64_t nr_chunks, nr_records, raw_bytes;
	uint64_t nr_unfinished; /* covers, chunks that break off: of a killed recorder */
};

/* Records that the kernel lengthened (common/perf/lengthened.h), and the chunks that have them. */
struct check_lengthened {
	uint64_t nr, nr_chunks;
	uint32_t stream; /* where the first one of these chunks is */
	uint64_t offset;
};

struct check {
	struct capture capture; /* without events where the header cannot be parsed */
	bool has_header;
	struct ts_error refusal; /* why not, where it has none */
	struct chunk_table table;
	struct check_stream *streams; /* one a stream of the capture; owned */
	struct findings findings;
	bool is_ours;	  /* tstream recorded it */
	bool is_complete; /* tstream.json says that it ended cleanly */
	bool has_note;	  /* there is a tstream.json that can be read */

	/* sums, by check_chunks() */
	uint64_t nr_records, nr_samples;
	uint64_t time_min_ns, time_max_ns; /* UINT64_MAX, 0: no record has a time */
	uint64_t nr_back;		   /* records earlier than one before them in their ring */
	uint64_t back_max_ns;		   /* the most of them */
	uint64_t nr_unknown;		   /* records of events that the header does not name */
	struct check_lengthened lengthened;
	struct range_scan_layout layout;
};

/* The file of a finding that is in no stream: tstream.json. */
#define CHECK_NOTE (UINT32_MAX - 1)
/* A stream that is not there; the text of the finding begins with its name. */
#define CHECK_MISSING (UINT32_MAX)

/*
 * Checks the capture at `path` (NULL: as capture_open()) with nr_workers threads, in the memory of
 * `spill`, which must outlive *c (NULL: without limit); where the progress (NULL: nobody looks) is
 * stopped, what was found until then. Fails where there
 * is no capture to check, or for lack of memory; damage is in check.findings, sorted.
 */
int check_open(struct check *c, const char *path, unsigned int nr_workers, struct spill *spill,
	       struct progress *progress, struct ts_error *err);
void check_close(struct check *c); /* accepts a zeroed one; idempotent */

/* --- the parts --- */

/* The file `data`. Before capture_parse(). */
void check_header(struct check *c);
/* The sections of a header that was parsed. */
void check_features(struct check *c);
/* What lies between the chunks of one stream of ours, and their headers. */
void check_structure(struct check *c, uint32_t stream);
/* The records of all chunks; 0 or -ENOMEM. */
int check_chunks(struct check *c, unsigned int nr_workers);
void check_note(struct check *c);

/* Is the section of this feature as it should be? Of one that is not there: false. */
bool check_feature(const struct check *c, unsigned int bit);

#endif
