// SPDX-License-Identifier: Apache-2.0
/*
 * Counted samples stay. A step adds the samples that have come since the step before, so its cost
 * is that of the new chunks and of the rows. Everything is counted anew only for a moving window
 * (--last), or if the header of the capture has changed.
 */
#include "reader/report/report_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/directory/recorder.h"
#include "reader/commands/print_warnings.h"
#include "reader/order/follow.h"
#include "reader/report/print_report.h"
#include "reader/report/report_run.h"
#include "reader/commands/screen.h"
#include "reader/rows/table_build.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/text.h"
#include "reader/trust/print_account.h"

#define PERIOD_NS TS_NS_PER_SEC
#define SHARE	  4 /* at most 1 / SHARE of the time is spent on showing */
#define LOOK_MS	  200

struct following {
	struct report_run reading;
	struct follow follow;
	struct screen screen;
};

/* --- counting --- */

/* Forgets the counts and everything that depends on the header of the capture. */
static void forget_run(struct report_run *r)
{
	aggregate_release(&r->aggregate);
	capture_facts_close(&r->capture_facts);
	sort_keys_release(&r->keys);
}

static int begin_counting(struct report_run *r, struct ts_error *err)
{
	int rc;

	forget_run(r);
	rc = report_run_read_keys(r, err);
	if (!rc)
		rc = report_run_open_tags(r, err);
	return rc ? rc : report_run_plan(r, err);
}

static int count_step(struct following *f, bool is_first, struct ts_error *err)
{
	struct report_run *r = &f->reading;
	int rc = 0;

	if (is_first)
		rc = memory_check(r->capture.memory, r->capture.path, r->nr_workers, err);
	if (rc)
		return rc;
	if (is_first || f->follow.is_restarted)
		rc = begin_counting(r, err);
	else if (sort_keys_has_tag(&r->keys, SAMPLE_TAG_CGROUP))
		rc = capture_facts_read_cgroups(&r->capture_facts, &r->chunks, err);
	if (rc)
		return rc;
	if (f->follow.is_window)
		aggregate_release(&r->aggregate);
	return (r->aggregate.nr_parts ? aggregate_add : aggregate_run)(
		&r->aggregate, &r->aggregate_plan, &r->chunks, r->tasks, r->symbols, err);
}

/* --- showing --- */

/* "# 12 s, 4711 samples, nothing lost; cap is being recorded, ^C ends" */
static int put_status(struct following *f)
{
	const struct report_run *r = &f->reading;
	const uint64_t last_ns = ts_min(r->chunks.last_ns, f->follow.until_ns);
	const uint64_t first_ns = ts_min(r->chunks.first_ns, last_ns);
	struct ts_bytes text = {0};
	int rc;

	text_put(&text, "# ");
	if (f->follow.is_window)
		ts_bytes_printf(&text, "the last %s of ", r->options->selection.last);
	ts_bytes_printf(&text, "%.0f s, %" PRIu64 " samples, ",
			(double)(last_ns - first_ns) / TS_NS_PER_SEC, report_run_nr_samples(r));
	if (f->follow.nr_lost)
		ts_bytes_printf(&text, "%" PRIu64 " records lost; ", f->follow.nr_lost);
	else
		text_put(&text, "nothing lost; ");
	text_name(&text, r->capture.path, 0);
	text_put(&text, " is being recorded, ^C ends\n");
	rc = screen_put(&f->screen, &text);
	ts_bytes_release(&text);
	return rc;
}

static int put_text(void *screen, const struct ts_bytes *text)
{
	return screen_put(screen, text);
}

/* Events with samples share the room; unused lines go to the later ones. */
static int put_events(struct following *f)
{
	struct report_run *r = &f->reading;
	size_t nr_left = 0, left = screen_room(&f->screen);
	struct report report;
	int rc = 0;

	report_run_report(r, &report);
	for (uint32_t i = 0; i < r->table.nr_events; i++)
		nr_left += table_event_sums(&r->table, i).self_samples != 0;
	for (uint32_t i = 0; rc >= 0 && nr_left && i < r->table.nr_events; i++) {
		const size_t room = left / nr_left;

		if (!table_event_sums(&r->table, i).self_samples)
			continue;
		screen_narrow(&f->screen, room);
		table_cut(&r->table, i, room);
		rc = print_report_event(&report, i, put_text, &f->screen);
		left -= room - screen_room(&f->screen);
		nr_left--;
	}
	return rc < 0 ? rc : 0;
}

