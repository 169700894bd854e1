// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/print_record_plan.h"

#include "common/base/units.h"
#include "streamer/events/print_event_attr.h"
#include "streamer/layout/print_layout.h"

static const char *target_name(const struct target *t)
{
	switch (t->kind) {
	case TARGET_SYSTEM:
		return "everything on its CPUs";
	case TARGET_PIDS:
		return "processes and what they start";
	case TARGET_USER:
		return "a user's processes and what they start";
	case TARGET_TIDS:
		return "threads";
	default:
		return "the command and what it starts";
	}
}

static void print_events(const struct record_plan *p, FILE *out)
{
	const struct event_list *events = &p->options->events;

	fputs("events:", out);
	for (size_t i = 0; i < events->nr; i++)
		fprintf(out, " %s", events->items[i].name);
	fputc('\n', out);
}

/* Threads of the targets, as they are now; the command is one thread. */
static struct target_counts count_threads(const struct target *t)
{
	struct target_counts threads = {1, 1};
	struct ts_error ignored;

	if (t->kind != TARGET_SYSTEM && t->kind != TARGET_COMMAND)
		target_count_threads(t, &threads, &ignored);
	return threads;
}

void print_record_plan(const struct record_plan *p, FILE *out)
{
	char size[TS_UNITS_TEXT], other[TS_UNITS_TEXT];
	struct target_counts threads = count_threads(&p->options->target);

	fprintf(out, "layout: %s, %zu writer%s%s\n", p->layout.kind, p->layout.nr,
		p->layout.nr == 1 ? "" : "s",
		p->machine.is_synthetic ? " (synthetic topology)" : "");
	print_layout(&p->layout, out);
	fprintf(out, "target: %s\n", target_name(&p->options->target));
	print_events(p, out);
	fprintf(out, "rings: %llu of %s for samples, %llu of %s for side-band\n",
		(unsigned long long)record_plan_count_rings(p, false),
		ts_units_format_size(size, p->sample_ring_bytes),
		(unsigned long long)record_plan_count_rings(p, true),
		ts_units_format_size(other, p->sideband_ring_bytes));
	fprintf(out, "descriptors: %llu\n",
		(unsigned long long)record_plan_descriptors(p, &threads));
	fprintf(out, "memory: %s of rings", ts_units_format_size(size, record_plan_rings_total(p)));
	fprintf(out, ", %s of buffers\n", ts_units_format_size(size, record_plan_buffers_total(p)));
}

void print_record_attrs(const struct record_plan *p, FILE *out)
{
	for (size_t i = 0; i < p->source.nr_attrs; i++)
		print_event_attr(&p->source.attrs[i], out);
}
