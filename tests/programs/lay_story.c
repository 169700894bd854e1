// SPDX-License-Identifier: Apache-2.0
/*
 * Lays out a capture in which much happens to names and maps, for scripts that compare readers:
 *
 *	lay_story OUT KIND STREAMS SAMPLES STACKS SEED
 *
 *	plain, compressed	a directory of ours: chunks of samples and of side-band
 *	bare			a directory as perf's --threads makes it: records, no chunks
 *	file			one perf.data file
 *
 * Processes fork, run other programs, exit, and their numbers are used again; threads are renamed;
 * objects are mapped over others, as dlopen() and dlclose() do it. Every record has a time of its own,
 * on a CPU of its own stream; now and then a sample gets into its stream late, so that time steps
 * back. Each sample has one of STACKS call chains; nothing that is mapped exists, so that each
 * address is a function of its own.
 *
 * Equal arguments give equal records, whatever the KIND.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/directory/directory.h"
#include "common/stream/compress.h"
#include "common/stream/stream.h"
#include "tests/support/made_data.h"
#include "tests/support/records.h"
#include "tests/support/task_records.h"

#define STREAMS_MAX  8u
#define PIDS	     24u /* few, so that they are used again */
#define FIRST_PID    100u
#define FIRST_ID     500u
#define DEPTH	     12u
#define OBJECTS	     6u
#define OBJECT_BYTES 0x10000u
#define BASE	     0x400000u
#define LATE_MAX     16u
#define CHUNK_BYTES  (24u << 10)
#define RECORD_MAX   512u

struct task { /* FIRST_PID + its index */
	bool is_live;
	uint32_t nr_threads; /* besides the main one; tid = pid + 1000 * n */
};

struct late { /* a sample that waits until its stream has had some more records */
	uint8_t record[RECORD_MAX];
	size_t len;
	uint32_t wait;
};

struct run { /* of whole records: a chunk, or what will be chunks */
	struct ts_bytes bytes;
	uint64_t nr, min_ns, max_ns;
};

struct stream {
	struct run samples, sideband;
	struct ts_bytes chunks; /* struct ts_chunk, each followed by its payload */
	struct ts_bytes plain;	/* the same as records alone */
	struct late late;
};

struct story {
	uint64_t seed, now_ns, nr_stacks;
	uint32_t nr_streams;
	struct task tasks[PIDS];
	struct stream streams[STREAMS_MAX];
	struct ts_bytes whole; /* all streams' records in one */
};

static void fail(const char *what, const struct ts_error *err)
{
	fprintf(stderr, "lay_story: cannot %s: %s\n", what, err ? err->text : strerror(errno));
	exit(1);
}

static uint64_t any(struct story *s, uint64_t below)
{
	return next_random(&s->seed) % below;
}

/* --- records into streams --- */

static void end_run(struct stream *st, struct run *run, uint32_t cpu, enum ts_ring_kind kind)
{
	struct ts_chunk c = {
		.ring = 2 * cpu + kind,
		.cpu = cpu,
		.kind = kind,
		.raw_bytes = run->bytes.len,
		.nr_records = run->nr,
		.time_min_ns = run->min_ns,
		.time_max_ns = run->max_ns,
	};

	if (!run->nr)
		return;
	ts_bytes_put(&st->chunks, &c, sizeof(c));
	ts_bytes_put(&st->chunks, run->bytes.data, run->bytes.len);
	ts_bytes_clear(&run->bytes);
	run->nr = 0;
}

static void put_record(struct story *s, uint32_t cpu, enum ts_ring_kind kind, const void *record,
		       size_t len, uint64_t time_ns)
{
	struct stream *st = &s->streams[cpu];
	struct run *run = kind == TS_RING_SIDEBAND ? &st->sideband : &st->samples;

	if (run->bytes.len + len > CHUNK_BYTES)
		end_run(st, run, cpu, kind);
	if (!run->nr++)
		run->min_ns = run->max_ns = time_ns;
	run->min_ns = time_ns < run->min_ns ? time_ns : run->min_ns;
	run->max_ns = time_ns > run->max_ns ? time_ns : run->max_ns;
	ts_bytes_put(&run->bytes, record, len);
	ts_bytes_put(&st->plain, record, len);
	ts_bytes_put(&s->whole, record, len);
}

