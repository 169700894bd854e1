// SPDX-License-Identifier: Apache-2.0
#include "common/directory/directory.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/support/directory_scene.h"

static struct scratch scratch;

static void enter(void)
{
	scratch_enter(&scratch);
}

static void leave(void)
{
	scratch_leave(&scratch);
}

TestSuite(directory, .init = enter, .fini = leave);

Test(directory, is_0700_and_its_files_0600_whatever_the_umask)
{
	struct ts_error err;
	struct stat st;

	umask(0);
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA, &err), 0, "%s", err.text);
	cr_assert_eq(stat("cap", &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0700);
	cr_assert_eq(stat("cap/data", &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	cr_assert_eq(stat("cap/data.0", &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	cr_assert_not(directory_has("cap.new"));
}

Test(directory, clears_what_a_killed_process_left_beside_it)
{
	struct ts_error err;

	directory_put(&scratch, "cap", DIRECTORY_DATA);
	directory_put(&scratch, "cap.new", DIRECTORY_DATA);
	cr_assert_eq(ts_dir_clear("cap", &err), 0, "%s", err.text);
	cr_assert_not(directory_has("cap.new"));
	cr_assert_eq(ts_dir_clear("cap", &err), 0, "%s", err.text);
	directory_check("cap", "data", DIRECTORY_DATA);
	directory_put(&scratch, "cap.new", DIRECTORY_DATA);
	scratch_put(&scratch, "cap.new/letter", "a user's");
	cr_assert_eq(ts_dir_clear("cap", &err), -EEXIST);
	cr_assert(directory_has("cap.new/letter"));
}

Test(directory, changes_nothing_before_it_is_published)
{
	struct ts_error err;
	struct ts_dir d;

	directory_put(&scratch, "cap", DIRECTORY_DATA "1");
	directory_put(&scratch, "cap.old", DIRECTORY_DATA "0");
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "2", 18, &err), 0);
	directory_check("cap", "data", DIRECTORY_DATA "1");
	directory_check("cap.old", "data", DIRECTORY_DATA "0");
	ts_dir_discard(&d);
	ts_dir_release(&d);
	cr_assert_not(directory_has("cap.new"));
	directory_check("cap", "data", DIRECTORY_DATA "1");
	directory_check("cap.old", "data", DIRECTORY_DATA "0");
}

Test(directory, begins_no_stream_in_a_directory_of_another_user)
{
	struct ts_stream_file f = {.fd = -1};
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	if (!directory_give_away("cap.new"))
		cr_skip_test("only root can give files away");
	cr_expect_eq(ts_dir_create_stream(&d, 0, TS_STREAM_AUTO, &f, &err), -EPERM);
	cr_expect_eq(f.fd, -1);
	ts_dir_release(&d);
}

Test(directory, stays_writable_when_it_is_renamed)
{
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(ts_dir_publish(&d, &err), 0);
	cr_assert_eq(rename("cap", "elsewhere"), 0);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA, strlen(DIRECTORY_DATA), &err),
		     0);
	directory_check("elsewhere", "data", DIRECTORY_DATA);
	ts_dir_release(&d);
}

Test(directory, refuses_a_name_that_leaves_no_room_for_a_suffix)
{
	char name[NAME_MAX + 1];
	struct ts_error err;

	memset(name, 'x', sizeof(name));
	name[NAME_MAX - 4] = '\0';
	cr_expect_eq(ts_dir_check(name, &err), 0);
	name[NAME_MAX - 4] = 'x';
	name[NAME_MAX - 3] = '\0';
	cr_expect_eq(ts_dir_check(name, &err), -ENAMETOOLONG);
	cr_expect_null(strstr(err.text, ".new"), "%s", err.text);
}

