// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/seeds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <zstd.h>

#include "common/perf/header.h"
#include "common/stream/compress.h"
#include "common/stream/stream.h"
#include "common/stream/stream_disk.h"
#include "tests/support/task_records.h"

#define BLOCK_BYTES (64u << 10)
#define PIECE_BYTES 900 /* of records in one compressed record: they straddle */

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void add_event(struct ts_events *evs, uint32_t nr, uint64_t more, const char *name)
{
	struct perf_event_attr attr = {.type = nr % 2 ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = nr % 12,
				       .sample_type = TASK_RECORDS_SAMPLE_TYPE | more,
				       .sample_id_all = 1};
	uint64_t ids[] = {10 * nr + 1, 10 * nr + 2};
	struct ts_error err;

	must(!ts_events_add(evs, &attr, name, ids, 2, &err));
}

struct ts_events seed_events(uint32_t nr)
{
	struct ts_events evs = {0};
	struct ts_error err;

	add_event(&evs, 0, 0, "named");
	if (nr % 2)
		add_event(&evs, 1, PERF_SAMPLE_RAW, NULL);
	must(!ts_events_index(&evs, &err));
	return evs;
}

static void put_tool_record(struct ts_bytes *b, uint32_t type, size_t body)
{
	struct perf_event_header h = {.type = type, .size = (uint16_t)(sizeof(h) + body)};

	ts_bytes_put(b, &h, sizeof(h));
	ts_bytes_zero(b, body);
}

static void put_lost(struct ts_bytes *b, const struct record_at *at)
{
	struct perf_event_header h = {.type = PERF_RECORD_LOST,
				      .size = sizeof(h) + 16 + TASK_RECORDS_TRAILER_BYTES};

	ts_bytes_put(b, &h, sizeof(h));
	ts_bytes_u64(b, at->id);
	ts_bytes_u64(b, 3);
	ts_bytes_u32(b, at->pid);
	ts_bytes_u32(b, at->tid);
	ts_bytes_u64(b, at->time_ns);
	ts_bytes_u64(b, at->cpu);
	ts_bytes_u64(b, at->id);
}

static void put_record(struct ts_bytes *out, const struct record_at *at, uint32_t what)
{
	struct record_range range = {0x400000 + 4096 * (uint64_t)(what % 7), 4096, 0};

	switch (what % 9) {
	case 0:
		put_comm(out, at, 0, "name");
		break;
	case 1:
		put_mmap2(out, at, PERF_RECORD_MISC_USER, &range, PROT_EXEC, "/a/file");
		break;
	case 2:
		put_mmap2_build_id(out, at, &range, 7, "/b/file");
		break;
	case 3:
		put_fork(out, at, 0, 1, 1);
		break;
	case 4:
		put_lost(out, at);
		break;
	case 5:
		put_ksymbol(out, at, 0xffffffff81000000, 64, what % 2, "bpf_prog");
		break;
	case 6:
		put_tool_record(out, what % 3 ? 68 : 82, 0);
		break;
	default:
		put_task_sample(out, at, PERF_RECORD_MISC_USER, range.start + what % 4096);
	}
}

static void put_records(uint32_t nr, uint32_t count, struct ts_bytes *out)
{
	struct record_at at = {.pid = 5, .tid = 5, .id = 1};

	for (uint32_t i = 0; i < count; i++) {
		at.time_ns = 1000 + 10 * i - (i % 7 == 3 ? 25 : 0);
		at.pid = at.tid = 5 + (nr + i) % 3;
		put_record(out, &at, nr * 31 + i * 7);
	}
}

void seed_records(uint32_t nr, struct ts_bytes *out)
{
	put_records(nr, 1 + nr % 60, out);
}

/* --- ours --- */

static void put_chunk(struct ts_stream *s, struct ts_compressor *zstd, uint32_t nr)
{
	struct ts_chunk c = {.ring = 1, .cpu = 1, .time_min_ns = 900, .time_max_ns = 2000};
	struct ts_bytes raw = {0};

	c.nr_records = 1 + nr % 40;
	put_records(nr, (uint32_t)c.nr_records, &raw);
	c.raw_bytes = c.payload_bytes = raw.len;
	if (nr % 2) {
		c.flags = TS_CHUNK_COMPRESSED;
		c.payload_bytes = ts_compress(zstd, raw.data, raw.len, ts_stream_payload(s));
	} else {
		memcpy(ts_stream_payload(s), raw.data, raw.len);
	}
	ts_stream_end_chunk(s, &c);
	ts_bytes_release(&raw);
}

void seed_own_stream(uint32_t nr, struct ts_bytes *out)
{
	static const uint8_t uuid[16] = {1, 2, 3};
	void *block = aligned_alloc(TS_BLOCK_ALIGN, BLOCK_BYTES);
	struct ts_compressor zstd;
	struct ts_stream s;
	struct ts_error err;

	must(block && !ts_compressor_init(&zstd, 1, &err));
	ts_stream_init(&s, uuid, 0, TS_BLOCK_ALIGN);
	ts_stream_begin_block(&s, block, BLOCK_BYTES);
	for (uint32_t i = 0; i < 1 + nr % 5; i++)
		put_chunk(&s, &zstd, nr / 5 + i);
	ts_bytes_put(out, block, ts_stream_end_block(&s));
	if (nr % 3) {
		ts_stream_begin_block(&s, block, BLOCK_BYTES);
		ts_bytes_put(out, block, ts_stream_finish(&s));
	}
	ts_compressor_release(&zstd);
	free(block);
}

