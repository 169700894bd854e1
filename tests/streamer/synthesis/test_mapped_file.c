// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/mapped_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char name[64];
};

/* A map of this process at an address at which it has none. */
static struct map_record record_of(uint64_t ino, const char *path)
{
	struct map_record r = {
		.header = {.type = PERF_RECORD_MMAP2, .size = sizeof(r)},
		.pid = (uint32_t)getpid(),
		.start = 4096,
		.len = 4096,
		.ino = ino,
	};

	strncpy(r.name, path, sizeof(r.name) - 1);
	return r;
}

Test(mapped_file, finds_no_build_id_if_map_and_file_are_gone)
{
	const struct map_record r = record_of(1, "/none");
	struct ts_build_id id = {.len = 1};

	cr_assert_not(mapped_file_look(&r, &id));
	cr_assert_eq(id.len, 0, "the build-id of another map");
}

/* The program's own file; its generation is 0 where the filesystem does not tell it. */
static struct map_record record_of_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct map_record r;
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	r = record_of(st.st_ino, "/proc/self/exe");
	ioctl(fd, FS_IOC_GETVERSION, &r.generation);
	close(fd);
	return r;
}

static rlim_t lowest_free(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return (rlim_t)fd;
}

Test(mapped_file, reads_the_file_if_only_the_map_is_gone)
{
	const struct map_record r = record_of_program();
	struct ts_build_id id;

	cr_assert(mapped_file_look(&r, &id));
	cr_assert_eq(id.len, 20);
}

/* The build-id is not known then. */
Test(mapped_file, tells_a_lack_of_descriptors_from_a_file_that_is_gone)
{
	const struct map_record r = record_of_program(), gone = record_of(1, "/none");
	struct rlimit before, less;
	struct ts_build_id id;

	getrlimit(RLIMIT_NOFILE, &before);
	for (rlim_t nr = 0; nr < 2; nr++) { /* for nothing, or for the look before the opening */
		less = (struct rlimit){lowest_free() + nr, before.rlim_max};
		cr_assert_eq(setrlimit(RLIMIT_NOFILE, &less), 0);
		cr_expect_eq(mapped_file_look(&r, &id), -EMFILE);
		cr_expect_eq(id.len, 0);
		setrlimit(RLIMIT_NOFILE, &before);
	}
	cr_expect_eq(mapped_file_look(&r, &id), 1);
	cr_expect_eq(mapped_file_look(&gone, &id), 0);
}

Test(mapped_file, does_not_take_a_new_file_with_the_number_of_a_removed_one)
{
	struct map_record r = record_of_program();
	struct ts_build_id id;

	if (!r.generation)
		cr_skip_test("the filesystem tells no generation");
	r.generation++;
	cr_assert_not(mapped_file_look(&r, &id));
}

/* The code of this program, which a forked process has, too; its path is no longer there. */
static struct map_record record_of_code(uint32_t pid, uint32_t tid)
{
	unsigned long long start, end;
	char rights[8];
	FILE *maps = fopen("/proc/self/maps", "re");
	struct map_record r;
	struct stat st;

	cr_assert_not_null(maps);
	do
		cr_assert_eq(fscanf(maps, "%llx-%llx %7s%*[^\n]", &start, &end, rights), 3);
	while (rights[2] != 'x');
	fclose(maps);
	cr_assert_eq(stat("/proc/self/exe", &st), 0);
	r = record_of(st.st_ino, "/nowhere");
	r.pid = pid;
	r.tid = tid;
	r.start = start;
	r.len = end - start;
	return r;
}

static void *live_on(void *fd)
{
	const uint32_t tid = (uint32_t)gettid();

	if (write(*(int *)fd, &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	pause();
	return NULL;
}

static void leave_a_thread(int fd)
{
	static int out;
	pthread_t thread;

	out = fd;
	if (pthread_create(&thread, NULL, live_on, &out))
		_exit(1);
	pthread_exit(NULL);
}

static bool has_program(pid_t pid)
{
	char path[64], program;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, &program, 1) == 1;
}

Test(mapped_file, is_seen_by_the_thread_that_mapped_it_if_the_first_one_has_ended, .timeout = 60)
{
	struct map_record r = record_of_code((uint32_t)getpid(), (uint32_t)getpid());
	struct ts_build_id id, wanted;
	uint32_t tid;
	pid_t child;
	int fds[2];

	if (!mapped_file_look(&r, &wanted))
		cr_skip_test("may not look at maps here");
	cr_assert_eq(pipe(fds), 0);
	child = fork();
	if (!child)
		leave_a_thread(fds[1]);
	cr_assert_eq(read(fds[0], &tid, sizeof(tid)), sizeof(tid));
	while (has_program(child))
		usleep(1000);
	r = record_of_code((uint32_t)child, tid);
	cr_expect(mapped_file_look(&r, &id));
	cr_expect_eq(id.len, wanted.len);
	cr_expect_arr_eq(id.bytes, wanted.bytes, wanted.len);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fds[0]);
	close(fds[1]);
}
