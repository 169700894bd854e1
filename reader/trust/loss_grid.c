// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/loss_grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/base/sum.h"

#define BIAS_COLUMNS TS_TIMELINE_SLOTS

static bool counts(const struct loss_ring *r, bool only_samples)
{
	return r->timeline.nr && !(only_samples && r->is_sideband);
}

/*
 * Chooses columns that fit the slots: these stand at multiples of their length, a power of two of
 * seconds.
 */
static void choose_columns(struct loss_grid *g, const struct loss *l, bool only_samples, size_t max)
{
	uint64_t first_ns = UINT64_MAX, end_ns = 0;

	for (size_t i = 0; i < l->nr; i++) {
		const struct ts_timeline *t = &l->rings[i].timeline;

		if (!counts(&l->rings[i], only_samples))
			continue;
		g->step_ns = ts_max(t->step_ns, g->step_ns);
		if (t->first * t->step_ns < first_ns)
			first_ns = t->first * t->step_ns;
		if ((t->first + t->nr) * t->step_ns > end_ns)
			end_ns = (t->first + t->nr) * t->step_ns;
	}
	if (!end_ns)
		return;
	while ((end_ns - 1) / g->step_ns - first_ns / g->step_ns >= max)
		g->step_ns *= 2;
	g->start_ns = first_ns / g->step_ns * g->step_ns;
	g->nr_columns = (size_t)((end_ns - 1) / g->step_ns - first_ns / g->step_ns) + 1;
}

/* Rings are sorted by CPU. */
static size_t count_cpus(const struct loss *l)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		nr += !i || l->rings[i].cpu != l->rings[i - 1].cpu;
	return nr;
}

static void add_timeline(const struct loss_grid *g, const struct ts_timeline *t,
			 struct loss_cell *row)
{
	for (uint32_t i = 0; i < t->nr; i++) {
		uint64_t at_ns = (t->first + i) * t->step_ns;
		struct loss_cell *cell = &row[(at_ns - g->start_ns) / g->step_ns];

		cell->kept += t->slots[i].nr[TS_LOSS_NONE];
		for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
			cell->lost = ts_sum(cell->lost, t->slots[i].nr[cause]);
	}
}

int loss_grid_make(struct loss_grid *g, const struct loss *l, bool only_samples, size_t max_columns,
		   size_t max_rows)
{
	size_t nr_cpus = count_cpus(l), group = (nr_cpus + max_rows - 1) / max_rows, cpu = 0;

	*g = (struct loss_grid){0};
	choose_columns(g, l, only_samples, max_columns);
	if (!g->nr_columns)
		return 0;
	g->nr_rows = (nr_cpus + group - 1) / group;
	g->rows = calloc(g->nr_rows, sizeof(*g->rows));
	g->cells = calloc(g->nr_rows * g->nr_columns, sizeof(*g->cells));
	if (!g->rows || !g->cells) {
		loss_grid_release(g);
		return -ENOMEM;
	}
	for (size_t i = 0; i < l->nr; i++) {
		const struct loss_ring *r = &l->rings[i];
		struct loss_row *row;

		cpu += i && r->cpu != l->rings[i - 1].cpu;
		row = &g->rows[cpu / group];
		if (cpu % group == 0)
			row->first_cpu = r->cpu;
		row->last_cpu = r->cpu;
		if (counts(r, only_samples))
			add_timeline(g, &r->timeline, &g->cells[cpu / group * g->nr_columns]);
	}
	return 0;
}

void loss_grid_release(struct loss_grid *g)
{
	free(g->rows);
	free(g->cells);
	*g = (struct loss_grid){0};
}

/* --- bias --- */

/* Returns the points for the parts of a whole; *ret_worst is the part that lost most. */
static double points_of(const struct loss_cell *parts, size_t nr, size_t *ret_worst)
{
	double kept = 0, offered = 0, sum = 0;
	size_t worst = 0;

	for (size_t i = 0; i < nr; i++) {
		kept += (double)parts[i].kept;
		offered += (double)parts[i].kept + (double)parts[i].lost;
		if (parts[i].lost > parts[worst].lost)
			worst = i;
	}
	*ret_worst = worst;
	/* Nothing was kept, so no share is meaningful. */
	if (kept <= 0)
		return offered > 0 ? 100.0 : 0.0;
	for (size_t i = 0; i < nr; i++)
		sum += fabs((double)parts[i].kept / kept -
			    ((double)parts[i].kept + (double)parts[i].lost) / offered);
	return 100.0 * sum / 2;
}

/* Makes a part for each known CPU, with all its losses, even those at an unknown time. */
static size_t fill_cpus(const struct loss *l, struct loss_cell *parts, uint32_t *cpus)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++) {
		const struct loss_ring *r = &l->rings[i];

		if (r->is_sideband || r->cpu == LOSS_NO_CPU)
			continue;
		if (!nr || cpus[nr - 1] != r->cpu)
			cpus[nr++] = r->cpu;
		parts[nr - 1].kept += r->kept;
		parts[nr - 1].lost = ts_sum(parts[nr - 1].lost, loss_ring_lost(r));
	}
	return nr;
}

static void bias_by_cpu(const struct loss *l, struct loss_bias *b)
{
	struct loss_cell *parts = calloc(l->nr, sizeof(*parts));
	uint32_t *cpus = calloc(l->nr, sizeof(*cpus));
	size_t nr, worst;

	if (parts && cpus && (nr = fill_cpus(l, parts, cpus))) {
		b->cpu_points = points_of(parts, nr, &worst);
		b->cpu = cpus[worst];
		b->cpu_percent = loss_percent(parts[worst].lost, parts[worst].kept);
	}
	free(parts);
	free(cpus);
}

static void bias_by_time(const struct loss *l, struct loss_bias *b)
{
	struct loss_grid g;
	size_t worst;

	if (loss_grid_make(&g, l, true, BIAS_COLUMNS, 1) || !g.nr_columns)
		return;
	b->time_points = points_of(g.cells, g.nr_columns, &worst);
	b->step_s = g.step_ns / TS_NS_PER_SEC;
	b->after_s = worst * b->step_s;
	b->time_percent = loss_percent(g.cells[worst].lost, g.cells[worst].kept);
	loss_grid_release(&g);
}

bool loss_bias(const struct loss *l, struct loss_bias *ret)
{
	uint64_t kept = 0, lost = 0;

	*ret = (struct loss_bias){0};
	for (size_t i = 0; i < l->nr; i++) {
		if (l->rings[i].is_sideband)
			continue;
		kept += l->rings[i].kept;
		lost = ts_sum(lost, loss_ring_lost(&l->rings[i]));
	}
	ret->percent = loss_percent(lost, kept);
	if (ret->percent < LOSS_BIAS_POINTS) /* points are at most percent */
		return false;
	bias_by_cpu(l, ret);
	bias_by_time(l, ret);
	return ret->cpu_points >= LOSS_BIAS_POINTS || ret->time_points >= LOSS_BIAS_POINTS;
}
