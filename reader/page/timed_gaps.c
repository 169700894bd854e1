// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_gaps.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/trust/loss_grid.h"

#define MOST_GAPS 256 /* of a capture */

static int add_gap(struct timed_gaps *g, const struct timed_gap *gap)
{
	struct timed_gap *grown;

	if (g->nr == g->cap) {
		const size_t cap = g->cap ? 2 * g->cap : MOST_GAPS;

		grown = reallocarray(g->items, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		g->items = grown;
		g->cap = cap;
	}
	g->items[g->nr++] = *gap;
	return 0;
}

/* Losses outside of selected times are not wanted; outside of all samples they count. */
static bool has_times(const struct overview *o)
{
	return o->chunks->selection && o->chunks->selection->times.nr;
}

/* The column as a gap; nr_lost 0: none. */
static struct timed_gap gap_of(const struct loss_grid *grid, size_t column, uint32_t capture,
			       const struct timed_samples *samples, bool only_inside)
{
	const uint64_t start_ns = samples->starts_ns[capture];
	const uint64_t from_ns = grid->start_ns + column * grid->step_ns;
	const uint64_t until_ns = from_ns + grid->step_ns;
	const uint64_t after_ns = ts_max(from_ns, start_ns) - start_ns;
	struct timed_gap gap = {.capture = capture};

	if (only_inside && (until_ns <= start_ns || after_ns > samples->length_ns))
		return gap;
	gap.from_ns = ts_min(after_ns, samples->length_ns);
	gap.until_ns = after_ns > samples->length_ns ? samples->length_ns
						     : ts_max(until_ns, start_ns) - start_ns;
	gap.nr_lost = grid->cells[column].lost;
	gap.nr_kept = grid->cells[column].kept;
	return gap;
}

static int add_capture(struct timed_gaps *g, const struct loss *loss, uint32_t capture,
		       const struct timed_samples *samples, bool only_inside)
{
	struct loss_grid grid = {0};
	int rc = loss_grid_make(&grid, loss, true, MOST_GAPS, 1);

	for (size_t i = 0; !rc && grid.nr_rows && i < grid.nr_columns; i++) {
		const struct timed_gap gap = gap_of(&grid, i, capture, samples, only_inside);

		if (gap.nr_lost)
			rc = add_gap(g, &gap);
	}
	loss_grid_release(&grid);
	return rc;
}

static int read_capture(struct timed_gaps *g, const struct overview *captures, uint32_t capture,
			const struct timed_samples *samples, struct ts_error *err)
{
	struct loss loss;
	int rc = loss_open(&loss, captures[capture].capture, captures[capture].chunks, err);

	if (rc)
		return rc;
	rc = add_capture(g, &loss, capture, samples, has_times(&captures[capture]));
	loss_close(&loss);
	return rc ? ts_error_sys(err, -rc, "cannot list the losses") : 0;
}

/* Can there be none? Then the records need not be walked once more, as those of other recorders are. */
static bool is_whole(const struct overview *o)
{
	const struct chunk_counts *counts = &o->chunks->counts;

	return o->source == OVERVIEW_FROM_RECORDS && !counts->lost && !counts->lost_samples;
}

int timed_gaps_init(struct timed_gaps *g, const struct overview *captures,
		    const struct timed_samples *samples, struct ts_error *err)
{
	int rc = 0;

	*g = (struct timed_gaps){0};
	for (uint32_t i = 0; !rc && i < samples->nr_captures; i++)
		if (samples->starts_ns[i] != UINT64_MAX && !is_whole(&captures[i]))
			rc = read_capture(g, captures, i, samples, err);
	if (rc)
		timed_gaps_release(g);
	return rc;
}

void timed_gaps_release(struct timed_gaps *g)
{
	free(g->items);
	*g = (struct timed_gaps){0};
}
