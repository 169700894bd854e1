// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/perf/event_name.h"
#include "streamer/rings/perf_open.h"
#include "streamer/rings/source_parts.h"

/*
 * Up to so many threads have a side-band dummy each on each CPU: then the kernel itself leaves out
 * foreign tasks.
 */
#define SIDEBAND_THREADS 64

int source_no_memory(struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot open events");
}

/* --- what will be opened --- */

static int add_ring(struct source *source, const struct source_ring *ring, struct ts_error *err)
{
	struct source_ring *rings =
		reallocarray(source->rings, source->nr_rings + 1, sizeof(*rings));

	if (!rings)
		return source_no_memory(err);
	source->rings = rings;
	rings[source->nr_rings++] = *ring;
	return 0;
}

/* `expected`: offline CPUs for which a ring is planned; NULL: none. */
static int add_rings(struct source *source, enum ts_ring_kind kind, hwloc_const_bitmap_t cpus,
		     hwloc_const_bitmap_t expected, unsigned int writer, struct ts_error *err)
{
	hwloc_bitmap_t all = hwloc_bitmap_dup(cpus);
	int rc = all ? 0 : source_no_memory(err);

	if (!rc && expected && hwloc_bitmap_or(all, all, expected))
		rc = source_no_memory(err);
	for (int cpu = rc ? -1 : hwloc_bitmap_first(all); !rc && cpu >= 0;
	     cpu = hwloc_bitmap_next(all, cpu)) {
		struct source_ring ring = {.kind = kind, .cpu = cpu, .writer = writer, .fd = -1};

		ring.is_absent = !hwloc_bitmap_isset(cpus, ring.cpu);
		rc = add_ring(source, &ring, err);
	}
	hwloc_bitmap_free(all);
	return rc;
}

static bool has_direction(const struct source *source, bool is_backward)
{
	for (size_t i = 0; i < source->events->nr; i++)
		if (event_overwrites(&source->events->items[i], &source->options) == is_backward)
			return true;
	return false;
}

/* All events of a ring must write in one direction: the kernel refuses a mixture. */
static int add_sample_rings(struct source *source, const struct layout_writer *writer,
			    unsigned int number, struct ts_error *err)
{
	int rc = 0;

	if (has_direction(source, false))
		rc = add_rings(source, TS_RING_SAMPLES, writer->cpus, writer->expected_cpus, number,
			       err);
	if (!rc && has_direction(source, true))
		rc = add_rings(source, TS_RING_OVERWRITE, writer->cpus, writer->expected_cpus,
			       number, err);
	return rc;
}

static int make_rings(struct source *source, const struct layout *layout, struct ts_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < layout->nr; i++) {
		const struct layout_writer *writer = &layout->writers[i];

		rc = add_sample_rings(source, writer, i, err);
		if (!rc)
			rc = add_rings(source, TS_RING_SIDEBAND, writer->sideband_cpus,
				       writer->expected_sideband_cpus, i, err);
	}
	return rc;
}

static int name_attr(struct source *source, size_t nr, struct ts_error *err)
{
	char name[512];

	if (source_is_sideband(source, nr))
		ts_event_name(&source->attrs[nr], name, sizeof(name));
	else if (!source->options.user_only)
		snprintf(name, sizeof(name), "%s", source->events->items[nr].name);
	else if (!event_user_name(&source->events->items[nr], name, sizeof(name)))
		return privilege_explain_open(source->privilege, &source->events->items[nr],
					      &source->attrs[nr], source->target, 0, EACCES, err);
	source->names[nr] = strdup(name);
	return source->names[nr] ? 0 : source_no_memory(err);
}

