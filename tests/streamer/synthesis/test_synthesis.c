// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/synthesis.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/build_id.h"
#include "common/perf/record.h"
#include "tests/support/scratch.h"
#include "tests/support/synthesized.h"

static size_t count(const struct ts_bytes *b, uint32_t type)
{
	const struct perf_event_header *h;
	size_t at = 0, nr = 0;

	while ((h = next(b, &at)))
		nr += h->type == type;
	return nr;
}

/* The COMM record of a thread, NULL if there is none; it must not be there twice. */
static const struct perf_event_header *find_comm(const struct ts_bytes *b, pid_t pid, pid_t tid)
{
	const struct perf_event_header *h, *found = NULL;
	size_t at = 0;

	while ((h = next(b, &at)))
		if (h->type == PERF_RECORD_COMM && u32_at(h, PID) == (uint32_t)pid &&
		    u32_at(h, TID) == (uint32_t)tid) {
			cr_assert_null(found);
			found = h;
		}
	return found;
}

/* The MMAP2 record of a process that covers an address. */
static const struct perf_event_header *find_map(const struct ts_bytes *b, pid_t pid,
						const void *addr)
{
	const struct perf_event_header *h;
	size_t at = 0;

	while ((h = next(b, &at)))
		if (h->type == PERF_RECORD_MMAP2 && u32_at(h, PID) == (uint32_t)pid &&
		    (uintptr_t)addr - u64_at(h, MAP_ADDR) < u64_at(h, MAP_LEN))
			return h;
	return NULL;
}

static void scan(struct ts_bytes *out, const struct synthesis_target *target,
		 const struct synthesis_options *options)
{
	struct ts_error err;

	cr_assert_eq(synthesis_tasks(out, target, options, NULL, NULL, &err), 0, "%s", err.text);
}

/* A thread that tells its tid, then waits until it is told to end. */
struct sleeper {
	pthread_t thread;
	pthread_barrier_t ready, end;
	pid_t tid;
};

static void *sleep_until_told(void *arg)
{
	struct sleeper *s = arg;

	s->tid = gettid();
	pthread_setname_np(pthread_self(), "sleeper");
	pthread_barrier_wait(&s->ready);
	pthread_barrier_wait(&s->end);
	return NULL;
}

static void sleeper_start(struct sleeper *s)
{
	pthread_barrier_init(&s->ready, NULL, 2);
	pthread_barrier_init(&s->end, NULL, 2);
	cr_assert_eq(pthread_create(&s->thread, NULL, sleep_until_told, s), 0);
	pthread_barrier_wait(&s->ready);
}

static void sleeper_end(struct sleeper *s)
{
	pthread_barrier_wait(&s->end);
	pthread_join(s->thread, NULL);
}

Test(synthesis, tells_every_process_in_the_order_of_pids)
{
	struct synthesis_options options = test_options();
	const struct perf_event_header *h;
	struct ts_bytes out = {0};
	uint32_t last = 0;
	size_t at = 0;

	options.nr_threads = 3;
	scan(&out, &(struct synthesis_target){.all = true}, &options);
	while ((h = next(&out, &at))) {
		if (h->type != PERF_RECORD_FORK)
			continue;
		cr_assert_eq(h->misc, 0x2000);
		cr_assert_geq(u32_at(h, PID), last);
		last = u32_at(h, PID);
	}
	cr_assert_not_null(find_comm(&out, 1, 1));
	cr_assert_not_null(find_comm(&out, getpid(), getpid()));
	ts_bytes_release(&out);
}

Test(synthesis, tells_threads_as_children_of_their_process)
{
	struct synthesis_options options = test_options();
	const struct perf_event_header *h;
	struct ts_bytes out = {0};
	struct sleeper sleeper;
	size_t at = 0, forks = 0;

	sleeper_start(&sleeper);
	scan(&out, &(struct synthesis_target){.all = true}, &options);
	while ((h = next(&out, &at)))
		if (h->type == PERF_RECORD_FORK && u32_at(h, PID) == (uint32_t)getpid()) {
			bool is_leader = u32_at(h, FORK_TID) == (uint32_t)getpid();

			cr_assert_eq(u32_at(h, FORK_PPID),
				     (uint32_t)(is_leader ? getppid() : getpid()));
			cr_assert_eq(u32_at(h, FORK_PTID), u32_at(h, FORK_PPID));
			forks++;
		}
	cr_assert_geq(forks, 2);
	cr_assert_str_eq(name_at(find_comm(&out, getpid(), sleeper.tid), COMM_NAME), "sleeper");
	sleeper_end(&sleeper);
	ts_bytes_release(&out);
}

