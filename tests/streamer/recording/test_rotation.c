// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/rotation.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/crew_scene.h"

static struct crew_scene s;
static struct rotation rotation;
static struct on_snapshot hook;

static void set_up(void)
{
	const struct rotation_given given = {
		.crew = &s.crew, .part = &s.part, .hook = &hook, .notes = &s.notes};
	const struct memory_segments history = {.is_on = false};

	crew_scene_plan(&s);
	s.options.switch_output.is_on = true;
	cr_assert_eq(rotation_init(&rotation, &given, &history, &s.err), 0, "%s", s.err.text);
	crew_scene_start(&s);
	cr_assert_eq(rotation_open_clock(&rotation, &s.err), 0, "%s", s.err.text);
	cr_assert_eq(rotation_start(&rotation, &s.err), 0, "%s", s.err.text);
}

static void tear_down(void)
{
	crew_close(&s.crew, true, &s.notes);
	rotation_release(&rotation);
	crew_scene_tear_down(&s);
}

TestSuite(rotation, .init = set_up, .fini = tear_down);

static int cut(const char *name)
{
	struct cut_cause cause = {.kind = CUT_BY_CONTROL, .what = "snapshot"};

	snprintf(cause.name, sizeof(cause.name), "%s", name);
	return rotation_cut(&rotation, &cause, &s.err);
}

static void put(unsigned int first, unsigned int second)
{
	crew_scene_put(&s, 0, first);
	crew_scene_put(&s, 1, second);
}

/* The last one that was finished, without its folder. */
static const char *finished(void)
{
	return rotation.finished ? strrchr(rotation.finished, '/') + 1 : "none";
}

/* Is that in a file of a directory of the folder? */
static bool tells(const char *directory, const char *name, const char *text)
{
	char path[256], buf[262144];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s/%s", s.scratch.path, directory, name);
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	len = fread(buf, 1, sizeof(buf), file);
	fclose(file);
	return memmem(buf, len, text, strlen(text)) != NULL;
}

Test(rotation, divides_what_is_recorded_at_a_cut)
{
	put(300, 40);
	cr_assert_eq(cut(""), 0, "%s", s.err.text);
	put(70, 80);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0, "%s", s.err.text);
	cr_expect(crew_scene_has(&s, finished(), 0, 0, 300));
	cr_expect(crew_scene_has(&s, finished(), 1, 0, 40));
	cr_expect(crew_scene_has(&s, "out", 0, 300, 70));
	cr_expect(crew_scene_has(&s, "out", 1, 40, 80));
	cr_expect_eq(rotation.nr_finished, 1);
	cr_expect_eq(rotation.finished_total.samples, 340);
	cr_expect_eq(s.part.span.number, 1);
	cr_expect_neq(s.part.span.begin_ns, 0);
	cr_expect_not(rotation.has_failed);
}

Test(rotation, loses_nothing_at_many_cuts)
{
	uint64_t first = 0;

	for (unsigned int i = 0; i < 20; i++) {
		put(10 + i, 1);
		cr_assert_eq(cut(""), 0, "%s", s.err.text);
		cr_expect(crew_scene_has(&s, finished(), 0, first, 10 + i));
		cr_expect(crew_scene_has(&s, finished(), 1, i, 1));
		first += 10 + i;
		cr_expect_eq(rotation.finished_total.samples, first + i + 1);
	}
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
	cr_expect(crew_scene_has(&s, "out", 0, 0, 0));
	cr_expect_eq(rotation.nr_finished, 20);
	cr_expect_eq(s.part.span.number, 20);
}

Test(rotation, names_what_is_finished_by_stamp_and_name)
{
	put(1, 1);
	cr_assert_eq(cut("peak"), 0, "%s", s.err.text);
	cr_expect_eq(fnmatch("out.[0-9]*-peak", finished(), 0), 0, "%s", finished());
	cr_expect(tells(finished(), TS_DIR_INFO, "\"complete\""));
	cr_expect(tells(finished(), TS_DIR_INFO, "\"switch-output\""));
	cr_expect(tells(finished(), TS_DIR_INFO, "\"name\":\"peak\""));
	cr_expect(tells("out", TS_DIR_INFO, "\"recording\""));
	cr_assert_eq(cut(""), 0, "%s", s.err.text);
	cr_expect_eq(fnmatch("out.[0-9]*[0-9]", finished(), 0), 0, "%s", finished());
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
	cr_expect_eq(s.notes.nr, 2); /* that they are complete */
}

