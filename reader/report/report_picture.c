// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_picture.h"

#include <errno.h>
#include <inttypes.h>

#include "common/base/clock.h"
#include "reader/page/flame_svg.h"
#include "reader/page/shown_event.h"
#include "reader/runtime/text.h"
#include "reader/trust/print_overview.h"

int report_picture_open(struct report_picture *p, const struct report_run *r, struct ts_error *err)
{
	const struct picture_options *o = &r->options->picture;

	if (o->file)
		return result_file_open(&p->file, o->file, o->is_forced, err);
	return result_file_open_beside(&p->file, r->capture.path, "svg", o->is_forced, err);
}

/* --- the stacks --- */

/* The number, in the report, of the event of the older capture with the same name. */
static int find_older(const struct report_run *r, const char *name, uint32_t *ret,
		      struct ts_error *err)
{
	const struct joined *older = &r->join.items[0];
	struct ts_error why;
	uint32_t own;
	int rc = shown_event_named(&older->capture.header.events, name, &own, &why);

	if (rc)
		return ts_error_set(err, EINVAL, "cannot compare with %s: %s", older->capture.path,
				    why.text);
	*ret = older->events[own];
	return 0;
}

/* In a comparison the events of the older capture are on their own. */
static const struct ts_events *events_of(const struct report_run *r)
{
	return r->options->picture.older ? &r->capture.header.events : report_run_events(r);
}

static int refuse_stopped(const struct report_run *r, struct ts_error *err)
{
	return ts_error_set(err, EINTR, "cannot draw %s: interrupted", r->capture.path);
}

int report_picture_choose(struct report_picture *p, const struct report_run *r,
			  struct ts_error *err)
{
	const struct picture_options *o = &r->options->picture;
	const struct ts_events *events = events_of(r);
	const struct frame_looks_plan all = {.by_object = true, .by_kind = true};
	struct stack_paths_plan plan = {.nr_sides = o->older ? 2 : 1,
					.leaf_first = r->options->is_inverted,
					.joins_unknown = true};
	uint32_t nr;
	int rc = progress_is_stopped(r->capture.progress) ? refuse_stopped(r, err) : 0;

	if (!rc)
		rc = shown_event_find(events, &r->aggregate, o->event, &plan.events[STACK_NEW], &nr,
				      err);
	if (rc || !events->nr)
		return rc;
	p->event = events->items[plan.events[STACK_NEW]].name;
	p->nr_others = nr && !o->event ? nr - 1 : 0;
	if (o->older)
		rc = find_older(r, p->event, &plan.events[STACK_OLD], err);
	if (rc)
		return rc;
	rc = frame_looks_init(&p->looks, &r->aggregate, &all);
	if (!rc)
		rc = stack_paths_init(&p->paths, &r->aggregate, &p->looks, &plan);
	if (!rc)
		rc = stack_tree_init(&p->tree, &p->paths, r->capture.memory);
	return rc ? ts_error_sys(err, -rc, "cannot draw %s", r->capture.path) : 0;
}

/* --- the lines above the graph --- */

/* "1234 samples in 2.000 s on host" */
static void put_side(const struct report_picture *p, const struct overview *o, uint32_t side,
		     struct ts_bytes *out)
{
	const uint64_t nr = p->paths.weight[side].nr_samples;
	const char *host = overview_feature(o, TS_FEAT_HOSTNAME);

	ts_bytes_printf(out, "%" PRIu64 " sample%s", nr, nr == 1 ? "" : "s");
	if (o->last_ns)
		ts_bytes_printf(out, " in %.3f s",
				(double)(o->last_ns - o->first_ns) / TS_NS_PER_SEC);
	if (host) {
		text_put(out, " on ");
		text_name(out, host, 0);
	}
}

/* "1234 samples of old and new" */
static void put_joined(const struct report_picture *p, const struct report_head *head,
		       struct ts_bytes *out)
{
	ts_bytes_printf(out, "%" PRIu64 " samples of ", p->paths.weight[STACK_NEW].nr_samples);
	for (size_t i = 0; i < head->nr; i++) {
		text_put(out, !i ? "" : i + 1 < head->nr ? ", " : " and ");
		text_name(out, head->items[i].capture->path, 0);
	}
}

static void put_selection(const struct selection *selection, struct ts_bytes *out)
{
	if (!selection_text_is_some(&selection->text))
		return;
	text_put(out, "; ");
	selection_describe(selection, out);
}

static void put_subtitle(const struct report_picture *p, const struct report_run *r,
			 const struct report_head *head, struct ts_bytes *out)
{
	text_name(out, p->event, 0);
	text_put(out, ": ");
	if (head->nr == 1 || r->options->picture.older)
		put_side(p, &head->items[0], STACK_NEW, out);
	else
		put_joined(p, head, out);
	if (r->options->picture.older) {
		text_put(out, "; before: ");
		put_side(p, &head->items[1], STACK_OLD, out);
	}
	put_selection(&r->selection, out);
}

/* Losses and damage of a capture, a line each; one of several is named first. */
static void put_faults(const struct overview *o, bool is_named, struct ts_bytes *out)
{
	struct ts_bytes faults = {0};

	print_overview_faults(o, &faults);
	if (faults.len && is_named) {
		text_name(out, o->capture->path, 0);
		text_put(out, ":\n");
	}
	ts_bytes_put(out, faults.data, faults.len);
	out->failed |= faults.failed;
	ts_bytes_release(&faults);
}

static void put_warnings(const struct report_picture *p, const struct report_head *head,
			 struct ts_bytes *out)
{
	for (uint32_t side = 0; side < p->paths.nr_sides; side++)
		if (!p->paths.weight[side].nr_samples) {
			text_name(out, head->items[side].capture->path, 0);
			text_put(out, " has no samples here: nothing is compared\n");
		}
	for (size_t i = 0; i < head->nr; i++)
		put_faults(&head->items[i], head->nr > 1, out);
}

static const char *text_of(struct ts_bytes *b)
{
	ts_bytes_put(b, "", 1);
	return ts_bytes_failed(b) ? "" : (const char *)b->data;
}

int report_picture_draw(struct report_picture *p, const struct report_run *r,
			const struct report_head *head, struct ts_error *err)
{
	struct ts_bytes title = {0}, subtitle = {0}, warnings = {0};
	struct flame_svg svg = {
		.is_icicle = r->options->picture.is_icicle, .paths = &p->paths, .tree = &p->tree};
	int rc;

	report_head_title(head, &title);
	put_subtitle(p, r, head, &subtitle);
	put_warnings(p, head, &warnings);
	svg.title = text_of(&title);
	svg.subtitle = text_of(&subtitle);
	svg.warnings = text_of(&warnings);
	if (title.failed || subtitle.failed || warnings.failed)
		rc = ts_error_sys(err, ENOMEM, "cannot draw %s", r->capture.path);
	else
		rc = flame_svg_write(&svg, &p->file, err);
	if (!rc && progress_is_stopped(r->capture.progress))
		rc = refuse_stopped(r, err);
	if (!rc)
		rc = result_file_publish(&p->file, err);
	p->is_drawn = !rc;
	ts_bytes_release(&title);
	ts_bytes_release(&subtitle);
	ts_bytes_release(&warnings);
	return rc;
}

void report_picture_release(struct report_picture *p)
{
	result_file_release(&p->file);
	stack_tree_release(&p->tree);
	stack_paths_release(&p->paths);
	frame_looks_release(&p->looks);
}
