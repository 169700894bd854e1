// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a capture of any size in no time, of which only one second can be read:
 *
 *	large_capture DIR STREAMS CHUNKS KIB SECONDS AT complete|killed|bare
 *
 * Each of STREAMS streams has CHUNKS chunks of samples, of KIB KiB each. They are spread evenly
 * over SECONDS from BASE_S on, in turn of the CPUs 2n and 2n+1. Behind every SIDEBAND-th is a chunk
 * of side-band that names thread 500 once more. Payloads outside of second AT are holes in the
 * file: a reader of one finds damage. So are chunk headers that no reader needs.
 *
 *	complete	indexes, footer
 *	killed		as a killed recorder leaves it: the last chunks are in no index record
 *	bare		no index at all, all chunk headers
 *
 * Prints the samples in a chunk of second AT.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/directory/directory.h"
#include "common/stream/checksum.h"
#include "common/stream/stream_index.h"
#include "tests/support/made_data.h"
#include "tests/support/records.h"

#define BASE_S	    1000u
#define SIDEBAND    1000u /* chunks of samples between two of side-band */
#define NS	    1000000000ull
#define PAYLOAD_MAX (1u << 20)
#define COMM_BYTES  64
#define FIRST_ID    1001
#define SAMPLED_TID 500 /* put_sample()'s */

struct plan {
	uint64_t nr_streams, nr_chunks, payload_bytes, seconds, at_s;
	bool has_index, has_end;
};

struct stream { /* being made */
	const struct plan *plan;
	int fd;
	uint32_t number;
	uint64_t at, seq, last_index;
	uint64_t nr_records, raw_bytes;
	uint32_t nr_entries; /* since the last index record */
	uint8_t entries[TS_INDEX_ENTRIES * TS_INDEX_ENTRY_BYTES];
	struct ts_chunk waiting[TS_INDEX_ENTRIES]; /* those of no index record so far */
};

static void fail(const char *what, int code)
{
	fprintf(stderr, "large_capture: cannot %s: %s\n", what, strerror(code));
	exit(1);
}

static void put(const struct stream *s, const void *data, size_t len, uint64_t offset)
{
	if (pwrite(s->fd, data, len, (off_t)offset) != (ssize_t)len)
		fail("write a stream", errno);
}

static void put_header(const struct stream *s, const struct ts_chunk *c)
{
	alignas(8) uint8_t header[TS_CHUNK_HEADER_BYTES];

	ts_chunk_pack(c, header);
	put(s, header, sizeof(header), c->offset);
}

/* --- index --- */

static void end_index(struct stream *s)
{
	alignas(8) uint8_t record[TS_INDEX_MAX_BYTES];
	const struct ts_index ix = {
		.nr = s->nr_entries,
		.offset = s->at,
		.prev_offset = s->last_index,
		.first_seq = s->seq - s->nr_entries,
		.entries = s->entries,
	};
	size_t len = ts_index_pack(&ix, record);

	put(s, record, len, s->at);
	s->last_index = s->at;
	s->at += len;
	s->nr_entries = 0;
}

/* The chunk stands at s->at; its header is written only where a reader needs it. */
static void add_chunk(struct stream *s, struct ts_chunk *c, bool is_there)
{
	c->offset = s->at;
	c->seq = s->seq++;
	if (is_there || !s->plan->has_index ||
	    c->seq < (s->plan->has_end ? 1 : TS_INDEX_ENTRIES + 1))
		put_header(s, c);
	s->at += TS_CHUNK_HEADER_BYTES + c->payload_bytes;
	s->nr_records += c->nr_records;
	s->raw_bytes += c->raw_bytes;
	s->waiting[s->nr_entries] = *c;
	ts_index_pack_entry(c, s->entries + (size_t)s->nr_entries * TS_INDEX_ENTRY_BYTES);
	if (++s->nr_entries < TS_INDEX_ENTRIES)
		return;
	if (s->plan->has_index)
		end_index(s);
	else
		s->nr_entries = 0;
}

static void end_stream(struct stream *s)
{
	alignas(8) uint8_t record[TS_FOOTER_BYTES];
	struct ts_footer footer;

	if (!s->plan->has_end) {
		for (uint32_t i = 0; i < s->nr_entries; i++)
			put_header(s, &s->waiting[i]);
		if (ftruncate(s->fd, (off_t)s->at))
			fail("lengthen a stream", errno);
		return;
	}
	if (s->nr_entries)
		end_index(s);
	footer = (struct ts_footer){.offset = s->at,
				    .index_offset = s->last_index,
				    .nr_chunks = s->seq,
				    .nr_records = s->nr_records,
				    .raw_bytes = s->raw_bytes};
	ts_footer_pack(&footer, record);
	put(s, record, sizeof(record), s->at);
}

/* --- chunks --- */

