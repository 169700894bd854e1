// SPDX-License-Identifier: Apache-2.0
/*
 * Lays a capture directory out by hand, for scripts that judge the format:
 *
 *	lay_capture DIR plain		two complete streams of many chunks, several index records
 *	lay_capture DIR compressed	the same, chunks compressed
 *	lay_capture DIR cut [N]		one stream whose second block was being laid when the
 *				recorder died: after N of the states its writes go through
 *	lay_capture DIR example		the stream of docs/format.md
 *	lay_capture DIR laid|direct|bare	one stream that grows until it is killed, or has 256
 *				MiB: buffered and laid, by direct I/O, buffered in plain writes
 *
 * Prints the number of states (cut), else the number of records laid.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/directory/directory.h"
#include "common/stream/compress.h"
#include "common/stream/stream.h"
#include "streamer/writer/write_order.h"
#include "tests/support/made_data.h"
#include "tests/support/records.h"

#define PAGE	 ((size_t)4096)
#define CHUNKS	 600u
#define CUT_ROOM (50 * PAGE)

static const uint8_t uuid[16] = {0x74, 0x73, 0x74, 0x72, 0x65, 0x61, 0x6d, 0x00,
				 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

static alignas(4096) uint8_t block[TS_BLOCK_BYTES];

static int fail(const struct ts_error *err)
{
	fprintf(stderr, "lay_capture: %s\n", err->text);
	exit(1);
}

static void write_at(int fd, const void *data, size_t len, uint64_t offset)
{
	struct ts_error err;
	int rc;

	if (lseek(fd, (off_t)offset, SEEK_SET) < 0)
		fail((ts_error_sys(&err, errno, "cannot write a stream"), &err));
	rc = ts_file_write_all(fd, data, len);
	if (rc)
		fail((ts_error_sys(&err, -rc, "cannot write a stream"), &err));
}

/* --- data --- */

static void put_data(struct ts_dir *dir, uint64_t more_fields)
{
	static const uint64_t ids[] = {1001, 1002};
	const struct made_data data = {
		.ids = ids,
		.nr_ids = 2,
		.more_fields = more_fields,
		.nr_cpus = 2,
		.is_directory = true,
		.may_be_compressed = true,
	};
	struct ts_bytes file = {0};
	struct ts_error err;

	if (made_data_pack(&data, &file, &err) ||
	    ts_dir_replace(dir, TS_DIR_DATA, file.data, file.len, &err))
		fail(&err);
	ts_bytes_release(&file);
}

/* --- streams --- */

struct laid {
	struct ts_stream s;
	struct ts_stream_file file;
	struct ts_compressor *zstd; /* NULL: plain */
	uint32_t cpu;
	uint64_t next_time_ns;
	uint64_t nr_records;
};

static void write_block(struct laid *l, size_t len)
{
	write_at(l->file.fd, block, len, l->s.block_offset);
}

/* A chunk of nr small samples at the end of the open block. */
static void put_chunk(struct laid *l, uint64_t nr)
{
	struct ts_chunk c = {.ring = 2 * l->cpu, .cpu = l->cpu, .nr_records = nr};
	static alignas(8) uint8_t raw[64 << 10];

	c.time_min_ns = l->next_time_ns;
	for (uint64_t i = 0; i < nr; i++, l->next_time_ns += 10)
		c.raw_bytes +=
			put_sample(raw + c.raw_bytes, 1001 + l->cpu, l->next_time_ns, l->cpu);
	c.time_max_ns = l->next_time_ns - 10;
	if (l->zstd) {
		c.flags = TS_CHUNK_COMPRESSED;
		c.payload_bytes = ts_compress(l->zstd, raw, c.raw_bytes, ts_stream_payload(&l->s));
	} else {
		c.payload_bytes = c.raw_bytes;
		memcpy(ts_stream_payload(&l->s), raw, c.raw_bytes);
	}
	ts_stream_end_chunk(&l->s, &c);
	l->nr_records += nr;
}

