// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/crew.h"

#include "common/base/units.h"
#include "streamer/targets/self_filter.h"

/* Maps a ring on its owner. */
static int map_ring(struct crew *c, size_t ring, struct ts_error *err)
{
	const struct record_plan *p = c->plan;
	const struct source_ring *s = &p->source.rings[ring];
	struct ring_id id = {.number = (uint32_t)ring, .cpu = s->cpu, .kind = s->kind};
	uint64_t bytes = record_plan_ring_bytes(p, s);
	int code = ring_open(&c->rings[ring], &id, s->fd, s->fd, bytes, err);

	c->rings[ring].file_ids = c->file_ids.files ? &c->file_ids : NULL;
	return code < 0 ? privilege_explain_mmap(&p->privilege, (int)s->cpu, bytes, -code, err) : 0;
}

/* Rings of CPUs that are offline are mapped when these come online: crew_admit_rings(). */
static int map_rings(struct crew *c, struct ts_error *err)
{
	const struct source *s = &c->plan->source;
	int code = 0;

	for (size_t i = 0; i < s->nr_rings && !code; i++) {
		c->ring_refs[i] = &c->rings[i];
		if (!s->rings[i].is_absent)
			code = map_ring(c, i, err);
	}
	return code;
}

void crew_unmap_rings(struct crew *c)
{
	for (size_t i = 0; c->rings && i < c->plan->source.nr_rings; i++)
		ring_close(&c->rings[i]);
}

/*
 * Other processes of this user share the memory that he may lock, and the kernel does not tell how
 * much they have. So sample rings are halved until all rings fit. The watermark follows; it is the
 * owner's.
 */
static int map_what_fits(struct crew *c, struct ts_notes *notes, struct ts_error *err)
{
	struct record_plan *p = c->plan;
	char size[TS_UNITS_TEXT];
	bool was_halved = false;
	int code;

	for (;; was_halved = true) {
		code = source_open_owners(&p->source, record_plan_watermark(p, TS_RING_SAMPLES),
					  record_plan_watermark(p, TS_RING_SIDEBAND), err);
		if (code < 0)
			return code;
		code = map_rings(c, err);
		if (code != -EPERM || !record_plan_halve_rings(p))
			break;
		crew_unmap_rings(c);
		source_close_owners(&p->source);
	}
	if (!code && was_halved)
		ts_notes_add(notes,
			     "rings have %s: other processes of this user have locked the rest of "
			     "the allowed memory (kernel.perf_event_mlock_kb)",
			     ts_units_format_size(size, p->sample_ring_bytes));
	return code;
}

/* Side-band of whole CPUs: writers leave out what is not of the targets. `cpu`: -1: of all CPUs. */
static void filter_tasks(struct crew *c, int cpu)
{
	struct source *s = &c->plan->source;

	for (size_t i = 0; s->is_wide && i < s->nr_rings; i++)
		if (s->rings[i].kind == TS_RING_SIDEBAND && !s->rings[i].is_absent &&
		    (cpu < 0 || s->rings[i].cpu == (unsigned int)cpu))
			task_filter_add(&s->tasks, &c->rings[i]);
}

int crew_open_rings(struct crew *c, struct ts_notes *notes, struct ts_error *err)
{
	int code;

	code = map_what_fits(c, notes, err);
	if (code < 0)
		return code;
	code = source_open_events(&c->plan->source, notes, err);
	if (!code)
		filter_tasks(c, -1);
	return code;
}

int crew_set_filters(struct crew *c, struct ts_notes *notes, struct ts_error *err)
{
	const struct record_options *o = c->plan->options;
	bool leaves_out = o->exclude_self && o->target.kind == TARGET_SYSTEM;
	struct ts_bytes self = {0};
	int code = leaves_out ? self_filter_make(&self, err) : 0;

	if (!code)
		code = source_set_filters(&c->plan->source,
					  leaves_out ? (const char *)self.data : NULL, notes, err);
	ts_bytes_release(&self);
	return code;
}

int crew_admit_rings(struct crew *c, unsigned int cpu, size_t *ret_first, struct ts_error *err)
{
	struct record_plan *p = c->plan;
	struct source *s = &p->source;
	int code = privilege_raise_files(source_admitted_descriptors(s, cpu), err);

	if (code < 0)
		return code;
	code = source_admit(s, cpu, record_plan_watermark(p, TS_RING_SAMPLES),
			    record_plan_watermark(p, TS_RING_SIDEBAND), err);
	if (code < 0)
		return code;
	for (size_t i = 0; i < s->nr_rings && !code; i++)
		if (s->rings[i].is_absent && s->rings[i].cpu == cpu)
			code = map_ring(c, i, err);
	if (!code)
		code = source_open_admitted(s, cpu, ret_first, err);
	if (!code) {
		filter_tasks(c, (int)cpu);
		return 0;
	}
	for (size_t i = 0; i < s->nr_rings; i++)
		if (s->rings[i].is_absent && s->rings[i].cpu == cpu)
			ring_close(&c->rings[i]);
	source_dismiss(s, cpu);
	return code;
}
