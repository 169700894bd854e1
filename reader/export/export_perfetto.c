// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_perfetto.h"

#include <errno.h>
#include <time.h>

#include "common/base/sum.h"
#include "reader/export/perfetto_tracks.h"
#include "reader/packed/perfetto_interned.h"
#include "reader/packed/perfetto_sample.h"
#include "reader/page/timed_walk.h"
#include "reader/report/report_options.h"

#define CPUS	    ((size_t)SAMPLE_LOG_NO_CPU + 1) /* the last one: unknown */
#define MODE_KERNEL 1				    /* Profiling.CpuMode */
#define MODE_USER   2

_Static_assert(REPORT_INPUTS_MAX <= PERFETTO_CAPTURES, "tasks of captures have different numbers");

enum perfetto_clock { /* BuiltinClock */
		      PERFETTO_REALTIME = 1,
		      PERFETTO_MONOTONIC = 3,
		      PERFETTO_MONOTONIC_RAW = 5,
		      PERFETTO_BOOTTIME = 6,
		      PERFETTO_PERF = 10,
};

struct perfetto {
	const struct export_source *source;
	struct perfetto_packets packets;
	struct perfetto_interned interned;
	struct perfetto_tracks tracks;
	struct timed_walk walk;
	uint8_t *modes;	  /* owned; by path: of the sampled code */
	uint64_t *counts; /* owned; by CPU: what the event has counted */
	uint32_t clock;	  /* PERFETTO_* */
	struct ts_error *err;
};

static int tell_memory(const struct perfetto *p)
{
	return perfetto_packets_tell_memory(&p->packets, p->err);
}

/* --- clocks and defaults --- */

static uint32_t perfetto_clock(int id)
{
	switch (id) {
	case CLOCK_REALTIME:
		return PERFETTO_REALTIME;
	case CLOCK_MONOTONIC:
		return PERFETTO_MONOTONIC;
	case CLOCK_MONOTONIC_RAW:
		return PERFETTO_MONOTONIC_RAW;
	case CLOCK_BOOTTIME:
		return PERFETTO_BOOTTIME;
	default:
		return PERFETTO_PERF;
	}
}

/* Says which clock the trace has, and what the wall clock showed at its first sample. */
static int put_clocks(struct perfetto *p, const struct capture_clock *clock)
{
	const uint64_t wall_ns = capture_clock_wall_ns(clock, p->packets.base_ns);
	Perfetto__Clock own = PERFETTO__CLOCK__INIT, wall = PERFETTO__CLOCK__INIT;
	Perfetto__Clock *clocks[] = {&own, &wall};
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	own.has_clock_id = own.has_timestamp = wall.has_clock_id = wall.has_timestamp = true;
	own.clock_id = p->clock;
	own.timestamp = perfetto_packets_ns(&p->packets, 0);
	wall.clock_id = PERFETTO_REALTIME;
	wall.timestamp = wall_ns;
	snapshot.clocks = clocks;
	snapshot.n_clocks = wall_ns && p->clock != PERFETTO_REALTIME ? 2 : 1;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = p->clock;
	packet.clock_snapshot = &snapshot;
	packet.sequence_flags = PERFETTO_BEGINS;
	return perfetto_packets_put(&p->packets, &packet, p->err);
}

/* PerfEvents.Counter of an event of the kernel; 0: it has none. Viewers take the unit from it. */
static uint32_t counter_of(const struct perf_event_attr *attr)
{
	static const uint8_t software[] = {1, 3, 2, 4, 5, 6, 7, 8, 9, 20};
	static const uint8_t hardware[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof(software))
		return software[attr->config];
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof(hardware))
		return hardware[attr->config];
	return 0;
}

static int put_defaults(struct perfetto *p)
{
	const struct ts_event *event = p->source->about->event;
	const struct perf_event_attr *attr = &event->attr;
	Perfetto__Timebase timebase = PERFETTO__TIMEBASE__INIT;
	Perfetto__PerfSampleDefaults samples = PERFETTO__PERF_SAMPLE_DEFAULTS__INIT;
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	timebase.name = perfetto_packets_text(&p->packets, event->name, NULL);
	if (!timebase.name)
		return tell_memory(p);
	timebase.counter = counter_of(attr);
	timebase.has_counter = timebase.counter;
	timebase.has_frequency = attr->freq;
	timebase.frequency = attr->sample_freq;
	timebase.has_period = !attr->freq;
	timebase.period = attr->sample_period;
	samples.timebase = &timebase;
	defaults.perf_sample_defaults = &samples;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = p->clock;
	packet.trace_packet_defaults = &defaults;
	packet.sequence_flags = PERFETTO_BEGINS | PERFETTO_NEEDS;
	return perfetto_packets_put(&p->packets, &packet, p->err);
}

/* --- samples --- */

