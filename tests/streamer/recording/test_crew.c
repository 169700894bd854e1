// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/crew.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/crew_scene.h"

static struct crew_scene s;
static struct size_limit size;
static struct ts_dir next;

static void set_up(void)
{
	next = (struct ts_dir)TS_DIR_INIT;
	crew_scene_plan(&s);
	cr_assert_eq(size_limit_init(&size, 0, &s.err), 0);
	cr_assert_eq(crew_open_cuts(&s.crew, &size, &s.err), 0);
	crew_scene_start(&s);
}

static void tear_down(void)
{
	crew_close_cuts(&s.crew);
	crew_scene_tear_down(&s);
	ts_dir_release(&next);
	size_limit_release(&size);
}

TestSuite(crew, .init = set_up, .fini = tear_down);

static void make_next(void)
{
	cr_assert_eq(ts_dir_create_next(&next, s.out, &s.part.dir, &s.err), 0, "%s", s.err.text);
	cr_assert_eq(crew_make_next(&s.crew, &next, &s.err), 0, "%s", s.err.text);
}

static void sleep_ms(unsigned int ms)
{
	struct timespec ts = ts_clock_timespec(ms * TS_NS_PER_MS);

	nanosleep(&ts, NULL);
}

static uint64_t samples_of(size_t writer)
{
	struct writer_stats stats;

	writer_read_stats(s.crew.streams[writer].writer, &stats);
	return stats.samples;
}

static off_t bytes_of(const char *name)
{
	struct stat st;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", s.scratch.path, name);
	return stat(path, &st) ? -1 : st.st_size;
}

/* Some are taken before, some lie in their rings at the cut, some come within it and some behind it. */
Test(crew, divides_records_by_their_time_at_a_cut)
{
	crew_scene_put(&s, 0, 300);
	crew_scene_put(&s, 1, 40);
	make_next();
	crew_hold(&s.crew);
	crew_scene_put(&s, 0, 50);
	crew_scene_put(&s, 1, 60);
	crew_cut(&s.crew, ts_clock_now_ns(), 1, true);
	crew_scene_put(&s, 0, 70);
	crew_unhold(&s.crew);
	crew_scene_put(&s, 1, 80);
	crew_wait_for_cpus(&s.crew);
	cr_assert_eq(crew_wait(&s.crew, &s.err), 0, "%s", s.err.text);
	cr_expect_eq(samples_of(0), 350);
	cr_expect_eq(samples_of(1), 100);
	cr_expect_eq(crew_sync(&s.crew, &s.err), 0);
	cr_expect(crew_scene_has(&s, "out", 0, 0, 350));
	cr_expect(crew_scene_has(&s, "out", 1, 0, 100));
	crew_begin_next(&s.crew);
	crew_scene_put(&s, 0, 5);
	crew_scene_put(&s, 1, 6);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0, "%s", s.err.text);
	cr_expect_eq(samples_of(0), 75);
	cr_expect_eq(samples_of(1), 86);
	cr_expect(crew_scene_has(&s, "out.new", 0, 350, 75));
	cr_expect(crew_scene_has(&s, "out.new", 1, 100, 86));
	cr_expect(crew_scene_has(&s, "out", 0, 0, 350));
	cr_expect(crew_scene_has(&s, "out", 1, 0, 100));
}

/* Main is late: it has not begun the next side when the writers are told to end. */
Test(crew, ends_both_streams_when_it_is_stopped_within_a_cut)
{
	crew_scene_put(&s, 0, 30);
	make_next();
	crew_hold(&s.crew);
	crew_cut(&s.crew, ts_clock_now_ns(), 1, true);
	crew_unhold(&s.crew);
	crew_scene_put(&s, 0, 20);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0, "%s", s.err.text);
	cr_expect(crew_scene_has(&s, "out", 0, 0, 30));
	cr_expect(crew_scene_has(&s, "out", 1, 0, 0));
	cr_expect(crew_scene_has(&s, "out.new", 0, 30, 20));
	cr_expect(crew_scene_has(&s, "out.new", 1, 0, 0));
}

/* Longer than the flush, at which it would have looked at them. */
Test(crew, takes_nothing_while_it_is_held)
{
	crew_hold(&s.crew);
	crew_scene_put(&s, 0, 10);
	crew_scene_put(&s, 1, 10);
	sleep_ms(100);
	cr_expect_eq(samples_of(0) + samples_of(1), 0);
	crew_unhold(&s.crew);
	while (samples_of(0) + samples_of(1) < 20)
		sleep_ms(1);
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
}

Test(crew, goes_on_where_it_is_when_there_is_no_cut)
{
	crew_scene_put(&s, 0, 10);
	make_next();
	crew_drop_next(&s.crew);
	ts_dir_discard(&next);
	crew_scene_put(&s, 0, 10);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0);
	cr_expect(crew_scene_has(&s, "out", 0, 0, 20));
	cr_expect_eq(bytes_of("out.new"), -1);
}

Test(crew, tells_what_the_next_streams_have)
{
	make_next();
	cr_expect_eq(crew_next_bytes(&s.crew), 0);
	cr_assert_eq(ftruncate(s.crew.streams[0].next.fd, 3), 0);
	cr_assert_eq(ftruncate(s.crew.streams[1].next.fd, 4), 0);
	cr_expect_eq(crew_next_bytes(&s.crew), 7);
	crew_drop_next(&s.crew);
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
}

Test(crew, finds_a_stream_that_was_removed)
{
	char sentence[256], path[128];

	snprintf(path, sizeof(path), "%s/data.1", s.out);
	snprintf(sentence, sizeof(sentence), "cannot go on recording into %s: it was removed",
		 path);
	cr_expect_eq(crew_check_streams(&s.crew, &s.err), 0);
	cr_assert_eq(unlink(path), 0);
	cr_expect_eq(crew_check_streams(&s.crew, &s.err), -ENOENT);
	cr_expect_str_eq(s.err.text, sentence);
	cr_expect_eq(crew_join(&s.crew, &s.err), 0);
}

Test(crew, empties_the_streams_of_a_capture_that_is_not_kept)
{
	crew_scene_put(&s, 0, 10);
	cr_assert_eq(crew_join(&s.crew, &s.err), 0);
	cr_expect_gt(bytes_of("out/data.0"), 0);
	crew_close(&s.crew, false, &s.notes);
	cr_expect_eq(bytes_of("out/data.0"), 0);
	cr_expect_eq(bytes_of("out/data.1"), 0);
	cr_expect_eq(s.notes.nr, 0);
}
