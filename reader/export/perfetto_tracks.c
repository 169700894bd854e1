// SPDX-License-Identifier: Apache-2.0
#include "reader/export/perfetto_tracks.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/sum.h"

#define SLICE_BEGINS 1 /* TrackEvent.Type */
#define SLICE_ENDS   2

static int compare_captures(const void *a, const void *b)
{
	const struct named_thread *x = *(const struct named_thread *const *)a;
	const struct named_thread *y = *(const struct named_thread *const *)b;

	if (x->samples->capture != y->samples->capture)
		return x->samples->capture < y->samples->capture ? -1 : 1;
	return (x > y) - (x < y);
}

int perfetto_tracks_init(struct perfetto_tracks *t, struct perfetto_packets *packets,
			 const struct export_times *times)
{
	const struct named_threads *threads = &times->threads;

	*t = (struct perfetto_tracks){
		.packets = packets,
		.times = times,
		.threads = calloc((size_t)threads->nr + 1, sizeof(const struct named_thread *)),
	};
	if (!t->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < threads->nr; i++)
		t->threads[i] = &threads->items[i];
	qsort(t->threads, threads->nr, sizeof(const struct named_thread *), compare_captures);
	return 0;
}

void perfetto_tracks_release(struct perfetto_tracks *t)
{
	free(t->threads);
	*t = (struct perfetto_tracks){0};
}

static int put_track(struct perfetto_tracks *t, Perfetto__TrackDescriptor *track,
		     struct ts_error *err)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = ++t->nr;
	packet.track_descriptor = track;
	return perfetto_packets_put(t->packets, &packet, err);
}

/* --- processes and threads --- */

static int put_process(struct perfetto_tracks *t, const struct named_thread *of,
		       struct ts_error *err)
{
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	process.process_name = perfetto_packets_text(t->packets, of->process, of->host);
	if (!process.process_name)
		return perfetto_packets_tell_memory(t->packets, err);
	process.has_pid = true;
	process.pid = (int32_t)perfetto_packets_task(t->packets, of->samples->pid);
	track.process = &process;
	return put_track(t, &track, err);
}

static int put_thread(struct perfetto_tracks *t, const struct named_thread *of,
		      struct ts_error *err)
{
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	thread.thread_name = perfetto_packets_text(t->packets, of->name, NULL);
	if (!thread.thread_name)
		return perfetto_packets_tell_memory(t->packets, err);
	thread.has_pid = thread.has_tid = true;
	thread.pid = (int32_t)perfetto_packets_task(t->packets, of->samples->pid);
	thread.tid = (int32_t)perfetto_packets_task(t->packets, of->samples->tid);
	track.thread = &thread;
	return put_track(t, &track, err);
}

/* Is it the first thread of its process? Samples have threads by capture, process and thread. */
static bool is_first(const struct perfetto_tracks *t, const struct timed_thread *thread)
{
	return thread == t->times->samples.threads || thread[-1].capture != thread->capture ||
	       thread[-1].pid != thread->pid;
}

int perfetto_tracks_put_names(struct perfetto_tracks *t, struct ts_error *err)
{
	int rc = 0;

	for (; !rc && t->next_thread < t->times->threads.nr; t->next_thread++) {
		const struct named_thread *of = t->threads[t->next_thread];

		if (of->samples->capture != t->packets->capture)
			break;
		if (is_first(t, of->samples))
			rc = put_process(t, of, err);
		if (!rc)
			rc = put_thread(t, of, err);
	}
	return rc;
}

/* --- slices --- */

static int put_named_track(struct perfetto_tracks *t, char *name, struct ts_error *err)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	track.name = name;
	return put_track(t, &track, err);
}

/* Of the track that was put last. */
static int put_event(struct perfetto_tracks *t, uint64_t time_ns, Perfetto__TrackEvent *event,
		     uint32_t type, struct ts_error *err)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	event->has_type = event->has_track_uuid = true;
	event->type = type;
	event->track_uuid = t->nr;
	packet.track_event = event;
	return perfetto_packets_put_at(t->packets, time_ns, &packet, err);
}

