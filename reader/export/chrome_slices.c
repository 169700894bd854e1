// SPDX-License-Identifier: Apache-2.0
#include "reader/export/chrome_slices.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"

#define LONGEST_NS  (3600 * TS_NS_PER_SEC)
#define GAP_NS	    125 /* the least that is exact in microseconds as a real number */
#define NS_DECIMALS 3	/* of microseconds */

/* --- time --- */

/* A sample stands for so long, unless another one of its track is near. */
static uint64_t width_ns(const struct chrome_slices *c, const struct timed_sample *s)
{
	const uint64_t ns = c->is_clock && s->period ? s->period : c->usual_ns;

	return ts_min(ts_max(ns, TS_NS_PER_US), c->most_ns);
}

/* Does it stand for the time since the sample before it? */
static bool is_near(const struct chrome_slices *c, const struct timed_sample *before,
		    const struct timed_sample *s)
{
	const uint64_t since_ns = s->time_ns - before->time_ns, width = width_ns(c, s);

	return since_ns <= width || since_ns - width <= width / 4;
}

/* Of events that have no period in time. */
static uint64_t usual_ns_of(const struct export_source *s)
{
	const struct perf_event_attr *attr = &s->about->event->attr;

	if (attr->freq && attr->sample_freq)
		return TS_NS_PER_SEC / attr->sample_freq;
	return export_times_interval_ns(s->times);
}

/* The longest time before time 0 that a first sample stands for. */
static uint64_t lead_us_of(const struct chrome_slices *c)
{
	uint64_t lead_us = 0;

	for (uint32_t i = 0; i < c->lanes->nr; i++) {
		const struct timed_sample *s = chrome_lane_sample(&c->lanes->items[i], 0);
		const uint64_t us = s->time_ns / TS_NS_PER_US;

		lead_us = ts_max(lead_us, ts_max(width_ns(c, s) / TS_NS_PER_US, us) - us);
	}
	return lead_us;
}

uint64_t chrome_slices_us(const struct chrome_slices *c, uint64_t time_ns)
{
	return c->lead_us + time_ns / TS_NS_PER_US;
}

static uint64_t begin_us(const struct chrome_slices *c, const struct timed_sample *near,
			 const struct timed_sample *s)
{
	return near ? chrome_slices_us(c, near->time_ns)
		    : chrome_slices_us(c, s->time_ns) - width_ns(c, s) / TS_NS_PER_US;
}

int chrome_slices_init(struct chrome_slices *c, const struct export_source *source,
		       const struct chrome_lanes *lanes, struct json_file *file)
{
	*c = (struct chrome_slices){
		.source = source,
		.lanes = lanes,
		.file = file,
		.is_clock = export_about_is_clock(source->about),
		.usual_ns = usual_ns_of(source),
		.most_ns =
			ts_min(ts_max(source->times->samples.length_ns, TS_NS_PER_SEC), LONGEST_NS),
		.ends_us = memory_new(source->aggregate->memory,
				      (size_t)stack_paths_longest(source->paths) + 1,
				      sizeof(*c->ends_us)),
	};
	c->lead_us = lead_us_of(c);
	return c->ends_us ? 0 : -ENOMEM;
}

void chrome_slices_release(struct chrome_slices *c)
{
	memory_free(c->ends_us);
	*c = (struct chrome_slices){0};
}

/* --- a slice --- */

static const char *const kinds[FRAME_KIND_NR] = {
	[FRAME_KIND_USER] = "user",	  [FRAME_KIND_KERNEL] = "kernel",
	[FRAME_KIND_INLINED] = "inlined", [FRAME_KIND_JIT] = "JIT",
	[FRAME_KIND_UNKNOWN] = "unknown", [FRAME_KIND_COMMAND] = "user",
};

void chrome_slices_put_place(struct json *j, uint64_t pid, uint64_t tid, uint64_t time_us)
{
	json_u64(j, "pid", pid);
	json_u64(j, "tid", tid);
	json_u64(j, "ts", time_us);
}

void chrome_slices_put_length(struct json *j, uint64_t us)
{
	json_decimal(j, "dur", us ? us * TS_NS_PER_US - GAP_NS : 0, NS_DECIMALS);
}