/* Of the sampled code: that of the leaf, or of the function that it was inlined into. 0: unknown */
static uint8_t mode_of(const struct stack_paths *paths, const struct stack_path *path)
{
	for (uint32_t i = path->nr; i-- > 0;) {
		const struct frame_look *l = &paths->looks->items[paths->numbers[path->first + i]];

		if (l->kind == FRAME_KIND_KERNEL)
			return MODE_KERNEL;
		if (l->kind != FRAME_KIND_INLINED)
			return l->kind == FRAME_KIND_UNKNOWN ? 0 : MODE_USER;
	}
	return 0;
}

static int find_modes(struct perfetto *p)
{
	const struct stack_paths *paths = p->source->paths;

	p->modes = memory_new(p->source->aggregate->memory, paths->nr + 1, sizeof(*p->modes));
	for (size_t i = 0; p->modes && i < paths->nr; i++)
		p->modes[i] = mode_of(paths, &paths->items[i]);
	return p->modes ? 0 : -ENOMEM;
}

static int put_sample(struct perfetto *p, const struct timed_sample *s)
{
	const struct timed_thread *t = &p->source->times->samples.threads[s->thread];
	uint64_t *count = &p->counts[s->cpu];
	uint8_t bytes[PERFETTO_SAMPLE_MOST];
	const int rc = perfetto_interned_put(&p->interned, s->path, p->err);

	if (rc)
		return rc;
	*count = ts_sum(*count, s->period);
	const struct perfetto_sample sample = {
		.timestamp = perfetto_packets_ns(&p->packets, s->time_ns),
		.callstack_iid = (uint64_t)s->path + 1,
		.timebase_count = *count,
		.sequence = perfetto_packets_sequence(&p->packets),
		.pid = perfetto_packets_task(&p->packets, t->pid),
		.tid = perfetto_packets_task(&p->packets, t->tid),
		.cpu = s->cpu,
		.has_cpu = s->cpu != SAMPLE_LOG_NO_CPU,
		.cpu_mode = p->modes[s->path],
	};

	return packed_file_put_bytes(&p->packets.file, bytes,
				     (size_t)(perfetto_sample_pack(&sample, bytes) - bytes),
				     p->err);
}

static int put_samples(struct perfetto *p)
{
	const struct timed_sample *s;
	int rc = 0;

	p->counts = memory_new(p->source->aggregate->memory, CPUS, sizeof(*p->counts));
	if (!p->counts || timed_walk_init(&p->walk, &p->source->times->samples, p->packets.capture,
					  p->source->aggregate->memory))
		rc = tell_memory(p);
	while (!rc && (s = timed_walk_next(&p->walk)))
		rc = put_sample(p, s);
	timed_walk_release(&p->walk);
	memory_free(p->counts);
	p->counts = NULL;
	return rc;
}

/* --- the whole --- */

static int put_capture(struct perfetto *p)
{
	int rc = put_defaults(p);

	if (!rc && !p->tracks.nr)
		rc = perfetto_tracks_put_about(&p->tracks, p->source->about, p->err);
	if (!rc)
		rc = perfetto_tracks_put_names(&p->tracks, p->err);
	if (!rc)
		rc = perfetto_tracks_put_losses(&p->tracks, p->err);
	return rc ? rc : put_samples(p);
}

/* Time is that of the first capture with samples; each other one begins with it. */
static int put_head(struct perfetto *p)
{
	const uint64_t *starts_ns = p->source->times->samples.starts_ns;
	struct capture_clock clock;

	p->packets.capture = p->source->times->samples.threads[0].capture;
	clock = overview_clock(&p->source->captures[p->packets.capture]);
	p->packets.base_ns = starts_ns[p->packets.capture];
	p->clock = perfetto_clock(clock.id);
	return put_clocks(p, &clock);
}

static int put_all(struct perfetto *p)
{
	const struct timed_samples *samples = &p->source->times->samples;
	const struct timed_thread *t = samples->threads, *end = t + samples->nr_threads;
	int rc = put_head(p);

	while (!rc && t < end) { /* which are by capture */
		p->packets.capture = t->capture;
		rc = put_capture(p);
		while (t < end && t->capture == p->packets.capture)
			t++;
	}
	return rc ? rc : packed_file_close(&p->packets.file, p->err);
}

int export_perfetto_write(const struct export_source *source, struct result_file *to,
			  struct ts_error *err)
{
	struct perfetto p = {
		.source = source,
		.packets.file = {.to = to, .progress = source->progress},
		.err = err,
	};
	int rc;

	if (perfetto_interned_init(&p.interned, &p.packets, source->paths, source->aggregate) ||
	    perfetto_tracks_init(&p.tracks, &p.packets, source->times) || find_modes(&p))
		rc = tell_memory(&p);
	else
		rc = put_all(&p);
	perfetto_interned_release(&p.interned);
	perfetto_tracks_release(&p.tracks);
	perfetto_packets_release(&p.packets);
	memory_free(p.modes);
	return rc;
}