/* Makes one attr and one name for each event, then those of the side-band dummy. */
static int make_attrs(struct source *source, struct ts_error *err)
{
	const struct event_list *events = source->events;
	const struct event_options *options = &source->options;
	int rc = 0;

	source->nr_attrs = events->nr + 1;
	source->attrs = calloc(source->nr_attrs, sizeof(source->attrs[0]));
	source->names = calloc(source->nr_attrs, sizeof(source->names[0]));
	if (!source->attrs || !source->names)
		return source_no_memory(err);
	for (size_t i = 0; i < events->nr; i++)
		event_attr(&events->items[i], options, &source->attrs[i]);
	event_attr_sideband(options, event_wants_data_maps(events, options),
			    &source->attrs[events->nr]);
	for (size_t i = 0; !rc && i < source->nr_attrs; i++)
		rc = name_attr(source, i, err);
	return rc;
}

bool source_has_event(const struct source *source, size_t event, const struct source_ring *ring)
{
	hwloc_const_bitmap_t cpus;

	if (ring->kind == TS_RING_SIDEBAND)
		return source_is_sideband(source, event);
	if (source_is_sideband(source, event) ||
	    source->attrs[event].write_backward != (ring->kind == TS_RING_OVERWRITE))
		return false;
	cpus = source->events->items[event].cpus;
	return !cpus || hwloc_bitmap_isset(cpus, ring->cpu);
}

/* An event would silently count nothing if its PMU is on none of the recorded CPUs. */
static int check_event_cpus(const struct source *source, struct ts_error *err)
{
	for (size_t event = 0; event < source->events->nr; event++) {
		bool found = false;

		for (size_t i = 0; i < source->nr_rings; i++)
			found |= !source->rings[i].is_absent &&
				 source_has_event(source, event, &source->rings[i]);
		if (!found)
			return ts_error_set(
				err, ENODEV,
				"cannot open event %s: its PMU is on none of the recorded CPUs",
				source->names[event]);
	}
	return 0;
}

int source_init(struct source *source, const struct event_list *events,
		const struct event_options *options, const struct target *target,
		const struct layout *layout, const struct privilege *privilege,
		struct ts_error *err)
{
	int rc;

	*source = (struct source){.events = events,
				  .target = target,
				  .privilege = privilege,
				  .options = *options,
				  .counts_lost = true};
	rc = make_rings(source, layout, err);
	if (!rc)
		rc = make_attrs(source, err);
	if (!rc)
		rc = check_event_cpus(source, err);
	if (rc)
		source_release(source);
	return rc;
}

void source_choose_width(struct source *source)
{
	const struct target *target = source->target;
	struct target_counts threads;
	struct ts_error ignored;

	source->is_wide = target->kind != TARGET_SYSTEM && target->kind != TARGET_COMMAND &&
			  source->privilege->has_perfmon && !source->options.switch_events &&
			  !target_count_threads(target, &threads, &ignored) &&
			  threads.all > SIDEBAND_THREADS;
}

/* Descriptors of one thread on that ring. */
static uint64_t count_events(const struct source *source, const struct source_ring *ring)
{
	uint64_t nr = 0;

	for (size_t event = 0; event < source->nr_attrs; event++)
		nr += source_has_event(source, event, ring);
	return nr;
}

/* The number of descriptors that an event has on that ring. */
static size_t tasks_of(const struct source *source, const struct source_ring *ring,
		       const struct target_counts *threads)
{
	if (ring->kind != TS_RING_SIDEBAND)
		return threads->sampled;
	return source->is_wide ? 1 : threads->all;
}

uint64_t source_descriptors(const struct source *source, const struct target_counts *threads)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < source->nr_rings; i++) {
		const struct source_ring *ring = &source->rings[i];

		if (!ring->is_absent)
			nr += 1 + count_events(source, ring) * tasks_of(source, ring, threads);
	}
	return nr;
}

uint64_t source_admitted_descriptors(const struct source *source, unsigned int cpu)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < source->nr_rings; i++)
		if (source->rings[i].is_absent && source->rings[i].cpu == cpu)
			nr += 1 + count_events(source, &source->rings[i]);
	return nr;
}

