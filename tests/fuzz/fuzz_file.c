// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a whole perf.data file, or what perf wrote to a pipe, and is read as report and script
 * read it: header, features, formats of tracepoints, records and their text.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/dump/dump_record.h"
#include "reader/dump/print_header.h"
#include "reader/dump/print_stats.h"
#include "reader/tracepoints/trace_fields.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static void dump_record(const struct capture *c, struct tracefields *fields,
			const struct perf_event_header *hdr, struct ts_bytes *out)
{
	const struct ts_events *events = &c->header.events;
	struct ts_sample sample;
	enum ts_decode found;

	dump_bytes(hdr, "file", 0, out);
	if (ts_record_load_u32(hdr) >= TS_RECORD_USER_START)
		return;
	if (ts_record_load_u32(hdr) == PERF_RECORD_SAMPLE)
		found = ts_decode_sample(events, hdr, &sample);
	else
		found = ts_decode_trailer(events, hdr, &sample.sid);
	if (found != TS_DECODE_OK)
		return;
	dump_meaning(hdr, 0, &sample.sid, &sample, events, out);
	if (ts_record_load_u32(hdr) != PERF_RECORD_SAMPLE)
		dump_event(hdr, out);
	else if (fields && sample.raw && sample.sid.event != TS_NO_EVENT)
		trace_fields_print(fields, events->items[sample.sid.event].attr.config, sample.raw,
				   sample.raw_size, sample.sid.cpu, out);
}

static void dump_all(const struct chunk_table *t, struct tracefields *fields, struct ts_bytes *out)
{
	struct chunk_buffer buf = {0};

	for (size_t i = 0; i < t->nr; i++) {
		const struct perf_event_header *hdr;
		const uint8_t *records;
		struct chunk_walk walk;
		struct ts_error err;
		size_t len;

		if (chunk_load(t, &t->chunks[i], &buf, &records, &len, &err) < 0)
			continue;
		walk = (struct chunk_walk){records, records + len};
		while ((hdr = chunk_walk_next(&walk))) {
			ts_bytes_clear(out);
			dump_record(t->capture, fields, hdr, out);
		}
	}
	chunk_buffer_release(&buf);
}

static void read_capture(const struct capture *c)
{
	struct tracefields *fields;
	struct chunk_table table;
	struct ts_bytes out = {0};
	struct ts_error err;

	print_header(c, &out);
	for (size_t i = 0; i < out.len; i++)
		check(out.data[i] == '\n' || out.data[i] >= ' ');
	fields = trace_fields_new(&c->header, NULL, &err);
	check(!chunk_table_open(&table, c, 1, CHUNK_TABLE_COUNTS, NULL, &err));
	print_stats(&table, &out);
	dump_all(&table, fields, &out);
	chunk_table_close(&table);
	trace_fields_free(fields);
	ts_bytes_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_stream stream = {.path = (char *)(uintptr_t) "/none/file",
					.map = {.data = data, .len = size}};
	struct capture capture = {.path = (char *)(uintptr_t) "/none/file",
				  .kind = CAPTURE_FILE,
				  .streams = &stream,
				  .nr_streams = 1};
	struct ts_error err = {0};

	if (capture_parse(&capture, &err)) {
		check(err.code && err.text[0]);
		return 0;
	}
	read_capture(&capture);
	ts_header_release(&capture.header);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	seed_file(nr, out);
}
