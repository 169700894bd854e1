// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/result_folder.h"

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

static const char *const names[] = {"one", "two", NULL};
static struct scratch scratch;
static char path[512], beside[520];
static struct result_folder f = RESULT_FOLDER_NONE;
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
	result_folder_release(&f);
	scratch_remove(&scratch);
}

TestSuite(result_folder, .init = init, .fini = fini);

static void write_one(const char *name, const char *text)
{
	struct result_file file;

	cr_assert_eq(result_folder_create(&f, name, &file, &err), 0, "%s", err.text);
	cr_assert_eq(result_file_write(&file, text, strlen(text), &err), 0);
	cr_assert_eq(result_folder_complete(&file, &err), 0);
	result_file_release(&file);
}

static int make(bool is_forced, const char *text)
{
	int rc = result_folder_open(&f, path, names, is_forced, &err);

	if (!rc) {
		write_one("one", text);
		write_one("two", "2");
		rc = result_folder_publish(&f, &err);
	}
	result_folder_release(&f);
	return rc;
}

static const char *content(const char *name)
{
	static char text[64];
	char file_path[600];
	FILE *file;
	size_t len;

	snprintf(file_path, sizeof(file_path), "%s/%s", path, name);
	file = fopen(file_path, "r");
	len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[len] = '\0';
	if (file)
		fclose(file);
	return text;
}

static bool keeps_marks(void)
{
	return !setxattr(scratch.path, "user.tstream.result", "1", 1, 0);
}

Test(result_folder, is_for_its_owner_only)
{
	struct stat st;

	cr_assert_eq(make(false, "first"), 0, "%s", err.text);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0700);
	cr_expect_str_eq(content("one"), "first");
	cr_expect_str_eq(content("two"), "2");
	cr_expect_neq(access(beside, F_OK), 0);
}

Test(result_folder, is_not_there_before_it_is_published)
{
	cr_assert_eq(result_folder_open(&f, path, names, false, &err), 0);
	write_one("one", "half");
	cr_expect_neq(access(path, F_OK), 0);
	result_folder_release(&f);
	cr_expect_neq(access(beside, F_OK), 0, "what is not published is removed");
	result_folder_release(&f);
}

Test(result_folder, replaces_a_result_and_an_empty_directory)
{
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_assert_eq(make(false, "first"), 0, "%s", err.text);
	if (!keeps_marks())
		cr_skip_test("no attributes on this filesystem");
	cr_expect_eq(make(false, "second"), 0, "%s", err.text);
	cr_expect_str_eq(content("one"), "second");
	cr_expect_neq(access(beside, F_OK), 0, "the older one is removed");
}

Test(result_folder, stays_if_somebody_has_written_to_a_file)
{
	cr_assert_eq(make(false, "first"), 0);
	scratch_put(&scratch, "out/two", "notes");
	cr_expect_eq(make(false, "second"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it has two"), "%s", err.text);
	cr_expect_str_eq(content("two"), "notes");
	cr_expect_eq(make(true, "second"), 0, "but by force: %s", err.text);
	cr_expect_str_eq(content("two"), "2");
}

Test(result_folder, never_replaces_what_is_not_its_own)
{
	scratch_put(&scratch, "out/three", "notes");
	cr_expect_eq(make(true, "first"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it has three"), "%s", err.text);
	cr_expect_str_eq(content("three"), "notes");
	scratch_remove(&scratch);
	scratch_make(&scratch);
	init();
	cr_assert_eq(symlink("elsewhere", path), 0);
	cr_expect_eq(make(true, "first"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is a link"));
	unlink(path);
	scratch_put(&scratch, "out", "a file");
	cr_expect_eq(make(true, "first"), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is no directory"));
	unlink(path);
	scratch_put(&scratch, "out/one/deep", "a directory with the name of a file");
	cr_expect_eq(make(true, "first"), -EEXIST);
}

Test(result_folder, does_not_take_the_place_of_what_came_meanwhile)
{
	cr_assert_eq(result_folder_open(&f, path, names, true, &err), 0);
	scratch_put(&scratch, "out/notes", "notes");
	cr_expect_eq(result_folder_publish(&f, &err), -EBUSY);
	result_folder_release(&f);
	cr_expect_str_eq(content("notes"), "notes");
	cr_expect_neq(access(beside, F_OK), 0);
}

Test(result_folder, removes_what_a_killed_command_left_and_nothing_else)
{
	int fd;

	scratch_put(&scratch, "out.new/one", "");
	cr_expect_eq(make(false, "first"), 0, "%s", err.text);
	scratch_put(&scratch, "out.new/one", "notes");
	cr_expect_eq(make(true, "second"), 0, "by force: %s", err.text);
	scratch_put(&scratch, "out.new/three", "");
	cr_expect_eq(make(true, "third"), -EEXIST, "another file");
	scratch_remove(&scratch);
	scratch_make(&scratch);
	init();
	cr_assert_eq(mkdir(beside, 0700), 0);
	fd = open(beside, O_RDONLY);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	cr_expect_eq(make(true, "fourth"), -EEXIST, "another command makes it");
	close(fd);
	cr_expect_eq(make(false, "fourth"), 0, "%s", err.text);
}

Test(result_folder, needs_a_name)
{
	cr_expect_eq(result_folder_open(&f, "-", names, true, &err), -EINVAL);
	cr_expect_not_null(strstr(err.text, "standard output"));
	result_folder_release(&f);
	cr_expect_eq(result_folder_open(&f, "/", names, true, &err), -EINVAL);
	result_folder_release(&f);
	cr_expect_eq(result_folder_open(&f, "", names, true, &err), -EINVAL);
	result_folder_release(&f);
	cr_expect_eq(result_folder_open(&f, ".", names, true, &err), -EINVAL);
	result_folder_release(&f);
	cr_expect_eq(result_folder_open(&f, "/tmp/..", names, true, &err), -EINVAL);
}

Test(result_folder, refuses_a_mount_point_at_once)
{
	struct statx st;

	if (statx(AT_FDCWD, "/proc", 0, 0, &st) || !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT))
		cr_skip_test("the kernel does not say what is mounted");
	cr_expect_eq(result_folder_open(&f, "/proc", names, true, &err), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it is a mount point"), "%s", err.text);
}

Test(result_folder, stays_if_somebody_writes_to_a_file_while_the_new_one_is_made)
{
	if (!keeps_marks())
		cr_skip_test("no attributes on this filesystem");
	cr_assert_eq(make(false, "first"), 0);
	cr_assert_eq(result_folder_open(&f, path, names, false, &err), 0, "%s", err.text);
	write_one("one", "second");
	scratch_put(&scratch, "out/two", "notes");
	cr_expect_eq(result_folder_publish(&f, &err), -EEXIST);
	cr_expect_not_null(strstr(err.text, "it has two"), "%s", err.text);
	result_folder_release(&f);
	cr_expect_str_eq(content("one"), "first");
	cr_expect_str_eq(content("two"), "notes");
	cr_expect_neq(access(beside, F_OK), 0);
}

Test(result_folder, stays_if_an_entry_comes_while_the_new_one_is_made)
{
	cr_assert_eq(make(false, "first"), 0);
	cr_assert_eq(result_folder_open(&f, path, names, true, &err), 0, "%s", err.text);
	scratch_put(&scratch, "out/three", "notes");
	cr_expect_eq(result_folder_publish(&f, &err), -EBUSY);
	cr_expect_not_null(strstr(err.text, "it was changed meanwhile"), "%s", err.text);
	cr_expect_str_eq(content("three"), "notes");
}
