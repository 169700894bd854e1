// SPDX-License-Identifier: Apache-2.0
#include "reader/compact/compact.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "reader/check/relaid_stream.h"
#include "tests/support/made_data.h"
#include "tests/support/records.h"
#include "tests/support/scratch.h"
#include "tests/support/task_records.h"

#define ID	   77
#define STACK	   64 /* bytes of a dump */
#define DUMPED	   (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define KERNEL	   0xffffffff81000010ull
#define CHUNK_MOST 4096

static struct scratch scratch;
static struct compact compact;
static struct ts_error err;
static struct ts_dir dir;
static struct relaid_stream laid;

static void enter_scratch(void)
{
	scratch_make(&scratch);
	cr_assert_eq(chdir(scratch.path), 0);
}

static void leave_scratch(void)
{
	compact_close(&compact);
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(&scratch);
}

TestSuite(compact, .init = enter_scratch, .fini = leave_scratch);

/* --- what unwinds: the first word of a dump is the one caller --- */

static void *open_words(const struct compact *c, struct ts_error *ignored)
{
	(void)ignored;
	return c->tasks ? calloc(16, sizeof(uint64_t)) : NULL;
}

static void join_words(void *state, struct ts_sample *s)
{
	uint64_t *words = state;
	uint64_t nr = s->callchain.nr;

	memcpy(words, s->callchain.data, 8 * nr);
	words[nr++] = PERF_CONTEXT_USER;
	words[nr++] = ts_record_load_u64(s->user_stack);
	s->callchain = (struct ts_words){(const void *)words, nr};
}

static const struct compact_unwinding by_words = {open_words, join_words, free};

/* --- captures --- */

/* A sample in the kernel, with a dump that begins with its time. */
static void put_dumped(struct ts_bytes *b, uint64_t time_ns, uint32_t cpu)
{
	uint8_t head[SAMPLE_BYTES];
	size_t at = b->len;
	struct perf_event_header h;

	put_sample(head, ID, time_ns, cpu);
	ts_bytes_put(b, head, sizeof(head));
	ts_bytes_u64(b, 2);
	ts_bytes_u64(b, PERF_CONTEXT_KERNEL);
	ts_bytes_u64(b, KERNEL);
	ts_bytes_u64(b, PERF_SAMPLE_REGS_ABI_64);
	ts_bytes_u64(b, STACK);
	ts_bytes_u64(b, time_ns);
	ts_bytes_zero(b, STACK - 8);
	ts_bytes_u64(b, STACK);
	h = ts_record_load_header(b->data + at);
	h.size = (uint16_t)(b->len - at);
	memcpy(b->data + at, &h, sizeof(h));
}

static void put_lost(struct ts_bytes *b, uint64_t nr, uint64_t time_ns, uint32_t cpu)
{
	const struct perf_event_header h = {.type = PERF_RECORD_LOST, .size = 24 + 32};

	ts_bytes_put(b, &h, sizeof(h));
	ts_bytes_u64(b, ID);
	ts_bytes_u64(b, nr);
	ts_bytes_u64(b, 0);
	ts_bytes_u64(b, time_ns);
	ts_bytes_u64(b, cpu);
	ts_bytes_u64(b, ID);
}

static void add_chunk(uint32_t ring, uint64_t lost, uint64_t from, uint64_t to)
{
	struct ts_bytes records = {0};
	struct ts_chunk c = {.uuid = {1},
			     .cut = 3,
			     .ring = ring,
			     .cpu = ring,
			     .lost = lost,
			     .time_min_ns = from,
			     .time_max_ns = to - 1,
			     .nr_records = to - from};

	for (uint64_t time = from; time < to; time++)
		put_dumped(&records, time, ring);
	c.payload_bytes = c.raw_bytes = records.len;
	cr_assert_eq(relaid_stream_add(&laid, &c, records.data, &err), 0);
	ts_bytes_release(&records);
}

static void pack_data(struct ts_bytes *file, const struct ts_bytes *records, bool is_directory,
		      uint64_t more_fields)
{
	static const uint64_t id = ID;
	const struct made_data made = {.ids = &id,
				       .nr_ids = 1,
				       .is_directory = is_directory,
				       .has_sideband = true,
				       .more_fields = more_fields,
				       .records = records->data,
				       .records_bytes = records->len};

	cr_assert_eq(made_data_pack(&made, file, &err), 0);
}

static void begin_ours(void)
{
	cr_assert_eq(ts_dir_create(&dir, "in", &err), 0, "%s", err.text);
	cr_assert_eq(relaid_stream_open(&laid, &dir, 0, &err), 0, "%s", err.text);
}

