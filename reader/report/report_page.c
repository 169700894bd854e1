// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/report/report_page.h"

#include <errno.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/page/shown_event.h"
#include "reader/runtime/text.h"

#define MOST_THREADS 10000u
#define THREAD_BYTES 2048u /* of the page: with a lower limit there are fewer threads */

static uint64_t most_bytes_of(const struct report_run *r)
{
	const uint64_t wanted = r->options->picture.most_bytes;

	return wanted ? wanted : REPORT_PAGE_BYTES;
}

int report_page_open(struct report_page *p, const struct report_run *r, struct ts_error *err)
{
	const struct picture_options *o = &r->options->picture;

	if (o->file)
		return result_file_open(&p->file, o->file, o->is_forced, err);
	return result_file_open_beside(&p->file, r->capture.path, "html", o->is_forced, err);
}

static int refuse_stopped(const struct report_run *r, struct ts_error *err)
{
	return ts_error_set(err, EINTR, "cannot make a page of %s: interrupted", r->capture.path);
}

/* --- the samples --- */

static int list_paths(struct report_page *p, const struct report_run *r)
{
	const struct frame_looks_plan all = {.by_object = true, .by_kind = true};
	const struct stack_paths_plan plan = {.events = {p->event},
					      .nr_sides = 1,
					      .with_others = !r->options->picture.event,
					      .with_places = true,
					      .joins_unknown = true};
	const int rc = frame_looks_init(&p->looks, &r->aggregate, &all);

	return rc ? rc : stack_paths_init(&p->paths, &r->aggregate, &p->looks, &plan);
}

int report_page_list(struct report_page *p, const struct report_run *r, struct ts_error *err)
{
	const uint64_t most = ts_max(2, ts_min(MOST_THREADS, most_bytes_of(r) / THREAD_BYTES));
	uint32_t nr;
	int rc = shown_event_find(report_run_events(r), &r->aggregate, r->options->picture.event,
				  &p->event, &nr, err);

	if (!rc && progress_is_stopped(r->capture.progress))
		rc = refuse_stopped(r, err);
	if (rc)
		return rc;
	rc = list_paths(p, r);
	if (!rc)
		rc = timed_samples_init(&p->samples, &r->aggregate, &p->paths, (uint32_t)most,
					r->nr_workers);
	return rc ? ts_error_sys(err, -rc, "cannot list the samples of %s", r->capture.path) : 0;
}

/* --- times --- */

static const struct capture *capture_of(const struct report_run *r, uint32_t number)
{
	return number ? &r->join.items[number - 1].capture : &r->capture;
}

static bool is_shown(const struct report_page *p, const struct report_run *r, uint32_t event)
{
	return !r->options->picture.event || event == p->event;
}

/* Do all samples of the shown events carry their times? */
static bool has_times(const struct report_page *p, const struct report_run *r)
{
	for (uint32_t i = 0; i <= r->join.nr; i++) {
		const struct ts_events *own = &capture_of(r, i)->header.events;

		for (uint32_t k = 0; k < own->nr; k++)
			if (!(own->items[k].attr.sample_type & PERF_SAMPLE_TIME) &&
			    is_shown(p, r, i ? r->join.items[i - 1].events[k] : k))
				return false;
	}
	return true;
}

/* --- the page --- */

/* "Selected: comm sh" without its first word. */
static void put_selection(const struct selection *selection, struct ts_bytes *out)
{
	const size_t skipped = strlen("Selected: ");
	struct ts_bytes selected = {0};

	if (selection_text_is_some(&selection->text))
		selection_describe(selection, &selected);
	if (selected.len > skipped)
		ts_bytes_put(out, selected.data + skipped, selected.len - skipped);
	text_char(out, '\0');
	out->failed |= selected.failed;
	ts_bytes_release(&selected);
}

static int make_page(struct report_page *p, const struct report_run *r,
		     const struct report_head *head, struct html_source *s, struct ts_error *err)
{
	struct ts_bytes title = {0}, selection = {0};
	int rc = 0;

	report_head_title(head, &title);
	text_char(&title, '\0');
	put_selection(&r->selection, &selection);
	if (title.failed || selection.failed)
		rc = ts_error_sys(err, ENOMEM, "cannot make a page of %s", r->capture.path);
	s->title = (const char *)title.data;
	s->selection = (const char *)selection.data;
#ifdef HTML_LACKS /* the options refuse it */
	(void)p;
#else
	if (!rc)
		rc = html_page_write(s, &p->file, &p->summary, err);
#endif
	ts_bytes_release(&title);
	ts_bytes_release(&selection);
	return rc;
}

int report_page_write(struct report_page *p, const struct report_run *r,
		      const struct report_head *head, struct ts_error *err)
{
	struct html_source s = {
		.captures = head->items,
		.nr_captures = (uint32_t)head->nr,
		.events = report_run_events(r),
		.event = p->event,
		.paths = &p->paths,
		.samples = &p->samples,
		.threads = &p->threads,
		.gaps = &p->gaps,
		.has_times = has_times(p, r),
		.most_bytes = most_bytes_of(r),
		.memory = r->capture.memory,
		.progress = r->capture.progress,
		.nr_workers = r->nr_workers,
	};
	int rc = named_threads_init(&p->threads, head->items, &p->samples);

	if (rc)
		return ts_error_sys(err, -rc, "cannot name the threads of %s", r->capture.path);
	rc = timed_gaps_init(&p->gaps, head->items, &p->samples, err);
	if (!rc)
		rc = make_page(p, r, head, &s, err);
	if (progress_is_stopped(r->capture.progress))
		return refuse_stopped(r, err);
	if (!rc)
		rc = result_file_publish(&p->file, err);
	p->is_written = !rc;
	return rc;
}

void report_page_release(struct report_page *p)
{
	result_file_release(&p->file);
	timed_gaps_release(&p->gaps);
	named_threads_release(&p->threads);
	timed_samples_release(&p->samples);
	stack_paths_release(&p->paths);
	frame_looks_release(&p->looks);
}