static void finish(struct laid *l)
{
	ts_stream_begin_block(&l->s, block, sizeof(block));
	write_block(l, ts_stream_finish(&l->s));
	ts_stream_file_close(&l->file);
}

static void lay_whole(struct ts_dir *dir, uint32_t n, struct ts_compressor *zstd, uint64_t *nr)
{
	struct laid l = {.zstd = zstd, .cpu = n, .next_time_ns = 1000 + n};
	struct ts_error err;

	if (ts_dir_create_stream(dir, n, TS_STREAM_AUTO, &l.file, &err))
		fail(&err);
	ts_stream_init(&l.s, uuid, 0, l.file.align);
	for (uint32_t i = 0; i < CHUNKS;) {
		ts_stream_begin_block(&l.s, block, sizeof(block));
		for (uint32_t in_block = 1 + i % 17; in_block && i < CHUNKS; in_block--, i++)
			put_chunk(&l, 1 + i % 29 * 7);
		write_block(&l, ts_stream_end_block(&l.s));
	}
	finish(&l);
	*nr += l.nr_records;
}

/* --- a stream whose recorder died --- */

/* Ends the open block with a chunk of samples of mixed sizes in it; returns the block's bytes. */
static size_t put_mixed_block(struct laid *l, uint64_t seed)
{
	struct ts_chunk c = {.ring = 0};
	const size_t room = ts_stream_room(&l->s);

	c.payload_bytes =
		put_mixed_samples(ts_stream_payload(&l->s), room, 40000, &seed, &c.nr_records);
	c.raw_bytes = c.payload_bytes;
	ts_stream_end_chunk(&l->s, &c);
	return ts_stream_end_block(&l->s);
}

/*
 * Executes a plan up to its stop-th state; each page boundary in a write is one. Returns how many.
 */
static uint64_t execute(int fd, const struct write_order *plan, uint64_t stop)
{
	uint64_t states = 0;

	for (size_t i = 0; i < plan->nr_ops; i++) {
		const struct write_op *op = &plan->ops[i];

		for (size_t done = 0; done < op->len && states < stop; states++) {
			const size_t page = ((op->offset + done) / PAGE + 1) * PAGE - op->offset;
			const size_t next = page < op->len ? page : op->len;

			write_at(fd, (const uint8_t *)op->data + done, next - done,
				 op->offset + done);
			done = next;
		}
	}
	return states;
}

static uint64_t lay_cut(struct ts_dir *dir, uint64_t stop)
{
	struct laid l = {.next_time_ns = 1000};
	struct write_order plan;
	struct ts_error err;
	uint64_t states;

	if (ts_dir_create_stream(dir, 0, TS_STREAM_BUFFERED, &l.file, &err) ||
	    write_order_init(&plan, CUT_ROOM, false, &err))
		fail(&err);
	ts_stream_init(&l.s, uuid, 0, l.file.align);
	for (uint64_t seed = 1; seed <= 2; seed++) {
		size_t len;

		ts_stream_begin_block(&l.s, block, CUT_ROOM);
		len = put_mixed_block(&l, seed);
		write_order_plan(&plan, block, len, l.s.block_offset);
		states = execute(l.file.fd, &plan, seed == 1 ? UINT64_MAX : stop);
	}
	write_order_release(&plan);
	ts_stream_file_close(&l.file);
	return states;
}

/* --- a stream that grows until it is killed --- */

static void write_laid(int fd, const struct write_order *plan)
{
	for (size_t i = 0; i < plan->nr_ops; i++)
		write_at(fd, plan->ops[i].data, plan->ops[i].len, plan->ops[i].offset);
}

