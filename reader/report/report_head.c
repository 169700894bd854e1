// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_head.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/report/print_report.h"
#include "reader/trust/loss.h"
#include "reader/trust/loss_grid.h"
#include "reader/trust/print_loss.h"
#include "reader/trust/print_overview.h"

int report_head_open(struct report_head *h, const struct overview_parts *first,
		     struct joined_captures *join, struct ts_error *err)
{
	const size_t nr_more = join ? join->nr : 0;
	int rc;

	h->items = calloc(1 + nr_more, sizeof(*h->items));
	if (!h->items)
		return ts_error_sys(err, ENOMEM, "cannot make the overview of the captures");
	h->nr = 1 + nr_more;
	rc = overview_open(&h->items[0], first);
	if (!rc && join)
		rc = joined_captures_overviews(join, first->is_partly_read, h->items + 1);
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

void report_head_close(struct report_head *h)
{
	for (size_t i = 0; i < h->nr; i++)
		overview_close(&h->items[i]);
	free(h->items);
	*h = (struct report_head){0};
}