static void end_ours(uint64_t more_fields)
{
	const struct record_at at = {.pid = 500, .tid = 500, .id = ID};
	struct ts_bytes records = {0}, file = {0};

	put_comm(&records, &at, 0, "one");
	pack_data(&file, &records, true, more_fields);
	cr_assert_eq(relaid_stream_finish(&laid, &err), 0);
	relaid_stream_close(&laid);
	cr_assert_eq(ts_dir_replace(&dir, TS_DIR_DATA, file.data, file.len, &err), 0);
	cr_assert_eq(ts_dir_publish(&dir, &err), 0, "%s", err.text);
	ts_dir_release(&dir);
	ts_bytes_release(&records);
	ts_bytes_release(&file);
}

/* A single file of two CPUs, as perf writes one. */
static void make_single(void)
{
	struct record_at at = {.pid = 500, .tid = 500, .id = ID};
	struct ts_bytes records = {0}, file = {0};
	FILE *out = fopen("in", "w");

	put_comm(&records, &at, 0, "one");
	put_dumped(&records, 10, 0);
	put_dumped(&records, 11, 1);
	at.time_ns = 12;
	put_comm(&records, &at, 0, "two");
	put_lost(&records, 5, 13, 1);
	put_dumped(&records, 14, 0);
	put_dumped(&records, 15, 1);
	pack_data(&file, &records, false, DUMPED);
	cr_assert_eq(fwrite(file.data, 1, file.len, out), file.len);
	cr_assert_eq(fclose(out), 0);
	ts_bytes_release(&records);
	ts_bytes_release(&file);
}

static int compact_it(struct progress *progress)
{
	int rc = compact_open(&compact, "in", &by_words, 2, NULL, progress, &err);

	if (rc)
		return rc;
	cr_assert_eq(ts_dir_create(&dir, "out", &err), 0, "%s", err.text);
	rc = compact_directory(&compact, &dir, &err);
	if (!rc)
		rc = ts_dir_publish(&dir, &err);
	ts_dir_discard(&dir);
	ts_dir_release(&dir);
	return rc;
}

/* --- what became of them --- */

/*
 * Appends "cpu0 ring1 lost5: S10 a S12 c; ": S is a sample with the caller in its chain; other
 * records stand by their type.
 */
static void tell(char **to, size_t *room, const char *format, unsigned long long a,
		 unsigned long long b, unsigned long long c)
{
	int n = snprintf(*to, *room, format, a, b, c);

	*to += n;
	*room -= (size_t)n;
}

static void tell_record(char **to, size_t *room, const struct ts_events *events,
			const struct perf_event_header *hdr)
{
	struct ts_sample s;

	if (ts_record_load_u32(hdr) != PERF_RECORD_SAMPLE) {
		tell(to, room, " %llu", ts_record_load_u32(hdr), 0, 0);
		return;
	}
	cr_assert_eq(ts_decode_sample(events, hdr, &s), TS_DECODE_OK);
	cr_assert_eq(s.callchain.nr, 4);
	cr_assert_eq(ts_word(&s.callchain, 1), KERNEL);
	cr_assert_eq(ts_word(&s.callchain, 2), PERF_CONTEXT_USER);
	tell(to, room, " S%llu>%llu", s.sid.time_ns, ts_word(&s.callchain, 3), 0);
}

static const char *chunks_of(const char *path)
{
	static char text[CHUNK_MOST];
	struct capture c = {0};
	struct chunk_table t = {0};
	struct chunk_buffer buf = {0};
	size_t room = sizeof(text), len;
	char *to = text;

	*text = '\0';
	cr_assert_eq(capture_open(&c, path, &err), 0, "%s", err.text);
	cr_assert_eq(chunk_table_open(&t, &c, 1, 0, NULL, &err), 0);
	cr_assert_eq(t.damage.nr, 0);
	for (size_t i = 0; i < t.nr; i++) {
		const struct chunk *chunk = &t.chunks[i];
		const struct perf_event_header *hdr;
		const uint8_t *records;
		struct chunk_walk walk;

		if (!chunk->header_bytes)
			continue;
		tell(&to, &room, "ring%llu cpu%llu lost%llu:", chunk->ring, chunk->cpu,
		     chunk->lost);
		cr_assert_eq(chunk_load(&t, chunk, &buf, &records, &len, &err), 0, "%s", err.text);
		walk = (struct chunk_walk){records, records + len};
		while ((hdr = chunk_walk_next(&walk)))
			tell_record(&to, &room, &c.header.events, hdr);
		tell(&to, &room, "; ", 0, 0, 0);
	}
	chunk_buffer_release(&buf);
	chunk_table_close(&t);
	capture_close(&c);
	return text;
}

