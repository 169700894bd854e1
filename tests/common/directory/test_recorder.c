// SPDX-License-Identifier: Apache-2.0
#include "common/directory/recorder.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

static struct scratch scratch;
static int dir_fd;

static void enter(void)
{
	scratch_make(&scratch);
	dir_fd = open(scratch.path, O_RDONLY | O_DIRECTORY);
	cr_assert_geq(dir_fd, 0);
}

static void leave(void)
{
	close(dir_fd);
	scratch_remove(&scratch);
}

TestSuite(recorder, .init = enter, .fini = leave);

static void write_note(const char *text)
{
	int fd = openat(dir_fd, "tstream.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert_geq(fd, 0);
	cr_assert_gt(dprintf(fd, "%s", text), 0);
	close(fd);
}

static void name_process(pid_t pid, uint64_t start_ticks)
{
	char text[128];

	snprintf(text, sizeof(text), "{\"recorder\": {\"pid\": %d, \"start_ticks\": %" PRIu64 "}}",
		 (int)pid, start_ticks);
	write_note(text);
}

Test(recorder, holds_what_another_descriptor_has_locked)
{
	int other = open(scratch.path, O_RDONLY | O_DIRECTORY);

	cr_expect_not(ts_recorder_holds(dir_fd));
	cr_assert_eq(flock(other, LOCK_EX), 0);
	cr_expect(ts_recorder_holds(dir_fd));
	close(other);
	cr_expect_not(ts_recorder_holds(dir_fd), "a lock goes with its descriptor");
}

Test(recorder, holds_a_directory_by_its_path)
{
	int other = open(scratch.path, O_RDONLY | O_DIRECTORY);

	cr_expect_not(ts_recorder_holds_at(AT_FDCWD, scratch.path));
	cr_assert_eq(flock(other, LOCK_EX), 0);
	cr_expect(ts_recorder_holds_at(AT_FDCWD, scratch.path));
	cr_expect_not(ts_recorder_holds_at(dir_fd, "gone"), "there is no such directory");
	close(other);
}

Test(recorder, holds_a_directory_that_it_has_no_descriptor_to_look_at)
{
	struct rlimit all, none;
	bool holds, holds_at;
	int seen;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = all.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	holds = ts_recorder_holds(dir_fd); /* Criterion reports through descriptors, too */
	holds_at = ts_recorder_holds_at(AT_FDCWD, scratch.path);
	seen = ts_recorder_look(AT_FDCWD, scratch.path);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	cr_expect_eq(seen, -EMFILE);
	cr_expect(holds);
	cr_expect(holds_at);
	cr_expect_not(ts_recorder_holds(dir_fd));
}

Test(recorder, is_named_where_the_process_started_when_it_says)
{
	uint64_t start = ts_recorder_start_ticks(getpid());
	char expected[TS_RECORDER_TEXT], text[TS_RECORDER_TEXT];

	cr_assert_gt(start, 0);
	snprintf(expected, sizeof(expected), "process %d", (int)getpid());
	name_process(getpid(), start);
	cr_expect_str_eq(ts_recorder_name(text, dir_fd), expected);
}

Test(recorder, is_not_named_where_the_number_is_anothers_now)
{
	char text[TS_RECORDER_TEXT];

	name_process(getpid(), ts_recorder_start_ticks(getpid()) + 1);
	cr_expect_str_eq(ts_recorder_name(text, dir_fd), "another process");
	name_process(0, 0);
	cr_expect_str_eq(ts_recorder_name(text, dir_fd), "another process");
}

Test(recorder, is_not_named_by_what_is_no_note)
{
	static const char *const notes[] = {"{}", "{\"recorder\": 1}", "[",
					    "{\"recorder\": {\"pid\": {}}}",
					    "{\"recorder\": {\"pid\": 1}}"};
	char text[TS_RECORDER_TEXT];

	cr_expect_str_eq(ts_recorder_name(text, dir_fd), "another process");
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		write_note(notes[i]);
		cr_expect_str_eq(ts_recorder_name(text, dir_fd), "another process", "%s", notes[i]);
	}
}

Test(recorder, is_not_waited_for_at_a_pipe)
{
	char text[TS_RECORDER_TEXT];

	cr_assert_eq(mkfifoat(dir_fd, "tstream.json", 0600), 0);
	cr_expect_str_eq(ts_recorder_name(text, dir_fd), "another process");
}

Test(recorder, has_no_start_where_there_is_no_process)
{
	cr_expect_eq(ts_recorder_start_ticks(0), 0);
}