static uint64_t time_of(const uint8_t *sample)
{
	uint64_t time_ns;

	memcpy(&time_ns, sample + 32, sizeof(time_ns));
	return time_ns;
}

static void end_wait(struct story *s, uint32_t cpu)
{
	struct late *late = &s->streams[cpu].late;

	if (!late->len || late->wait--)
		return;
	put_record(s, cpu, TS_RING_SAMPLES, late->record, late->len, time_of(late->record));
	late->len = 0;
}

static void put_sample_record(struct story *s, uint32_t cpu, const struct ts_bytes *record)
{
	struct late *late = &s->streams[cpu].late;

	end_wait(s, cpu);
	if (!late->len && any(s, 40) == 0 && record->len <= RECORD_MAX) {
		memcpy(late->record, record->data, record->len);
		late->len = record->len;
		late->wait = 1 + (uint32_t)any(s, LATE_MAX);
		return;
	}
	put_record(s, cpu, TS_RING_SAMPLES, record->data, record->len, s->now_ns);
}

/* --- what happens --- */

static struct record_at here(struct story *s, uint32_t task)
{
	const struct task *t = &s->tasks[task];
	uint32_t cpu = (uint32_t)any(s, s->nr_streams);

	s->now_ns += 1000 + 1000 * any(s, 5);
	return (struct record_at){
		.pid = FIRST_PID + task,
		.tid = FIRST_PID + task + 1000 * (uint32_t)any(s, t->nr_threads + 1),
		.cpu = cpu,
		.time_ns = s->now_ns,
		.id = FIRST_ID + cpu,
	};
}

static void put_side(struct story *s, const struct record_at *at, struct ts_bytes *record)
{
	put_record(s, at->cpu, TS_RING_SIDEBAND, record->data, record->len, at->time_ns);
	ts_bytes_release(record);
}

static void map_object(struct story *s, uint32_t task, uint64_t slot, uint64_t object)
{
	struct record_at at = here(s, task);
	struct ts_bytes record = {0};
	char path[32];
	/* objects of one and a half slots lie over their neighbours */
	const struct record_range range = {
		.start = BASE + slot * OBJECT_BYTES,
		.len = OBJECT_BYTES + (object % 2) * OBJECT_BYTES / 2,
	};

	at.tid = at.pid;
	snprintf(path, sizeof(path), "/none/object-%llu", (unsigned long long)object);
	put_mmap2(&record, &at, PERF_RECORD_MISC_USER, &range, PROT_READ | PROT_EXEC, path);
	put_side(s, &at, &record);
}

static void name_thread(struct story *s, uint32_t task, uint16_t misc)
{
	struct record_at at = here(s, task);
	struct ts_bytes record = {0};
	char name[16];

	if (misc)
		at.tid = at.pid;
	snprintf(name, sizeof(name), "name-%llu", (unsigned long long)any(s, 12));
	put_comm(&record, &at, misc, name);
	put_side(s, &at, &record);
}

static void run_program(struct story *s, uint32_t task)
{
	name_thread(s, task, PERF_RECORD_MISC_COMM_EXEC);
	map_object(s, task, 0, any(s, OBJECTS));
	map_object(s, task, 3, any(s, OBJECTS));
}

static void fork_task(struct story *s, uint32_t parent)
{
	uint32_t child = (uint32_t)any(s, PIDS);
	struct record_at at = here(s, parent);
	struct ts_bytes record = {0};

	if (s->tasks[child].is_live)
		return;
	s->tasks[child] = (struct task){.is_live = true};
	at.pid = at.tid = FIRST_PID + child;
	put_fork(&record, &at, 0, FIRST_PID + parent, FIRST_PID + parent);
	put_side(s, &at, &record);
	if (any(s, 2))
		run_program(s, child);
}

static void start_thread(struct story *s, uint32_t task)
{
	struct record_at at = here(s, task);
	struct ts_bytes record = {0};

	if (s->tasks[task].nr_threads == 3)
		return;
	at.tid = at.pid + 1000 * ++s->tasks[task].nr_threads;
	put_fork(&record, &at, 0, at.pid, at.pid);
	put_side(s, &at, &record);
}