/* --- owners --- */

/* Linux before 6.0 does not count lost records. Then no attr asks for it. */
static void stop_counting_lost(struct source *source)
{
	source->counts_lost = false;
	for (size_t i = 0; i < source->nr_attrs; i++)
		source->attrs[i].read_format &= ~(uint64_t)PERF_FORMAT_LOST;
}

static int open_owner(struct source *source, struct source_ring *ring, uint32_t watermark_bytes,
		      struct ts_error *err)
{
	static const struct event dummy = {.name = (char *)"dummy"};
	struct perf_event_attr attr;
	int fd;

	event_attr_owner(&source->options, watermark_bytes, ring->kind == TS_RING_OVERWRITE, &attr);
	if (!source->counts_lost)
		attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	fd = perf_open(&attr, &(struct perf_open_place){.cpu = ring->cpu});
	if (fd == -EINVAL && source->counts_lost) {
		stop_counting_lost(source);
		return open_owner(source, ring, watermark_bytes, err);
	}
	if (fd < 0)
		return privilege_explain_open(source->privilege, &dummy, &attr, source->target,
					      ring->cpu, -fd, err);
	ring->fd = fd;
	return 0;
}

static bool is_to_be_opened(const struct source_ring *ring, int cpu)
{
	return cpu < 0 ? !ring->is_absent : ring->is_absent && ring->cpu == (unsigned int)cpu;
}

/* Opens the owners of the absent rings of a CPU; -1: of all rings that are not absent. */
static int open_owners(struct source *source, int cpu, uint32_t sample_watermark_bytes,
		       uint32_t sideband_watermark_bytes, struct ts_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < source->nr_rings; i++) {
		struct source_ring *ring = &source->rings[i];

		if (is_to_be_opened(ring, cpu))
			rc = open_owner(source, ring,
					ring->kind == TS_RING_SIDEBAND ? sideband_watermark_bytes
								       : sample_watermark_bytes,
					err);
	}
	return rc;
}

int source_open_owners(struct source *source, uint32_t sample_watermark_bytes,
		       uint32_t sideband_watermark_bytes, struct ts_error *err)
{
	return open_owners(source, -1, sample_watermark_bytes, sideband_watermark_bytes, err);
}

bool source_expects(const struct source *source, unsigned int cpu)
{
	for (size_t i = 0; i < source->nr_rings; i++)
		if (source->rings[i].is_absent && source->rings[i].cpu == cpu)
			return true;
	return false;
}

int source_admit(struct source *source, unsigned int cpu, uint32_t sample_watermark_bytes,
		 uint32_t sideband_watermark_bytes, struct ts_error *err)
{
	int rc = open_owners(source, (int)cpu, sample_watermark_bytes, sideband_watermark_bytes,
			     err);

	if (rc)
		source_dismiss(source, cpu);
	return rc;
}

static void close_owner(struct source_ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
}

void source_dismiss(struct source *source, unsigned int cpu)
{
	for (size_t i = 0; i < source->nr_rings; i++)
		if (is_to_be_opened(&source->rings[i], (int)cpu))
			close_owner(&source->rings[i]);
}

void source_close_owners(struct source *source)
{
	for (size_t i = 0; i < source->nr_rings; i++)
		close_owner(&source->rings[i]);
}

void source_close_events(struct source *source)
{
	for (size_t i = 0; i < source->nr_fds; i++)
		close(source->fds[i].fd);
	free(source->fds);
	source->fds = NULL;
	source->nr_fds = source->cap_fds = source->nr_filtered = 0;
}

void source_release(struct source *source)
{
	source_close_events(source);
	source_close_owners(source);
	task_filter_release(&source->tasks);
	free(source->rings);
	for (size_t i = 0; source->names && i < source->nr_attrs; i++)
		free(source->names[i]);
	free(source->names);
	free(source->attrs);
	*source = (struct source){0};
}
