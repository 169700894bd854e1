// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a capture as a recorder made it that did not mend records lengthened by the kernel:
 *
 *	lay_unmended OUT CUT plain|compressed
 *
 * OUT is directory CUT of a recording, of SECONDS seconds. Each second has one chunk of samples,
 * and one of side-band with a KSYMBOL, a BPF_EVENT and a TEXT_POKE record; behind none, one or two
 * other listeners, in turn. The bytes behind their trailers are times of the far future, of the
 * first microsecond, or a trailer of seconds ago. Headers of chunks and tstream.json have the times
 * that are read from the records' ends, as that recorder did.
 *
 * Samples have dumps, of nothing, so that the capture can be compacted.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/directory/directory.h"
#include "common/perf/header.h"
#include "common/perf/inflate.h"
#include "common/stream/compress.h"
#include "common/stream/stream.h"
#include "common/stream/timeline_json.h"
#include "tests/support/lengthened_records.h"
#include "tests/support/records.h"
#include "tests/support/task_records.h"

#define SECONDS	     12u
#define SAMPLES	     20u /* in a chunk */
#define BASE_S	     1000u
#define NS	     1000000000ull
#define BLOCK_BYTES  (1u << 20)
#define SAMPLED_ID   501
#define SIDEBAND_ID  502
#define DUMP_BYTES   24 /* behind the fields of put_sample(): no callers, no registers, no stack */
#define DUMP_FIELDS  (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define TRAILER	     32
#define TIME_TAIL    24
#define SAMPLES_RING 0
#define OTHERS_RING  1

struct part {
	uint32_t cut;
	bool is_compressed;
	struct ts_compressor compressor;
	struct ts_stream stream;
	struct ts_stream_file file;
	struct ts_timeline timelines[2];
	uint64_t nr_records[2];
};

static void fail(const char *what, int code)
{
	fprintf(stderr, "lay_unmended: cannot %s: %s\n", what, strerror(code));
	exit(1);
}

/* --- data --- */

static int add_events(struct ts_events *events, struct ts_error *err)
{
	static const uint64_t sampled = SAMPLED_ID, sideband = SIDEBAND_ID;
	const struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = TS_ATTR_SIZE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = TASK_RECORDS_SAMPLE_TYPE | DUMP_FIELDS,
		.sample_regs_user = 1,
		.sample_stack_user = 8,
		.sample_id_all = 1,
	};
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.size = TS_ATTR_SIZE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = TASK_RECORDS_SAMPLE_TYPE,
		.sample_id_all = 1,
		.comm = 1,
		.ksymbol = 1,
		.bpf_event = 1,
		.text_poke = 1,
	};
	int rc = ts_events_add(events, &clock, "cpu-clock", &sampled, 1, err);

	return rc ? rc : ts_events_add(events, &dummy, "dummy:HG", &sideband, 1, err);
}

static void put_features(const struct part *p, struct ts_feature_set *features)
{
	struct ts_bytes *b = ts_header_feature(features, TS_FEAT_NRCPUS);

	ts_bytes_u32(b, 1);
	ts_bytes_u32(b, 1);
	ts_bytes_u64(ts_header_feature(features, TS_FEAT_DIR_FORMAT), 1);
	if (!p->is_compressed)
		return;
	b = ts_header_feature(features, TS_FEAT_COMPRESSED);
	ts_bytes_u32(b, 0);
	ts_bytes_u32(b, 1); /* zstd */
	ts_bytes_u32(b, 1); /* level */
	ts_bytes_u32(b, 4); /* ratio */
	ts_bytes_u32(b, TS_COMPRESS_MMAP_LEN);
}

static void put_data(const struct part *p, struct ts_dir *dir)
{
	const struct record_at at = {.pid = 500, .tid = 500};
	struct ts_feature_set features = {0};
	struct ts_bytes records = {0}, file = {0};
	struct ts_events events = {0};
	struct ts_error err = {0};

	put_comm(&records, &at, 0, "worker");
	put_features(p, &features);
	if (add_events(&events, &err) ||
	    ts_header_pack(&events, records.data, records.len, &features, &file, &err) ||
	    ts_dir_replace(dir, TS_DIR_DATA, file.data, file.len, &err))
		fail("write data", err.code);
	ts_feature_set_release(&features);
	ts_events_release(&events);
	ts_bytes_release(&records);
	ts_bytes_release(&file);
}

