// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/part.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/crew_scene.h"

static struct crew_scene s;
static struct part *p = &s.part;

static void set_up(void)
{
	setenv("TZ", "UTC", 1);
	crew_scene_plan(&s);
	crew_scene_start(&s);
}

static void tear_down(void)
{
	crew_scene_tear_down(&s);
}

TestSuite(part, .init = set_up, .fini = tear_down);

/* Is that in the tstream.json of the directory? */
static bool tells(const char *text)
{
	char path[256], buf[65536];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/" TS_DIR_INFO, p->dir.path);
	file = fopen(path, "r");
	cr_assert_not_null(file);
	len = fread(buf, 1, sizeof(buf) - 1, file);
	buf[len] = '\0';
	fclose(file);
	return strstr(buf, text) != NULL;
}

static void stop(void)
{
	cr_assert_eq(crew_join(&s.crew, &s.err), 0, "%s", s.err.text);
	p->end_ns = p->start_ns + 5;
	cr_assert_eq(part_take_account(p, &s.crew, NULL, true, &s.err), 0, "%s", s.err.text);
}

Test(part, is_complete_when_it_is_finished)
{
	crew_scene_put(&s, 0, 300);
	crew_scene_put(&s, 1, 40);
	cr_expect(tells("\"recording\""));
	stop();
	cr_expect_eq(p->ledger.total.samples, 340);
	cr_assert_eq(part_finish(p, &s.err), 0, "%s", s.err.text);
	cr_expect(tells("\"complete\""));
	cr_expect(tells("\"duration_ns\":5"));
	cr_expect_gt(p->data.written_bytes, 0);
	cr_expect_eq(part_bytes(p), p->ledger.total.stream_bytes + p->data.written_bytes);
}

Test(part, tells_of_its_span_where_there_are_cuts)
{
	cr_expect(!tells("\"rotation\""));
	p->has_span = true;
	p->span.number = 7;
	cr_assert_eq(part_write_info(p, &p->dir, NULL, &s.err), 0);
	cr_expect(tells("\"rotation\""));
	cr_expect(tells("\"number\":7"));
	stop();
}

Test(part, tells_what_it_failed_with)
{
	stop();
	cr_assert_eq(part_write_info(p, &p->dir, "cannot go on", &s.err), 0);
	cr_expect(tells("\"failed\""));
	cr_expect(tells("cannot go on"));
}

static void expect_name(const char *name, const char *suffix)
{
	const struct timespec then = {.tv_sec = 1234567890, .tv_nsec = 560000000};
	char path[256];

	snprintf(path, sizeof(path), "%s.2009021323313056%s", s.out, suffix);
	stop();
	cr_assert_eq(part_name(p, &then, name, &s.err), 0, "%s", s.err.text);
	cr_expect_str_eq(p->dir.path, path);
	cr_expect_eq(access(path, F_OK), 0);
	cr_expect_neq(access(s.out, F_OK), 0);
}

Test(part, gets_a_stamp)
{
	expect_name("", "");
}

Test(part, gets_a_stamp_and_a_name)
{
	expect_name("peak", "-peak");
}

Test(part, goes_on_where_the_one_before_it_ends)
{
	stop();
	p->span = (struct cut_span){.number = 3, .begin_ns = 10, .end_ns = 20};
	p->span.cause.kind = CUT_BY_SIGNAL;
	p->ended_by = "switch-output";
	p->start_ns = 100;
	p->end_ns = 250;
	cr_expect_eq(part_duration_ns(p), 150);
	part_next_span(p);
	part_begin_next(p);
	cr_expect_eq(p->span.number, 4);
	cr_expect_eq(p->span.begin_ns, 20);
	cr_expect_eq(p->span.end_ns, 0);
	cr_expect_eq(p->start_ns, 250);
	cr_expect_eq(p->end_ns, 0);
	cr_expect_null(p->ended_by);
	cr_expect_null(p->ledger.writers);
	cr_expect_eq(part_duration_ns(p), 0);
}

Test(part, has_no_start_before_samples_are_enabled)
{
	stop();
	p->start_ns = p->start_realtime_ns = 0;
	p->end_ns = 250;
	cr_expect_eq(part_duration_ns(p), 0);
	part_begin_next(p);
	cr_expect_eq(p->start_ns, 0);
	cr_expect_eq(p->start_realtime_ns, 0);
}

Test(part, moves_to_another_directory)
{
	struct ts_dir next = TS_DIR_INIT;
	int fd;

	stop();
	cr_assert_eq(ts_dir_create_next(&next, s.out, &p->dir, &s.err), 0, "%s", s.err.text);
	fd = next.fd;
	next.syncs = true;
	part_move(p, &next);
	cr_expect_eq(p->dir.fd, fd);
	cr_expect_eq(next.fd, -1);
	cr_expect_not(p->dir.syncs);
}

Test(part, writes_nothing_where_the_output_is_dropped)
{
	struct ts_dir nowhere = TS_DIR_INIT;

	stop();
	s.plan.drops_output = true;
	cr_expect_eq(part_write_info(p, &nowhere, NULL, &s.err), 0);
	p->data.written_bytes = 0;
	cr_expect_eq(part_write_data(p, &s.err), 0);
	cr_expect_eq(p->data.written_bytes, 0);
}
