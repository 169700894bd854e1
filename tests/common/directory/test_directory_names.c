// SPDX-License-Identifier: Apache-2.0
#include "common/directory/directory.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/directory/output_place.h"
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

TestSuite(directory_names, .init = enter, .fini = leave);

Test(directory_names, keeps_the_capture_before_as_old)
{
	struct ts_error err;

	cr_assert_eq(directory_record("cap", DIRECTORY_DATA "1", &err), 0, "%s", err.text);
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA "2", &err), 0, "%s", err.text);
	cr_assert_eq(directory_record("cap/", DIRECTORY_DATA "3", &err), 0, "%s", err.text);
	directory_check("cap", "data", DIRECTORY_DATA "3");
	directory_check("cap.old", "data", DIRECTORY_DATA "2");
}

Test(directory_names, leaves_what_another_user_has_as_old)
{
	struct ts_error err;

	directory_put(&scratch, "cap.old", DIRECTORY_DATA " of another");
	if (!directory_give_away("cap.old"))
		cr_skip_test("only root can give files away");
	for (int i = 1; i <= 3; i++) {
		char text[] = DIRECTORY_DATA "0";

		text[sizeof(text) - 2] += (char)i;
		cr_assert_eq(directory_record("cap", text, &err), 0, "%s", err.text);
	}
	directory_check("cap.old", "data", DIRECTORY_DATA " of another");
	directory_check("cap.old-1", "data", DIRECTORY_DATA "2");
	cr_expect_not(directory_has("cap.old-2"));
}

Test(directory_names, gets_back_the_name_of_what_became_not_quite_old)
{
	char text[TS_DIR_KEPT_TEXT];
	struct ts_error err;
	struct ts_dir d;

	directory_put(&scratch, "cap", DIRECTORY_DATA "1");
	scratch_put(&scratch, "cap.old", "of another");
	if (!directory_give_away("cap.old"))
		cr_skip_test("only root can give files away");
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_null(ts_dir_tell_kept(&d, text));
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "2", 18, &err), 0);
	cr_assert_eq(ts_dir_publish(&d, &err), 0, "%s", err.text);
	cr_expect_str_eq(ts_dir_tell_kept(&d, text),
			 "cap.old belongs to another user: the capture that was at cap is now "
			 "cap.old-1");
	ts_dir_withdraw(&d);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	directory_check("cap", "data", DIRECTORY_DATA "1");
	cr_expect_not(directory_has("cap.old-1"));
}

Test(directory_names, removes_and_supersedes_nothing_of_another_user)
{
	struct ts_error err;
	struct ts_dir d;

	directory_put(&scratch, "cap", DIRECTORY_DATA " of another");
	scratch_put(&scratch, "file", DIRECTORY_DATA " of another");
	if (!directory_give_away("cap"))
		cr_skip_test("only root can give files away");
	if (!directory_give_away("file"))
		cr_skip_test("only root can give files away");
	cr_expect_eq(ts_output_place_remove(AT_FDCWD, "cap", "cap", &err), -EPERM);
	cr_expect_str_eq(err.text, "cannot remove cap: it belongs to another user");
	cr_expect_eq(ts_output_place_remove(AT_FDCWD, "file", "file", &err), -EPERM);
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA, strlen(DIRECTORY_DATA), &err),
		     0);
	cr_expect_eq(ts_dir_supersede(&d, &err), -EPERM);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	directory_check("cap", "data", DIRECTORY_DATA " of another");
	directory_check(".", "file", DIRECTORY_DATA " of another");
	cr_expect_not(directory_has("cap.new"));
}

/* In a folder that is not sticky anybody can exchange OUT.new. */
Test(directory_names, shows_and_removes_no_directory_that_took_the_place_of_its_own)
{
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "2", 18, &err), 0);
	cr_assert_eq(rename("cap.new", "elsewhere"), 0);
	directory_put(&scratch, "cap.new", DIRECTORY_DATA " of another");
	cr_expect_eq(ts_dir_publish(&d, &err), -ENOENT);
	cr_expect_eq(ts_dir_supersede(&d, &err), -ENOENT);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	directory_check("cap.new", "data", DIRECTORY_DATA " of another");
	cr_expect_not(directory_has("cap"));
}