/* Does the Firefox profiler take any event of this name for one of its own, with arguments that a slice lacks? */
static bool is_reserved(const char *name)
{
	static const char *const names[] = {
		"Profile",	"ProfileChunk",	     "CpuProfile",
		"Screenshot",	"ScriptCatchup",     "TracingStartedInBrowser",
		"process_name", "process_labels",    "process_sort_index",
		"thread_name",	"thread_sort_index",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void put_name(const char *name, struct json *j)
{
	struct ts_bytes text = {0};

	if (!is_reserved(name)) {
		json_text(j, "name", name);
		return;
	}
	ts_bytes_printf(&text, "%s()", name);
	json_bytes(j, "name", &text);
}

/* The numbers and the process of a thread on a CPU. */
static void put_thread(const struct chrome_slices *c, const struct timed_sample *s)
{
	const struct named_thread *t = c->lanes->of_thread[s->thread];
	struct json *j = &c->file->json;

	json_open(j, "args", '{');
	json_text(j, "process", t->process);
	json_u64(j, "pid", t->samples->pid);
	json_u64(j, "tid", t->samples->tid);
	json_close(j, '}');
}

/* Of the thread at depth 0 of a CPU, otherwise of a call. */
static void put_slice(const struct chrome_slices *c, const struct chrome_lane *lane,
		      const struct timed_sample *s, uint32_t depth, uint64_t from_us)
{
	const struct stack_paths *paths = c->source->paths;
	const uint32_t *looks = paths->numbers + paths->items[s->path].first;
	const bool is_thread = !lane->thread && !depth;
	const uint32_t call = lane->thread || is_thread ? depth : depth - 1;
	const struct frame_look *look = &paths->looks->items[looks[call]];
	struct json *j = &c->file->json;

	json_open(j, NULL, '{');
	json_text(j, "ph", "X");
	put_name(is_thread ? c->lanes->of_thread[s->thread]->name : look->name, j);
	json_text(j, "cat", is_thread ? "thread" : kinds[look->kind]);
	chrome_slices_put_place(j, lane->pid, lane->tid, from_us);
	chrome_slices_put_length(j, c->ends_us[depth] - from_us);
	if (is_thread)
		put_thread(c, s);
	json_close(j, '}');
}

/* --- a track --- */

static uint32_t count_slices(const struct chrome_slices *c, const struct chrome_lane *lane,
			     const struct timed_sample *s)
{
	return c->source->paths->items[s->path].nr + !lane->thread;
}

/* The number of outermost calls that both have. */
static uint32_t count_calls(const struct stack_paths *paths, uint32_t a, uint32_t b)
{
	const uint32_t *x = paths->numbers + paths->items[a].first;
	const uint32_t *y = paths->numbers + paths->items[b].first;
	const uint32_t most = ts_min(paths->items[a].nr, paths->items[b].nr);
	uint32_t nr = a == b ? most : 0;

	while (nr < most && x[nr] == y[nr])
		nr++;
	return nr;
}

/* On a CPU samples of different threads share nothing. */
static uint32_t count_shared(const struct chrome_slices *c, const struct chrome_lane *lane,
			     const struct timed_sample *a, const struct timed_sample *b)
{
	if (a->thread != b->thread)
		return 0;
	return count_calls(c->source->paths, a->path, b->path) + !lane->thread;
}

/* Those that begin with the sample are put, the outermost first. */
static void put_sample(struct chrome_slices *c, const struct chrome_lane *lane,
		       const struct timed_sample *before, const struct timed_sample *s)
{
	const struct timed_sample *near = before && is_near(c, before, s) ? before : NULL;
	const uint32_t shared = near ? count_shared(c, lane, near, s) : 0;
	const uint32_t nr = count_slices(c, lane, s);
	const uint64_t from_us = begin_us(c, near, s);

	while (c->nr_open < nr)
		c->ends_us[c->nr_open++] = chrome_slices_us(c, s->time_ns);
	for (uint32_t depth = shared; depth < nr && c->ends_us[depth] > from_us; depth++)
		put_slice(c, lane, s, depth, from_us);
	c->nr_open = shared;
}

int chrome_slices_put(struct chrome_slices *c, const struct chrome_lane *lane, struct ts_error *err)
{
	int rc = 0;

	for (uint64_t i = lane->nr; !rc && i-- > 0;) {
		put_sample(c, lane, i ? chrome_lane_sample(lane, i - 1) : NULL,
			   chrome_lane_sample(lane, i));
		rc = json_file_pass(c->file, err);
	}
	return rc;
}
