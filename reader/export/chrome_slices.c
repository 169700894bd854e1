// SPDX-License-Identifier: Apache-2.0
#include "reader/export/chrome_slices.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"

#define TASKS_OF_CAPTURE (1u << 22) /* more than Linux gives to one */
#define LONGEST_NS	 (3600 * TS_NS_PER_SEC)
#define GAP_NS		 125 /* the least that is exact in microseconds as a real number */
#define NS_DECIMALS	 3   /* of microseconds */

/* --- time --- */

/* A sample stands for so long, unless another one of its thread is near. */
static uint64_t width_ns(const struct chrome_slices *c, const struct timed_sample *s)
{
	const uint64_t ns = c->is_clock && s->period ? s->period : c->usual_ns;

	return ts_min(ts_max(ns, TS_NS_PER_US), c->most_ns);
}

/* Does it stand for the time since the sample before it? */
static bool is_near(const struct chrome_slices *c, const struct timed_sample *s)
{
	const uint64_t since_ns = s->time_ns - s[-1].time_ns, width = width_ns(c, s);

	return since_ns <= width || since_ns - width <= width / 4;
}

/* Of events that have no period in time. */
static uint64_t usual_ns_of(const struct export_source *s)
{
	const struct perf_event_attr *attr = &s->about->event->attr;
	const uint64_t nr = s->times->threads.items[0].samples->nr;

	if (attr->freq && attr->sample_freq)
		return TS_NS_PER_SEC / attr->sample_freq;
	return s->times->samples.length_ns / nr;
}

/* The longest time before time 0 that a first sample stands for. */
static uint64_t lead_us_of(const struct chrome_slices *c)
{
	const struct timed_samples *samples = &c->source->times->samples;
	uint64_t lead_us = 0;

	for (uint32_t i = 0; i < samples->nr_threads; i++) {
		const struct timed_sample *s = &samples->items[samples->threads[i].first];
		const uint64_t us = s->time_ns / TS_NS_PER_US;

		lead_us = ts_max(lead_us, ts_max(width_ns(c, s) / TS_NS_PER_US, us) - us);
	}
	return lead_us;
}

uint64_t chrome_slices_us(const struct chrome_slices *c, uint64_t time_ns)
{
	return c->lead_us + time_ns / TS_NS_PER_US;
}

static uint64_t begin_us(const struct chrome_slices *c, const struct timed_sample *s, bool near)
{
	return near ? chrome_slices_us(c, s[-1].time_ns)
		    : chrome_slices_us(c, s->time_ns) - width_ns(c, s) / TS_NS_PER_US;
}

int chrome_slices_init(struct chrome_slices *c, const struct export_source *source,
		       struct json_file *file)
{
	*c = (struct chrome_slices){
		.source = source,
		.file = file,
		.is_clock = export_about_is_clock(source->about),
		.usual_ns = usual_ns_of(source),
		.most_ns =
			ts_min(ts_max(source->times->samples.length_ns, TS_NS_PER_SEC), LONGEST_NS),
		.ends_us = memory_new(source->aggregate->memory, stack_paths_longest(source->paths),
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

uint64_t chrome_slices_task(uint32_t capture, uint32_t task)
{
	return (uint64_t)capture * TASKS_OF_CAPTURE + task;
}

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
	j->out->failed |= ts_bytes_failed(&text);
	json_text_n(j, "name", (const char *)text.data, text.len);
	ts_bytes_release(&text);
}

/* Those of a sample that begin with it, from the depth on, the outermost first. */
static void put_begun(const struct chrome_slices *c, const struct timed_thread *t, uint32_t depth,
		      const struct stack_path *path, uint64_t from_us)
{
	const uint32_t *looks = c->source->paths->numbers + path->first;
	struct json *j = &c->file->json;

	for (; depth < path->nr && c->ends_us[depth] > from_us; depth++) {
		const struct frame_look *look = &c->source->paths->looks->items[looks[depth]];

		json_open(j, NULL, '{');
		json_text(j, "ph", "X");
		put_name(look->name, j);
		json_text(j, "cat", kinds[look->kind]);
		chrome_slices_put_place(j, chrome_slices_task(t->capture, t->pid),
					chrome_slices_task(t->capture, t->tid), from_us);
		chrome_slices_put_length(j, c->ends_us[depth] - from_us);
		json_close(j, '}');
	}
}

/* --- a thread --- */

/* The number of outermost calls that both have. */
static uint32_t count_shared(const struct stack_paths *paths, uint32_t a, uint32_t b)
{
	const uint32_t *x = paths->numbers + paths->items[a].first;
	const uint32_t *y = paths->numbers + paths->items[b].first;
	const uint32_t most = ts_min(paths->items[a].nr, paths->items[b].nr);
	uint32_t nr = a == b ? most : 0;

	while (nr < most && x[nr] == y[nr])
		nr++;
	return nr;
}

static void put_sample(struct chrome_slices *c, const struct timed_thread *t,
		       const struct timed_sample *s, bool is_first)
{
	const struct stack_paths *paths = c->source->paths;
	const struct stack_path *path = &paths->items[s->path];
	const bool near = !is_first && is_near(c, s);
	const uint32_t shared = near ? count_shared(paths, s[-1].path, s->path) : 0;

	while (c->nr_open < path->nr)
		c->ends_us[c->nr_open++] = chrome_slices_us(c, s->time_ns);
	put_begun(c, t, shared, path, begin_us(c, s, near));
	c->nr_open = shared;
}

int chrome_slices_put(struct chrome_slices *c, const struct timed_thread *t, struct ts_error *err)
{
	const struct timed_sample *first = c->source->times->samples.items + t->first;
	int rc = 0;

	for (uint64_t i = t->nr; !rc && i-- > 0;) {
		put_sample(c, t, first + i, !i);
		rc = json_file_pass(c->file, err);
	}
	return rc;
}