Test(synthesis, counts_what_it_tells_whatever_the_number_of_threads)
{
	struct synthesis_options options = test_options();
	struct synthesis_counts one, many;
	struct ts_bytes out = {0};
	struct ts_error err;
	struct synthesis_target all = {.all = true};

	options.nr_threads = 1;
	cr_assert_eq(synthesis_tasks(&out, &all, &options, &one, NULL, &err), 0);
	cr_assert_eq(count(&out, PERF_RECORD_MMAP2), one.maps);
	cr_assert_eq(count(&out, PERF_RECORD_COMM), one.threads);
	ts_bytes_clear(&out);
	options.nr_threads = 1000;
	cr_assert_eq(synthesis_tasks(&out, &all, &options, &many, NULL, &err), 0);
	cr_assert_eq(count(&out, PERF_RECORD_MMAP2), many.maps);
	cr_assert_eq(count(&out, PERF_RECORD_COMM), many.threads);
	cr_assert_gt(one.maps, 0);
	ts_bytes_release(&out);
}

Test(synthesis, tells_the_maps_that_can_be_executed)
{
	struct synthesis_options options = test_options();
	pid_t self = getpid();
	struct synthesis_target target = {.pids = &self, .nr_pids = 1};
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	char exe[4096] = "";
	struct stat st;

	scan(&out, &target, &options);
	cr_assert_gt(readlink("/proc/self/exe", exe, sizeof(exe) - 1), 0);
	cr_assert_eq(stat(exe, &st), 0);
	h = find_map(&out, self, (void *)test_options);
	cr_assert_not_null(h);
	cr_assert_eq(h->misc, PERF_RECORD_MISC_USER);
	cr_assert_str_eq(name_at(h, MMAP2_NAME), exe);
	cr_assert_eq(u64_at(h, MMAP2_ID + 8), st.st_ino);
	cr_assert_eq(u32_at(h, MMAP2_PROT), PROT_READ | PROT_EXEC);
	cr_assert_eq(u32_at(h, MMAP2_PROT + 4), MAP_PRIVATE);
	cr_assert_null(find_map(&out, self, &test_attr));
	cr_assert_eq(count(&out, PERF_RECORD_FORK), 0);
	ts_bytes_release(&out);
}

Test(synthesis, tells_readable_data_only_when_asked)
{
	struct synthesis_options options = test_options();
	pid_t self = getpid();
	struct ts_bytes out = {0};
	const struct perf_event_header *h;

	options.data_maps = true;
	scan(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1}, &options);
	h = find_map(&out, self, &test_attr);
	cr_assert_not_null(h);
	cr_assert_eq(h->misc, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
	ts_bytes_release(&out);
}

Test(synthesis, names_memory_without_a_file_as_the_kernel_does)
{
	struct synthesis_options options = test_options();
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t self = getpid();
	struct ts_bytes out = {0};

	cr_assert_neq(code, MAP_FAILED);
	scan(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1}, &options);
	cr_assert_str_eq(name_at(find_map(&out, self, code), MMAP2_NAME), "//anon");
	munmap(code, 4096);
	ts_bytes_release(&out);
}

Test(synthesis, puts_build_ids_into_maps_when_asked)
{
	struct synthesis_options options = test_options();
	pid_t self = getpid();
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	struct ts_build_id id;
	int fd = open("/proc/self/exe", O_RDONLY);

	options.build_ids = true;
	scan(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1}, &options);
	cr_assert(ts_build_id_of_fd(fd, &id));
	close(fd);
	h = find_map(&out, self, (void *)test_options);
	cr_assert_eq(h->misc, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	cr_assert_eq(u32_at(h, MMAP2_ID), id.len);
	cr_assert_eq(memcmp(name_at(h, MMAP2_ID + 4), id.bytes, sizeof(id.bytes)), 0);
	ts_bytes_release(&out);
}

Test(synthesis, names_memory_without_a_file_so_also_when_somebody_named_it)
{
	struct synthesis_options options = test_options();
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t self = getpid();
	struct ts_bytes out = {0};

	cr_assert_neq(code, MAP_FAILED);
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, code, 4096, "jit"))
		cr_skip_test("this kernel gives memory no names");
	scan(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1}, &options);
	cr_assert_str_eq(name_at(find_map(&out, self, code), MMAP2_NAME), "//anon");
	munmap(code, 4096);
	ts_bytes_release(&out);
}

