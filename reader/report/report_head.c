// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_head.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/report/print_report.h"
#include "reader/runtime/text.h"
#include "reader/trust/loss.h"
#include "reader/trust/loss_grid.h"
#include "reader/trust/print_loss.h"
#include "reader/trust/print_overview.h"

/* Without a table its stacks have all samples. */
static uint64_t nr_samples_of(const struct report_run *r)
{
	if (report_run_has_several(r))
		return r->join.nr_samples;
	return r->table.nr_events ? report_run_nr_samples(r) : aggregate_nr_samples(&r->aggregate);
}

static int open_first(struct overview *o, const struct report_run *r)
{
	const struct overview_parts parts = {
		.capture = &r->capture,
		.chunks = &r->chunks,
		.tasks = r->tasks,
		.damage = &r->damage,
		.name = report_run_has_several(r) ? r->join.host : NULL,
		.nr_samples = nr_samples_of(r),
		.nr_unknown = r->aggregate.nr_unknown,
		.nr_bad = r->aggregate.nr_bad,
		.is_partly_read = report_run_is_partial(r),
		.counted_percent = progress_is_stopped(r->capture.progress) ? r->percent : 100,
	};

	return overview_open(o, &parts);
}

int report_head_open(struct report_head *h, struct report_run *r, struct ts_error *err)
{
	int rc = report_run_merge_damage(r);

	if (rc)
		return ts_error_sys(err, -rc, "cannot list the damage of %s", r->capture.path);
	h->items = calloc(1 + r->join.nr, sizeof(*h->items));
	if (!h->items)
		return ts_error_sys(err, ENOMEM, "cannot make the overview of the captures");
	h->nr = 1 + r->join.nr;
	rc = open_first(&h->items[0], r);
	if (!rc)
		rc = joined_captures_overviews(&r->join, report_run_is_partial(r), h->items + 1);
	return rc ? ts_error_sys(err, -rc, "cannot make the overview of the captures") : 0;
}

/*
 * Captures of other recorders would need one more walk, so bias is checked only if their LOST
 * records report enough losses.
 */
static bool may_be_biased(const struct overview *o)
{
	const struct chunk_table *t = o->chunks;
	double kept = 0;

	if (!o->capture->nr_streams || t->nr == 0 || o->is_partly_read)
		return false;
	for (size_t i = 0; i < t->nr; i++) {
		if (t->chunks[i].header_bytes)
			return true;
		kept += (double)t->chunks[i].nr_records;
	}
	return 100.0 * (double)t->counts.lost >= LOSS_BIAS_POINTS * kept;
}

/* Prints the loss bias if losses have moved the shares. */
static int print_bias(const struct overview *o, struct ts_bytes *out, struct ts_error *err)
{
	struct loss loss = {0};
	int rc;

	if (!may_be_biased(o))
		return 0;
	rc = loss_open(&loss, o->capture, o->chunks, err);
	if (!rc)
		print_loss_bias(&loss, out);
	loss_close(&loss);
	return rc;
}

static int print_capture(const struct overview *o, bool is_whole, struct ts_bytes *out,
			 struct ts_error *err)
{
	if (o->name)
		print_capture_name(o->capture->path, o->name, out);
	print_overview(o, is_whole, out);
	return print_bias(o, out, err);
}

int report_head_print(const struct report_head *h, const struct selection *selection, bool is_whole,
		      struct ts_bytes *out, struct ts_error *err)
{
	uint64_t nr_lost = 0;
	int rc = 0;

	for (size_t i = 0; i < h->nr; i++)
		nr_lost += h->items[i].chunks->counts.lost_samples;
	selection_print(selection, out);
	print_report_top(nr_lost, out);
	for (size_t i = 0; !rc && i < h->nr; i++)
		rc = print_capture(&h->items[i], is_whole, out, err);
	return rc;
}

void report_head_title(const struct report_head *h, struct ts_bytes *out)
{
	if (!print_overview_command(&h->items[0], out))
		text_name(out, h->items[0].capture->path, 0);
}

void report_head_close(struct report_head *h)
{
	for (size_t i = 0; i < h->nr; i++)
		overview_close(&h->items[i]);
	free(h->items);
	*h = (struct report_head){0};
}