/* Blocks of 64 to 255 pages, so that neither sizes nor offsets are multiples of 1 MiB. */
static void grow(struct laid *l, bool is_laid)
{
	struct write_order plan;
	struct ts_error err;
	uint64_t seed = (uint64_t)getpid();

	if (write_order_init(&plan, TS_BLOCK_BYTES, !is_laid, &err))
		fail(&err);
	ts_stream_init(&l->s, uuid, 0, l->file.align);
	while (l->s.next_offset < 256u << 20) {
		ts_stream_begin_block(&l->s, block, (64 + next_random(&seed) % 192) * PAGE);
		write_order_plan(&plan, block, put_mixed_block(l, seed), l->s.block_offset);
		write_laid(l->file.fd, &plan);
	}
	write_order_release(&plan);
	ts_stream_file_close(&l->file);
}

static bool grow_until_killed(struct ts_dir *dir, const char *kind)
{
	const bool is_laid = !strcmp(kind, "laid"), is_direct = !strcmp(kind, "direct");
	struct laid l = {.next_time_ns = 1000};
	struct ts_error err;

	if (!is_laid && !is_direct && strcmp(kind, "bare"))
		return false;
	if (ts_dir_create_stream(dir, 0, is_direct ? TS_STREAM_AUTO : TS_STREAM_BUFFERED, &l.file,
				 &err))
		fail(&err);
	if (is_direct && !l.file.direct) {
		printf("no direct I/O here\n");
		exit(77);
	}
	if (ts_dir_publish(dir, &err))
		fail(&err);
	grow(&l, is_laid);
	return true;
}

/* --- the example of docs/format.md --- */

static void lay_example(struct ts_dir *dir)
{
	struct laid l = {.next_time_ns = 1000000000};
	struct ts_chunk c = {.ring = 6, .cpu = 3, .nr_records = 2};
	struct ts_error err;
	uint8_t *payload;

	if (ts_dir_create_stream(dir, 0, TS_STREAM_AUTO, &l.file, &err))
		fail(&err);
	ts_stream_init(&l.s, uuid, 0, TS_BLOCK_ALIGN);
	ts_stream_begin_block(&l.s, block, sizeof(block));
	payload = ts_stream_payload(&l.s);
	c.payload_bytes = put_sample(payload, 1001, 1000000000, 3);
	c.payload_bytes += put_sample(payload + c.payload_bytes, 1001, 1000250000, 3);
	c.raw_bytes = c.payload_bytes;
	c.time_min_ns = 1000000000;
	c.time_max_ns = 1000250000;
	c.flags = TS_CHUNK_AFTER_LOSS;
	c.lost = 5;
	c.lost_cause = TS_LOSS_RING_FULL;
	ts_stream_end_chunk(&l.s, &c);
	write_block(&l, ts_stream_end_block(&l.s));
	finish(&l);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "";
	const uint64_t stop = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
	struct ts_compressor zstd = {0};
	struct ts_error err;
	struct ts_dir dir;
	uint64_t nr = 0;
	bool is_small;

	if (argc < 3 || ts_dir_create(&dir, argv[1], &err) || ts_compressor_init(&zstd, 1, &err)) {
		fprintf(stderr, "usage: lay_capture DIR KIND [STATES]; see its source\n");
		return 2;
	}
	/* the others have samples of mixed sizes */
	is_small =
		!strcmp(kind, "plain") || !strcmp(kind, "compressed") || !strcmp(kind, "example");
	put_data(&dir, is_small ? 0 : PERF_SAMPLE_RAW);
	if (grow_until_killed(&dir, kind))
		return 0;
	if (!strcmp(kind, "cut"))
		nr = lay_cut(&dir, stop);
	else if (!strcmp(kind, "example"))
		lay_example(&dir);
	else
		for (uint32_t n = 0; n < 2; n++)
			lay_whole(&dir, n, strcmp(kind, "compressed") ? NULL : &zstd, &nr);
	if (ts_dir_publish(&dir, &err))
		fail(&err);
	printf("%llu\n", (unsigned long long)nr);
	ts_compressor_release(&zstd);
	ts_dir_release(&dir);
	return 0;
}