/* fsync() is refused, as by a disk that fails. */
static void forbid_fsync(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = 4, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		cr_skip_test("no seccomp filters here");
}

Test(directory_names, leaves_what_stood_there_where_its_name_cannot_be_synced)
{
	struct ts_dir d;
	struct ts_error err;

	directory_put(&scratch, "cap", DIRECTORY_DATA " of before");
	forbid_fsync();
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	d.syncs = true;
	cr_expect_eq(ts_dir_publish(&d, &err), -EIO);
	cr_expect_not_null(strstr(err.text, "cannot sync cap"));
	ts_dir_discard(&d);
	ts_dir_release(&d);
	directory_check("cap", "data", DIRECTORY_DATA " of before");
	cr_expect_not(directory_has("cap.new"));
	cr_expect_not(directory_has("cap.old"));
}

/* Publishes a directory over the one at cap, then withdraws it. */
static void publish_and_withdraw(struct ts_dir *d)
{
	struct ts_error err;

	cr_assert_eq(ts_dir_create(d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(d, TS_DIR_DATA, DIRECTORY_DATA "2", 18, &err), 0);
	cr_assert_eq(ts_dir_publish(d, &err), 0, "%s", err.text);
	ts_dir_withdraw(d);
	ts_dir_discard(d);
	ts_dir_release(d);
}

Test(directory_names, that_is_withdrawn_leaves_what_stood_there)
{
	struct ts_dir d;

	directory_put(&scratch, "cap", DIRECTORY_DATA "1");
	publish_and_withdraw(&d);
	directory_check("cap", "data", DIRECTORY_DATA "1");
	cr_expect_not(directory_has("cap.new"));
	cr_expect_not(directory_has("cap.old"));
}

Test(directory_names, that_is_withdrawn_leaves_nothing_where_nothing_stood)
{
	struct ts_dir d;

	publish_and_withdraw(&d);
	cr_expect_not(directory_has("cap"));
	cr_expect_not(directory_has("cap.new"));
}

Test(directory_names, that_was_moved_away_is_not_withdrawn)
{
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "2", 18, &err), 0);
	cr_assert_eq(ts_dir_publish(&d, &err), 0, "%s", err.text);
	cr_assert_eq(rename("cap", "moved"), 0);
	directory_put(&scratch, "cap", DIRECTORY_DATA " of another");
	ts_dir_withdraw(&d);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	directory_check("cap", "data", DIRECTORY_DATA " of another");
	directory_check("moved", "data", DIRECTORY_DATA "2");
}

Test(directory_names, keeps_a_single_file_of_perf_as_old)
{
	struct ts_error err;

	scratch_put(&scratch, "perf.data", DIRECTORY_DATA "1");
	cr_assert_eq(directory_record("perf.data", DIRECTORY_DATA "2", &err), 0, "%s", err.text);
	directory_check(".", "perf.data.old", DIRECTORY_DATA "1");
	cr_assert_eq(directory_record("perf.data", DIRECTORY_DATA "3", &err), 0, "%s", err.text);
	directory_check("perf.data.old", "data", DIRECTORY_DATA "2");
}

Test(directory_names, takes_the_place_of_an_empty_file)
{
	struct ts_error err;

	scratch_put(&scratch, "cap", "");
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA, &err), 0, "%s", err.text);
	directory_check("cap", "data", DIRECTORY_DATA);
	cr_assert_not(directory_has("cap.old"));
}

Test(directory_names, supersedes_a_capture_in_one_step)
{
	struct ts_dir d;
	struct ts_error err;

	directory_put(&scratch, "cap", DIRECTORY_DATA);
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, DIRECTORY_DATA "!", strlen(DIRECTORY_DATA "!"),
				    &err),
		     0);
	directory_check("cap", "data", DIRECTORY_DATA);
	cr_assert_eq(ts_dir_supersede(&d, &err), 0, "%s", err.text);
	directory_check("cap", "data", DIRECTORY_DATA "!");
	cr_assert(!directory_has("cap.new") && !directory_has("cap.old"));
	ts_dir_discard(&d);
	cr_assert(directory_has("cap/data"));
	ts_dir_release(&d);
}
