// SPDX-License-Identifier: Apache-2.0
/*
 * How fast writers are when their rings are never empty, against a bare memcpy of the same rings.
 *
 *	writer_speed WRITERS RINGS RECORD_BYTES MS [DIR]
 *
 * The rings have 512 KiB each and are full of records that stay. The main thread is the producer: it
 * writes no record, but moves the head of a ring on by its size once half of it was taken. So the
 * speed of a producer does not count. All work of a writer does: the search for the fullest ring,
 * the copy, the walk over the records, chunk headers, checksums, blocks and the sink.
 *
 * Prints five numbers:
 *
 *	GB/s of memcpy, per second of CPU time, all threads together
 *	GB/s of the writers, the same
 *	ns of a writer's CPU time for each record
 *	GB/s by the clock
 *	CPU time of the kernel's workers for each second of a writer's CPU time
 *
 * Without DIR the blocks are dropped. With DIR they go into files there, past the page cache; the
 * files are removed at the end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "streamer/writer/drain.h"
#include "streamer/writer/writer.h"
#include "tests/support/fake_ring.h"

#define RING_BYTES  (512u * 1024)
#define WRITERS_MAX 64
#define RINGS_MAX   512

struct lane { /* a writer with its rings */
	unsigned number;
	hwloc_bitmap_t cpus;
	struct ring *rings[RINGS_MAX];
	size_t nr_rings;
	struct writer *writer;
	struct writer_stats stats;
	struct writer_measures measures;
	struct ts_stop failure;
	int fd; /* -1: nothing is written */
	char path[256];

	struct ts_thread copier;
	uint64_t copied_bytes, copied_ns;
};

static struct {
	struct fake_ring fakes[RINGS_MAX];
	struct ring rings[RINGS_MAX];
	struct lane lanes[WRITERS_MAX];
	unsigned nr_rings, nr_lanes;
	size_t record_bytes;
	uint64_t measure_ns;
	const char *dir;
} all;

static void die(const char *what)
{
	fprintf(stderr, "writer_speed: %s\n", what);
	exit(1);
}

/* Records that fill the ring to the byte, so that they stand there again after each turn. */
static void make_ring(unsigned i)
{
	struct fake_ring *f = &all.fakes[i];
	size_t left;

	fake_ring_init(f, RING_BYTES);
	f->cpu = i;
	fake_ring_open(f, &all.rings[i], i, TS_RING_SAMPLES);
	while ((left = RING_BYTES - f->head_pos) > 0)
		fake_ring_put_sample(f, left < 2 * all.record_bytes ? left : all.record_bytes);
}

