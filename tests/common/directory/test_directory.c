// SPDX-License-Identifier: Apache-2.0
#include "common/directory/directory.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/directory/output_place.h"
#include "tests/support/scratch.h"

#define MAGIC "PERFILE2 and more"

static struct scratch scratch;

static void enter_scratch(void)
{
	scratch_make(&scratch);
	cr_assert_eq(chdir(scratch.path), 0);
}

static void leave_scratch(void)
{
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(&scratch);
}

TestSuite(directory, .init = enter_scratch, .fini = leave_scratch);

static void put_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	cr_assert_geq(fd, 0, "%s", path);
	cr_assert_eq(ts_file_write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void put_capture(const char *path, const char *text)
{
	char name[128];

	cr_assert_eq(mkdir(path, 0700), 0);
	snprintf(name, sizeof(name), "%s/data", path);
	put_file(name, text);
	snprintf(name, sizeof(name), "%s/data.0", path);
	put_file(name, "records");
	snprintf(name, sizeof(name), "%s/tstream.json", path);
	put_file(name, "{}");
}

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static void check_text(const char *dir, const char *name, const char *text)
{
	char path[128], found[256];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	cr_assert_not_null(file, "%s", path);
	len = fread(found, 1, sizeof(found), file);
	cr_assert_eq(len, strlen(text));
	cr_assert_arr_eq(found, text, len);
	fclose(file);
}

/* Records an empty capture with this text as `data`. */
static int record(const char *path, const char *data, struct ts_error *err)
{
	struct ts_stream_file f = {.fd = -1};
	struct ts_dir d;
	int rc = ts_dir_create(&d, path, err);

	if (!rc)
		rc = ts_dir_create_stream(&d, 0, TS_STREAM_AUTO, &f, err);
	if (!rc)
		rc = ts_dir_replace(&d, TS_DIR_DATA, data, strlen(data), err);
	if (!rc)
		rc = ts_dir_publish(&d, err);
	if (rc)
		ts_dir_discard(&d);
	ts_stream_file_close(&f);
	ts_dir_release(&d);
	return rc;
}

Test(directory, is_0700_and_its_files_0600_whatever_the_umask)
{
	struct ts_error err;
	struct stat st;

	umask(0);
	cr_assert_eq(record("cap", MAGIC, &err), 0, "%s", err.text);
	cr_assert_eq(stat("cap", &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0700);
	cr_assert_eq(stat("cap/data", &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	cr_assert_eq(stat("cap/data.0", &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	cr_assert_not(is_there("cap.new"));
}

Test(directory, clears_what_a_killed_process_left_beside_it)
{
	struct ts_error err;

	put_capture("cap", MAGIC);
	put_capture("cap.new", MAGIC);
	cr_assert_eq(ts_dir_clear("cap", &err), 0, "%s", err.text);
	cr_assert_not(is_there("cap.new"));
	cr_assert_eq(ts_dir_clear("cap", &err), 0, "%s", err.text);
	check_text("cap", "data", MAGIC);
	put_capture("cap.new", MAGIC);
	put_file("cap.new/letter", "a user's");
	cr_assert_eq(ts_dir_clear("cap", &err), -EEXIST);
	cr_assert(is_there("cap.new/letter"));
}

/* tstream.json names data.0 alone. */
static void put_noted(const char *path)
{
	char name[128];

	put_capture(path, MAGIC);
	snprintf(name, sizeof(name), "%s/tstream.json", path);
	put_file(name, "{\"writers\": [{\"stream\": \"data.0\"}]}");
}

Test(directory, removes_a_capture_whose_note_names_its_streams)
{
	struct ts_error err;

	put_noted("cap");
	put_noted("cap.old");
	cr_assert_eq(record("cap", MAGIC "2", &err), 0, "%s", err.text);
	cr_assert(is_there("cap.old/data.0"));
}

Test(directory, leaves_a_capture_with_a_stream_that_its_note_does_not_name)
{
	struct ts_error err;

	put_noted("cap");
	put_noted("cap.old");
	put_file("cap.old/data.7", "somebody's");
	cr_assert_eq(record("cap", MAGIC "2", &err), -EEXIST);
	cr_assert_not_null(strstr(err.text, "it contains data.7, which is not part of a capture"));
	check_text("cap.old", "data.7", "somebody's");
	check_text("cap.old", "data.0", "records");
	check_text("cap", "data", MAGIC);
}

Test(directory, changes_nothing_before_it_is_published)
{
	struct ts_error err;
	struct ts_dir d;

	put_capture("cap", MAGIC "1");
	put_capture("cap.old", MAGIC "0");
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "2", 18, &err), 0);
	check_text("cap", "data", MAGIC "1");
	check_text("cap.old", "data", MAGIC "0");
	ts_dir_discard(&d);
	ts_dir_release(&d);
	cr_assert_not(is_there("cap.new"));
	check_text("cap", "data", MAGIC "1");
	check_text("cap.old", "data", MAGIC "0");
}

Test(directory, keeps_the_capture_before_as_old)
{
	struct ts_error err;

	cr_assert_eq(record("cap", MAGIC "1", &err), 0, "%s", err.text);
	cr_assert_eq(record("cap", MAGIC "2", &err), 0, "%s", err.text);
	cr_assert_eq(record("cap/", MAGIC "3", &err), 0, "%s", err.text);
	check_text("cap", "data", MAGIC "3");
	check_text("cap.old", "data", MAGIC "2");
}

#define NOBODY 65534

static void give_to_another_user(const char *path)
{
	if (chown(path, NOBODY, NOBODY))
		cr_skip_test("only root can give files away");
}

Test(directory, leaves_what_another_user_has_as_old)
{
	struct ts_error err;

	put_capture("cap.old", MAGIC " of another");
	give_to_another_user("cap.old");
	for (int i = 1; i <= 3; i++) {
		char text[] = MAGIC "0";

		text[sizeof(text) - 2] += (char)i;
		cr_assert_eq(record("cap", text, &err), 0, "%s", err.text);
	}
	check_text("cap.old", "data", MAGIC " of another");
	check_text("cap.old-1", "data", MAGIC "2");
	cr_expect_not(is_there("cap.old-2"));
}

Test(directory, gets_back_the_name_of_what_became_not_quite_old)
{
	char text[TS_DIR_KEPT_TEXT];
	struct ts_error err;
	struct ts_dir d;

	put_capture("cap", MAGIC "1");
	put_file("cap.old", "of another");
	give_to_another_user("cap.old");
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_null(ts_dir_tell_kept(&d, text));
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "2", 18, &err), 0);
	cr_assert_eq(ts_dir_publish(&d, &err), 0, "%s", err.text);
	cr_expect_str_eq(ts_dir_tell_kept(&d, text),
			 "cap.old belongs to another user: the capture that was at cap is now "
			 "cap.old-1");
	ts_dir_withdraw(&d);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	check_text("cap", "data", MAGIC "1");
	cr_expect_not(is_there("cap.old-1"));
}

Test(directory, removes_and_supersedes_nothing_of_another_user)
{
	struct ts_error err;
	struct ts_dir d;

	put_capture("cap", MAGIC " of another");
	put_file("file", MAGIC " of another");
	give_to_another_user("cap");
	give_to_another_user("file");
	cr_expect_eq(ts_output_place_remove(AT_FDCWD, "cap", "cap", &err), -EPERM);
	cr_expect_str_eq(err.text, "cannot remove cap: it belongs to another user");
	cr_expect_eq(ts_output_place_remove(AT_FDCWD, "file", "file", &err), -EPERM);
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC, strlen(MAGIC), &err), 0);
	cr_expect_eq(ts_dir_supersede(&d, &err), -EPERM);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	check_text("cap", "data", MAGIC " of another");
	check_text(".", "file", MAGIC " of another");
	cr_expect_not(is_there("cap.new"));
}

