/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 64 bytes at the beginning of each of our sealed records in a stream, and how they are sealed.
 *
 * common/stream/chunk.c and common/stream/stream_index.c share this and define the bytes behind it;
 * no other module needs it. Integers are in the byte order of the recording machine, as everywhere
 * in perf.data. See docs/format.md, "The common head".
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_STREAM_STREAM_DISK_H
#define TS_COMMON_STREAM_STREAM_DISK_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "common/stream/chunk.h"

/* "\x89TSchnk\n" and so on, as they lie in a little-endian file. */
#define TS_MAGIC_CHUNK	 0x0a6b6e6863535489ULL /* \x89 T S c h n k \n */
#define TS_MAGIC_PADDING 0x0a64617020535489ULL /* \x89 T S   p a d \n */
#define TS_MAGIC_INDEX	 0x0a78646e69535489ULL /* \x89 T S i n d x \n */
#define TS_MAGIC_FOOTER	 0x0a646e6520535489ULL /* \x89 T S   e n d \n */

struct ts_disk_head {
	struct perf_event_header hdr; /* type 65, misc 0, size: of the whole record */
	uint64_t magic;
	uint16_t major, minor; /* TS_FORMAT_* of the writer */
	uint32_t word;	       /* chunk: flags; index: bytes of an entry */
	uint64_t checksum;     /* of the whole record with this field as zero */
	uint8_t uuid[16];      /* of the recording */
	uint32_t cut;	       /* of the recording */
	uint32_t number;       /* chunk: ring; index: entries */
	uint64_t offset;       /* of this record in its file */
};
static_assert(sizeof(struct ts_disk_head) == 64, "common head");
static_assert(offsetof(struct ts_disk_head, magic) == 8, "common head");
static_assert(offsetof(struct ts_disk_head, checksum) == 24, "common head");
static_assert(offsetof(struct ts_disk_head, offset) == 56, "common head");

/* Fills perf header, magic, version and checksum of a record whose other fields are complete. */
void ts_disk_head_seal(void *at, uint64_t magic, uint16_t bytes);
/*
 * Verifies a record of this magic: sizes, checksum, version, place. With TS_FOUND_OK the first
 * `bytes` of the record are copied to ret, a struct that begins with struct ts_disk_head. `bytes`
 * is the least size of such a record, and hdr.size bytes of `at` are readable.
 */
enum ts_found ts_disk_head_open(const void *at, size_t left, uint64_t offset, uint64_t magic,
				void *ret, size_t bytes);

#endif
