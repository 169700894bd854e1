// SPDX-License-Identifier: Apache-2.0
/*
 * Records are mended in heap blocks of exactly their size, so ASan reports an access beyond them.
 */
#include "common/perf/lengthened.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/record.h"
#include "tests/support/lengthened_records.h"
#include "tests/support/made_samples.h"

#define ID	    501
#define TRAILER_MAX 6 /* words */
#define NR(array)   (sizeof(array) / sizeof((array)[0]))
#define ALL_TRAILERS                                                                               \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static const uint32_t types[] = {PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT, PERF_RECORD_TEXT_POKE};
/* trailers of other listeners: perf's with one event, ours, all fields */
static const uint64_t sample_types[] = {
	PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
	PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
	ALL_TRAILERS,
};

/* Stale bytes of the ring; they may look like a trailer. */
static const uint64_t stale[2 * TRAILER_MAX] = {
	7 | 7ULL << 32, 900, 1, ID, 7 | 7ULL << 32, 901, 1, ID, 0, 0, 0, ID};

/* A trailer of that sample_type: process 10, thread 11, time 5000, CPU 1. Returns its bytes. */
static size_t make_trailer(uint64_t type, uint64_t *to)
{
	size_t nr = 0;

	if (type & PERF_SAMPLE_TID)
		to[nr++] = 10 | 11ULL << 32;
	if (type & PERF_SAMPLE_TIME)
		to[nr++] = 5000;
	if (type & PERF_SAMPLE_ID)
		to[nr++] = ID;
	if (type & PERF_SAMPLE_STREAM_ID)
		to[nr++] = 77;
	if (type & PERF_SAMPLE_CPU)
		to[nr++] = 1;
	if (type & PERF_SAMPLE_IDENTIFIER)
		to[nr++] = ID;
	return 8 * nr;
}

/* A record with `extra` bytes behind its trailer; the caller frees it. */
static uint8_t *make(uint32_t type, uint64_t sample_type, size_t extra)
{
	uint64_t trailer[TRAILER_MAX];
	size_t bytes = make_trailer(sample_type, trailer);
	struct ts_bytes made = {0};
	uint8_t *record;

	put_lengthened(&made, type, trailer, bytes, stale, extra);
	record = malloc(made.len);
	memcpy(record, made.data, made.len);
	ts_bytes_release(&made);
	return record;
}

static void expect_mended(const uint8_t *record, uint32_t type, uint64_t sample_type, size_t extra)
{
	uint64_t trailer[TRAILER_MAX];
	size_t bytes = make_trailer(sample_type, trailer), body = lengthened_body_bytes(type);
	uint8_t *first = make(type, sample_type, 0);
	static const uint8_t zeros[sizeof(stale)];

	cr_assert_eq(ts_record_load_header(record).size, body + bytes + extra, "its size stays");
	cr_assert_eq(memcmp(record + 8, first + 8, body - 8), 0, "its body stays");
	cr_assert_eq(memcmp(record + body, zeros, extra), 0, "zeros in between");
	cr_assert_eq(memcmp(record + body + extra, trailer, bytes), 0, "the trailer at its end");
	free(first);
}

static void try_mend(uint32_t type, uint64_t sample_type, size_t extra)
{
	uint64_t trailer[TRAILER_MAX];
	size_t bytes = make_trailer(sample_type, trailer);
	uint8_t *record = make(type, sample_type, extra);

	cr_assert(ts_lengthened_is_record(record, bytes));
	cr_assert_eq(ts_lengthened_trailer_off(record, bytes), lengthened_body_bytes(type));
	cr_assert(ts_lengthened_mend(record, bytes), "type %u, %zu bytes too long", type, extra);
	expect_mended(record, type, sample_type, extra);
	cr_assert_eq(ts_lengthened_trailer_off(record, bytes), lengthened_body_bytes(type) + extra);
	cr_assert_not(ts_lengthened_is_record(record, bytes));
	cr_assert_not(ts_lengthened_mend(record, bytes), "once is enough");
	expect_mended(record, type, sample_type, extra);
	free(record);
}

Test(lengthened, mends_each_type_behind_one_and_two_listeners)
{
	for (size_t t = 0; t < NR(types); t++)
		for (size_t s = 0; s < NR(sample_types); s++) {
			uint64_t trailer[TRAILER_MAX];
			size_t bytes = make_trailer(sample_types[s], trailer);

			try_mend(types[t], sample_types[s], bytes);
			try_mend(types[t], sample_types[s], 2 * bytes);
		}
}

/* perf's events have trailers of 16 bytes, ours of 32. */
Test(lengthened, mends_behind_listeners_whose_trailers_are_shorter_or_longer)
{
	for (size_t t = 0; t < NR(types); t++)
		for (size_t s = 0; s < NR(sample_types); s++)
			for (size_t extra = 8; extra <= sizeof(stale); extra += 8)
				try_mend(types[t], sample_types[s], extra);
}

Test(lengthened, leaves_what_is_as_it_should_be)
{
	for (size_t t = 0; t < NR(types); t++)
		for (size_t s = 0; s < NR(sample_types); s++) {
			uint8_t *record = make(types[t], sample_types[s], 0);
			uint8_t *copy = make(types[t], sample_types[s], 0);
			uint64_t trailer[TRAILER_MAX];
			size_t bytes = make_trailer(sample_types[s], trailer);

			cr_assert_not(ts_lengthened_is_record(record, bytes));
			cr_assert_not(ts_lengthened_mend(record, bytes));
			cr_assert_eq(memcmp(record, copy, ts_record_load_header(copy).size), 0);
			free(record);
			free(copy);
		}
}