/* --- chunks --- */

/* The time of a record, as the recorder that did not mend took it. */
static uint64_t time_seen(const uint8_t *record)
{
	const struct perf_event_header hdr = ts_record_load_header(record);

	return ts_record_load_u64(hdr.type == PERF_RECORD_SAMPLE ? record + 32
								 : record + hdr.size - TIME_TAIL);
}

static void see(struct ts_chunk *c, const struct ts_bytes *records)
{
	for (size_t at = 0; at < records->len;
	     at += ts_record_load_header(records->data + at).size) {
		uint64_t time_ns = time_seen(records->data + at);

		c->nr_records++;
		if (time_ns && (time_ns < c->time_min_ns || !c->time_min_ns))
			c->time_min_ns = time_ns;
		if (time_ns > c->time_max_ns)
			c->time_max_ns = time_ns;
	}
}

static void write_block(struct part *p, const void *block, size_t len)
{
	if (pwrite(p->file.fd, block, len, (off_t)p->stream.block_offset) != (ssize_t)len)
		fail("write a stream", errno);
}

static void lay_chunk(struct part *p, uint32_t ring, const struct ts_bytes *records)
{
	static alignas(TS_BLOCK_ALIGN) uint8_t block[BLOCK_BYTES];
	struct ts_chunk c = {
		.ring = ring,
		.kind = ring == OTHERS_RING ? TS_RING_SIDEBAND : TS_RING_SAMPLES,
		.raw_bytes = records->len,
		.payload_bytes = records->len,
	};

	see(&c, records);
	ts_timeline_chunk(&p->timelines[ring], &c);
	p->nr_records[ring] += c.nr_records;
	ts_stream_begin_block(&p->stream, block, sizeof(block));
	if (p->is_compressed) {
		c.flags |= TS_CHUNK_COMPRESSED;
		c.payload_bytes = ts_compress(&p->compressor, records->data, records->len,
					      ts_stream_payload(&p->stream));
	} else {
		memcpy(ts_stream_payload(&p->stream), records->data, records->len);
	}
	ts_stream_end_chunk(&p->stream, &c);
	write_block(p, block, ts_stream_end_block(&p->stream));
}

static void lay_samples(struct part *p, uint64_t from_ns)
{
	struct ts_bytes records = {0};

	for (unsigned int i = 0; i < SAMPLES; i++) {
		uint8_t *at = ts_bytes_reserve(&records, SAMPLE_BYTES + DUMP_BYTES);
		struct perf_event_header hdr;

		if (!at)
			fail("make samples", ENOMEM);
		memset(at, 0, SAMPLE_BYTES + DUMP_BYTES);
		put_sample(at, SAMPLED_ID, from_ns + i * (NS / SAMPLES), 0);
		hdr = ts_record_load_header(at);
		hdr.size = SAMPLE_BYTES + DUMP_BYTES;
		memcpy(at, &hdr, sizeof(hdr));
		records.len += hdr.size;
	}
	lay_chunk(p, SAMPLES_RING, &records);
	ts_bytes_release(&records);
}

/* A record whose size has `listeners` more trailers, and what the ring held in their places. */
static void put_record(struct ts_bytes *out, uint32_t type, uint64_t time_ns, uint32_t listeners,
		       uint32_t kind)
{
	const uint64_t trailer[] = {500 | 500ULL << 32, time_ns, 0, SIDEBAND_ID};
	const uint64_t stale[][8] = {
		{1, ~0ULL, 2, 3, 4, 1ULL << 62, 0x636f6d6d, 0},
		{1, 900, 0, 7, 4, 900, 0, 7},
		{500 | 500ULL << 32, time_ns - 3 * NS, 0, SIDEBAND_ID, 500 | 500ULL << 32,
		 time_ns - 3 * NS, 0, SIDEBAND_ID},
	};

	put_lengthened(out, type, trailer, TRAILER, stale[kind % 3], listeners * TRAILER);
}

