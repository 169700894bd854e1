// SPDX-License-Identifier: Apache-2.0
/*
 * The first byte of the input is the size of a trailer in words, the rest is a run of records. A
 * trailer lies inside its record. After mending, no record is lengthened, and each has its type, its
 * size and its trailer, now at its end.
 */
#include "common/perf/lengthened.h"

#include <stdlib.h>
#include <string.h>

#include "common/perf/record.h"
#include "tests/fuzz/fuzz.h"

#define TRAILER_WORDS_MAX 6

static void check(int holds)
{
	if (!holds)
		abort();
}

/* Mends a copy of one record. Returns 1 if that changed it. */
static size_t mend_one(const uint8_t *record, size_t size, size_t trailer_bytes)
{
	const size_t off = ts_lengthened_trailer_off(record, trailer_bytes);
	const bool is_lengthened = ts_lengthened_is_record(record, trailer_bytes);
	uint8_t *copy = malloc(size);

	check(copy && off <= size);
	memcpy(copy, record, size);
	check(ts_lengthened_mend(copy, trailer_bytes) == is_lengthened);
	check(is_lengthened || !memcmp(copy, record, size));
	check(!memcmp(copy, record, sizeof(struct perf_event_header)));
	if (is_lengthened)
		check(off + trailer_bytes < size &&
		      !memcmp(copy + size - trailer_bytes, record + off, trailer_bytes));
	free(copy);
	return is_lengthened;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t trailer_bytes = size ? 8 * (data[0] % (TRAILER_WORDS_MAX + 1)) : 0;
	const size_t len = size ? size - 1 : 0;
	size_t span, at = 0, nr = 0;
	uint8_t *run = malloc(len + 1);

	check(run != NULL);
	memcpy(run, data + !!size, len);
	for (; (span = ts_record_span_in_run(run + at, len - at)); at += span)
		nr += mend_one(run + at, ts_record_load_header(run + at).size, trailer_bytes);
	check(ts_lengthened_mend_run(run, len, trailer_bytes) == nr);
	free(run);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	static const uint16_t types[] = {PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT,
					 PERF_RECORD_TEXT_POKE, PERF_RECORD_COMM};
	const uint8_t words = nr % (TRAILER_WORDS_MAX + 1);

	ts_bytes_put(out, &words, 1);
	for (uint32_t i = 0; i < 4; i++) {
		const struct perf_event_header h = {.type = types[(nr + i) % 4],
						    .size = (uint16_t)(8 * (5 + words + nr % 5))};

		ts_bytes_put(out, &h, sizeof(h));
		ts_bytes_u64(out, 0xffffffff81000000);
		ts_bytes_u64(out, h.type == PERF_RECORD_TEXT_POKE ? 0x00050005 : 0x00000001);
		ts_bytes_put(out, "name\0\0\0", 8);
		for (size_t at = 4 * 8; at < h.size; at += 8)
			ts_bytes_u64(out, nr / 4 % 3 ? nr + i + at : 0);
	}
}