/* In a folder that is not sticky anybody can exchange OUT.new. */
Test(directory, shows_and_removes_no_directory_that_took_the_place_of_its_own)
{
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "2", 18, &err), 0);
	cr_assert_eq(rename("cap.new", "elsewhere"), 0);
	put_capture("cap.new", MAGIC " of another");
	cr_expect_eq(ts_dir_publish(&d, &err), -ENOENT);
	cr_expect_eq(ts_dir_supersede(&d, &err), -ENOENT);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	check_text("cap.new", "data", MAGIC " of another");
	cr_expect_not(is_there("cap"));
}

Test(directory, begins_no_stream_in_a_directory_of_another_user)
{
	struct ts_stream_file f = {.fd = -1};
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	give_to_another_user("cap.new");
	cr_expect_eq(ts_dir_create_stream(&d, 0, TS_STREAM_AUTO, &f, &err), -EPERM);
	cr_expect_eq(f.fd, -1);
	ts_dir_release(&d);
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

Test(directory, leaves_what_stood_there_where_its_name_cannot_be_synced)
{
	struct ts_dir d;
	struct ts_error err;

	put_capture("cap", MAGIC " of before");
	forbid_fsync();
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	d.syncs = true;
	cr_expect_eq(ts_dir_publish(&d, &err), -EIO);
	cr_expect_not_null(strstr(err.text, "cannot sync cap"));
	ts_dir_discard(&d);
	ts_dir_release(&d);
	check_text("cap", "data", MAGIC " of before");
	cr_expect_not(is_there("cap.new"));
	cr_expect_not(is_there("cap.old"));
}

/* Publishes a directory over the one at cap, then withdraws it. */
static void publish_and_withdraw(struct ts_dir *d)
{
	struct ts_error err;

	cr_assert_eq(ts_dir_create(d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(d, TS_DIR_DATA, MAGIC "2", 18, &err), 0);
	cr_assert_eq(ts_dir_publish(d, &err), 0, "%s", err.text);
	ts_dir_withdraw(d);
	ts_dir_discard(d);
	ts_dir_release(d);
}

Test(directory, that_is_withdrawn_leaves_what_stood_there)
{
	struct ts_dir d;

	put_capture("cap", MAGIC "1");
	publish_and_withdraw(&d);
	check_text("cap", "data", MAGIC "1");
	cr_expect_not(is_there("cap.new"));
	cr_expect_not(is_there("cap.old"));
}

Test(directory, that_is_withdrawn_leaves_nothing_where_nothing_stood)
{
	struct ts_dir d;

	publish_and_withdraw(&d);
	cr_expect_not(is_there("cap"));
	cr_expect_not(is_there("cap.new"));
}

Test(directory, that_was_moved_away_is_not_withdrawn)
{
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "2", 18, &err), 0);
	cr_assert_eq(ts_dir_publish(&d, &err), 0, "%s", err.text);
	cr_assert_eq(rename("cap", "moved"), 0);
	put_capture("cap", MAGIC " of another");
	ts_dir_withdraw(&d);
	ts_dir_discard(&d);
	ts_dir_release(&d);
	check_text("cap", "data", MAGIC " of another");
	check_text("moved", "data", MAGIC "2");
}

