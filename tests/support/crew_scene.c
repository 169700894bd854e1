// SPDX-License-Identifier: Apache-2.0
#include "tests/support/crew_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/task_records.h"

#define RING_BYTES 65536u

static void need(int code, const struct ts_error *err)
{
	if (code >= 0)
		return;
	fprintf(stderr, "%s\n", err->text);
	abort();
}

static void plan_events(struct crew_scene *s)
{
	static char samples[] = "samples", sideband[] = "dummy:HG";
	struct source *source = &s->plan.source;

	for (size_t i = 0; i < 2; i++)
		s->attrs[i] = (struct perf_event_attr){
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(s->attrs[i]),
			.config = PERF_COUNT_SW_DUMMY,
			.sample_type = TASK_RECORDS_SAMPLE_TYPE,
			.sample_id_all = 1,
			.exclude_kernel = 1,
			.use_clockid = 1,
			.clockid = CLOCK_MONOTONIC,
		};
	s->names[0] = samples;
	s->names[1] = sideband;
	source->events = &s->options.events;
	source->target = &s->options.target;
	source->attrs = s->attrs;
	source->names = s->names;
	source->nr_attrs = 2;
}

static void plan_writers(struct crew_scene *s)
{
	for (unsigned int i = 0; i < CREW_SCENE_WRITERS; i++) {
		struct layout_writer *w = &s->layout_writers[i];

		*w = (struct layout_writer){
			.cpus = hwloc_bitmap_alloc(),
			.sideband_cpus = hwloc_bitmap_alloc(),
			.affinity = hwloc_bitmap_dup(s->plan.machine.allowed),
			.nodes = hwloc_bitmap_alloc(),
		};
		hwloc_bitmap_set(w->cpus, i);
		hwloc_bitmap_set(w->sideband_cpus, i);
		for (unsigned int k = 0; k < 2; k++)
			s->source_rings[2 * i + k] = (struct source_ring){
				.kind = k ? TS_RING_SIDEBAND : TS_RING_SAMPLES,
				.cpu = i,
				.writer = i,
				.fd = -1,
			};
	}
	s->plan.layout = (struct layout){
		.writers = s->layout_writers, .nr = CREW_SCENE_WRITERS, .kind = "cpu"};
	s->plan.source.rings = s->source_rings;
	s->plan.source.nr_rings = CREW_SCENE_RINGS;
}

void crew_scene_plan(struct crew_scene *s)
{
	memset(s, 0, sizeof(*s));
	scratch_make(&s->scratch);
	snprintf(s->out, sizeof(s->out), "%s/out", s->scratch.path);
	s->options = (struct record_options){
		.target.kind = TARGET_SYSTEM,
		.flush_ns = 20 * TS_NS_PER_MS,
		.min_free.kind = MIN_FREE_BYTES,
		.output = s->out,
	};
	s->plan = (struct record_plan){
		.options = &s->options,
		.sample_ring_bytes = RING_BYTES,
		.sideband_ring_bytes = RING_BYTES,
		.nr_buffers = 2,
		.buffer_bytes = WRITER_BUFFER_BYTES_MIN,
		.log_fd = -1,
	};
	need(layout_machine_init(&s->plan.machine, &s->err), &s->err);
	plan_events(s);
	plan_writers(s);
	crew_init(&s->crew, &s->plan);
	part_init(&s->part, &s->plan, s->uuid, &s->absences);
	need(crew_open(&s->crew, &s->err), &s->err);
}

static void map_rings(struct crew_scene *s)
{
	for (unsigned int i = 0; i < CREW_SCENE_RINGS; i++) {
		struct ring *ring = &s->crew.rings[i];

		fake_ring_init(&s->fakes[i], RING_BYTES);
		s->fakes[i].cpu = s->source_rings[i].cpu;
		fake_ring_open(&s->fakes[i], ring, i, s->source_rings[i].kind);
		s->crew.ring_refs[i] = ring;
	}
}

void crew_scene_start(struct crew_scene *s)
{
	static char name[] = "tstream";
	char *argv[] = {name, NULL};
	const struct data_file_facts facts = {.argc = 1, .argv = argv};
	struct part *p = &s->part;

	need(crew_allocate(&s->crew, &s->err), &s->err);
	need(part_create(p, s->out, &s->err), &s->err);
	need(crew_make_streams(&s->crew, &p->dir, s->out, &s->err), &s->err);
	map_rings(s);
	need(crew_start(&s->crew, s->uuid, &s->err), &s->err);
	need(data_file_init(&p->data, &s->plan, &facts, &s->notes, &s->err), &s->err);
	need(part_write_data(p, &s->err), &s->err);
	need(part_write_info(p, &p->dir, NULL, &s->err), &s->err);
	need(ts_dir_publish(&p->dir, &s->err), &s->err);
	part_reserve(p);
	p->start_realtime_ns = ts_clock_ns(CLOCK_REALTIME);
	p->start_ns = ts_clock_now_ns();
}

void crew_scene_put(struct crew_scene *s, size_t writer, unsigned int nr)
{
	while (nr--)
		if (!fake_ring_put_sample(&s->fakes[2 * writer], 64))
			abort();
}

void crew_scene_put_name(struct crew_scene *s, size_t writer, uint32_t tid, const char *name)
{
	const struct record_at at = {.pid = tid,
				     .tid = tid,
				     .cpu = (uint32_t)writer,
				     .time_ns = ts_clock_now_ns(),
				     .id = 1};
	struct ts_bytes record = {0};

	put_comm(&record, &at, 0, name);
	if (!fake_ring_put(&s->fakes[2 * writer + 1], record.data))
		abort();
	ts_bytes_release(&record);
}

void crew_scene_tear_down(struct crew_scene *s)
{
	crew_close(&s->crew, s->part.dir.is_published, &s->notes);
	part_release(&s->part);
	part_close(&s->part);
	crew_release(&s->crew);
	ts_notes_release(&s->notes);
	for (size_t i = 0; i < CREW_SCENE_RINGS; i++)
		fake_ring_release(&s->fakes[i]);
	for (size_t i = 0; i < CREW_SCENE_WRITERS; i++) {
		hwloc_bitmap_free(s->layout_writers[i].cpus);
		hwloc_bitmap_free(s->layout_writers[i].sideband_cpus);
		hwloc_bitmap_free(s->layout_writers[i].affinity);
		hwloc_bitmap_free(s->layout_writers[i].nodes);
	}
	layout_machine_release(&s->plan.machine);
	scratch_remove(&s->scratch);
}

bool crew_scene_has(const struct crew_scene *s, const char *directory, size_t writer,
		    uint64_t first, uint64_t samples)
{
	struct stream_check got;
	size_t ring = 2 * writer;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/data.%zu", s->scratch.path, directory, writer);
	if (!stream_check(path, &got)) {
		fprintf(stderr, "%s: %s\n", path, got.problem);
		return false;
	}
	if (got.has_footer && got.samples[ring] == samples &&
	    (!samples || (got.gaps[ring] == first && got.next_number[ring] == first + samples)))
		return true;
	fprintf(stderr, "%s: %llu samples, %llu missing, up to %llu%s\n", path,
		(unsigned long long)got.samples[ring], (unsigned long long)got.gaps[ring],
		(unsigned long long)got.next_number[ring], got.has_footer ? "" : ", no end");
	return false;
}