static int put_slice(struct perfetto_tracks *t, uint64_t from_ns, uint64_t until_ns,
		     Perfetto__TrackEvent *event, struct ts_error *err)
{
	Perfetto__TrackEvent end = PERFETTO__TRACK_EVENT__INIT;
	const int rc = put_event(t, from_ns, event, SLICE_BEGINS, err);

	return rc ? rc : put_event(t, until_ns, &end, SLICE_ENDS, err);
}

/* --- losses --- */

static int put_gap(struct perfetto_tracks *t, const struct timed_gap *gap, struct ts_error *err)
{
	Perfetto__DebugAnnotation lost = PERFETTO__DEBUG_ANNOTATION__INIT, kept = lost;
	Perfetto__DebugAnnotation *counts[] = {&lost, &kept};
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	lost.name = "lost";
	kept.name = "samples";
	lost.has_uint_value = kept.has_uint_value = true;
	lost.uint_value = gap->nr_lost;
	kept.uint_value = gap->nr_kept;
	event.name = "samples lost";
	event.debug_annotations = counts;
	event.n_debug_annotations = 2;
	return put_slice(t, gap->from_ns, gap->until_ns, &event, err);
}

static int put_sum(struct perfetto_tracks *t, uint64_t nr_lost, struct ts_error *err)
{
	Perfetto__PerfSample sample = PERFETTO__PERF_SAMPLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	sample.has_kernel_records_lost = true;
	sample.kernel_records_lost = nr_lost;
	packet.perf_sample = &sample;
	return perfetto_packets_put_at(t->packets, t->times->samples.length_ns, &packet, err);
}

int perfetto_tracks_put_losses(struct perfetto_tracks *t, struct ts_error *err)
{
	const struct timed_gaps *gaps = &t->times->gaps;
	uint64_t nr_lost = 0;
	int rc = 0;

	for (; !rc && t->next_gap < gaps->nr; t->next_gap++) {
		const struct timed_gap *gap = &gaps->items[t->next_gap];

		if (gap->capture != t->packets->capture)
			break;
		if (!nr_lost)
			rc = put_named_track(t, "lost samples", err);
		if (!rc)
			rc = put_gap(t, gap, err);
		nr_lost = ts_sum(nr_lost, gap->nr_lost);
	}
	return rc || !nr_lost ? rc : put_sum(t, nr_lost, err);
}

/* --- words about the captures --- */

/* An array of a text for each line. */
struct annotations {
	struct export_texts texts;
	Perfetto__DebugAnnotation *items, **pointers; /* owned, both */
};

static int make_annotations(struct annotations *a, const struct export_about *about)
{
	if (export_texts_init(&a->texts, about))
		return -ENOMEM;
	a->items = calloc(a->texts.nr + 1, sizeof(*a->items));
	a->pointers = calloc(a->texts.nr + 1, sizeof(Perfetto__DebugAnnotation *));
	if (!a->items || !a->pointers)
		return -ENOMEM;
	for (size_t i = 0; i < a->texts.nr; i++) {
		a->items[i] = (Perfetto__DebugAnnotation)PERFETTO__DEBUG_ANNOTATION__INIT;
		a->items[i].string_value = a->texts.items[i];
		a->pointers[i] = &a->items[i];
	}
	return 0;
}

static void release_annotations(struct annotations *a)
{
	export_texts_release(&a->texts);
	free(a->items);
	free(a->pointers);
}

int perfetto_tracks_put_about(struct perfetto_tracks *t, const struct export_about *about,
			      struct ts_error *err)
{
	Perfetto__DebugAnnotation lines = PERFETTO__DEBUG_ANNOTATION__INIT, *all[] = {&lines};
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct annotations a = {0};
	int rc = make_annotations(&a, about) ? perfetto_packets_tell_memory(t->packets, err) : 0;

	lines.name = "lines";
	lines.array_values = a.pointers;
	lines.n_array_values = a.texts.nr;
	event.name = "about this capture";
	event.debug_annotations = all;
	event.n_debug_annotations = 1;
	if (!rc)
		rc = put_named_track(t, "tstream", err);
	if (!rc)
		rc = put_slice(t, 0, t->times->samples.length_ns, &event, err);
	release_annotations(&a);
	return rc;
}