static void seal(uint8_t *at, size_t left, uint64_t offset)
{
	struct ts_disk_head head;

	if (left < sizeof(head))
		return;
	memcpy(&head, at, sizeof(head));
	if (head.hdr.type != TS_RECORD_EVENT_TYPE || head.hdr.misc || head.hdr.size % 8 ||
	    head.hdr.size < sizeof(head) || head.hdr.size > left ||
	    (head.magic != TS_MAGIC_CHUNK && head.magic != TS_MAGIC_INDEX &&
	     head.magic != TS_MAGIC_FOOTER))
		return;
	memcpy(at + offsetof(struct ts_disk_head, offset), &offset, sizeof(offset));
	ts_disk_head_seal(at, head.magic, head.hdr.size);
}

void seal_stream(uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size; at += 8)
		seal(data + at, size - at, at);
}

/* --- perf's --- */

static void put_compressed(struct ts_bytes *out, uint32_t type, const void *data, size_t len)
{
	size_t padded = type == TS_RECORD_COMPRESSED2 ? (len + 7) / 8 * 8 + 8 : len;
	struct perf_event_header h = {.type = type, .size = (uint16_t)(sizeof(h) + padded)};

	ts_bytes_put(out, &h, sizeof(h));
	if (type == TS_RECORD_COMPRESSED2)
		ts_bytes_u64(out, len);
	ts_bytes_put(out, data, len);
	if (type == TS_RECORD_COMPRESSED2)
		ts_bytes_zero(out, padded - 8 - len);
}

static void compress_endless(const struct ts_bytes *records, uint32_t type, struct ts_bytes *out)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	uint8_t piece[4096];

	must(zstd != NULL);
	for (size_t at = 0; at < records->len; at += PIECE_BYTES) {
		size_t left = records->len - at;
		ZSTD_inBuffer in = {records->data + at, left < PIECE_BYTES ? left : PIECE_BYTES, 0};
		ZSTD_outBuffer to = {piece, sizeof(piece), 0};

		must(!ZSTD_isError(ZSTD_compressStream2(zstd, &to, &in, ZSTD_e_flush)));
		put_compressed(out, type, piece, to.pos);
	}
	ZSTD_freeCCtx(zstd);
}

void seed_foreign_stream(uint32_t nr, struct ts_bytes *out)
{
	struct ts_bytes records = {0};

	seed_records(nr / 3, &records);
	if (nr % 3 == 0)
		ts_bytes_put(out, records.data, records.len);
	else
		compress_endless(&records,
				 nr % 3 == 1 ? TS_RECORD_COMPRESSED : TS_RECORD_COMPRESSED2, out);
	ts_bytes_release(&records);
}

/* --- files --- */

/* The least that perf takes for formats of tracepoints. */
static void put_tracing_data(struct ts_bytes *b)
{
	static const char format[] = "name: e\nID: 1\nformat:\n\tfield:int common_pid;\toffset:4;\t"
				     "size:4;\tsigned:1;\n\n\tfield:int x;\toffset:8;\tsize:4;"
				     "\tsigned:1;\n\nprint fmt: \"x=%d\", REC->x\n";
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n";

	ts_bytes_put(b, "\x17\x08\x44tracing0.6\0\0\x8\0\x10\0\0", 10 + 4 + 2 + 4);
	ts_bytes_put(b, "header_page", 12);
	ts_bytes_u64(b, sizeof(page) - 1);
	ts_bytes_put(b, page, sizeof(page) - 1);
	ts_bytes_put(b, "header_event", 13);
	ts_bytes_u64(b, 4);
	ts_bytes_put(b, "none", 4);
	ts_bytes_u32(b, 0);
	ts_bytes_u32(b, 1);
	ts_bytes_put(b, "sys", 4);
	ts_bytes_u32(b, 1);
	ts_bytes_u64(b, sizeof(format) - 1);
	ts_bytes_put(b, format, sizeof(format) - 1);
	ts_bytes_u32(b, 0);
	ts_bytes_u32(b, 0);
	ts_bytes_u64(b, 0);
}

static void put_build_id(struct ts_bytes *b)
{
	put_tool_record(b, TS_RECORD_BUILD_ID, 28 + 8);
	memcpy(b->data + b->len - 8, "/a/file", 8);
}

static void put_numbers(struct ts_bytes *b, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		ts_bytes_u32(b, 1 + i);
}

static void put_names(struct ts_bytes *b, uint32_t nr)
{
	ts_bytes_u32(b, nr);
	for (uint32_t i = 0; i < nr; i++)
		ts_header_put_string(b, "name");
}