Test(compact, keeps_chunks_of_ours_with_their_rings_and_losses)
{
	begin_ours();
	add_chunk(3, 0, 10, 12);
	add_chunk(4, 7, 11, 13);
	add_chunk(3, 0, 12, 13);
	end_ours(DUMPED);
	cr_assert_eq(compact_it(NULL), 0, "%s", err.text);
	cr_assert_str_eq(chunks_of("out"),
			 "ring3 cpu3 lost0: S10>10 S11>11; ring4 cpu4 lost7: S11>11 "
			 "S12>12; ring3 cpu3 lost0: S12>12; ");
	cr_assert_eq(compact.counts.nr_dumps, 5);
	cr_assert_eq(compact.counts.nr_records, 5);
}

Test(compact, makes_chunks_of_a_single_file_by_cpu)
{
	make_single();
	cr_assert_eq(compact_it(NULL), 0, "%s", err.text);
	cr_assert_str_eq(chunks_of("out"),
			 "ring0 cpu0 lost0: S10>10 S14>14; "
			 "ring2 cpu1 lost5: S11>11 2 S15>15; ring1 cpu0 lost0: 3; ");
}

Test(compact, lays_many_chunks_in_their_order)
{
	begin_ours();
	for (uint64_t i = 0; i < 200; i++)
		add_chunk(1, 0, 10 + i, 11 + i);
	end_ours(DUMPED);
	cr_assert_eq(compact_it(NULL), 0, "%s", err.text);
	cr_assert_eq(compact.counts.nr_dumps, 200);
	compact_close(&compact);
	cr_assert_eq(compact_open(&compact, "out", &by_words, 1, NULL, NULL, &err), -ENODATA);
	for (size_t i = 1; i < compact.merge.table.nr; i++)
		if (compact.merge.table.chunks[i - 1].header_bytes)
			cr_assert_eq(compact.merge.table.chunks[i].time_min_ns,
				     compact.merge.table.chunks[i - 1].time_min_ns + 1);
}

/* Without such a dump the rest would be no record. */
Test(compact, leaves_out_a_dump_of_parts_of_words)
{
	const uint32_t raw_size = 8, stack_size = STACK - 4;
	struct ts_bytes records = {0};
	struct ts_chunk c = {.uuid = {1}, .nr_records = 1, .time_min_ns = 11, .time_max_ns = 11};
	struct perf_event_header h;

	ts_bytes_zero(&records, SAMPLE_BYTES);
	put_sample(records.data, ID, 11, 0);
	ts_bytes_u64(&records, 0); /* no chain */
	ts_bytes_u32(&records, raw_size);
	ts_bytes_zero(&records, raw_size);
	ts_bytes_u64(&records, PERF_SAMPLE_REGS_ABI_NONE);
	ts_bytes_u64(&records, stack_size);
	ts_bytes_zero(&records, stack_size + 8);
	h = ts_record_load_header(records.data);
	h.size = (uint16_t)records.len;
	memcpy(records.data, &h, sizeof(h));
	c.payload_bytes = c.raw_bytes = records.len;
	begin_ours();
	cr_assert_eq(relaid_stream_add(&laid, &c, records.data, &err), 0);
	end_ours(DUMPED | PERF_SAMPLE_RAW);
	ts_bytes_release(&records);
	cr_assert_eq(compact_it(NULL), 0, "%s", err.text);
	cr_assert_eq(compact.counts.nr_unsound, 1);
	cr_assert_str_eq(chunks_of("out"), "");
}

Test(compact, refuses_what_has_no_dumps)
{
	begin_ours();
	end_ours(0);
	cr_assert_eq(compact_it(NULL), -ENODATA);
	cr_assert_str_eq(err.text, "cannot compact in: none of its events dumps stacks");
}

Test(compact, ends_where_it_is_stopped)
{
	struct progress progress;

	begin_ours();
	add_chunk(1, 0, 10, 12);
	end_ours(DUMPED);
	cr_assert_eq(progress_init(&progress, &err), 0);
	ts_stop_raise(&progress.stop);
	cr_assert_eq(compact_it(&progress), -EINTR);
	cr_assert_neq(access("out", F_OK), 0);
	progress_release(&progress);
}
