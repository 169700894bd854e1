/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunk table: every stream of a capture is cut into runs of whole records that can be read
 * independently.
 *
 * A chunk of our streams is one that the recorder wrote. It is found by hopping from chunk header
 * to chunk header. A chunk of other streams is a range of about CHUNK_SCAN_BYTES that the scan cut
 * at record boundaries. Later code sees no difference: a chunk has a kind of content, a time range
 * and a place, and chunk_load() (chunk_load.h) gives its plain records.
 *
 * With a selection by time or CPU the table holds only the chunks that may match, and those with
 * names and maps. Otherwise only indexes and chunk headers of our streams are read.
 *
 * Damage never stops the table. A damaged place is skipped up to the next chunk or record that can
 * be read, and is listed in `damage`.
 *
 * Threads: chunk_table_open() uses several threads itself; afterwards the table is immutable.
 */
#ifndef TS_READER_CHUNKS_CHUNK_TABLE_H
#define TS_READER_CHUNKS_CHUNK_TABLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "common/perf/perf_layout.h"
#include "common/perf/record.h"
#include "common/stream/chunk.h"
#include "reader/capture/capture.h"
#include "reader/capture/damage.h"
#include "reader/chunks/chunk_counts.h"
#include "reader/chunks/selection.h"

#define CHUNK_SCAN_BYTES (512u << 10)

enum chunk_flags {
	CHUNK_SAMPLES = 1u << 0,    /* holds SAMPLE records */
	CHUNK_SIDEBAND = 1u << 1,   /* may hold kernel records that are no samples */
	CHUNK_USER = 1u << 2,	    /* holds records of type 64 and up */
	CHUNK_UNTIMED = 1u << 3,    /* some kernel records have no time (0): synthesized state */
	CHUNK_COMPRESSED = 1u << 4, /* payload is type-81 records of complete frames */
	CHUNK_CHECKSUM = 1u << 5,   /* `checksum` is to be verified when loaded */
	CHUNK_TASKS = 1u << 6,	    /* holds records of CHUNK_TASK_TYPES */
	CHUNK_INDEXED = 1u << 8,    /* known from the index; its header was not read, or damaged */
	CHUNK_TORN = 1u << 7, /* the last of a killed recording: only its beginning is there */
	CHUNK_MENDED =
		1u << 9, /* its header says that no record in it is lengthened (lengthened.h) */
	/*
	 * Of ours: some records are lengthened. The times here are those of the records, not those
	 * of the header.
	 */
	CHUNK_LENGTHENED = 1u << 10,
};

/* Kernel records about tasks and maps: bit n = type n. */
#define CHUNK_TASK_TYPES                                                                           \
	(1ull << PERF_RECORD_MMAP | 1ull << PERF_RECORD_MMAP2 | 1ull << PERF_RECORD_COMM |         \
	 1ull << PERF_RECORD_FORK | 1ull << PERF_RECORD_EXIT | 1ull << PERF_RECORD_NAMESPACES |    \
	 1ull << PERF_RECORD_KSYMBOL | 1ull << PERF_RECORD_BPF_EVENT |                             \
	 1ull << PERF_RECORD_CGROUP | 1ull << PERF_RECORD_TEXT_POKE)

struct chunk {
	uint32_t stream;     /* index into capture.streams */
	uint32_t flags;	     /* enum chunk_flags */
	uint64_t offset;     /* of the payload in the stream's file */
	uint64_t bytes;	     /* of the payload as it is on disk */
	uint64_t raw_bytes;  /* of the records when plain */
	uint64_t nr_records; /* records inside */
	/* lowest and highest time of timed records; UINT64_MAX, 0 when there is none */
	uint64_t time_min_ns, time_max_ns;
	uint64_t given_ns;     /* of a followed capture: records up to there were given; 0: none */
	uint64_t checksum;     /* of the payload; with CHUNK_INDEXED: offset of the index record */
	uint32_t header_bytes; /* of our chunk header in front of the payload; else 0 */
	/* as in our chunk header; else 0 */
	uint32_t ring, cpu;
	uint64_t lost;
	enum ts_loss_cause lost_cause;
	/* records of perf's endless zstd streams, inflated by the scan; or NULL */
	const uint8_t *inflated;
	uint64_t packed_bytes; /* of `inflated`, which is packed (packed_range.h); 0: it is plain */
};