static void fill_features(struct ts_feature_set *set)
{
	static const uint8_t strings[] = {TS_FEAT_HOSTNAME, TS_FEAT_OSRELEASE, TS_FEAT_VERSION,
					  TS_FEAT_ARCH,	    TS_FEAT_CPUDESC,   TS_FEAT_CPUID};
	static const uint8_t numbers[] = {TS_FEAT_NRCPUS,     TS_FEAT_TOTAL_MEM,
					  TS_FEAT_CLOCKID,    TS_FEAT_CLOCK_DATA,
					  TS_FEAT_COMPRESSED, TS_FEAT_SAMPLE_TIME};
	struct ts_bytes *b;

	for (size_t i = 0; i < sizeof(strings); i++)
		ts_header_put_string(ts_header_feature(set, strings[i]), "text");
	for (size_t i = 0; i < sizeof(numbers); i++)
		put_numbers(ts_header_feature(set, numbers[i]), 6);
	put_names(ts_header_feature(set, TS_FEAT_CMDLINE), 3);
	b = ts_header_feature(set, TS_FEAT_PMU_MAPPINGS);
	ts_bytes_u32(b, 1);
	ts_bytes_u32(b, 4);
	ts_header_put_string(b, "cpu");
	b = ts_header_feature(set, TS_FEAT_GROUP_DESC);
	put_names(b, 1);
	put_numbers(b, 2);
	put_build_id(ts_header_feature(set, TS_FEAT_BUILD_ID));
	put_tracing_data(ts_header_feature(set, TS_FEAT_TRACING_DATA));
}

static void put_pipe(const struct ts_events *evs, const struct ts_feature_set *set,
		     struct ts_bytes *out)
{
	ts_bytes_u64(out, TS_PERF_MAGIC);
	ts_bytes_u64(out, TS_PIPE_HEADER_BYTES);
	for (size_t i = 0; i < evs->nr; i++) {
		put_tool_record(out, TS_RECORD_HEADER_ATTR, sizeof(evs->items[i].attr) + 16);
		out->len -= sizeof(evs->items[i].attr) + 16;
		ts_bytes_put(out, &evs->items[i].attr, sizeof(evs->items[i].attr));
		ts_bytes_put(out, evs->items[i].ids, 16);
	}
	for (unsigned int bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		const struct ts_bytes *payload = &set->payload[bit];

		if (!set->present[bit] || bit == TS_FEAT_TRACING_DATA)
			continue;
		put_tool_record(out, TS_RECORD_FEATURE, 8 + payload->len);
		out->len -= 8 + payload->len;
		ts_bytes_u64(out, bit);
		ts_bytes_put(out, payload->data, payload->len);
	}
	put_tool_record(out, TS_RECORD_TRACING_DATA, 4);
	out->len -= 4;
	ts_bytes_u32(out, (uint32_t)set->payload[TS_FEAT_TRACING_DATA].len);
	ts_bytes_put(out, set->payload[TS_FEAT_TRACING_DATA].data,
		     set->payload[TS_FEAT_TRACING_DATA].len);
	put_build_id(out);
}

void seed_file(uint32_t nr, struct ts_bytes *out)
{
	struct ts_bytes records = {0}, file = {0};
	struct ts_events evs = seed_events(nr);
	struct ts_feature_set set = {0};
	struct ts_error err;

	seed_foreign_stream(nr / 4, &records);
	fill_features(&set);
	if (nr % 4 / 2) {
		put_pipe(&evs, &set, out);
		ts_bytes_put(out, records.data, records.len);
	} else {
		must(!ts_header_pack(&evs, records.data, records.len, &set, &file, &err));
		ts_bytes_put(out, file.data, file.len);
	}
	ts_bytes_release(&file);
	ts_bytes_release(&records);
	ts_feature_set_release(&set);
	ts_events_release(&evs);
}

/* --- the recorder's note --- */

void seed_note(uint32_t nr, struct ts_bytes *out)
{
	ts_bytes_printf(
		out,
		"{\"version\": 1, \"state\": \"%s\", \"flush_ns\": %u, \"self\": {\"samples\": 5}, "
		"\"writers\": [{\"stream\": \"data.%u\", \"stream_bytes\": 4096}], "
		"\"ledger\": {\"counted_by_kernel\": %s, \"lost_at_unknown_time\": 3, \"lost\": "
		"{\"ring_full\": %u, \"compression\": 1, \"disk\": 2}}, "
		"\"absences\": [{\"cpu\": 1, \"cause\": \"offline\", \"from_s\": 0.5, "
		"\"to_s\": 1.5}], \"rings\": [{\"number\": %u, \"cpu\": 1, \"kind\": \"samples\", "
		"\"records\": 100, \"lost\": 7, \"lost_disk\": 1, \"lost_at_unknown_time\": 2, "
		"\"times\": {\"start_s\": %u, \"step_s\": %u, \"kept\": [1, 2, %u], "
		"\"ring_full\": [0, 7, 0]}}]}",
		nr % 3 ? "complete" : "recording", nr % 1000, nr % 4, nr % 2 ? "true" : "false", nr,
		nr % 8, nr, 1u << nr % 5, nr % 17);
}