/* Records that tools make have a trailer of zeros, and may have room to spare. */
Test(lengthened, leaves_what_a_tool_made)
{
	static const uint64_t zeros[4];
	struct ts_bytes made = {0};

	put_lengthened(&made, PERF_RECORD_KSYMBOL, zeros, 32, zeros, 8);
	cr_assert_not(ts_lengthened_mend(made.data, 32));
	cr_assert_eq(ts_lengthened_trailer_off(made.data, 32), LENGTHENED_KSYMBOL_BYTES + 8);
	ts_bytes_release(&made);
}

Test(lengthened, leaves_other_types_and_records_without_a_trailer)
{
	uint8_t *record = make(PERF_RECORD_BPF_EVENT, sample_types[0], 16);
	struct perf_event_header hdr = ts_record_load_header(record);

	cr_assert_not(ts_lengthened_mend(record, 0));
	for (uint32_t type = 0; type < 100; type++) {
		if (ts_lengthened_is_type(type))
			continue;
		hdr.type = type;
		memcpy(record, &hdr, sizeof(hdr));
		cr_assert_not(ts_lengthened_mend(record, 16), "type %u", type);
		cr_assert_eq(ts_lengthened_trailer_off(record, 16), hdr.size - 16u);
	}
	free(record);
}

/* Every size that a header may give; all its bytes exist, in a block of exactly that size. */
Test(lengthened, survives_sizes_lengths_and_names_that_cannot_be)
{
	for (size_t t = 0; t < NR(types); t++)
		for (size_t size = 8; size < 200; size++) {
			struct perf_event_header hdr = {.type = types[t], .size = (uint16_t)size};
			uint8_t *record = malloc(size);

			memset(record, 0xff, size); /* no name ends, the code has 65535 bytes */
			memcpy(record, &hdr, sizeof(hdr));
			for (size_t bytes = 0; bytes <= 48; bytes += 8) {
				size_t off = ts_lengthened_trailer_off(record, bytes);

				cr_assert_leq(off, size);
				cr_assert(off == size || off + bytes <= size);
				ts_lengthened_mend(record, bytes);
			}
			free(record);
		}
}

Test(lengthened, mends_all_of_a_run_up_to_what_cannot_be_a_record)
{
	struct perf_event_header bad = {.type = PERF_RECORD_COMM, .size = 4};
	uint64_t trailer[TRAILER_MAX];
	size_t bytes = make_trailer(sample_types[2], trailer), last;
	struct ts_bytes run = {0}, sample = {0};
	struct perf_event_attr attr = attr_of(sample_types[2] | PERF_SAMPLE_IP);
	struct ts_sample want;

	build_sample(&attr, ID, &sample, &want);
	put_lengthened(&run, PERF_RECORD_KSYMBOL, trailer, bytes, stale, bytes);
	ts_bytes_put(&run, sample.data, sample.len);
	put_lengthened(&run, PERF_RECORD_BPF_EVENT, trailer, bytes, stale, 2 * bytes);
	put_lengthened(&run, PERF_RECORD_TEXT_POKE, trailer, bytes, NULL, 0);
	ts_bytes_put(&run, &bad, sizeof(bad));
	last = run.len;
	put_lengthened(&run, PERF_RECORD_BPF_EVENT, trailer, bytes, stale, bytes);
	cr_assert_eq(ts_lengthened_mend_run(run.data, run.len, bytes), 2);
	cr_assert_eq(
		memcmp(run.data + LENGTHENED_KSYMBOL_BYTES + 2 * bytes, sample.data, sample.len), 0,
		"what is between stays");
	cr_assert(ts_lengthened_is_record(run.data + last, bytes));
	cr_assert_eq(ts_lengthened_mend_run(run.data, last - 8, bytes), 0);
	ts_bytes_release(&run);
	ts_bytes_release(&sample);
}

/* A decoder finds the trailer in both. */
Test(lengthened, is_decoded_as_it_is_and_mended)
{
	for (size_t t = 0; t < NR(types); t++)
		for (size_t s = 0; s < NR(sample_types); s++) {
			struct perf_event_attr attr = attr_of(sample_types[s] | PERF_SAMPLE_IP);
			uint8_t *record = make(types[t], sample_types[s], 64);
			struct ts_events events = {0};
			struct ts_sample_id sid;
			uint64_t id = ID;
			struct ts_error err;

			cr_assert_eq(ts_events_add(&events, &attr, "e", &id, 1, &err), 0);
			cr_assert_eq(ts_events_index(&events, &err), 0);
			for (unsigned int turn = 0; turn < 2; turn++) {
				cr_assert_eq(ts_decode_trailer(&events, (const void *)record, &sid),
					     TS_DECODE_OK);
				cr_assert_eq(sid.time_ns, 5000);
				cr_assert_eq(sid.pid, 10);
				cr_assert_eq(sid.tid, 11);
				ts_lengthened_mend(record, ts_record_trailer_bytes(&attr));
			}
			free(record);
			ts_events_release(&events);
		}
}