static void *say_hello_and_wait(void *arg)
{
	cr_assert_eq(write(*(int *)arg, "x", 1), 1);
	for (;;)
		pause();
	return NULL;
}

/* Ends the first thread of a child and leaves another. */
static void run_without_leader(int hello_fd)
{
	static int fd; /* outlives this stack */
	pthread_t thread;

	fd = hello_fd;
	pthread_create(&thread, NULL, say_hello_and_wait, &fd);
	pthread_exit(NULL);
}

static bool is_zombie(pid_t pid)
{
	char path[64], text[256] = "", state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof(text), f) && strrchr(text, ')'))
		state = strrchr(text, ')')[2];
	if (f)
		fclose(f);
	return state == 'Z';
}

Test(synthesis, finds_the_maps_of_a_process_whose_first_thread_has_ended)
{
	struct synthesis_options options = test_options();
	const struct perf_event_header *map;
	struct ts_bytes out = {0};
	int hello[2];
	char byte;
	pid_t child;

	cr_assert_eq(pipe(hello), 0);
	child = fork();
	if (!child)
		run_without_leader(hello[1]);
	cr_assert_eq(read(hello[0], &byte, 1), 1);
	while (!is_zombie(child))
		usleep(1000);
	scan(&out, &(struct synthesis_target){.all = true}, &options);
	cr_assert_not_null(find_map(&out, child, (void *)test_options));
	ts_bytes_clear(&out);
	scan(&out, &(struct synthesis_target){.pids = &child, .nr_pids = 1}, &options);
	cr_assert_not_null(find_map(&out, child, (void *)test_options));
	ts_bytes_clear(&out);
	scan(&out, &(struct synthesis_target){.tids = &child, .nr_tids = 1}, &options);
	cr_assert_not_null(find_map(&out, child, (void *)test_options));
	options.reads_text = options.build_ids = true;
	ts_bytes_clear(&out);
	scan(&out, &(struct synthesis_target){.pids = &child, .nr_pids = 1}, &options);
	map = find_map(&out, child, (void *)test_options);
	cr_assert(map && map->misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ts_bytes_release(&out);
}

/* A child that only waits, so that looking at it twice finds the same. */
static pid_t start_quiet_child(void)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	cr_assert_gt(child, 0);
	return child;
}