static void exit_task(struct story *s, uint32_t task)
{
	for (uint32_t n = s->tasks[task].nr_threads + 1; n--;) {
		struct record_at at = here(s, task);
		struct ts_bytes record = {0};

		at.tid = at.pid + 1000 * n;
		put_exit(&record, &at);
		put_side(s, &at, &record);
	}
	s->tasks[task].is_live = false;
}

/* The words of call chain number n: addresses in the middle of slots and between them. */
static void put_chain(struct ts_bytes *b, uint64_t n, uint64_t *ret_ip)
{
	uint64_t seed = n * 2 + 1, depth = 2 + next_random(&seed) % (DEPTH - 2);

	ts_bytes_u64(b, depth + 1);
	ts_bytes_u64(b, (uint64_t)PERF_CONTEXT_USER);
	for (uint64_t i = 0; i < depth; i++) {
		uint64_t ip = BASE + next_random(&seed) % (5 * OBJECT_BYTES / 0x400) * 0x400;

		if (!i)
			*ret_ip = ip;
		ts_bytes_u64(b, ip);
	}
}

static void take_sample(struct story *s, uint32_t task)
{
	const struct record_at at = here(s, task);
	struct ts_bytes chain = {0}, record = {0};
	struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	uint64_t ip;

	put_chain(&chain, any(s, s->nr_stacks), &ip);
	hdr.size = (uint16_t)(56 + chain.len);
	ts_bytes_put(&record, &hdr, sizeof(hdr));
	ts_bytes_u64(&record, at.id);
	ts_bytes_u64(&record, ip);
	ts_bytes_u32(&record, at.pid);
	ts_bytes_u32(&record, at.tid);
	ts_bytes_u64(&record, at.time_ns);
	ts_bytes_u32(&record, at.cpu);
	ts_bytes_u32(&record, 0);
	ts_bytes_u64(&record, 1 + any(s, 7));
	ts_bytes_put(&record, chain.data, chain.len);
	put_sample_record(s, at.cpu, &record);
	ts_bytes_release(&chain);
	ts_bytes_release(&record);
}

static uint32_t live_task(struct story *s)
{
	uint32_t task = (uint32_t)any(s, PIDS);

	while (!s->tasks[task].is_live)
		task = (task + 1) % PIDS;
	return task;
}

static void tell(struct story *s, uint64_t nr_samples)
{
	s->now_ns = 1000000000;
	s->tasks[0].is_live = true;
	run_program(s, 0);
	while (nr_samples) {
		uint32_t task = live_task(s);

		switch (any(s, 60)) {
		case 0:
			fork_task(s, task);
			break;
		case 1:
			if (task)
				exit_task(s, task);
			break;
		case 2:
			run_program(s, task);
			break;
		case 3:
			start_thread(s, task);
			break;
		case 4:
			name_thread(s, task, 0);
			break;
		case 5:
			map_object(s, task, any(s, 5), any(s, OBJECTS));
			break;
		default:
			take_sample(s, task);
			nr_samples--;
		}
	}
	for (uint32_t cpu = 0; cpu < s->nr_streams; cpu++) {
		s->streams[cpu].late.wait = 0;
		end_wait(s, cpu);
		end_run(&s->streams[cpu], &s->streams[cpu].samples, cpu, TS_RING_SAMPLES);
		end_run(&s->streams[cpu], &s->streams[cpu].sideband, cpu, TS_RING_SIDEBAND);
	}
}

/* --- files --- */

static void pack_data(const struct story *s, bool is_file, struct ts_bytes *file)
{
	uint64_t ids[STREAMS_MAX];
	const struct made_data data = {
		.ids = ids,
		.nr_ids = s->nr_streams,
		.more_fields = PERF_SAMPLE_CALLCHAIN,
		.has_sideband = true,
		.excludes_kernel = true,
		.nr_cpus = s->nr_streams,
		.is_directory = !is_file,
		.may_be_compressed = !is_file,
		.records = is_file ? s->whole.data : NULL,
		.records_bytes = is_file ? s->whole.len : 0,
	};
	struct ts_error err;

	for (uint32_t i = 0; i < s->nr_streams; i++)
		ids[i] = FIRST_ID + i;
	if (made_data_pack(&data, file, &err))
		fail("make data", &err);
}

static void write_at(int fd, const void *data, size_t len, uint64_t offset)
{
	if (pwrite(fd, data, len, (off_t)offset) != (ssize_t)len)
		fail("write a stream", NULL);
}

