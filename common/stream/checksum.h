/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checksum of payloads and of our headers: XXH3-64, seed 0 (docs/decisions/0012-xxh3.md).
 *
 * It covers every byte that is recorded and every byte that is read. On a processor with AVX2 the
 * same sum is computed with AVX2, four times as fast as with the instructions of every x86-64.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_STREAM_CHECKSUM_H
#define TS_COMMON_STREAM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t ts_checksum(const void *data, size_t len);

/* The same with AVX2, which the processor must have; only ts_checksum() calls this. */
uint64_t ts_checksum_avx2(const void *data, size_t len);

#endif