Test(directory, keeps_a_single_file_of_perf_as_old)
{
	struct ts_error err;

	put_file("perf.data", MAGIC "1");
	cr_assert_eq(record("perf.data", MAGIC "2", &err), 0, "%s", err.text);
	check_text(".", "perf.data.old", MAGIC "1");
	cr_assert_eq(record("perf.data", MAGIC "3", &err), 0, "%s", err.text);
	check_text("perf.data.old", "data", MAGIC "2");
}

Test(directory, takes_the_place_of_an_empty_file)
{
	struct ts_error err;

	put_file("cap", "");
	cr_assert_eq(record("cap", MAGIC, &err), 0, "%s", err.text);
	check_text("cap", "data", MAGIC);
	cr_assert_not(is_there("cap.old"));
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	cr_assert_eq(stat(name, &st), 0);
	return st.st_mode & 07777;
}

/* As mktemp -d leaves it. The capture is 0700, as each is. */
Test(directory, takes_the_place_of_an_empty_directory)
{
	struct ts_error err;

	cr_assert_eq(mkdir("cap", 0755), 0);
	cr_assert_eq(record("cap", MAGIC, &err), 0, "%s", err.text);
	check_text("cap", "data", MAGIC);
	cr_expect_eq(mode_of("cap"), 0700);
	cr_assert_not(is_there("cap.old"));
}

