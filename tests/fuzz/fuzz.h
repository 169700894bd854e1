/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target: what it gets to read, and what a good input looks like.
 *
 * A target is one file with the two functions below. With clang it links with libFuzzer; without,
 * driver.c runs it for some seconds on mutations of its seeds. A target calls abort() where a
 * promise of the code under test is broken.
 *
 *	clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -DXXH_INLINE_ALL -I. \
 *		tests/fuzz/fuzz_header.c tests/fuzz/seeds.c tests/support/task_records.c \
 *		$(find common -name "*.c") -lzstd -lhwloc
 *
 * Threads: one.
 */
#ifndef TS_TESTS_FUZZ_FUZZ_H
#define TS_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

/* One run. Returns 0. The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Appends a well-formed input; `nr` chooses among as many as the target likes (only driver.c). */
void fuzz_seed(uint32_t nr, struct ts_bytes *out);

#endif