enum chunk_seen {
	CHUNK_LOADED = 1,   /* counted */
	CHUNK_VERIFIED = 2, /* its payload was verified: no second checksum is needed */
};

/* The parts of the streams that were read: any thread adds, relaxed. */
struct chunk_reads {
	_Atomic uint64_t nr_chunks; /* loaded, each once */
	_Atomic uint64_t bytes;	    /* of their payloads, and of headers and indexes */
	_Atomic uint8_t *seen;	    /* by chunk: bits of enum chunk_seen */
	_Atomic uint64_t window;    /* bytes touched since the files' pages were given back */
};

struct chunk_table {
	const struct capture *capture;
	const struct ts_events *events;	   /* of the records: those of the capture's header */
	const struct selection *selection; /* NULL: everything */
	struct chunk *chunks;		   /* by stream, then offset */
	size_t nr;
	struct damage damage; /* by stream, then offset */
	/* without CHUNK_TABLE_COUNTS: losses in the ranges that were read (not in ours) */
	struct chunk_counts counts;
	uint64_t nr_seen;	    /* all chunks of the capture, also those that cannot match */
	uint64_t first_ns, last_ns; /* of all chunks with samples; 0, 0: they have no time */
	bool is_sparse;
	bool is_large;		 /* too large to stay in this process after it was read */
	unsigned int nr_workers; /* threads that may read it at once */
	struct chunk_reads *reads;
};

enum chunk_table_flags {
	CHUNK_TABLE_COUNTS = 1u << 0, /* count every record by type, or those that are selected */
	CHUNK_TABLE_SPARSE = 1u << 1, /* little of our streams will be read: no reading ahead */
};

/*
 * Builds the table with nr_workers threads (at least 1). Only lack of memory is a failure; damage
 * is listed in the table. The selection (NULL: everything) must outlive the table.
 */
int chunk_table_open(struct chunk_table *t, const struct capture *c, unsigned int nr_workers,
		     unsigned int flags, const struct selection *selection, struct ts_error *err);
/* The same, with pieces of a size that tests choose (parallel_scan.h). */
int chunk_table_open_in_pieces(struct chunk_table *t, const struct capture *c,
			       unsigned int nr_workers, unsigned int flags,
			       const struct selection *selection, uint64_t piece_bytes,
			       struct ts_error *err);
/*
 * Narrows an open table to a selection that was not known before. No other thread may read the
 * table meanwhile.
 */
void chunk_table_select(struct chunk_table *t, const struct selection *selection);
/*
 * Drops chunks of an open table. `is_kept` is asked once for each, in their order. No other thread
 * may read the table meanwhile.
 */
void chunk_table_narrow(struct chunk_table *t,
			bool (*is_kept)(const struct chunk *chunk, const void *arg),
			const void *arg);
/* May the chunk hold samples of the table's selection? */
bool chunk_may_match(const struct chunk_table *t, const struct chunk *chunk);
/*
 * The first chunk that begins, with its header, at this offset of the stream or behind it; else the
 * first one of a later stream, or t->nr.
 */
size_t chunk_table_find(const struct chunk_table *t, uint32_t stream, uint64_t offset);
/* Bytes of all streams. */
uint64_t chunk_table_bytes(const struct chunk_table *t);
void chunk_table_close(struct chunk_table *t); /* accepts a zeroed one; idempotent */

/* A walk over the records in [at, end). */
struct chunk_walk {
	const uint8_t *at, *end;
};

/*
 * The next record that is whole inside the range, or NULL at the end. The walk stops early (at <
 * end) at a record with an impossible size; the rest is damage. Bytes that follow a record without
 * being counted in its header are skipped.
 */
static inline const struct perf_event_header *chunk_walk_next(struct chunk_walk *w)
{
	const uint8_t *at = w->at;
	size_t span = ts_record_span(at, (size_t)(w->end - at));

	if (!span)
		return NULL;
	w->at = at + span;
	return (const struct perf_event_header *)(const void *)at;
}

#endif
