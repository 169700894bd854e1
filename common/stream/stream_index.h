/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a stream: records of type 65 that name the chunks since the previous one.
 *
 * Every TS_INDEX_ENTRIES chunks an index record is laid into the stream; it points back to the one
 * before. At a clean end the last index record is followed by a footer of fixed size, the last
 * bytes of the file, which points to it. So the table of all chunks comes from the end of the file
 * in a few hops; a stream without footer (killed) is searched backwards for its last index record
 * and then hopped through, header to header.
 *
 * An entry holds what is needed to plan the reading of a chunk; the spans and the checksum are only
 * in the chunk header. Entries are in file order: seq of entry i is first_seq + i.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_STREAM_STREAM_INDEX_H
#define TS_COMMON_STREAM_STREAM_INDEX_H

#include "common/stream/chunk.h"

#define TS_INDEX_ENTRIES     256 /* at most, of one index record that we write */
#define TS_INDEX_HEAD_BYTES  80
#define TS_INDEX_ENTRY_BYTES 72
#define TS_INDEX_MAX_BYTES   (TS_INDEX_HEAD_BYTES + TS_INDEX_ENTRIES * TS_INDEX_ENTRY_BYTES)
#define TS_FOOTER_BYTES	     96

struct ts_index {
	uint8_t uuid[16];
	uint32_t cut;
	uint32_t nr;	       /* entries */
	uint32_t entry_bytes;  /* of one entry in the file */
	uint32_t record_bytes; /* of the whole index record */
	uint64_t offset;       /* of this record in its file */
	uint64_t prev_offset;  /* of the index record before it; TS_NO_OFFSET: this is the first */
	uint64_t first_seq;
	const uint8_t *entries; /* into what was parsed */
};

struct ts_footer {
	uint8_t uuid[16];
	uint32_t cut;
	uint64_t offset;       /* of the footer in its file */
	uint64_t index_offset; /* of the last index record; TS_NO_OFFSET: a stream without chunks */
	uint64_t nr_chunks, nr_records, raw_bytes; /* of the whole stream */
};

/* Packs one entry (TS_INDEX_ENTRY_BYTES) for a chunk whose fields are complete. */
void ts_index_pack_entry(const struct ts_chunk *c, void *at);
/*
 * Writes an index record at `at` (8-byte aligned) and returns its bytes. ix->entries are
 * ix->nr (1 .. TS_INDEX_ENTRIES) packed entries; record_bytes and entry_bytes are ignored.
 */
size_t ts_index_pack(const struct ts_index *ix, void *at);
/* Parses the index record at `at`, `left` bytes readable, standing at `offset` of its file. */
enum ts_found ts_index_parse(const void *at, size_t left, uint64_t offset, struct ts_index *ret);
/*
 * Entry i (< nr) as a chunk: uuid, cut, seq and offset filled, spans 0, checksum 0. false: its
 * values are impossible (it reaches into or beyond the index record, its header is too small).
 */
bool ts_index_chunk(const struct ts_index *ix, uint32_t i, struct ts_chunk *ret);

/* Writes a footer of TS_FOOTER_BYTES. */
void ts_footer_pack(const struct ts_footer *f, void *at);
enum ts_found ts_footer_parse(const void *at, size_t left, uint64_t offset, struct ts_footer *ret);
/* The footer that ends the file [base, base + len). TS_FOUND_NOTHING: it has none. */
enum ts_found ts_footer_last(const void *base, uint64_t len, struct ts_footer *ret);

/*
 * The last index record of the file [base, base + len): by the footer, else by a search back from
 * the end over at most `reach` bytes. Only TS_FOUND_OK fills *ret; TS_FOUND_NOTHING: none within
 * reach (hop from the start of the file); TS_FOUND_NEWER: refuse the stream.
 */
enum ts_found ts_index_last(const void *base, uint64_t len, uint64_t reach, struct ts_index *ret);

#endif
