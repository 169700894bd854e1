/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunk: a run of whole records of one ring, behind a header that is a perf record of type 65.
 *
 * perf skips type 65, so it reads a stream of chunks as a plain stream of records. The header names
 * the recording, its own place in the file, the ring, the losses before it and a checksum of its
 * payload. A reader can therefore hop from header to header, resume after damage at the next magic,
 * and skip chunks that it does not need. The payload follows the header directly. It consists of
 * plain records; if compressed, of type-81 records (complete zstd frames) and plain ones.
 *
 * Every type-65 record of ours but covers has a magic at byte 8: chunk header, padding, index,
 * footer. Index and footer are in common/stream/stream_index.h. While a block is laid out on a
 * buffered filesystem (streamer/writer/write_order.h), covers hide its unfinished parts. A cover
 * has type 65 and misc == TS_MISC_COVER, and its content means nothing. Only a killed capture still
 * has covers.
 *
 * docs/format.md fixes the bytes. Only ts_chunk_pack() and ts_chunk_parse() know the bytes of the
 * chunk header.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_STREAM_CHUNK_H
#define TS_COMMON_STREAM_CHUNK_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds of the size of our type-65 records, a multiple of 8 (newer perf warns below 80). */
#define TS_FILLER_MIN_BYTES 80
#define TS_RECORD_MAX_BYTES 65528

/*
 * A reader refuses a higher major version; a higher minor one only adds bytes to the end of a
 * header.
 */
#define TS_FORMAT_MAJOR 1
#define TS_FORMAT_MINOR 0

/*
 * Bytes of the chunk header that we write; a parsed header has its own size
 * (ts_chunk.header_bytes).
 */
#define TS_CHUNK_HEADER_BYTES 152

/* perf_event_header.misc of a cover: "this part of the file is not yet complete". */
#define TS_MISC_COVER 0x5453

#define TS_NO_OFFSET UINT64_MAX

enum ts_ring_kind {
	TS_RING_SAMPLES = 0,
	TS_RING_SIDEBAND = 1,
	TS_RING_OVERWRITE = 2, /* samples; the newest replace the oldest */
};

enum ts_chunk_flags {
	TS_CHUNK_COMPRESSED = 1u << 0,
	TS_CHUNK_BACKWARD = 1u << 1,   /* the ring was backward; the chunk is in order of time */
	TS_CHUNK_AFTER_LOSS = 1u << 2, /* records were lost on this ring since its previous chunk */
	/*
	 * Side-band only: no record of the chunk is lengthened (lengthened.h), so its times are
	 * correct.
	 */
	TS_CHUNK_MENDED = 1u << 3,
};

enum ts_loss_cause {
	TS_LOSS_NONE = 0,
	TS_LOSS_RING_FULL = 1,	 /* the kernel found no room: the writer came too late */
	TS_LOSS_PAUSED = 2,	 /* the ring was paused to be dumped */
	TS_LOSS_DISK = 3,	 /* as RING_FULL, and the writer had no free buffer: slow disk */
	TS_LOSS_COMPRESSION = 4, /* as RING_FULL, and the ring filled up during compression */
	TS_LOSS_HARDWARE = 5,	 /* samples that the processor lost; never in a chunk header */
	TS_LOSS_NR,		 /* number of values */
};

struct ts_chunk {
	uint8_t uuid[16]; /* of the recording */
	uint32_t cut;	  /* number of the directory in the recording, from 0 */
	uint32_t ring;	  /* number of the ring in the recording */
	uint32_t cpu;	  /* CPU of the ring */
	enum ts_ring_kind kind;
	uint32_t flags;		/* enum ts_chunk_flags */
	uint32_t header_bytes;	/* set by parse: the payload starts at offset + header_bytes */
	uint64_t offset;	/* of the header in its file */
	uint64_t seq;		/* in the stream, from 0 */
	uint64_t payload_bytes; /* as on disk, a multiple of 8 */
	uint64_t raw_bytes;	/* before compression; equal to payload_bytes when plain */
	uint64_t nr_records;
	uint64_t time_min_ns, time_max_ns; /* lowest and highest; 0, 0 when no record has a time */
	uint64_t span_min_ns, span_max_ns; /* of the records overwritten before it; 0, 0: none */
	uint64_t lost;			   /* records lost on this ring since its previous chunk */
	enum ts_loss_cause lost_cause;
	uint64_t checksum; /* ts_checksum() of the payload as it is on disk */
};

/* The result of a parser at the expected place of one of our records. */
enum ts_found {
	TS_FOUND_OK,
	TS_FOUND_NOTHING, /* no magic of this kind here */
	TS_FOUND_DAMAGED, /* the magic is there; checksum, size, place or values are wrong */
	TS_FOUND_NEWER,	  /* written by a later major version of the format */
};

/* The kind of a type-65 record, by misc and magic alone; nothing is verified. */
enum ts_own_record {
	TS_OWN_NONE, /* not type 65, or not ours */
	TS_OWN_CHUNK,
	TS_OWN_PADDING,
	TS_OWN_INDEX,
	TS_OWN_FOOTER,
	TS_OWN_COVER, /* unfinished: the recorder was killed while it wrote */
};

/* The name in tstream.json: "ring_full", "disk", ...; "kept" for TS_LOSS_NONE. */
const char *ts_loss_cause_name(enum ts_loss_cause cause);

/* Writes the header (TS_CHUNK_HEADER_BYTES) at `at`, which is 8-byte aligned; header_bytes is
 * ignored. */
void ts_chunk_pack(const struct ts_chunk *c, void *at);
/*
 * Parses the header at `at`, which stands at `offset` of the file; `left` bytes are readable up to
 * the end of the file. Verifies everything in the header and nothing in the payload. The caller
 * compares the payload's checksum, and its size (header_bytes + payload_bytes <= left): the last
 * chunk of a killed capture may be shorter. Fills *ret only with TS_FOUND_OK.
 */
enum ts_found ts_chunk_parse(const void *at, size_t left, uint64_t offset, struct ts_chunk *ret);
/*
 * Offset of the next sound chunk header in [base, base + len) at or after `from`, to resume after
 * damage: its checksum and its place are right. base is the start of the file. TS_NO_OFFSET: none.
 */
uint64_t ts_chunk_next_magic(const void *base, uint64_t len, uint64_t from);
/*
 * Bytes of whole records at the start of a payload, up to the first cover or up to len. A killed
 * recorder had completed this part of its last chunk. *ret_covered reports that a cover ended it. A
 * record of impossible size ends it as well.
 */
size_t ts_chunk_whole_bytes(const void *payload, size_t len, bool *ret_covered);

/*
 * The kind of this record. hdr->size bytes must be readable, or at least 16; otherwise use
 * TS_OWN_NONE.
 */
enum ts_own_record ts_own_record(const struct perf_event_header *hdr);

/*
 * Fills [at, at + bytes) with padding records. `at` is 8-byte aligned; `bytes` is a multiple of 8,
 * and 0 or at least TS_FILLER_MIN_BYTES.
 */
void ts_chunk_filler(void *at, size_t bytes);

#endif
