// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/sigbus.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/thread.h"
#include "reader/capture/map.h"
#include "reader/runtime/memory_limit.h"
#include "tests/support/scratch.h"

#define BYTES (4u << 20)

static struct scratch scratch;
static char path[64], said[4096];
static bool has_room; /* result of posix_fallocate() */

int posix_fallocate(int fd, off_t offset, off_t len);

/* Replaces libc's function: a filesystem that promises room and has none. */
int posix_fallocate(int fd, off_t offset, off_t len)
{
	if (!has_room)
		return 0;
	return fallocate(fd, 0, offset, len) ? errno : 0;
}

static void init(void)
{
	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/data\x1b[7m", scratch.path);
}

static void fini(void)
{
	scratch_remove(&scratch);
}

TestSuite(lost_page, .init = init, .fini = fini);

/*
 * Runs run() in a process of its own and returns its exit status, or 128 + signal. `said` gets its
 * output on stderr.
 */
static int status_of(int (*run)(void))
{
	int ends[2], status = -1;
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		sigbus_watch();
		_exit(run());
	}
	close(ends[1]);
	while ((got = read(ends[0], said + len, sizeof(said) - 1 - len)) > 0)
		len += (size_t)got;
	said[len] = '\0';
	close(ends[0]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int touch(const struct map *m)
{
	int sum = 0;

	for (size_t i = 0; i < m->len; i += 4096)
		sum += ((const volatile uint8_t *)m->data)[i];
	return sum;
}

static bool map_and_cut(struct map *m)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct ts_error err;
	bool done = fd >= 0 && !ftruncate(fd, BYTES) && !map_open(m, path, &err) && !touch(m) &&
		    !ftruncate(fd, 4096);

	close(fd);
	return done;
}

static int read_cut(void)
{
	struct map m;

	return map_and_cut(&m) ? touch(&m) : 77;
}

static void touch_in_thread(void *m)
{
	touch(m);
}

static int read_cut_in_thread(void)
{
	struct ts_thread thread;
	struct ts_error err;
	struct map m;

	if (!map_and_cut(&m) ||
	    ts_thread_start(&thread, "worker", NULL, 0, touch_in_thread, &m, &err))
		return 77;
	ts_thread_join(&thread);
	return 0;
}

static void expect_sentence(const char *begin, const char *name, const char *end)
{
	cr_expect(strstr(said, begin) == said && strstr(said, name) && strstr(said, end), "%s",
		  said);
}

Test(lost_page, is_a_sentence_where_a_file_was_cut)
{
	cr_expect_eq(status_of(read_cut), 1);
	expect_sentence("tstream: cannot read ", "/data?[7m any further: it was cut short", "\n");
	cr_expect_eq(strchr(said, '\n'), said + strlen(said) - 1, "one line: %s", said);
}

Test(lost_page, is_the_same_in_a_thread)
{
	cr_expect_eq(status_of(read_cut_in_thread), 1);
	expect_sentence("tstream: cannot read ", "/data?[7m any further: it was cut short", "\n");
}

static int spill_some(void)
{
	struct memory memory;
	struct ts_error err;
	uint8_t *block;

	memory_init(&memory, 4096, scratch.path);
	block = memory_new(&memory, BYTES, 1);
	if (!block)
		return memory_failed(&memory, &err) == -EFBIG && strstr(err.hint, "ulimit -f") ? 2
											       : 3;
	memset(block, 1, BYTES);
	return 0;
}

Test(lost_page, is_a_sentence_where_room_was_promised_only)
{
	cr_expect_eq(status_of(spill_some), 1);
	expect_sentence("tstream: cannot keep counted data in a file [", scratch.path,
			"hint: make room there");
}

static int spill_beyond_limit(void)
{
	struct rlimit most = {65536, 65536};

	has_room = true;
	return setrlimit(RLIMIT_FSIZE, &most) ? 77 : spill_some();
}

Test(lost_page, does_not_come_of_a_limit_of_file_sizes)
{
	cr_expect_eq(status_of(spill_beyond_limit), 2, "%s", said);
}

static int fault_elsewhere(void)
{
	raise(SIGBUS);
	return 0;
}

Test(lost_page, ends_others_as_they_would)
{
	cr_expect_eq(status_of(fault_elsewhere), 128 + SIGBUS);
}