static int show_rows(struct following *f, struct ts_error *err)
{
	struct report_run *r = &f->reading;
	int rc;

	if (!screen_begin(&f->screen))
		return 0;
	rc = table_build(&r->table, &r->aggregate, report_run_events(r)->nr, &r->table_plan, err);
	if (rc)
		return rc;
	rc = r->options->quiet ? 0 : put_status(f);
	if (rc >= 0)
		rc = put_events(f);
	if (!rc)
		rc = screen_show(&f->screen);
	table_release(&r->table);
	return rc && rc != -EINTR ? ts_error_sys(err, -rc, "cannot show the report") : 0;
}

/* --- following --- */

static int take_step(struct following *f, bool is_first, struct ts_error *err)
{
	const uint64_t began_ns = ts_clock_now_ns();
	int rc = count_step(f, is_first, err);

	if (!rc && !progress_is_stopped(f->reading.capture.progress))
		rc = show_rows(f, err);
	f->follow.period_ns = ts_max(PERIOD_NS, SHARE * (ts_clock_now_ns() - began_ns));
	return rc;
}

static int next_step(struct following *f, struct ts_error *err)
{
	int rc = follow_next(&f->follow, err);

	print_warnings(&f->reading.warnings);
	return rc;
}

static int follow_and_show(struct following *f, bool *ret_was_shown, struct ts_error *err)
{
	struct report_run *r = &f->reading;
	const struct follow_objects objects = {&r->capture, &r->selection, &r->chunks,	&r->tasks,
					       &r->symbols, &r->damage,	   &r->warnings};
	bool is_first = true;
	int rc;

	screen_init(&f->screen, STDOUT_FILENO, r->capture.progress);
	follow_open(&f->follow, &objects, &r->options->selection, PERIOD_NS, r->nr_workers);
	f->follow.counts_again = true;
	f->follow.is_window = r->options->selection.last;
	while ((rc = next_step(f, err)) > 0 && !f->follow.has_ended) {
		rc = take_step(f, is_first, err);
		if (rc)
			break;
		is_first = false;
	}
	if (progress_is_stopped(r->capture.progress))
		screen_leave(&f->screen);
	else
		screen_erase(&f->screen);
	*ret_was_shown = f->screen.rows;
	follow_close(&f->follow);
	screen_release(&f->screen);
	return rc < 0 ? rc : 0;
}

/* If no rows are shown, nothing needs to be counted before the end. */
static int wait_for_end(const struct report_run *r, struct ts_error *err)
{
	const struct progress *p = r->capture.progress;
	const int fd = open(r->capture.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return ts_error_sys(err, errno, "cannot follow %s", r->capture.path);
	while (!progress_is_stopped(p) && ts_recorder_holds_at(fd, ".")) {
		struct pollfd stop = {.fd = p->stop.fd, .events = POLLIN};

		poll(&stop, 1, LOOK_MS);
	}
	close(fd);
	return 0;
}

static int follow_running(struct following *f, bool *ret_was_shown, struct ts_error *err)
{
	struct report_run *r = &f->reading;
	/* Errors of the command line are reported now, not when the recording has ended. */
	int rc = report_run_read_keys(r, err);

	if (!rc)
		rc = report_run_plan(r, err);
	if (rc)
		return rc;
	return screen_is_there(STDOUT_FILENO) && !r->options->json
		       ? follow_and_show(f, ret_was_shown, err)
		       : wait_for_end(r, err);
}

int report_follow(const struct report_options *options, struct memory *memory,
		  struct progress *progress, unsigned int nr_workers, struct report_followed *ret,
		  struct ts_error *err)
{
	struct following f = {0};
	struct report_run *r = &f.reading;
	int rc = report_run_open(r, options, memory, progress, nr_workers, err);

	*ret = (struct report_followed){.was_running = r->capture.is_running};
	if (!rc && !ret->was_running)
		print_not_followed(&r->capture);
	else if (!rc)
		rc = follow_running(&f, &ret->was_shown, err);
	ret->is_misuse = r->is_misuse;
	report_run_close(r);
	return rc;
}