/* One chunk a block: what lies between them is padding. */
static void lay_chunks(const struct stream *st, struct ts_stream_file *file,
		       struct ts_compressor *zstd)
{
	static alignas(4096) uint8_t block[TS_BLOCK_BYTES];
	static const uint8_t uuid[16] = {1, 2, 3, 4};
	struct ts_stream s;

	ts_stream_init(&s, uuid, 0, file->align);
	for (size_t at = 0; at < st->chunks.len;) {
		struct ts_chunk c;
		size_t len;

		memcpy(&c, st->chunks.data + at, sizeof(c));
		at += sizeof(c);
		ts_stream_begin_block(&s, block, sizeof(block));
		c.payload_bytes = c.raw_bytes;
		if (zstd) {
			c.flags = TS_CHUNK_COMPRESSED;
			c.payload_bytes = ts_compress(zstd, st->chunks.data + at, c.raw_bytes,
						      ts_stream_payload(&s));
		} else {
			memcpy(ts_stream_payload(&s), st->chunks.data + at, c.raw_bytes);
		}
		at += c.raw_bytes;
		ts_stream_end_chunk(&s, &c);
		len = ts_stream_end_block(&s);
		write_at(file->fd, block, len, s.block_offset);
	}
	ts_stream_begin_block(&s, block, sizeof(block));
	write_at(file->fd, block, ts_stream_finish(&s), s.block_offset);
}

static void lay_directory(struct story *s, const char *path, const char *kind)
{
	struct ts_compressor zstd = {0};
	struct ts_bytes data = {0};
	struct ts_error err;
	struct ts_dir dir;

	pack_data(s, false, &data);
	if (ts_dir_create(&dir, path, &err) || ts_compressor_init(&zstd, 1, &err) ||
	    ts_dir_replace(&dir, TS_DIR_DATA, data.data, data.len, &err))
		fail("make the capture", &err);
	for (uint32_t n = 0; n < s->nr_streams; n++) {
		struct ts_stream_file file;

		if (ts_dir_create_stream(&dir, n, TS_STREAM_BUFFERED, &file, &err))
			fail("make a stream", &err);
		if (!strcmp(kind, "bare"))
			write_at(file.fd, s->streams[n].plain.data, s->streams[n].plain.len, 0);
		else
			lay_chunks(&s->streams[n], &file,
				   strcmp(kind, "compressed") ? NULL : &zstd);
		ts_stream_file_close(&file);
	}
	if (ts_dir_publish(&dir, &err))
		fail("publish the capture", &err);
	ts_bytes_release(&data);
	ts_compressor_release(&zstd);
	ts_dir_release(&dir);
}

static void lay_file(struct story *s, const char *path)
{
	struct ts_bytes data = {0};
	FILE *f = fopen(path, "w");

	pack_data(s, true, &data);
	if (!f || fwrite(data.data, 1, data.len, f) != data.len || fclose(f))
		fail("write the capture", NULL);
	ts_bytes_release(&data);
}

static void release(struct story *s)
{
	for (uint32_t n = 0; n < s->nr_streams; n++) {
		struct stream *st = &s->streams[n];

		ts_bytes_release(&st->samples.bytes);
		ts_bytes_release(&st->sideband.bytes);
		ts_bytes_release(&st->chunks);
		ts_bytes_release(&st->plain);
	}
	ts_bytes_release(&s->whole);
	free(s);
}

int main(int argc, char **argv)
{
	struct story *s = calloc(1, sizeof(*s));

	if (argc != 7 || !s || !atoi(argv[3]) || (uint32_t)atoi(argv[3]) > STREAMS_MAX ||
	    !atoi(argv[5])) {
		fprintf(stderr, "usage: lay_story OUT plain|compressed|bare|file STREAMS SAMPLES "
				"STACKS SEED\n");
		return 2;
	}
	s->nr_streams = (uint32_t)atoi(argv[3]);
	s->nr_stacks = strtoull(argv[5], NULL, 10);
	s->seed = strtoull(argv[6], NULL, 10);
	tell(s, strtoull(argv[4], NULL, 10));
	if (!strcmp(argv[2], "file"))
		lay_file(s, argv[1]);
	else
		lay_directory(s, argv[1], argv[2]);
	release(s);
	return 0;
}