static void add_samples(struct stream *s, uint64_t i)
{
	static alignas(8) uint8_t payload[PAYLOAD_MAX];
	const struct plan *p = s->plan;
	const uint64_t step = p->seconds * NS / p->nr_chunks, from = BASE_S * NS + i * step;
	const uint64_t nr = p->payload_bytes / SAMPLE_BYTES, at = (BASE_S + p->at_s) * NS;
	const bool is_there = from < at + NS && from + step > at;
	struct ts_chunk c = {
		.cpu = 2 * s->number + (uint32_t)(i % 2),
		.payload_bytes = nr * SAMPLE_BYTES,
		.raw_bytes = nr * SAMPLE_BYTES,
		.nr_records = nr,
		.time_min_ns = from,
		.time_max_ns = from + (nr - 1) * (step / nr),
	};

	c.ring = 2 * c.cpu;
	for (uint64_t n = 0; is_there && n < nr; n++)
		put_sample(payload + n * SAMPLE_BYTES, FIRST_ID, from + n * (step / nr), c.cpu);
	if (is_there) {
		c.checksum = ts_checksum(payload, c.payload_bytes);
		put(s, payload, c.payload_bytes, s->at + TS_CHUNK_HEADER_BYTES);
	}
	add_chunk(s, &c, is_there);
}

static void add_name(struct stream *s, uint64_t i)
{
	const uint64_t time_ns = BASE_S * NS + i * (s->plan->seconds * NS / s->plan->nr_chunks);
	const struct {
		struct perf_event_header hdr;
		uint32_t pid, tid;
		char comm[16];
		uint32_t trailer_pid, trailer_tid;
		uint64_t time_ns;
		uint32_t cpu, zero;
		uint64_t id;
	} comm = {
		.hdr = {.type = PERF_RECORD_COMM, .size = COMM_BYTES},
		.pid = SAMPLED_TID,
		.tid = SAMPLED_TID,
		.comm = "a-name",
		.trailer_pid = SAMPLED_TID,
		.trailer_tid = SAMPLED_TID,
		.time_ns = time_ns,
		.id = FIRST_ID,
	};
	struct ts_chunk c = {
		.ring = 2 * (2 * s->number) + 1,
		.cpu = 2 * s->number,
		.kind = TS_RING_SIDEBAND,
		.flags = TS_CHUNK_MENDED,
		.payload_bytes = sizeof(comm),
		.raw_bytes = sizeof(comm),
		.nr_records = 1,
		.time_min_ns = time_ns,
		.time_max_ns = time_ns,
		.checksum = ts_checksum(&comm, sizeof(comm)),
	};

	put(s, &comm, sizeof(comm), s->at + TS_CHUNK_HEADER_BYTES);
	add_chunk(s, &c, true);
}

static void make_stream(const struct plan *p, struct ts_dir *dir, uint32_t number)
{
	struct stream *s = calloc(1, sizeof(*s));
	struct ts_stream_file file;
	struct ts_error err;

	if (!s || ts_dir_create_stream(dir, number, TS_STREAM_BUFFERED, &file, &err))
		fail("make a stream", ENOMEM);
	s->plan = p;
	s->fd = file.fd;
	s->number = number;
	s->last_index = TS_NO_OFFSET;
	for (uint64_t i = 0; i < p->nr_chunks; i++) {
		if (i % SIDEBAND == 0)
			add_name(s, i);
		add_samples(s, i);
	}
	end_stream(s);
	ts_stream_file_close(&file);
	free(s);
}

/* --- data --- */

static void put_data(struct ts_dir *dir)
{
	static const uint64_t ids[] = {FIRST_ID};
	const struct made_data data = {.ids = ids, .nr_ids = 1, .is_directory = true};
	struct ts_bytes file = {0};
	struct ts_error err = {0};

	if (made_data_pack(&data, &file, &err) ||
	    ts_dir_replace(dir, TS_DIR_DATA, file.data, file.len, &err))
		fail("write data", err.code);
	ts_bytes_release(&file);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
	struct ts_error err;
	struct plan p = {0};
	struct ts_dir dir;

	if (argc != 8 || number(argv[4]) > PAYLOAD_MAX >> 10 || !number(argv[3])) {
		fprintf(stderr, "usage: large_capture DIR STREAMS CHUNKS KIB SECONDS AT KIND; see "
				"its source\n");
		return 2;
	}
	p = (struct plan){
		.nr_streams = number(argv[2]),
		.nr_chunks = number(argv[3]),
		.payload_bytes = number(argv[4]) << 10,
		.seconds = number(argv[5]),
		.at_s = number(argv[6]),
		.has_index = strcmp(argv[7], "bare"),
		.has_end = !strcmp(argv[7], "complete"),
	};
	if (ts_dir_create(&dir, argv[1], &err))
		fail("make the capture", err.code);
	put_data(&dir);
	for (uint32_t n = 0; n < p.nr_streams; n++)
		make_stream(&p, &dir, n);
	if (ts_dir_publish(&dir, &err))
		fail("publish the capture", err.code);
	ts_dir_release(&dir);
	printf("%llu\n", (unsigned long long)(p.payload_bytes / SAMPLE_BYTES));
	return 0;
}