Test(directory, check_accepts_and_leaves_nothing)
{
	struct ts_error err;

	directory_put(&scratch, "cap", DIRECTORY_DATA);
	cr_assert_eq(ts_dir_check("cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_check("other", &err), 0, "%s", err.text);
	cr_assert_not(directory_has("other"));
	cr_assert_not(directory_has("other.new"));
}

Test(directory, does_not_disturb_a_recorder_that_is_starting)
{
	struct ts_error err;
	struct ts_dir first, second;

	cr_assert_eq(ts_dir_create(&first, "cap", &err), 0);
	cr_assert_eq(ts_dir_create(&second, "cap", &err), -EBUSY);
	cr_assert_str_eq(err.text, "cannot record into cap: another recording is starting there");
	ts_dir_release(&second);
	cr_assert_eq(ts_dir_publish(&first, &err), 0, "%s", err.text);
	ts_dir_release(&first);
}

Test(directory, replaces_a_file_by_rename_and_leaves_no_other)
{
	struct ts_error err;
	struct ts_dir d;
	struct stat before, after;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "1", 18, &err), 0, "%s",
		     err.text);
	cr_assert_eq(ts_dir_publish(&d, &err), 0);
	cr_assert_eq(stat("cap/data", &before), 0);
	scratch_put(&scratch, "cap/tmp-data", "left by a kill");
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "2", 18, &err), 0, "%s",
		     err.text);
	cr_assert_eq(stat("cap/data", &after), 0);
	cr_assert_neq(before.st_ino, after.st_ino);
	directory_check("cap", "data", DIRECTORY_DATA "2");
	cr_assert_not(directory_has("cap/tmp-data"));
	ts_dir_release(&d);
}

Test(directory, does_not_follow_a_link_that_stands_for_a_stream)
{
	struct ts_stream_file f;
	struct ts_error err;
	struct ts_dir d;

	scratch_put(&scratch, "precious", "words");
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(symlink("../precious", "cap.new/data.0"), 0);
	cr_assert_eq(ts_dir_create_stream(&d, 0, TS_STREAM_AUTO, &f, &err), -EEXIST);
	directory_check(".", "precious", "words");
	ts_dir_release(&d);
}

Test(directory, opens_streams_direct_only_where_that_is_known_to_be_whole)
{
	struct ts_stream_file f;
	struct ts_error err;
	struct statfs fs;
	const int here = open(".", O_RDONLY | O_DIRECTORY);
	int shm;

	cr_assert_eq(fstatfs(here, &fs), 0);
	cr_assert_eq(ts_stream_file_create(here, "data.0", ".", TS_STREAM_AUTO, &f, &err), 0);
	cr_assert_eq(f.direct, fs.f_type == 0xEF53 || fs.f_type == 0x58465342);
	cr_assert_eq(!!(fcntl(f.fd, F_GETFL) & O_DIRECT), f.direct);
	cr_assert_geq(f.align, 4096);
	ts_stream_file_close(&f);
	cr_assert_eq(ts_stream_file_create(here, "data.1", ".", TS_STREAM_BUFFERED, &f, &err), 0);
	cr_assert_not(f.direct);
	ts_stream_file_close(&f);
	close(here);
	shm = open("/dev/shm", O_RDWR | O_TMPFILE, 0600);
	if (shm < 0 || fstatfs(shm, &fs) || fs.f_type != 0x01021994)
		cr_skip("no tmpfs at /dev/shm");
	close(shm);
	shm = open("/dev/shm", O_RDONLY | O_DIRECTORY);
	cr_assert_eq(ts_stream_file_create(shm, "tstream-test-stream", "/dev/shm", TS_STREAM_AUTO,
					   &f, &err),
		     0);
	unlinkat(shm, "tstream-test-stream", 0);
	cr_assert_not(f.direct);
	ts_stream_file_close(&f);
	close(shm);
}

Test(directory, keeps_room_for_the_next_versions_without_a_name)
{
	struct ts_error err;
	struct ts_dir d;
	struct stat st;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA, strlen(DIRECTORY_DATA), &err),
		     0);
	ts_dir_reserve(&d, 0);
	ts_dir_reserve(&d, 1 << 20);
	if (d.reserve_fd < 0)
		cr_skip_test("no files without a name here");
	cr_assert_eq(fstat(d.reserve_fd, &st), 0);
	cr_expect_eq(st.st_nlink, 0);
	cr_expect_geq((size_t)st.st_blocks * 512, strlen(DIRECTORY_DATA) + 16384 + (1 << 20));
	ts_dir_unreserve(&d);
	ts_dir_unreserve(&d);
	cr_expect_eq(d.reserve_fd, -1);
	cr_assert_eq(ts_dir_publish(&d, &err), 0);
	ts_dir_release(&d);
}
