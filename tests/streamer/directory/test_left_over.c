// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/left_over.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/directory_scene.h"

#define KEPT "cap.2009021323313000" /* of the time below, in UTC */

static struct scratch scratch;
static struct ts_notes notes;
static struct ts_error err;

static void enter_scratch(void)
{
	setenv("TZ", "UTC", 1);
	scratch_enter(&scratch);
}

static void leave_scratch(void)
{
	ts_notes_release(&notes);
	scratch_leave(&scratch);
}

TestSuite(left_over, .init = enter_scratch, .fini = leave_scratch);

/* cap.new with two streams, `data` of the 13th of February 2009. */
static void leave(const char *records)
{
	const struct timespec times[2] = {{.tv_sec = 1234567890}, {.tv_sec = 1234567890}};

	cr_assert_eq(mkdir("cap.new", 0700), 0);
	scratch_put(&scratch, "cap.new/data", "PERFILE2");
	scratch_put(&scratch, "cap.new/data.0", "");
	scratch_put(&scratch, "cap.new/data.1", records);
	cr_assert_eq(utimensat(AT_FDCWD, "cap.new/data", times, 0), 0);
}

Test(left_over, keeps_what_has_records_under_its_stamp)
{
	leave("records");
	cr_assert_eq(left_over_keep("cap/", &notes, &err), 0);
	cr_expect(directory_has(KEPT "/data.1"));
	cr_expect_not(directory_has("cap.new"));
	cr_assert_eq(notes.nr, 1);
	cr_expect_not_null(strstr(notes.items[0], KEPT));
}

Test(left_over, leaves_what_has_none)
{
	leave("");
	cr_assert_eq(left_over_keep("cap", &notes, &err), 0);
	cr_expect(directory_has("cap.new/data.1"));
	cr_expect_eq(notes.nr, 0);
	cr_assert_eq(left_over_keep("nothing", &notes, &err), 0);
}

Test(left_over, leaves_what_a_recorder_holds)
{
	int fd;

	leave("records");
	fd = open("cap.new", O_RDONLY | O_DIRECTORY);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	cr_assert_eq(left_over_keep("cap", &notes, &err), 0);
	cr_expect(directory_has("cap.new/data.1"));
	close(fd);
}

Test(left_over, takes_no_name_that_is_there)
{
	leave("records");
	scratch_put(&scratch, KEPT, "mine");
	scratch_put(&scratch, KEPT "-1", "mine, too");
	cr_assert_eq(left_over_keep("cap", &notes, &err), 0);
	cr_expect(!directory_has("cap.new"));
	cr_expect(directory_has(KEPT "-2/data.1"));
}
