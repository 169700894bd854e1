/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunk: a run of whole records of one ring, behind a header hidden in a perf record of
 * type 65.
 *
 * perf skips type 65, so a stream made of chunks is a plain stream of records to it. The header
 * names the recording, the ring, what was lost before it and a checksum of its payload, so a reader
 * can hop from header to header, resume after damage at the next magic, and never has to decode
 * what it does not need. The payload follows the header at once: plain records, or type-81 records
 * (complete zstd frames) when compressed.
 *
 * docs/format.md fixes the bytes; ts_chunk_pack() and ts_chunk_parse() are the only code that knows
 * them.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_CHUNK_H
#define TS_COMMON_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every type-65 record of ours is between these, a multiple of 8 (newer perf warns below 80). */
#define TS_FILLER_MIN_BYTES 80
#define TS_RECORD_MAX_BYTES 65528

enum ts_ring_kind {
	TS_RING_SAMPLES = 0,
	TS_RING_SIDEBAND = 1,
	TS_RING_OVERWRITE = 2,
};

enum ts_chunk_flags {
	TS_CHUNK_COMPRESSED = 1u << 0,
	TS_CHUNK_BACKWARD = 1u << 1,   /* of an overwritten ring, already turned into time order */
	TS_CHUNK_AFTER_LOSS = 1u << 2, /* records were lost on this ring since its previous chunk */
};

enum ts_loss_cause {
	TS_LOSS_NONE = 0,
	TS_LOSS_RING_FULL = 1, /* the kernel found no room in the ring */
	TS_LOSS_PAUSED = 2,    /* the ring was paused for a snapshot */
	TS_LOSS_DISK = 3,      /* copied out of the ring but never written */
};

struct ts_chunk {
	uint8_t uuid[16]; /* of the recording */
	uint32_t cut;	  /* grows at each rotation or snapshot; 0 at first */
	uint32_t ring;	  /* number of the ring in the recording */
	uint32_t cpu;	  /* CPU of the ring */
	enum ts_ring_kind kind;
	uint32_t flags;		/* enum ts_chunk_flags */
	uint64_t seq;		/* in the stream, from 0 */
	uint64_t payload_bytes; /* as on disk, a multiple of 8 */
	uint64_t raw_bytes;	/* before compression; equal to payload_bytes when plain */
	uint64_t nr_records;
	uint64_t time_min_ns,
		time_max_ns; /* lowest and highest record time; 0, 0 when no record has one */
	uint64_t span_min_ns, span_max_ns; /* what an overwritten ring dropped before this chunk; 0,
					      0 if nothing */
	uint64_t lost;			   /* records lost on this ring since its previous chunk */
	enum ts_loss_cause lost_cause;
	uint64_t checksum; /* XXH3-64 of the payload as it is on disk */
};

#endif