/* A directory in the way that is no capture's is not removed. */
Test(rotation, stays_where_it_is_when_the_next_directory_cannot_be_made)
{
	scratch_put(&s.scratch, "out.new/not_ours", "mine");
	put(300, 40);
	cr_assert_lt(cut(""), 0);
	cr_expect(rotation.has_failed);
	cr_expect(rotation_stays(&rotation, 0));
	cr_expect_eq(rotation.nr_finished, 0);
	put(70, 80);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0, "%s", s.err.text);
	cr_expect(crew_scene_has(&s, "out", 0, 0, 370));
	cr_expect(crew_scene_has(&s, "out", 1, 0, 120));
	cr_expect(tells("out.new", "not_ours", "mine"));
}

/* And when there is room again, it goes on. */
Test(rotation, makes_the_next_cut_after_one_that_failed)
{
	char path[256];

	scratch_put(&s.scratch, "out.new", "no directory");
	put(30, 4);
	cr_assert_lt(cut(""), 0);
	snprintf(path, sizeof(path), "%s.new", s.out);
	cr_assert_eq(unlink(path), 0);
	put(3, 4);
	cr_assert_eq(cut(""), 0, "%s", s.err.text);
	put(7, 8);
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
	cr_expect(crew_scene_has(&s, finished(), 0, 0, 33));
	cr_expect(crew_scene_has(&s, "out", 0, 33, 7));
}

/* The directory is moved away: it can neither be condensed nor be finished. */
Test(rotation, does_not_stay_when_condensing_and_the_cut_instead_of_it_fail)
{
	const uint32_t before = s.part.span.number;
	char path[320];

	put(30, 40);
	snprintf(path, sizeof(path), "%s-moved", s.part.dir.path);
	cr_assert_eq(rename(s.part.dir.path, path), 0);
	rotation.unread_bytes = UINT32_MAX;
	cr_assert_lt(rotation_condense(&rotation, &s.err), 0);
	cr_expect_not(rotation.is_cutting);
	cr_expect_not(rotation_stays(&rotation, before));
	cr_expect_str_not_empty(s.err.text);
}

/* As after a writer that failed: writers may have obeyed by then, or not. */
Test(rotation, finishes_the_cut_that_writers_are_stopped_in)
{
	put(30, 4);
	ts_stop_raise(&s.crew.failure);
	if (cut("") < 0)
		cr_expect(rotation.is_cutting);
	put(7, 8);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0, "%s", s.err.text);
	cr_assert_eq(rotation_finish_cut(&rotation, &s.err), 0, "%s", s.err.text);
	cr_expect_not(rotation.is_cutting);
	cr_expect_eq(rotation.nr_finished, 1);
	cr_expect(crew_scene_has(&s, finished(), 0, 0, 30));
	cr_expect(crew_scene_has(&s, finished(), 1, 0, 4));
	cr_expect(crew_scene_has(&s, "out", 0, 30, 7));
	cr_expect(crew_scene_has(&s, "out", 1, 4, 8));
}

Test(rotation, tells_the_next_directory_what_side_band_told)
{
	crew_scene_put_name(&s, 1, 4711, "sleepwalker");
	cr_assert_eq(cut(""), 0, "%s", s.err.text);
	cr_expect(tells(finished(), "data.1", "sleepwalker"));
	cr_expect_not(tells(finished(), TS_DIR_DATA, "sleepwalker"));
	cr_expect(tells("out", TS_DIR_DATA, "sleepwalker"));
	cr_assert_eq(cut(""), 0, "%s", s.err.text);
	cr_expect(tells("out", TS_DIR_DATA, "sleepwalker"));
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
}

Test(rotation, stamps_the_last_directory)
{
	put(30, 4);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0);
	cr_assert_eq(part_take_account(&s.part, &s.crew, rotation.lost_before, true, &s.err), 0);
	cr_assert_eq(part_finish(&s.part, &s.err), 0);
	cr_assert_eq(rotation_stamp_last(&rotation, &s.err), 0, "%s", s.err.text);
	cr_expect_eq(fnmatch("out.[0-9]*[0-9]", finished(), 0), 0, "%s", finished());
	cr_expect_str_eq(s.part.dir.path, rotation.finished);
	cr_expect(crew_scene_has(&s, finished(), 0, 0, 30));
}

Test(rotation, keeps_as_many_directories_as_are_wanted)
{
	char oldest[256];

	rotation.kept.max_files = 2;
	cr_assert_eq(cut("first"), 0, "%s", s.err.text);
	snprintf(oldest, sizeof(oldest), "%s", rotation.finished);
	cr_assert_eq(cut("second"), 0, "%s", s.err.text);
	cr_expect_eq(access(oldest, F_OK), 0);
	cr_assert_eq(cut("third"), 0, "%s", s.err.text);
	cr_expect_neq(access(oldest, F_OK), 0);
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
}