Test(directory, leaves_an_empty_directory_that_is_not_ours)
{
	struct ts_error err;

	cr_assert_eq(mkdir("theirs", 0755), 0);
	cr_assert_eq(mkdir("mounted", 0755), 0);
	if (chown("theirs", 12345, 12345) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "mounted", "tmpfs", 0, NULL))
		cr_skip_test("this needs root");
	cr_expect_eq(record("theirs", MAGIC, &err), -EEXIST);
	cr_expect_str_eq(err.text, "cannot record into theirs: it is a directory of another user");
	cr_expect_eq(record("mounted", MAGIC, &err), -EEXIST);
	cr_expect_str_eq(err.text, "cannot record into mounted: it is a mount point");
	cr_expect_eq(mode_of("theirs"), 0755);
	umount("mounted");
}

Test(directory, stays_writable_when_it_is_renamed)
{
	struct ts_error err;
	struct ts_dir d;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(ts_dir_publish(&d, &err), 0);
	cr_assert_eq(rename("cap", "elsewhere"), 0);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC, strlen(MAGIC), &err), 0);
	check_text("elsewhere", "data", MAGIC);
	ts_dir_release(&d);
}

struct refused {
	char out[16]; /* no pointers: the test runs in a process of its own */
	char sentence[112];
};

ParameterizedTestParameters(directory, refuses_what_it_must_not_touch)
{
	static struct refused list[] = {
		{".", "cannot record into '.': it does not name a new directory"},
		{"..", "cannot record into '..': it does not name a new directory"},
		{"foreign/..", "cannot record into 'foreign/..': it does not name a new directory"},
		{"/", "cannot record into '/': it does not name a new directory"},
		{"", "cannot record into '': it does not name a new directory"},
		{"/dev/null", "cannot record into /dev/null: it is a device"},
		{"text", "cannot record into text: it is a file, but not a capture"},
		{"foreign", "cannot record into foreign: it is a directory, but not a capture"},
		{"link", "cannot record into link: it is a symbolic link"},
		{"dangling", "cannot record into dangling: it is a symbolic link"},
		{"linked", "cannot record into linked: it is a directory, but not a capture"},
		{"fifo", "cannot record into fifo: it is neither a file nor a directory"},
		{"none/cap",
		 "cannot record into none/cap: cannot open none: No such file or directory"},
		{"text/cap", "cannot record into text/cap: cannot open text: Not a directory"},
		{"blocked", "cannot keep the capture blocked as blocked.old: that is a directory, "
			    "but not a capture"},
		{"blocked2",
		 "cannot keep the capture blocked2 as blocked2.old: that is an empty file"},
		{"blocked3", "cannot remove the old capture blocked3.old: it contains notes.txt, "
			     "which is not part of a capture"},
		{"blocked4", "cannot remove the old capture blocked4.old: it contains data.1, "
			     "which is not part of a capture"},
		{"blocked6", "cannot remove the old capture blocked6.old: it contains symbols, "
			     "which is not part of a capture"},
		{"blocked7", "cannot remove the old capture blocked7.old: it contains symbols, "
			     "which is not part of a capture"},
		{"blocked5", "cannot remove the old capture blocked5.new: it contains data, "
			     "which is not part of a capture"},
	};

	return cr_make_param_array(struct refused, list, sizeof(list) / sizeof(list[0]));
}

