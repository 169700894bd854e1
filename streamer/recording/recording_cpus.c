// SPDX-License-Identifier: Apache-2.0
/*
 * CPUs that leave and come back.
 *
 * When a CPU goes offline, the kernel removes for ever the events that record this CPU
 * (perf_event_exit_cpu()). Their rings stay, and so do all events that write into them. Events of
 * tasks wait until their task runs there again. So the writer's next looks drain the ring of a CPU
 * that left. When the CPU is back, new events are opened for the same ring, and their ids go into
 * `data` before they are enabled.
 *
 * A CPU that was offline from the beginning gets its rings when it comes. They are mapped then, and
 * given to the writer that the layout has for this CPU.
 */
#include <errno.h>

#include "common/base/clock.h"
#include "streamer/recording/recording.h"

#define LOOK_NS TS_NS_PER_SEC

static bool has_rings(const struct recording *r, unsigned int cpu)
{
	const struct source *s = &r->plan->source;

	for (size_t i = 0; i < s->nr_rings; i++)
		if (s->rings[i].cpu == cpu && !s->rings[i].is_absent)
			return true;
	return false;
}

static bool is_wanted(const struct recording *r, unsigned int cpu)
{
	hwloc_const_bitmap_t cpus = r->plan->options->target.cpus;

	return !cpus || hwloc_bitmap_isset(cpus, cpu);
}

static void take_leave(struct recording *r, unsigned int cpu, uint64_t now_ns)
{
	struct cpu_absence *a = cpu_absence_of(&r->absences, cpu);

	if (a && a->is_late)
		cpu_absence_end(a, now_ns);
	if (a || !has_rings(r, cpu))
		return;
	source_detach(&r->plan->source, cpu);
	if (cpu_absence_begin(&r->absences, cpu, now_ns))
		ts_notes_add(r->notes, "CPU %u went offline; recording continues on the other CPUs",
			     cpu);
}

/* A CPU that is expected counts as offline from the beginning until it is recorded. */
static void take_arrival(struct recording *r, unsigned int cpu, uint64_t now_ns)
{
	bool is_expected = source_expects(&r->plan->source, cpu);
	struct cpu_absence *a;

	if (has_rings(r, cpu) || cpu_absence_of(&r->absences, cpu) ||
	    (!is_expected && !is_wanted(r, cpu)))
		return;
	a = cpu_absence_begin(&r->absences, cpu,
			      is_expected && r->part.start_ns ? r->part.start_ns : now_ns);
	if (!a || is_expected)
		return;
	a->is_late = true;
	ts_notes_add(r->notes, "CPU %u came online after the start: it is not recorded", cpu);
}

/* Adds the descriptors from `first` on to the capture, and enables them. */
static int take_up(struct recording *r, size_t first, struct ts_error *err)
{
	int code;

	if ((code = crew_set_filters(&r->crew, r->notes, err)) < 0 ||
	    (code = data_file_add_ids(&r->part.data, first, err)) < 0 ||
	    (code = part_write_data(&r->part, err)) < 0)
		return code;
	return source_resume(&r->plan->source, first, err);
}

static int record_again(struct recording *r, unsigned int cpu, struct ts_error *err)
{
	size_t first;
	int code = source_reopen(&r->plan->source, cpu, &first, err);

	return code < 0 ? code : take_up(r, first, err);
}

static int record_newcomer(struct recording *r, unsigned int cpu, struct ts_error *err)
{
	size_t first;
	int code = crew_admit_rings(&r->crew, cpu, &first, err);

	if (code < 0)
		return code;
	layout_add_cpu(&r->plan->layout, cpu);
	crew_add_rings(&r->crew, cpu);
	return take_up(r, first, err);
}

static void note_reopened(struct recording *r, const struct cpu_absence *a, bool is_newcomer)
{
	double seconds = (double)(a->to_ns - a->from_ns) / TS_NS_PER_SEC;

	if (is_newcomer)
		ts_notes_add(r->notes, "CPU %u came online, and is recorded, after %.1f s", a->cpu,
			     seconds);
	else
		ts_notes_add(r->notes, "CPU %u is online again, and recorded, after %.1f s", a->cpu,
			     seconds);
}

static void give_up(struct recording *r, struct cpu_absence *a, bool is_newcomer,
		    const struct ts_error *err)
{
	a->is_given_up = true;
	if (is_newcomer) {
		a->is_late = true;
		a->from_ns = ts_clock_now_ns();
	}
	ts_notes_add(r->notes, "CPU %u %s, but is not recorded: %s", a->cpu,
		     is_newcomer ? "came online" : "is online again", err->text);
}

/* On failure the recording goes on without a trigger on that CPU. */
static void add_to_triggers(struct recording *r, unsigned int cpu)
{
	struct ts_error err;

	if (triggers_add_cpu(&r->triggers, &r->plan->source, cpu, &err) < 0)
		ts_notes_add(r->notes, "CPU %u cannot trigger --switch-output-event: %s", cpu,
			     err.text);
}

static void reopen_cpu(struct recording *r, struct cpu_absence *a)
{
	bool is_newcomer = source_expects(&r->plan->source, a->cpu);
	struct ts_error err = {0};
	int code = is_newcomer ? record_newcomer(r, a->cpu, &err) : record_again(r, a->cpu, &err);

	if (code == -ENODEV) /* listed as online, but not ready yet: the next look comes soon */
		return;
	if (code < 0) {
		give_up(r, a, is_newcomer, &err);
		return;
	}
	crew_mark_astray(&r->crew, a->cpu);
	add_to_triggers(r, a->cpu);
	cpu_absence_end(a, ts_clock_now_ns());
	note_reopened(r, a, is_newcomer);
}

/* True if a CPU is online that is to be recorded again. */
static bool is_awaited(const struct recording *r, const struct cpu_absence *a)
{
	return !a->to_ns && !a->is_late && !a->is_given_up &&
	       hwloc_bitmap_isset(r->hotplug.online, a->cpu);
}

void recording_look_at_cpus(struct recording *r)
{
	uint64_t now_ns = ts_clock_now_ns();
	struct hotplug *h = &r->hotplug;
	bool is_soon = h->fd < 0;
	int cpu;

	if (now_ns < r->cpus_look_ns)
		return;
	hotplug_look(h);
	hwloc_bitmap_foreach_begin(cpu, h->went) take_leave(r, (unsigned int)cpu, now_ns);
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_foreach_begin(cpu, h->came) take_arrival(r, (unsigned int)cpu, now_ns);
	hwloc_bitmap_foreach_end();
	for (size_t i = 0; i < r->absences.nr; i++)
		if (is_awaited(r, &r->absences.items[i]))
			reopen_cpu(r, &r->absences.items[i]);
	for (size_t i = 0; i < r->absences.nr; i++)
		is_soon |= is_awaited(r, &r->absences.items[i]);
	is_soon |= !crew_pin(&r->crew, r->hotplug.online);
	r->cpus_look_ns = is_soon ? ts_clock_now_ns() + LOOK_NS : TS_TIME_NEVER;
}
