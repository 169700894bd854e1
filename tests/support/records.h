/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as the kernel would write them, for tests of chunks and streams.
 *
 * sample_type is IDENTIFIER | IP | TID | TIME | CPU | PERIOD, as in our captures.
 *
 * Threads: pure functions.
 */
#ifndef TS_TESTS_SUPPORT_RECORDS_H
#define TS_TESTS_SUPPORT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#define SAMPLE_BYTES 56

/* A SAMPLE of SAMPLE_BYTES at `at`. Returns its bytes. */
size_t put_sample(void *at, uint64_t id, uint64_t time_ns, uint32_t cpu);
/*
 * A SAMPLE of `bytes` (a multiple of 8, >= SAMPLE_BYTES). A field RAW, filled from *seed, takes the
 * bytes beyond SAMPLE_BYTES.
 */
size_t put_large_sample(void *at, size_t bytes, uint64_t id, uint64_t time_ns, uint64_t *seed);
/*
 * Whole samples with RAW of mixed sizes (up to `largest`) into [at, at + room); returns the bytes
 * used.
 */
size_t put_mixed_samples(void *at, size_t room, size_t largest, uint64_t *seed, uint64_t *ret_nr);
/* The next number of a fixed pseudo-random sequence (splitmix64). */
uint64_t next_random(uint64_t *seed);

#endif
