/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a stream: records of type 65 that list the chunks since the previous index record.
 *
 * Every TS_INDEX_ENTRIES chunks an index record is laid into the stream, with the offset of the
 * index record before it. At a clean end a footer of fixed size follows the last index record; it
 * is the end of the file and has the offset of that record. A reader gets the table of all chunks
 * from the end of the file in a few hops. In a stream without footer (killed) it searches backwards
 * for the last index record, then hops from chunk header to chunk header.
 *
 * An entry has the fields that a reader needs to plan the reading of a chunk; spans and checksum
 * are only in the chunk header. Entries are in file order: seq of entry i is first_seq + i.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_STREAM_STREAM_INDEX_H
#define TS_COMMON_STREAM_STREAM_INDEX_H

#include "common/stream/chunk.h"

#define TS_INDEX_ENTRIES     256 /* at most, in one index record that we write */
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
	const uint8_t *entries; /* in the parsed bytes */
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
/*
 * Parses the index record at `at`, which stands at `offset` of its file; `left` bytes are readable.
 */
enum ts_found ts_index_parse(const void *at, size_t left, uint64_t offset, struct ts_index *ret);
/*
 * Entry i (< nr) as a chunk: uuid, cut, seq and offset filled, spans 0, checksum 0. false: its
 * values are impossible (the chunk reaches into or beyond the index record, its header is too
 * small).
 */
bool ts_index_chunk(const struct ts_index *ix, uint32_t i, struct ts_chunk *ret);

/* Writes a footer of TS_FOOTER_BYTES. */
void ts_footer_pack(const struct ts_footer *f, void *at);
enum ts_found ts_footer_parse(const void *at, size_t left, uint64_t offset, struct ts_footer *ret);
/* The footer at the end of the file [base, base + len). TS_FOUND_NOTHING: the file has none. */
enum ts_found ts_footer_last(const void *base, uint64_t len, struct ts_footer *ret);

/*
 * Finds the last index record of the file [base, base + len): through the footer, otherwise by a
 * search backwards from the end over at most `reach` bytes. Fills *ret only with TS_FOUND_OK.
 * TS_FOUND_NOTHING: none within reach, so hop from the start of the file. TS_FOUND_NEWER: refuse
 * the stream.
 */
enum ts_found ts_index_last(const void *base, uint64_t len, uint64_t reach, struct ts_index *ret);

#endif
