/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sound records of a chunk of ours whose payload is not as it was written.
 *
 * The checksum is of the whole payload, so it does not tell which records are wrong. A record is
 * taken for sound if record_sanity_check() finds nothing, if its event is known, and if its time is
 * one of the times in the chunk header, which has a checksum of its own. A record that passes may be
 * wrong all the same (docs/decisions/0168-records-of-damaged-chunks.md).
 *
 * Threads: pure functions, but for the decompressor, which is the caller's.
 */
#ifndef TS_READER_CHUNKS_CHUNK_SALVAGE_H
#define TS_READER_CHUNKS_CHUNK_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "common/stream/compress.h"
#include "reader/chunks/chunk_table.h"

/*
 * Expands all records of a compressed payload that can be expanded, into at most `cap` bytes at
 * `to`, and at most 256 times `len`. Each of them is a frame of its own, so a damaged one costs
 * itself. Returns the bytes written.
 */
size_t chunk_salvage_expand(struct ts_decompressor *d, const uint8_t *payload, size_t len,
			    uint8_t *to, size_t cap);
/* The records that stand behind holes of a damaged payload; zero-initialise. */
struct chunk_holes {
	struct chunk_hole {
		size_t kept, left_out; /* bytes before the record behind it */
	} * items;
	size_t nr, cap;
};

/*
 * Moves the sound records of [records, records + len) to its beginning, and lists the holes between
 * them anew, unless `holes` is NULL. Returns their bytes, and their number in *ret_nr. If memory is
 * short, the list ends early.
 */
size_t chunk_salvage_records(const struct ts_events *events, const struct chunk *chunk,
			     uint8_t *records, size_t len, struct chunk_holes *holes,
			     uint64_t *ret_nr);
/* Where the record stood that is at `at` now. */
size_t chunk_salvage_place(const struct chunk_holes *holes, size_t at);
/*
 * Bytes of the whole records at the start of [records, records + len), which a recorder did not
 * complete. *ret_is_damaged: one of them is not sound, or more records follow behind the place
 * where they end.
 */
size_t chunk_salvage_whole(const struct ts_events *events, const struct chunk *chunk,
			   const uint8_t *records, size_t len, bool *ret_is_damaged);

#endif