static void lay_others(struct part *p, uint64_t from_ns, uint32_t second)
{
	static const uint32_t types[] = {PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT,
					 PERF_RECORD_TEXT_POKE};
	struct ts_bytes records = {0};

	for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		put_record(&records, types[i], from_ns + i * 1000, (second + i) % 3, second / 3);
	lay_chunk(p, OTHERS_RING, &records);
	ts_bytes_release(&records);
}

static void lay_stream(struct part *p, struct ts_dir *dir)
{
	static alignas(TS_BLOCK_ALIGN) uint8_t block[BLOCK_BYTES];
	struct ts_error err;

	if (ts_dir_create_stream(dir, 0, TS_STREAM_BUFFERED, &p->file, &err) ||
	    (p->is_compressed && ts_compressor_init(&p->compressor, 1, &err)))
		fail("make a stream", err.code);
	ts_stream_init(&p->stream, (const uint8_t *)"unmended-records", p->cut, p->file.align);
	for (uint32_t s = 0; s < SECONDS; s++) {
		uint64_t from_ns = (BASE_S + p->cut * SECONDS + s) * NS;

		lay_samples(p, from_ns);
		lay_others(p, from_ns + NS / 2, s);
	}
	ts_stream_begin_block(&p->stream, block, sizeof(block));
	write_block(p, block, ts_stream_finish(&p->stream));
	ts_stream_file_close(&p->file);
	ts_compressor_release(&p->compressor);
}

/* --- tstream.json --- */

static void put_ring(struct ts_json *rings, const struct part *p, uint32_t ring)
{
	struct ts_json *o = ts_json_put_object(rings, NULL);

	ts_json_put_number(o, "number", ring);
	ts_json_put_number(o, "cpu", 0);
	ts_json_put_text(o, "kind", ring == OTHERS_RING ? "sideband" : "samples");
	ts_json_put_number(o, "records", p->nr_records[ring]);
	ts_json_put_number(o, "lost", 0);
	ts_timeline_to_json(o, &p->timelines[ring]);
}

static void put_note(const struct part *p, struct ts_dir *dir)
{
	struct ts_json *root = ts_json_new(), *writer, *rings, *ledger;
	struct ts_bytes text = {0};
	struct ts_error err;

	ts_json_put_text(root, "state", "complete");
	writer = ts_json_put_object(ts_json_put_array(root, "writers"), NULL);
	ts_json_put_text(writer, "stream", "data.0");
	ts_json_put_number(writer, "stream_bytes", p->stream.next_offset);
	rings = ts_json_put_array(root, "rings");
	put_ring(rings, p, SAMPLES_RING);
	put_ring(rings, p, OTHERS_RING);
	ledger = ts_json_put_object(root, "ledger");
	ts_json_put_number(ledger, "offered", p->nr_records[0] + p->nr_records[1]);
	ts_json_put_number(ledger, "kept", p->nr_records[0] + p->nr_records[1]);
	ts_json_put_number(ledger, "lost_at_unknown_time", 0);
	ts_json_put_bool(ledger, "counted_by_kernel", true);
	if (ts_json_print(root, &text) ||
	    ts_dir_replace(dir, TS_DIR_INFO, text.data, text.len, &err))
		fail("write tstream.json", ENOMEM);
	ts_bytes_release(&text);
	ts_json_free(root);
}

int main(int argc, char **argv)
{
	struct part p = {0};
	struct ts_error err;
	struct ts_dir dir;

	if (argc != 4) {
		fprintf(stderr, "usage: lay_unmended OUT CUT plain|compressed\n");
		return 2;
	}
	p.cut = (uint32_t)atoi(argv[2]);
	p.is_compressed = !strcmp(argv[3], "compressed");
	if (ts_dir_create(&dir, argv[1], &err))
		fail("make the capture", err.code);
	put_data(&p, &dir);
	lay_stream(&p, &dir);
	put_note(&p, &dir);
	if (ts_dir_publish(&dir, &err))
		fail("publish the capture", err.code);
	ts_dir_release(&dir);
	return 0;
}