Test(synthesis, tells_the_same_of_maps_whether_it_asks_or_reads)
{
	struct synthesis_options options = test_options();
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = start_quiet_child();
	struct synthesis_target target = {.pids = &child, .nr_pids = 1};
	struct ts_bytes asked = {0}, text = {0};

	cr_assert_neq(code, MAP_FAILED);
	for (int build_ids = 0; build_ids < 2; build_ids++) {
		options.build_ids = build_ids;
		options.reads_text = false;
		scan(&asked, &target, &options);
		options.reads_text = true;
		scan(&text, &target, &options);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert_gt(count(&text, PERF_RECORD_MMAP2), 4);
	cr_assert_eq(asked.len, text.len);
	cr_assert_eq(memcmp(asked.data, text.data, text.len), 0);
	ts_bytes_release(&asked);
	ts_bytes_release(&text);
}

Test(synthesis, tells_of_one_thread_only_that_and_its_process)
{
	struct synthesis_options options = test_options();
	struct sleeper named, other;
	struct ts_bytes out = {0};
	struct synthesis_target target = {.tids = &named.tid, .nr_tids = 1};

	sleeper_start(&named);
	sleeper_start(&other);
	scan(&out, &target, &options);
	cr_assert_not_null(find_comm(&out, getpid(), named.tid));
	cr_assert_not_null(find_comm(&out, getpid(), getpid()));
	cr_assert_null(find_comm(&out, getpid(), other.tid));
	cr_assert_gt(count(&out, PERF_RECORD_MMAP2), 0);
	sleeper_end(&named);
	sleeper_end(&other);
	ts_bytes_release(&out);
}

Test(synthesis, tells_a_process_once_however_often_it_is_named)
{
	struct synthesis_options options = test_options();
	struct sleeper sleeper;
	struct ts_bytes out = {0};
	pid_t pids[3];

	sleeper_start(&sleeper);
	pids[0] = getpid();
	pids[1] = sleeper.tid;
	pids[2] = getpid();
	scan(&out,
	     &(struct synthesis_target){.pids = pids, .nr_pids = 3, .tids = pids, .nr_tids = 1},
	     &options);
	cr_assert_not_null(find_comm(&out, getpid(), getpid()));
	cr_assert_not_null(find_comm(&out, getpid(), sleeper.tid));
	sleeper_end(&sleeper);
	ts_bytes_release(&out);
}

Test(synthesis, tells_of_a_held_command_its_name_only)
{
	struct synthesis_options options = test_options();
	struct ts_bytes out = {0};
	size_t at = 0;

	scan(&out, &(struct synthesis_target){.command = getpid()}, &options);
	cr_assert_eq(next(&out, &at), find_comm(&out, getpid(), getpid()));
	cr_assert_eq(at, out.len);
	ts_bytes_release(&out);
}

Test(synthesis, refuses_when_nothing_named_exists)
{
	struct synthesis_options options = test_options();
	struct ts_bytes out = {0};
	struct ts_error err;
	pid_t gone = fork();

	if (!gone)
		_exit(0);
	cr_assert_eq(waitpid(gone, NULL, 0), gone);
	cr_assert_eq(synthesis_tasks(&out, &(struct synthesis_target){.pids = &gone, .nr_pids = 1},
				     &options, NULL, NULL, &err),
		     -ESRCH);
	cr_assert_str_eq(err.text, "cannot record the given tasks: none of them exists");
	cr_assert_eq(out.len, 0);
	ts_bytes_release(&out);
}

Test(synthesis, says_when_the_maps_of_a_process_took_too_long)
{
	enum { PAGES = 20000, PAGE = 4096 };
	struct synthesis_options options = test_options();
	struct synthesis_counts counts;
	struct ts_bytes out = {0};
	struct ts_notes notes = {0};
	struct ts_error err;
	pid_t self = getpid();
	char *many = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct perf_event_header *h;
	size_t at = 0, flagged = 0;

	for (int i = 0; i < PAGES; i += 2)
		cr_assert_eq(mprotect(many + i * PAGE, PAGE, PROT_READ | PROT_EXEC), 0);
	options.map_limit_ms = 1;
	cr_assert_eq(synthesis_tasks(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1},
				     &options, &counts, &notes, &err),
		     0);
	while ((h = next(&out, &at)))
		flagged += h->type == PERF_RECORD_MMAP2 &&
			   h->misc & PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT;
	cr_assert_eq(counts.cut_short, 1);
	cr_assert_leq(flagged, 1);
	cr_assert_eq(notes.nr, 1);
	cr_assert(strstr(notes.items[0], "--proc-map-timeout=MS gives more time"));
	munmap(many, PAGES * PAGE);
	ts_notes_release(&notes);
	ts_bytes_release(&out);
}

/* Opening a device may do anything: a watchdog reboots the machine. */
Test(synthesis, opens_no_device_that_is_mapped)
{
	struct synthesis_options options = test_options();
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	pid_t self = getpid();
	struct ts_bytes out = {0};
	struct scratch scratch;
	char path[256], event[512];
	void *map = MAP_FAILED;

	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/zero", scratch.path);
	fd = mknod(path, S_IFCHR | 0600, makedev(1, 5)) ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		scratch_remove(&scratch);
		cr_skip_test("may not map a device of its own");
	}
	close(fd);
	cr_assert_geq(inotify_add_watch(watch, path, IN_OPEN), 0);
	options.build_ids = options.reads_text = true;
	scan(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1}, &options);
	cr_expect_not_null(find_map(&out, self, map));
	cr_expect_lt(read(watch, event, sizeof(event)), 0, "it was opened");
	munmap(map, 4096);
	close(watch);
	scratch_remove(&scratch);
	ts_bytes_release(&out);
}

Test(synthesis, tells_namespaces_in_the_order_of_the_kernel)
{
	struct synthesis_options options = test_options();
	pid_t self = getpid();
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	struct stat st;
	size_t at = 0;

	options.namespaces = true;
	scan(&out, &(struct synthesis_target){.pids = &self, .nr_pids = 1}, &options);
	h = next(&out, &at);
	cr_assert_eq(h->type, PERF_RECORD_NAMESPACES);
	cr_assert_eq(u64_at(h, 16), 7);
	cr_assert_eq(stat("/proc/self/ns/net", &st), 0);
	cr_assert_eq(u64_at(h, 24 + 8), st.st_ino);
	cr_assert_eq(stat("/proc/self/ns/mnt", &st), 0);
	cr_assert_eq(u64_at(h, 24 + 5 * 16 + 8), st.st_ino);
	ts_bytes_release(&out);
}
