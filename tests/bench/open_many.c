// SPDX-License-Identifier: Apache-2.0
/*
 * How long a recording of 512 CPUs and 8 events takes to open, and the memory it takes: so many
 * real dummy events, 256 rings of each kind a real CPU.
 *
 * The recorder's own code (source.h) comes first, in one thread. Then 1, 2 and 8 threads call
 * perf_event_open() with SET_OUTPUT alone, each for its range of CPUs. This shows whether more threads
 * help: with a table of descriptors that grows meanwhile, and with one that is large enough before.
 *
 * Enabling is not timed. With thousands of events on one CPU the kernel's work for each event grows
 * with their number; 9 events on each of 512 CPUs would not show that.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/thread.h"
#include "streamer/rings/ring.h"
#include "streamer/rings/source.h"
#include "streamer/targets/privilege.h"

#define NR_CPUS	    512
#define NR_EVENTS   8
#define DESCRIPTORS 8192
#define RING_BYTES  4096
#define MAX_OPENERS 8

static const char dummies[] = "dummy,dummy,dummy,dummy,dummy,dummy,dummy,dummy";

static void die(const char *what)
{
	fprintf(stderr, "open_many: %s\n", what);
	exit(1);
}

static double ms_since(uint64_t start_ns)
{
	return (double)(ts_clock_now_ns() - start_ns) / TS_NS_PER_MS;
}

static long resident_kib(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*s %ld", &pages) != 1)
		die("cannot read /proc/self/statm");
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* --- as the recorder does it --- */

static void make_layout(struct layout *layout, unsigned int nr_online)
{
	layout->nr = NR_CPUS / nr_online;
	layout->writers = calloc(layout->nr, sizeof(layout->writers[0]));
	if (!layout->writers)
		die("out of memory");
	for (size_t i = 0; i < layout->nr; i++) {
		layout->writers[i].cpus = hwloc_bitmap_alloc();
		hwloc_bitmap_set_range(layout->writers[i].cpus, 0, (int)nr_online - 1);
		layout->writers[i].sideband_cpus = layout->writers[i].cpus;
	}
}

static void open_as_recorder(unsigned int nr_online)
{
	struct event_list events = {0};
	struct event_options options = {.inherit = true};
	struct target target = {.kind = TARGET_SYSTEM};
	struct layout layout = {0};
	struct privilege privilege;
	struct source source;
	struct ring *rings;
	struct ts_error err = {0};
	struct ts_notes notes = {0};
	long before_kib;
	uint64_t start_ns;

	privilege_read(&privilege);
	make_layout(&layout, nr_online);
	if (event_parse(&events, dummies, NULL, &err) ||
	    event_options_settle(&options, 0, NULL, &err) ||
	    source_init(&source, &events, &options, &target, &layout, &privilege, &err) ||
	    !(rings = calloc(source.nr_rings, sizeof(*rings))))
		die(err.text);
	before_kib = resident_kib();
	start_ns = ts_clock_now_ns();
	if (source_open_owners(&source, RING_BYTES / 8, RING_BYTES / 8, &err))
		die(err.text);
	printf("recorder: %zu owners %.1f ms", source.nr_rings, ms_since(start_ns));
	start_ns = ts_clock_now_ns();
	for (size_t i = 0; i < source.nr_rings; i++)
		if (ring_open(&rings[i], &(struct ring_id){.number = (uint32_t)i},
			      source.rings[i].fd, source.rings[i].fd, RING_BYTES, &err))
			die(err.text);
	printf(", mapped %.1f ms", ms_since(start_ns));
	start_ns = ts_clock_now_ns();
	if (source_open_events(&source, &notes, &err))
		die(err.text);
	printf(", %zu events %.1f ms", source.nr_fds, ms_since(start_ns));
	printf("; %ld KiB resident more\n", resident_kib() - before_kib);
}

/* --- bare, by several threads --- */

struct opener {
	struct ts_thread thread;
	unsigned int first, end, nr_online;
	const int *owners;
};

static int open_dummy(pid_t tid, unsigned int cpu)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_DUMMY,
				       .sample_period = 1,
				       .disabled = 1,
				       .watermark = 1,
				       .wakeup_watermark = RING_BYTES / 8};
	long fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("cannot open a dummy event");
	return (int)fd;
}

static void open_range(void *arg)
{
	struct opener *o = arg;

	for (unsigned int i = o->first; i < o->end; i++)
		for (unsigned int event = 0; event < NR_EVENTS + 1; event++) {
			int fd = open_dummy(-1, i * o->nr_online / NR_CPUS);
			uint64_t id;

			if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, o->owners[i]) ||
			    ioctl(fd, PERF_EVENT_IOC_ID, &id))
				die("cannot redirect a dummy event");
		}
}

static void open_bare(unsigned int nr_online, unsigned int nr_threads, bool grown)
{
	struct opener openers[MAX_OPENERS];
	int owners[NR_CPUS];
	struct ts_error err;
	uint64_t start_ns;

	if (grown)
		close(fcntl(0, F_DUPFD_CLOEXEC, DESCRIPTORS - 1));
	for (unsigned int i = 0; i < NR_CPUS; i++) {
		owners[i] = open_dummy(0, i * nr_online / NR_CPUS);
		if (mmap(NULL, RING_BYTES + sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			 MAP_SHARED, owners[i], 0) == MAP_FAILED)
			die("cannot map a ring");
	}
	start_ns = ts_clock_now_ns();
	for (unsigned int i = 0; i < nr_threads; i++) {
		openers[i] = (struct opener){.first = NR_CPUS * i / nr_threads,
					     .end = NR_CPUS * (i + 1) / nr_threads,
					     .nr_online = nr_online,
					     .owners = owners};
		if (nr_threads > 1 && ts_thread_start(&openers[i].thread, "opener", NULL, 0,
						      open_range, &openers[i], &err))
			die(err.text);
	}
	if (nr_threads == 1)
		open_range(&openers[0]);
	for (unsigned int i = 0; i < nr_threads; i++)
		ts_thread_join(&openers[i].thread);
	printf("bare: %u thread%s, table of descriptors %s: %.1f ms\n", nr_threads,
	       nr_threads == 1 ? "" : "s", grown ? "large before" : "grows", ms_since(start_ns));
}

/* Each in a process of its own: descriptors, their table and the locks begin anew. */
static void apart(unsigned int nr_online, unsigned int nr_threads, bool grown)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("cannot fork");
	if (!pid) {
		if (nr_threads)
			open_bare(nr_online, nr_threads, grown);
		else
			open_as_recorder(nr_online);
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

int main(void)
{
	unsigned int nr_online = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	struct ts_error err;

	if (privilege_raise_files(DESCRIPTORS, &err))
		die(err.text);
	if (NR_CPUS % nr_online)
		nr_online = 1;
	for (int round = 0; round < 5; round++) {
		apart(nr_online, 0, false);
		apart(nr_online, 1, false);
		apart(nr_online, 2, false);
		apart(nr_online, 2, true);
		apart(nr_online, 8, true);
	}
	return 0;
}