static void put_obstacles(void)
{
	put_file("text", "words");
	mkdir("foreign", 0755);
	put_file("foreign/data", "of mine");
	put_capture("cap", MAGIC);
	cr_assert_eq(symlink("cap", "link"), 0);
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	mkdir("linked", 0755);
	cr_assert_eq(symlink("../cap/data", "linked/data"), 0);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	put_capture("blocked", MAGIC);
	mkdir("blocked.old", 0755);
	put_capture("blocked2", MAGIC);
	put_file("blocked2.old", "");
	put_capture("blocked3", MAGIC);
	put_capture("blocked3.old", MAGIC);
	put_file("blocked3.old/notes.txt", "mine");
	put_capture("blocked4", MAGIC);
	put_capture("blocked4.old", MAGIC);
	mkdir("blocked4.old/data.1", 0755);
	put_capture("blocked6", MAGIC);
	put_capture("blocked6.old", MAGIC);
	mkdir("blocked6.old/symbols", 0755);
	put_file("blocked6.old/symbols/0aff.elf", "an object");
	put_file("blocked6.old/symbols/notes.txt", "mine");
	put_capture("blocked7", MAGIC);
	put_capture("blocked7.old", MAGIC);
	cr_assert_eq(symlink("../cap", "blocked7.old/symbols"), 0);
	mkdir("blocked5.new", 0755);
	put_file("blocked5.new/data", "of mine");
}

static size_t nr_entries;

static int sum_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	nr_entries += 1 + (size_t)st->st_size * (type == FTW_F);
	return 0;
}

static size_t sum_entries(void)
{
	nr_entries = 0;
	nftw(".", sum_entry, 16, FTW_PHYS);
	return nr_entries;
}

ParameterizedTest(struct refused *param, directory, refuses_what_it_must_not_touch)
{
	struct ts_error err = {0};
	size_t before;

	put_obstacles();
	before = sum_entries();
	cr_assert_lt(record(param->out, MAGIC, &err), 0);
	cr_assert_str_eq(err.text, param->sentence);
	cr_assert_eq(sum_entries(), before, "something was changed");
	if (strcmp(param->out, "blocked5")) {
		cr_assert_lt(ts_dir_check(param->out, &err), 0);
		cr_assert_str_eq(err.text, param->sentence);
	}
}

Test(directory, refuses_to_become_a_part_of_another_capture)
{
	static const char *const paths[] = {"cap/data", "cap/data.0", "cap/data.7",
					    "cap/tstream.json"};
	struct ts_error err;

	put_capture("cap", MAGIC);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		cr_expect_eq(ts_dir_check(paths[i], &err), -EEXIST, "%s", paths[i]);
		cr_expect_not_null(strstr(err.text, "part of another capture"), "%s", err.text);
	}
	cr_expect_eq(ts_dir_check("cap/inner", &err), 0);
	put_file("data", MAGIC); /* of perf record -o data */
	cr_expect_eq(ts_dir_check("data", &err), 0);
}

Test(directory, says_when_there_is_no_descriptor_left_to_look)
{
	struct rlimit limit, few;
	struct ts_error err;
	int fd, rc;

	put_capture("cap", MAGIC);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	fd = open(".", O_RDONLY | O_DIRECTORY);
	few = limit;
	few.rlim_cur =
		(rlim_t)fd + 2; /* one for the parent, one for the capture, none for `data` */
	close(fd);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	rc = ts_dir_check("cap", &err);
	setrlimit(RLIMIT_NOFILE, &limit);
	cr_expect_eq(rc, -EMFILE, "%s", err.text);
	cr_expect_eq(ts_dir_check("cap", &err), 0);
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

	put_capture("cap", MAGIC);
	cr_assert_eq(ts_dir_check("cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_check("other", &err), 0, "%s", err.text);
	cr_assert_not(is_there("other"));
	cr_assert_not(is_there("other.new"));
}

Test(directory, removes_what_a_killed_recorder_left_at_its_start)
{
	struct ts_error err;

	cr_assert_eq(mkdir("cap.new", 0700), 0);
	put_file("cap.new/data.0", "");
	put_file("cap.new/tmp-data", "half of it");
	cr_assert_eq(record("cap", MAGIC, &err), 0, "%s", err.text);
	cr_assert_not(is_there("cap.new"));
}

Test(directory, removes_an_old_capture_with_its_symbols)
{
	struct ts_error err;

	put_capture("cap", MAGIC);
	put_capture("cap.old", MAGIC);
	cr_assert_eq(mkdir("cap.old/symbols", 0700), 0);
	put_file("cap.old/symbols/0aff.elf", "an object");
	put_file("cap.old/symbols/tmp-symbols", "half of one");
	cr_assert_eq(record("cap", MAGIC, &err), 0, "%s", err.text);
	cr_assert_not(is_there("cap.old/symbols"));
	cr_assert(is_there("cap.old/data"));
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
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "1", 18, &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_publish(&d, &err), 0);
	cr_assert_eq(stat("cap/data", &before), 0);
	put_file("cap/tmp-data", "left by a kill");
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "2", 18, &err), 0, "%s", err.text);
	cr_assert_eq(stat("cap/data", &after), 0);
	cr_assert_neq(before.st_ino, after.st_ino);
	check_text("cap", "data", MAGIC "2");
	cr_assert_not(is_there("cap/tmp-data"));
	ts_dir_release(&d);
}

