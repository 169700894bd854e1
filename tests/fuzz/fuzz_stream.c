// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a stream, ours or perf's, in a capture with one or two events. It is cut into chunks,
 * each is loaded and decoded, names and maps are replayed, all is merged by time. Chunks and damage
 * must lie inside the stream; what was cut must be loadable or refused in a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/order/ordered.h"
#include "reader/order/replay.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_places(const struct chunk_table *t, size_t size)
{
	for (size_t i = 0; i < t->nr; i++)
		check(t->chunks[i].offset <= size &&
		      (t->chunks[i].inflated || t->chunks[i].bytes <= size - t->chunks[i].offset));
	for (size_t i = 0; i < damage_kept(&t->damage); i++)
		check(t->damage.items[i].offset <= size && t->damage.items[i].text[0]);
}

static uint64_t plain_bytes(const struct chunk *c)
{
	return c->flags & CHUNK_COMPRESSED ? c->raw_bytes : c->bytes;
}

static void load_all(const struct chunk_table *t)
{
	struct chunk_buffer buf = {0};

	for (size_t i = 0; i < t->nr; i++) {
		const struct perf_event_header *hdr;
		const uint8_t *records;
		struct chunk_walk walk;
		struct ts_sample s;
		struct ts_error err = {0};
		size_t len;
		int rc = chunk_load(t, &t->chunks[i], &buf, &records, &len, &err);

		check(!rc || err.text[0]);
		check(rc >= 0 || rc == -err.code);
		check((rc == CHUNK_SALVAGED) == (buf.nr_salvaged > 0));
		if (rc < 0)
			continue;
		check(rc == CHUNK_SOUND || len + buf.unreadable == plain_bytes(&t->chunks[i]));
		walk = (struct chunk_walk){records, records + len};
		while ((hdr = chunk_walk_next(&walk)))
			if (ts_record_load_u32(hdr) == PERF_RECORD_SAMPLE)
				ts_decode_sample(&t->capture->header.events, hdr, &s);
	}
	chunk_buffer_release(&buf);
}

static void merge(const struct chunk_table *t)
{
	struct ordered_window window = {.types = ~0ull, .to_ns = UINT64_MAX};
	struct ordered *o = ordered_open(t, &window);
	struct ordered_record record;
	uint64_t sum = 0;

	check(o != NULL);
	while (ordered_next(o, &record) > 0)
		sum += ts_record_load_header(record.hdr).size;
	check(sum == 0 || t->nr > 0);
	ordered_close(o);
}

static void replay(const struct chunk_table *t)
{
	struct damage damage = {0};
	struct ts_error err;
	struct tasks *tasks = replay_sideband(t, &damage, NULL, &err);

	check(tasks != NULL);
	tasks_free(tasks);
	damage_release(&damage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_stream stream = {.path = (char *)(uintptr_t) "stream"};
	struct capture capture = {.path = (char *)(uintptr_t) "capture",
				  .streams = &stream,
				  .nr_streams = 1,
				  .header = {.events = seed_events((uint32_t)size / 8),
					     .data_unfinished = size % 3 == 0}};
	uint8_t *copy = malloc(size ? size : 1);
	struct chunk_table table;
	struct ts_error err;

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	if (size % 16 < 8)
		seal_stream(copy, size);
	stream.map = (struct map){.data = size ? copy : NULL, .len = size};
	stream.end = size;
	check(!chunk_table_open(&table, &capture, 1, size & 1 ? CHUNK_TABLE_COUNTS : 0, NULL,
				&err));
	check_places(&table, size);
	load_all(&table);
	replay(&table);
	merge(&table);
	chunk_table_close(&table);
	ts_events_release(&capture.header.events);
	free(copy);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	if (nr % 2)
		seed_own_stream(nr / 2, out);
	else
		seed_foreign_stream(nr / 2, out);
}
