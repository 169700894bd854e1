// SPDX-License-Identifier: Apache-2.0
#include "common/directory/output_place.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory/directory.h"
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

TestSuite(output_place, .init = enter, .fini = leave);

Test(output_place, removes_a_capture_whose_note_names_its_streams)
{
	struct ts_error err;

	directory_put_noted(&scratch, "cap");
	directory_put_noted(&scratch, "cap.old");
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA "2", &err), 0, "%s", err.text);
	cr_assert(directory_has("cap.old/data.0"));
}

Test(output_place, leaves_a_capture_with_a_stream_that_its_note_does_not_name)
{
	struct ts_error err;

	directory_put_noted(&scratch, "cap");
	directory_put_noted(&scratch, "cap.old");
	scratch_put(&scratch, "cap.old/data.7", "somebody's");
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA "2", &err), -EEXIST);
	cr_assert_not_null(strstr(err.text, "it contains data.7, which is not part of a capture"));
	directory_check("cap.old", "data.7", "somebody's");
	directory_check("cap.old", "data.0", "records");
	directory_check("cap", "data", DIRECTORY_DATA);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	cr_assert_eq(stat(name, &st), 0);
	return st.st_mode & 07777;
}

/* As mktemp -d leaves it. The capture is 0700, as each is. */
Test(output_place, takes_the_place_of_an_empty_directory)
{
	struct ts_error err;

	cr_assert_eq(mkdir("cap", 0755), 0);
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA, &err), 0, "%s", err.text);
	directory_check("cap", "data", DIRECTORY_DATA);
	cr_expect_eq(mode_of("cap"), 0700);
	cr_assert_not(directory_has("cap.old"));
}

Test(output_place, leaves_an_empty_directory_that_is_not_ours)
{
	struct ts_error err;

	cr_assert_eq(mkdir("theirs", 0755), 0);
	cr_assert_eq(mkdir("mounted", 0755), 0);
	if (chown("theirs", 12345, 12345) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "mounted", "tmpfs", 0, NULL))
		cr_skip_test("this needs root");
	cr_expect_eq(directory_record("theirs", DIRECTORY_DATA, &err), -EEXIST);
	cr_expect_str_eq(err.text, "cannot record into theirs: it is a directory of another user");
	cr_expect_eq(directory_record("mounted", DIRECTORY_DATA, &err), -EEXIST);
	cr_expect_str_eq(err.text, "cannot record into mounted: it is a mount point");
	cr_expect_eq(mode_of("theirs"), 0755);
	umount("mounted");
}

struct refused {
	char out[16]; /* no pointers: the test runs in a process of its own */
	char sentence[112];
};

ParameterizedTestParameters(output_place, refuses_what_it_must_not_touch)
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
	scratch_put(&scratch, "text", "words");
	mkdir("foreign", 0755);
	scratch_put(&scratch, "foreign/data", "of mine");
	directory_put(&scratch, "cap", DIRECTORY_DATA);
	cr_assert_eq(symlink("cap", "link"), 0);
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	mkdir("linked", 0755);
	cr_assert_eq(symlink("../cap/data", "linked/data"), 0);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	directory_put(&scratch, "blocked", DIRECTORY_DATA);
	mkdir("blocked.old", 0755);
	directory_put(&scratch, "blocked2", DIRECTORY_DATA);
	scratch_put(&scratch, "blocked2.old", "");
	directory_put(&scratch, "blocked3", DIRECTORY_DATA);
	directory_put(&scratch, "blocked3.old", DIRECTORY_DATA);
	scratch_put(&scratch, "blocked3.old/notes.txt", "mine");
	directory_put(&scratch, "blocked4", DIRECTORY_DATA);
	directory_put(&scratch, "blocked4.old", DIRECTORY_DATA);
	mkdir("blocked4.old/data.1", 0755);
	directory_put(&scratch, "blocked6", DIRECTORY_DATA);
	directory_put(&scratch, "blocked6.old", DIRECTORY_DATA);
	mkdir("blocked6.old/symbols", 0755);
	scratch_put(&scratch, "blocked6.old/symbols/0aff.elf", "an object");
	scratch_put(&scratch, "blocked6.old/symbols/notes.txt", "mine");
	directory_put(&scratch, "blocked7", DIRECTORY_DATA);
	directory_put(&scratch, "blocked7.old", DIRECTORY_DATA);
	cr_assert_eq(symlink("../cap", "blocked7.old/symbols"), 0);
	mkdir("blocked5.new", 0755);
	scratch_put(&scratch, "blocked5.new/data", "of mine");
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

ParameterizedTest(struct refused *param, output_place, refuses_what_it_must_not_touch)
{
	struct ts_error err = {0};
	size_t before;

	put_obstacles();
	before = sum_entries();
	cr_assert_lt(directory_record(param->out, DIRECTORY_DATA, &err), 0);
	cr_assert_str_eq(err.text, param->sentence);
	cr_assert_eq(sum_entries(), before, "something was changed");
	if (strcmp(param->out, "blocked5")) {
		cr_assert_lt(ts_dir_check(param->out, &err), 0);
		cr_assert_str_eq(err.text, param->sentence);
	}
}

Test(output_place, refuses_to_become_a_part_of_another_capture)
{
	static const char *const paths[] = {"cap/data", "cap/data.0", "cap/data.7",
					    "cap/tstream.json"};
	struct ts_error err;

	directory_put(&scratch, "cap", DIRECTORY_DATA);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		cr_expect_eq(ts_dir_check(paths[i], &err), -EEXIST, "%s", paths[i]);
		cr_expect_not_null(strstr(err.text, "part of another capture"), "%s", err.text);
	}
	cr_expect_eq(ts_dir_check("cap/inner", &err), 0);
	scratch_put(&scratch, "data", DIRECTORY_DATA); /* of perf record -o data */
	cr_expect_eq(ts_dir_check("data", &err), 0);
}

Test(output_place, says_when_there_is_no_descriptor_left_to_look)
{
	struct rlimit limit, few;
	struct ts_error err;
	int fd, rc;

	directory_put(&scratch, "cap", DIRECTORY_DATA);
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

Test(output_place, removes_what_a_killed_recorder_left_at_its_start)
{
	struct ts_error err;

	cr_assert_eq(mkdir("cap.new", 0700), 0);
	scratch_put(&scratch, "cap.new/data.0", "");
	scratch_put(&scratch, "cap.new/tmp-data", "half of it");
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA, &err), 0, "%s", err.text);
	cr_assert_not(directory_has("cap.new"));
}

Test(output_place, removes_an_old_capture_with_its_symbols)
{
	struct ts_error err;

	directory_put(&scratch, "cap", DIRECTORY_DATA);
	directory_put(&scratch, "cap.old", DIRECTORY_DATA);
	cr_assert_eq(mkdir("cap.old/symbols", 0700), 0);
	scratch_put(&scratch, "cap.old/symbols/0aff.elf", "an object");
	scratch_put(&scratch, "cap.old/symbols/tmp-symbols", "half of one");
	cr_assert_eq(directory_record("cap", DIRECTORY_DATA, &err), 0, "%s", err.text);
	cr_assert_not(directory_has("cap.old/symbols"));
	cr_assert(directory_has("cap.old/data"));
}

Test(output_place, knows_the_names_of_captures)
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
