/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a stream back as a reader without any of our own reading code would: record by record.
 *
 * Threads: one owner; it may run while the stream is still being written, over what is there.
 */
#ifndef TS_TESTS_SUPPORT_STREAM_CHECK_H
#define TS_TESTS_SUPPORT_STREAM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_CHECK_RINGS 64

struct stream_check {
	uint64_t bytes;	  /* of the file */
	uint64_t records; /* true ones, not ours of type 65 */
	uint64_t chunks;
	uint64_t next_number[STREAM_CHECK_RINGS]; /* one more than the last sample, by ring */
	uint64_t samples[STREAM_CHECK_RINGS];
	uint64_t gaps[STREAM_CHECK_RINGS]; /* numbers that are missing in between */
	uint64_t lost[STREAM_CHECK_RINGS]; /* told by LOST records */
	uint64_t lost_disk;		   /* of those, in chunks that blame the disk */
	bool has_footer;
	bool is_cut;	   /* the last chunk was not written to its end */
	char problem[256]; /* the first thing that is wrong; empty: the stream is sound */
};

/*
 * Reads the file at `path`. Checks that it consists of whole records, that chunk headers,
 * checksums, counts and times fit their payloads, and that the numbered samples (fake_ring.h) of
 * each ring ascend. The last chunk may be cut, by the end of the file or by the covers of a block
 * that was being laid; its whole records are taken. Returns whether no problem was found.
 */
bool stream_check(const char *path, struct stream_check *ret);

#endif
