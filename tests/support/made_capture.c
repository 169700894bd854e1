// SPDX-License-Identifier: Apache-2.0
#include "tests/support/made_capture.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "common/stream/checksum.h"
#include "common/stream/chunk.h"

void made_capture_init(struct made_capture *m, size_t nr_streams)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
	};
	const uint64_t id = MADE_ID;
	struct ts_error err;

	memset(m, 0, sizeof(*m));
	m->capture.path = (char *)(uintptr_t) "made";
	m->capture.streams = m->streams;
	m->capture.nr_streams = nr_streams;
	ts_events_add(&m->capture.header.events, &attr, "made", &id, 1, &err);
	ts_events_index(&m->capture.header.events, &err);
}

void made_sample(struct made_capture *m, size_t stream, const struct made_sample *s)
{
	struct ts_bytes *b = &m->bytes[stream];
	struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE,
					.misc = s->misc,
					.size = (uint16_t)(64 + 8 * s->nr_chain)};

	ts_bytes_put(b, &hdr, sizeof(hdr));
	ts_bytes_u64(b, MADE_ID);
	ts_bytes_u64(b, s->ip);
	ts_bytes_u32(b, s->pid);
	ts_bytes_u32(b, s->tid);
	ts_bytes_u64(b, s->time_ns);
	ts_bytes_u32(b, s->cpu);
	ts_bytes_u32(b, 0);
	ts_bytes_u64(b, s->period);
	ts_bytes_u64(b, s->nr_chain);
	ts_bytes_put(b, s->chain, 8 * s->nr_chain);
}

static void put_trailer(struct ts_bytes *b, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	ts_bytes_u32(b, pid);
	ts_bytes_u32(b, tid);
	ts_bytes_u64(b, time_ns);
	ts_bytes_u64(b, 0);
	ts_bytes_u64(b, MADE_ID);
}

void made_comm(struct made_capture *m, size_t stream, uint32_t pid, uint32_t tid, const char *comm,
	       uint64_t time_ns)
{
	struct ts_bytes *b = &m->bytes[stream];
	struct perf_event_header hdr = {.type = PERF_RECORD_COMM, .size = 16 + 16 + 32};
	char name[16] = "";

	strncpy(name, comm, sizeof(name) - 1);
	ts_bytes_put(b, &hdr, sizeof(hdr));
	ts_bytes_u32(b, pid);
	ts_bytes_u32(b, tid);
	ts_bytes_put(b, name, sizeof(name));
	put_trailer(b, pid, tid, time_ns);
}

void made_mmap(struct made_capture *m, size_t stream, uint32_t pid, uint64_t start, uint64_t len,
	       const char *path, uint64_t time_ns)
{
	struct ts_bytes *b = &m->bytes[stream];
	const size_t name_bytes = strlen(path) + 1, padding_bytes = -name_bytes % 8;
	struct perf_event_header hdr = {.type = PERF_RECORD_MMAP2,
					.misc = PERF_RECORD_MISC_USER,
					.size = 72 + name_bytes + padding_bytes + 32};

	ts_bytes_put(b, &hdr, sizeof(hdr));
	ts_bytes_u32(b, pid);
	ts_bytes_u32(b, pid);
	ts_bytes_u64(b, start);
	ts_bytes_u64(b, len);
	ts_bytes_zero(b, 8 + 24);
	ts_bytes_u32(b, PROT_READ | PROT_EXEC);
	ts_bytes_u32(b, MAP_PRIVATE);
	ts_bytes_put(b, path, name_bytes);
	ts_bytes_zero(b, padding_bytes);
	put_trailer(b, pid, pid, time_ns);
}

void made_lost(struct made_capture *m, size_t stream, struct perf_event_header hdr, uint64_t nr,
	       uint64_t time_ns)
{
	struct ts_bytes *b = &m->bytes[stream];

	hdr.size = hdr.type == PERF_RECORD_LOST ? 8 + 16 + 32 : 8 + 8 + 32;
	ts_bytes_put(b, &hdr, sizeof(hdr));
	if (hdr.type == PERF_RECORD_LOST)
		ts_bytes_u64(b, MADE_ID);
	ts_bytes_u64(b, nr);
	put_trailer(b, 1, 1, time_ns);
}

uint64_t made_chunk(struct made_capture *m, size_t stream, size_t nr, uint64_t first_ns,
		    uint64_t seq)
{
	struct ts_bytes *b = &m->bytes[stream];
	struct ts_chunk c = {.kind = TS_RING_SAMPLES,
			     .offset = b->len,
			     .seq = seq,
			     .payload_bytes = 64 * nr,
			     .raw_bytes = 64 * nr,
			     .nr_records = nr,
			     .time_min_ns = first_ns,
			     .time_max_ns = first_ns + nr - 1};
	size_t header = b->len;

	ts_bytes_zero(b, TS_CHUNK_HEADER_BYTES);
	for (size_t i = 0; i < nr; i++)
		made_sample(m, stream,
			    &(struct made_sample){
				    .time_ns = first_ns + i, .period = 1, .pid = 1, .tid = 1});
	c.checksum = ts_checksum(b->data + header + TS_CHUNK_HEADER_BYTES, c.payload_bytes);
	ts_chunk_pack(&c, b->data + header);
	return header + TS_CHUNK_HEADER_BYTES;
}

void made_capture_finish(struct made_capture *m)
{
	for (size_t i = 0; i < m->capture.nr_streams; i++) {
		m->streams[i] = (struct capture_stream){
			.path = (char *)(uintptr_t) "made/data",
			.map = {m->bytes[i].data, m->bytes[i].len},
			.end = m->bytes[i].len,
		};
	}
}

void made_capture_release(struct made_capture *m)
{
	ts_events_release(&m->capture.header.events);
	for (size_t i = 0; i < MADE_STREAMS_MAX; i++)
		ts_bytes_release(&m->bytes[i]);
}