static unsigned nr_cpus(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

static void make_lanes(void)
{
	for (unsigned i = 0; i < all.nr_lanes; i++) {
		all.lanes[i].number = i;
		all.lanes[i].fd = -1;
		all.lanes[i].cpus = hwloc_bitmap_alloc();
		for (unsigned cpu = i; cpu < nr_cpus(); cpu += all.nr_lanes)
			hwloc_bitmap_set(all.lanes[i].cpus, cpu);
	}
	for (unsigned i = 0; i < all.nr_rings; i++) {
		struct lane *l = &all.lanes[i % all.nr_lanes];

		make_ring(i);
		l->rings[l->nr_rings++] = &all.rings[i];
	}
}

/* --- the measure: memcpy --- */

static uint64_t thread_ns(void)
{
	return ts_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* From the same rings into two buffers by turns, as a writer that drops what it wrote has them. */
static void copy_rings(void *arg)
{
	struct lane *l = arg;
	uint8_t *to = aligned_alloc(4096, 4 * RING_BYTES);
	uint64_t until_ns, start_ns;

	if (!to)
		die("out of memory");
	memset(to, 1, 4 * RING_BYTES);
	until_ns = ts_clock_now_ns() + all.measure_ns;
	start_ns = thread_ns();
	for (size_t turn = 0; ts_clock_now_ns() < until_ns; turn++) {
		const struct ring *r = l->rings[turn % l->nr_rings];

		memcpy(to + turn % 4 * RING_BYTES, r->data, RING_BYTES);
		__asm__ volatile("" ::: "memory");
		l->copied_bytes += RING_BYTES;
	}
	l->copied_ns = thread_ns() - start_ns;
	free(to);
}

static void pin(cpu_set_t *set, unsigned cpu)
{
	CPU_ZERO(set);
	CPU_SET(cpu, set);
}

static double copy_all(void)
{
	struct ts_error err;
	double speed = 0;
	cpu_set_t cpus;

	for (unsigned i = 0; i < all.nr_lanes; i++) {
		pin(&cpus, i);
		if (ts_thread_start(&all.lanes[i].copier, "copier", &cpus, sizeof(cpus), copy_rings,
				    &all.lanes[i], &err))
			die(err.text);
	}
	for (unsigned i = 0; i < all.nr_lanes; i++) {
		struct lane *l = &all.lanes[i];

		ts_thread_join(&l->copier);
		speed += (double)l->copied_bytes / (double)l->copied_ns;
	}
	return speed;
}

/* --- what is measured: writers --- */

static void open_file(struct lane *l)
{
	if (!all.dir)
		return;
	snprintf(l->path, sizeof(l->path), "%s/writer_speed.%d.%u", all.dir, (int)getpid(),
		 l->number);
	l->fd = open(l->path, O_CREAT | O_EXCL | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	if (l->fd < 0)
		die("cannot write there past the page cache");
	unlink(l->path);
}

static void start_writer(struct lane *l)
{
	struct writer_plan plan = {
		.number = l->number,
		.cpus = l->cpus,
		.rings = l->rings,
		.nr_rings = l->nr_rings,
		.stream_path = l->path,
		.sink = all.dir ? SINK_URING : SINK_NULL,
		.flush_ns = TS_NS_PER_SEC,
		.nr_buffers = WRITER_BUFFERS_DEFAULT,
		.buffer_bytes = WRITER_BUFFER_BYTES_DEFAULT,
		.clock = DRAIN_NO_CLOCK,
		.failure = &l->failure,
	};
	struct ts_error err;

	open_file(l);
	plan.file = (struct ts_stream_file){.fd = l->fd, .direct = true, .align = 4096};
	if (ts_stop_init(&l->failure, &err))
		die(err.text);
	l->writer = writer_new(&plan, &err);
	if (!l->writer || writer_start(l->writer, &err))
		die(err.text);
}

/* The head of each ring moves on when half of it was taken; who may sleep is woken. */
static bool refill(void)
{
	bool any = false;

	for (unsigned i = 0; i < all.nr_rings; i++) {
		struct fake_ring *f = &all.fakes[i];
		/* Acquire: as the kernel, it reads the tail before it gives the space away. */
		uint64_t tail_pos = __atomic_load_n(&f->page->data_tail, __ATOMIC_ACQUIRE);
		uint64_t pending = f->head_pos - tail_pos;

		if (pending > RING_BYTES / 2)
			continue;
		any = true;
		f->head_pos = tail_pos + RING_BYTES;
		__atomic_store_n(&f->page->data_head, f->head_pos, __ATOMIC_RELEASE);
		if (pending <= RING_BYTES / 16)
			fake_ring_wake(f);
	}
	return any;
}

/* Without a CPU of its own the producer takes as little of the writers' as it can. */
static void produce(uint64_t until_ns)
{
	bool has_cpu = all.nr_lanes < nr_cpus() && !all.dir;
	struct timespec pause = ts_clock_timespec(20 * TS_NS_PER_US);
	cpu_set_t cpus;

	pin(&cpus, all.nr_lanes);
	if (has_cpu)
		sched_setaffinity(0, sizeof(cpus), &cpus);
	while (ts_clock_now_ns() < until_ns)
		if (!refill() && !has_cpu)
			nanosleep(&pause, NULL);
}

static void stop_writer(struct lane *l)
{
	struct ts_error err;

	if (writer_join(l->writer, &err))
		die(err.text);
	writer_read_stats(l->writer, &l->stats);
	writer_read_measures(l->writer, &l->measures);
	writer_free(l->writer);
}

static void write_all(void)
{
	double speed = 0, bytes = 0, cpu_ns = 0, helpers_ns = 0, records = 0;
	uint64_t start_ns, took_ns;

	for (unsigned i = 0; i < all.nr_lanes; i++)
		start_writer(&all.lanes[i]);
	start_ns = ts_clock_now_ns();
	produce(start_ns + all.measure_ns);
	for (unsigned i = 0; i < all.nr_lanes; i++)
		writer_stop(all.lanes[i].writer);
	for (unsigned i = 0; i < all.nr_lanes; i++) {
		struct lane *l = &all.lanes[i];
		double own_ns;

		stop_writer(l);
		own_ns = (double)(l->measures.user_ns + l->measures.system_ns);
		speed += (double)l->stats.raw_bytes / own_ns;
		bytes += (double)l->stats.raw_bytes;
		records += (double)l->stats.records;
		cpu_ns += own_ns;
		helpers_ns += (double)l->measures.helpers_ns;
	}
	took_ns = ts_clock_now_ns() -
		  start_ns; /* the files still take their room, which is freed at exit */
	printf("%.3f %.3f %.3f %.3f\n", speed, cpu_ns / records, bytes / (double)took_ns,
	       helpers_ns / cpu_ns);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		die("usage: writer_speed WRITERS RINGS RECORD_BYTES MS [DIR]");
	all.nr_lanes = (unsigned)atoi(argv[1]);
	all.nr_rings = (unsigned)atoi(argv[2]);
	all.record_bytes = strtoull(argv[3], NULL, 10);
	all.measure_ns = strtoull(argv[4], NULL, 10) * TS_NS_PER_MS;
	all.dir = argc > 5 ? argv[5] : NULL;
	if (!all.nr_lanes || all.nr_lanes > WRITERS_MAX || all.nr_rings < all.nr_lanes ||
	    all.nr_rings > RINGS_MAX || all.record_bytes % 8)
		die("so many writers or rings cannot be, or a record is no multiple of 8 bytes");
	prctl(PR_SET_TIMERSLACK, 1);
	make_lanes();
	printf("%.3f ", copy_all());
	write_all();
	return 0;
}
