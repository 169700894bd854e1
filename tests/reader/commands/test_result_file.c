// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/result_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/support/scratch.h"

static struct scratch scratch;
static char path[512], beside[520];
static struct result_file f = RESULT_FILE_NONE;
static struct ts_error err;

static void init(void)
{
	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/out", scratch.path);
	snprintf(beside, sizeof(beside), "%s.new", path);
	umask(0);
}

static void fini(void)
{
	result_file_release(&f);
	scratch_remove(&scratch);
}

TestSuite(result_file, .init = init, .fini = fini);

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *content(void)
{
	static char text[64];
	FILE *file = fopen(path, "r");
	size_t len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[len] = '\0';
	if (file)
		fclose(file);
	return text;
}

static int make(bool is_forced, const char *text)
{
	int rc = result_file_open(&f, path, is_forced, &err);

	if (!rc)
		rc = result_file_write(&f, text, strlen(text), &err);
	if (!rc)
		rc = result_file_publish(&f, &err);
	result_file_release(&f);
	return rc;
}

static bool keeps_marks(void)
{
	put(beside, "");
	return !setxattr(beside, "user.tstream.result", "1", 1, 0) && !unlink(beside);
}

Test(result_file, is_for_its_owner_only)
{
	struct stat st;

	cr_assert_eq(make(false, "one"), 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	cr_expect_str_eq(content(), "one");
	cr_expect_neq(access(beside, F_OK), 0);
}

Test(result_file, is_not_there_before_it_is_published)
{
	cr_assert_eq(result_file_open(&f, path, false, &err), 0);
	cr_assert_eq(result_file_write(&f, "half", 4, &err), 0);
	cr_expect_neq(access(path, F_OK), 0);
	result_file_release(&f);
	cr_expect_neq(access(beside, F_OK), 0, "what is not published is removed");
}

Test(result_file, writes_blocks_one_after_the_other)
{
	struct ts_bytes block = {0};

	cr_assert_eq(result_file_open(&f, path, false, &err), 0);
	ts_bytes_put(&block, "one", 3);
	cr_expect_eq(result_file_write_block(&f, &block, &err), 0);
	ts_bytes_put(&block, "two", 3);
	cr_expect_eq(result_file_write_block(&f, &block, &err), 0);
	cr_assert_eq(result_file_publish(&f, &err), 0);
	cr_expect_str_eq(content(), "onetwo");
	ts_bytes_release(&block);
}

Test(result_file, refuses_a_block_that_lacks_memory)
{
	struct ts_bytes block = {.failed = true};

	cr_assert_eq(result_file_open(&f, path, false, &err), 0);
	cr_expect_eq(result_file_write_block(&f, &block, &err), -ENOMEM);
	cr_expect_not_null(strstr(err.text, path));
}

Test(result_file, replaces_a_result_and_an_empty_file)
{
	put(path, "");
	cr_assert_eq(make(false, "one"), 0);
	if (!keeps_marks())
		cr_skip_test("no attributes on this filesystem");
	cr_expect_eq(make(false, "two"), 0);
	cr_expect_str_eq(content(), "two");
}

Test(result_file, stays_if_somebody_has_written_to_it)
{
	cr_assert_eq(make(false, "one"), 0);
	put(path, "notes");
	cr_expect_eq(make(false, "two"), -EEXIST);
	cr_expect_str_eq(content(), "notes");
}

Test(result_file, needs_a_name)
{
	cr_expect_eq(result_file_open(&f, "", false, &err), -EINVAL);
	cr_expect_eq(result_file_open(&f, "/tmp/", true, &err), -EINVAL);
	cr_expect_eq(result_file_open_beside(&f, "-", "svg", false, &err), -EINVAL);
}

Test(result_file, is_named_after_a_capture)
{
	char capture[520];

	snprintf(capture, sizeof(capture), "%s/cap//", scratch.path);
	cr_assert_eq(result_file_open_beside(&f, capture, "svg", false, &err), 0);
	cr_expect_str_eq(strrchr(f.path, '/'), "/cap.svg");
}

Test(result_file, replaces_another_file_by_force_only)
{
	put(path, "notes");
	cr_expect_eq(make(false, "one"), -EEXIST);
	cr_expect_str_eq(content(), "notes");
	cr_expect_str_eq(err.hint, "give --force to replace it, or name another file");
	cr_expect_eq(make(true, "one"), 0);
	cr_expect_str_eq(content(), "one");
}

/* --- copies of captures --- */

#define RECORDING "PERFILE2 a recording"
#define COPY	  "PERFILE2 a copy"

static int make_copy(const char *capture, bool is_forced)
{
	int rc = result_file_open_copy(&f, path, capture, "perf.data", is_forced, &err);

	if (!rc)
		rc = result_file_write(&f, COPY, strlen(COPY), &err);
	if (!rc)
		rc = result_file_publish(&f, &err);
	result_file_release(&f);
	return rc;
}

Test(result_file, replaces_an_older_copy_of_a_capture_by_a_copy_only)
{
	if (!keeps_marks())
		cr_skip_test("no attributes on this filesystem");
	cr_assert_eq(make_copy("/none", false), 0);
	cr_expect_eq(make_copy("/none", false), 0);
	cr_expect_eq(make(false, "picture"), -EEXIST);
	cr_expect_eq(make(true, "picture"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is a capture"));
	cr_expect_str_eq(content(), COPY);
}

Test(result_file, replaces_a_recording_by_a_copy_and_by_force_only)
{
	put(path, RECORDING);
	cr_expect_eq(make_copy("/none", false), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is a capture, and no export of it"));
	cr_expect_not_null(strstr(err.hint, "--force"));
	cr_expect_str_eq(content(), RECORDING);
	cr_expect_eq(make(true, "picture"), -EEXIST);
	cr_expect_str_eq(content(), RECORDING);
	cr_expect_eq(make_copy("/none", true), 0);
	cr_expect_str_eq(content(), COPY);
	put(path, RECORDING);
	cr_expect_eq(make_copy("/none", false), -EEXIST, "a copy that was written to is none");
	cr_expect_str_eq(content(), RECORDING);
}

Test(result_file, never_replaces_the_capture_that_it_copies)
{
	char other[520];

	put(path, RECORDING);
	snprintf(other, sizeof(other), "%s/./out", scratch.path);
	cr_expect_eq(make_copy(other, true), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is the capture that is exported"));
	unlink(path);
	cr_assert_eq(make_copy("/none", false), 0);
	snprintf(other, sizeof(other), "%s/second", scratch.path);
	cr_assert_eq(link(path, other), 0);
	cr_expect_eq(make_copy(other, true), -EEXIST, "by whatever name, and also an older copy");
	cr_expect_str_eq(content(), COPY);
}

Test(result_file, never_replaces_a_part_of_a_capture_by_a_copy)
{
	char folder[600];

	snprintf(folder, sizeof(folder), "%s/cap", scratch.path);
	cr_assert_eq(mkdir(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/cap/data.0", scratch.path);
	put(path, "");
	snprintf(path, sizeof(path), "%s/cap/data", scratch.path);
	put(path, RECORDING);
	cr_expect_eq(make_copy("/none", true), -EEXIST);
	cr_expect_not_null(strstr(err.text, "a file of one"));
	cr_expect_str_eq(content(), RECORDING);
}

/* --- what is no file of this user --- */

Test(result_file, never_replaces_a_link_or_a_directory)
{
	cr_assert_eq(symlink("elsewhere", path), 0);
	cr_expect_eq(make(true, "one"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is a link"));
	unlink(path);
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_expect_eq(make(true, "one"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is a directory"));
}

Test(result_file, does_not_take_the_place_of_a_file_that_came_meanwhile)
{
	cr_assert_eq(result_file_open(&f, path, true, &err), 0);
	put(path, "another");
	cr_expect_eq(result_file_publish(&f, &err), -EBUSY);
	cr_expect_str_eq(content(), "another");
	result_file_release(&f);
	cr_assert_eq(result_file_open(&f, path, true, &err), 0);
	put(path, "changed since");
	cr_expect_eq(result_file_publish(&f, &err), -EBUSY);
	cr_expect_str_eq(content(), "changed since");
}

Test(result_file, removes_what_a_killed_command_left_and_nothing_else)
{
	int fd;

	put(beside, "notes");
	cr_expect_eq(make(false, "one"), -EEXIST, "it is no result");
	cr_expect_eq(make(true, "one"), 0, "by force");
	cr_assert_eq(unlink(path), 0);
	put(beside, "");
	fd = open(beside, O_RDONLY);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	cr_expect_eq(make(false, "one"), -EEXIST, "another command makes it");
	cr_expect_eq(make(true, "one"), -EEXIST, "not by force, either");
	close(fd);
	cr_expect_eq(make(false, "one"), 0);
	put(beside, "half");
	if (!setxattr(beside, "user.tstream.result", "new", 3, 0))
		cr_expect_eq(make(false, "two"), 0, "a result that was begun");
}

Test(result_file, is_not_put_into_place_of_anothers)
{
	cr_assert_eq(result_file_open(&f, path, false, &err), 0);
	cr_assert_eq(unlink(beside), 0);
	put(beside, "another command's");
	cr_expect_eq(result_file_publish(&f, &err), -EBUSY);
	result_file_release(&f);
	cr_expect_eq(access(beside, F_OK), 0, "it is not removed, either");
}