Test(directory, does_not_follow_a_link_that_stands_for_a_stream)
{
	struct ts_stream_file f;
	struct ts_error err;
	struct ts_dir d;

	put_file("precious", "words");
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(symlink("../precious", "cap.new/data.0"), 0);
	cr_assert_eq(ts_dir_create_stream(&d, 0, TS_STREAM_AUTO, &f, &err), -EEXIST);
	check_text(".", "precious", "words");
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

Test(directory, knows_the_names_of_captures)
{
	cr_assert(ts_output_place_is_capture_name("data"));
	cr_assert(ts_output_place_is_capture_name("data.0"));
	cr_assert(ts_output_place_is_capture_name("data.191"));
	cr_assert(ts_output_place_is_capture_name("tstream.json"));
	cr_assert(ts_output_place_is_capture_name("tmp-data"));
	cr_assert_not(ts_output_place_is_capture_name("data."));
	cr_assert_not(ts_output_place_is_capture_name("data.x"));
	cr_assert_not(ts_output_place_is_capture_name("data.1x"));
	cr_assert_not(ts_output_place_is_capture_name("database"));
	cr_assert_not(ts_output_place_is_capture_name("kcore_dir"));
}

Test(directory, keeps_room_for_the_next_versions_without_a_name)
{
	struct ts_error err;
	struct ts_dir d;
	struct stat st;

	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC, strlen(MAGIC), &err), 0);
	ts_dir_reserve(&d, 0);
	ts_dir_reserve(&d, 1 << 20);
	if (d.reserve_fd < 0)
		cr_skip_test("no files without a name here");
	cr_assert_eq(fstat(d.reserve_fd, &st), 0);
	cr_expect_eq(st.st_nlink, 0);
	cr_expect_geq((size_t)st.st_blocks * 512, strlen(MAGIC) + 16384 + (1 << 20));
	ts_dir_unreserve(&d);
	ts_dir_unreserve(&d);
	cr_expect_eq(d.reserve_fd, -1);
	cr_assert_eq(ts_dir_publish(&d, &err), 0);
	ts_dir_release(&d);
}

Test(directory, supersedes_a_capture_in_one_step)
{
	struct ts_dir d;
	struct ts_error err;

	put_capture("cap", MAGIC);
	cr_assert_eq(ts_dir_create(&d, "cap", &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_replace(&d, TS_DIR_DATA, MAGIC "!", strlen(MAGIC "!"), &err), 0);
	check_text("cap", "data", MAGIC);
	cr_assert_eq(ts_dir_supersede(&d, &err), 0, "%s", err.text);
	check_text("cap", "data", MAGIC "!");
	cr_assert(!is_there("cap.new") && !is_there("cap.old"));
	ts_dir_discard(&d);
	cr_assert(is_there("cap/data"));
	ts_dir_release(&d);
}
