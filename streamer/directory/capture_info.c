// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "streamer/directory/capture_info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/cpus.h"
#include "common/directory/recorder.h"
#include "common/json/json.h"
#include "common/stream/chunk.h"
#include "common/stream/timeline_json.h"
#include "streamer/directory/measure_info.h"
#include "streamer/machine/cpu_groups.h"

/* Bytes that accounts take at the end, with room to spare. */
#define RING_ACCOUNT_BYTES   1024
#define WRITER_ACCOUNT_BYTES 4096
#define SLOT_BYTES	     24

static void put_cpus(struct ts_json *o, const char *key, hwloc_const_bitmap_t set)
{
	char *text = ts_cpus_text(set);

	ts_json_put_text(o, key, text ? text : "");
	free(text);
}

static void put_uuid(struct ts_json *o, const uint8_t *uuid)
{
	char text[37];
	size_t len = 0;

	for (int i = 0; i < 16; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%02x",
					i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	ts_json_put_text(o, "uuid", text);
}

static const char *state_of(const struct capture_info *info)
{
	if (info->failure)
		return "failed";
	return info->ledger ? "complete" : "recording";
}

static void put_recording(struct ts_json *root, const struct capture_info *info)
{
	struct ts_json *format = ts_json_put_object(root, "format");

	ts_json_put_text(root, "program", PACKAGE_STRING);
	ts_json_put_number(format, "major", TS_FORMAT_MAJOR);
	ts_json_put_number(format, "minor", TS_FORMAT_MINOR);
	put_uuid(root, info->uuid);
	ts_json_put_text(root, "state", state_of(info));
	if (info->failure)
		ts_json_put_text(root, "failure", info->failure);
	else if (info->ended_by)
		ts_json_put_text(root, "ended_by", info->ended_by);
	ts_json_put_number(root, "flush_ns", info->plan->options->flush_ns);
	if (info->start_realtime_ns)
		ts_json_put_number(root, "start_realtime_ns", info->start_realtime_ns);
	if (info->ledger)
		ts_json_put_number(root, "duration_ns", info->duration_ns);
}

static void put_cause(struct ts_json *o, const struct cut_cause *cause)
{
	ts_json_put_text(o, "kind", cut_kind_name(cause->kind));
	if (cause->what)
		ts_json_put_text(o, "what", cause->what);
	if (cause->name[0])
		ts_json_put_text(o, "name", cause->name);
	ts_json_put_number(o, "realtime_ns", cause->realtime_ns);
}

/* Names the process that writes the capture, for programs that find its lock (recorder.h). */
static void put_recorder(struct ts_json *root)
{
	struct ts_json *o = ts_json_put_object(root, TS_RECORDER_KEY);

	ts_json_put_number(o, TS_RECORDER_PID, (uint64_t)getpid());
	ts_json_put_number(o, TS_RECORDER_START, ts_recorder_start_ticks(getpid()));
}

/* The part of the recording that this is; times are on the clock of the records. */
static void put_rotation(struct ts_json *root, const struct cut_span *p)
{
	struct ts_json *o = ts_json_put_object(root, "rotation");

	ts_json_put_number(o, "number", p->number);
	if (p->begin_ns)
		ts_json_put_number(o, "begin_ns", p->begin_ns);
	if (p->end_ns)
		ts_json_put_number(o, "end_ns", p->end_ns);
	if (p->end_ns)
		put_cause(ts_json_put_object(o, "cause"), &p->cause);
}

/* Written at the end only: while a recording runs, a CPU that comes back changes `data`. */
static void put_data(struct ts_json *root, const struct capture_info *info)
{
	struct ts_json *o;
	char text[17];

	if (!info->ledger || !info->data_bytes)
		return;
	o = ts_json_put_object(root, "data");
	snprintf(text, sizeof(text), "%016" PRIx64, info->data_checksum);
	ts_json_put_number(o, "bytes", info->data_bytes);
	ts_json_put_text(o, "xxh3", text);
}

static void put_events(struct ts_json *root, const struct source *source)
{
	struct ts_json *events = ts_json_put_array(root, "events");

	for (size_t i = 0; i < source->nr_attrs; i++)
		ts_json_put_text(events, NULL, source->names[i]);
}

static void put_writer_account(struct ts_json *o, const struct ledger_writer *w)
{
	ts_json_put_text(o, "io", w->io);
	ts_json_put_bool(o, "direct", w->is_direct);
	ts_json_put_text(o, "schedule", w->schedule);
	ts_json_put_number(o, "records", w->stats.records);
	ts_json_put_number(o, "samples", w->stats.samples);
	ts_json_put_number(o, "own_samples", w->stats.own_samples);
	ts_json_put_number(o, "raw_bytes", w->stats.raw_bytes);
	ts_json_put_number(o, "stream_bytes", w->stats.stream_bytes);
	ts_json_put_number(o, "chunks", w->stats.chunks);
	ts_json_put_number(o, "blocks", w->stats.blocks);
	ts_json_put_number(o, "lost", w->lost);
	ts_json_put_number(o, "unwritten", w->stats.unwritten_records);
	ts_json_put_number(o, "throttles", w->stats.throttles);
	ts_json_put_number(o, "wakeups", w->stats.wakeups);
	ts_json_put_number(o, "buffers", w->stats.buffers);
	ts_json_put_number(o, "plain_bytes", w->stats.plain_bytes);
	ts_json_put_number(o, "compress_ns", w->stats.compress_ns);
	ts_json_put_number(o, "syncs", w->stats.syncs);
	ts_json_put_number(o, "sync_max_ns", w->stats.sync_max_ns);
	ts_json_put_number(o, "rests", w->stats.rests);
	ts_json_put_number(o, "write_max_ns", w->stats.write_max_ns);
	ts_json_put_number(o, "drain_gap_max_ns", w->stats.drain_gap_max_ns);
	ts_json_put_number(o, "starved_ns", w->stats.starved_ns);
	measure_info_put(o, &w->measures);
}

/* The node of the first CPU that the writer runs on; -1: the machine does not report it. */
static void put_first_node(struct ts_json *o, hwloc_topology_t topology,
			   const struct layout_writer *w)
{
	int node = cpu_groups_node(topology, (unsigned int)hwloc_bitmap_first(w->affinity), NULL);

	ts_json_put_signed(o, "numa_node", node);
}

static void put_writers(struct ts_json *root, const struct capture_info *info)
{
	const struct layout *layout = &info->plan->layout;
	struct ts_json *writers = ts_json_put_array(root, "writers");
	char stream[32];

	ts_json_put_text(root, "layout", layout->kind);
	for (size_t i = 0; i < layout->nr; i++) {
		const struct layout_writer *w = &layout->writers[i];
		struct ts_json *o = ts_json_put_object(writers, NULL);

		snprintf(stream, sizeof(stream), "data.%zu", i);
		ts_json_put_text(o, "stream", stream);
		put_cpus(o, "cpus", w->cpus);
		put_cpus(o, "sideband_cpus", w->sideband_cpus);
		put_cpus(o, "affinity", w->affinity);
		put_first_node(o, info->plan->machine.topology, w);
		put_cpus(o, "numa_nodes", w->nodes);
		if (info->ledger)
			put_writer_account(o, &info->ledger->writers[i]);
	}
}

static void put_ring_account(struct ts_json *o, const struct ledger_ring *r)
{
	ts_json_put_number(o, "records", r->stats.records);
	ts_json_put_number(o, "samples", r->stats.samples);
	ts_json_put_number(o, "raw_bytes", r->stats.raw_bytes);
	ts_json_put_number(o, "chunks", r->stats.chunks);
	ts_json_put_number(o, "fill_max_bytes", r->stats.fill_max_bytes);
	ts_json_put_number(o, "lost", r->lost);
	ts_json_put_number(o, "lost_disk", r->lost_disk);
	ts_json_put_number(o, "lost_compression", r->lost_compression);
	ts_json_put_number(o, "lost_at_unknown_time", r->lost_at_unknown_time);
	ts_timeline_to_json(o, r->timeline);
}

/*
 * Overwritten rings: the bytes that newer records replaced, and the time span of those that were
 * kept.
 */
static void put_past(struct ts_json *o, const struct writer_ring_stats *s)
{
	ts_json_put_number(o, "overwritten_bytes", s->overwritten_bytes);
	ts_json_put_number(o, "kept_from_ns", s->time_min_ns);
	ts_json_put_number(o, "kept_until_ns", s->time_max_ns);
	ts_json_put_number(o, "paused_max_ns", s->paused_max_ns);
}

static void put_ring(struct ts_json *rings, const struct capture_info *info, size_t number,
		     const struct source_ring *r, uint64_t bytes)
{
	static const char *const kinds[] = {[TS_RING_SAMPLES] = "samples",
					    [TS_RING_SIDEBAND] = "sideband",
					    [TS_RING_OVERWRITE] = "overwrite"};
	const struct ledger *l = info->ledger;
	struct ts_json *o = ts_json_put_object(rings, NULL);

	ts_json_put_number(o, "number", number);
	ts_json_put_number(o, "cpu", r->cpu);
	ts_json_put_text(o, "kind", kinds[r->kind]);
	ts_json_put_number(o, "writer", r->writer);
	ts_json_put_number(o, "bytes", bytes);
	if (l)
		put_ring_account(o, number < l->nr_rings ? &l->rings[number] : &l->fed);
	if (l && r->kind == TS_RING_OVERWRITE)
		put_past(o, &l->rings[number].stats);
}

/* The ring that main fills has the number behind the others. It is there if it had any record. */
static void put_rings(struct ts_json *root, const struct capture_info *info)
{
	const struct source *source = &info->plan->source;
	struct source_ring fed = source->rings[source->nr_rings - 1];
	struct ts_json *rings = ts_json_put_array(root, "rings");

	for (size_t i = 0; i < source->nr_rings; i++) {
		const struct source_ring *r = &source->rings[i];

		if (!r->is_absent)
			put_ring(rings, info, i, r, record_plan_ring_bytes(info->plan, r));
	}
	fed.kind = TS_RING_SIDEBAND;
	if (info->ledger && info->ledger->fed.stats.records)
		put_ring(rings, info, source->nr_rings, &fed, 0);
}

static void put_ledger(struct ts_json *root, const struct capture_info *info)
{
	const struct ledger *l = info->ledger;
	const struct source *source = &info->plan->source;
	struct ts_json *o = ts_json_put_object(root, "ledger"), *rows, *lost;

	ts_json_put_number(o, "offered", ledger_kept(l) + ledger_lost(l));
	ts_json_put_number(o, "kept", ledger_kept(l));
	lost = ts_json_put_object(o, "lost");
	ts_json_put_number(lost, "ring_full", l->lost_ring_full);
	ts_json_put_number(lost, "compression", l->lost_compression);
	ts_json_put_number(lost, "disk", l->lost_disk);
	ts_json_put_number(lost, "paused", l->lost_paused);
	ts_json_put_number(o, "lost_at_unknown_time", l->lost_at_unknown_time);
	ts_json_put_bool(o, "counted_by_kernel", l->is_exact);
	rows = ts_json_put_array(o, "ring_full_by_event");
	for (size_t i = 0; i < l->nr_lost; i++) {
		struct ts_json *row = ts_json_put_object(rows, NULL);

		ts_json_put_text(row, "event", source->names[l->lost[i].event]);
		ts_json_put_number(row, "ring", l->lost[i].ring);
		ts_json_put_number(row, "records", l->lost[i].records);
	}
}

static double seconds_since(uint64_t start_ns, uint64_t ns)
{
	return ns > start_ns ? (double)(ns - start_ns) / TS_NS_PER_SEC : 0;
}

static void put_absences(struct ts_json *root, const struct capture_info *info)
{
	struct ts_json *list = ts_json_put_array(root, "absences");

	for (size_t i = 0; i < info->absences->nr; i++) {
		const struct cpu_absence *a = &info->absences->items[i];
		struct ts_json *o = ts_json_put_object(list, NULL);

		ts_json_put_number(o, "cpu", a->cpu);
		ts_json_put_text(o, "cause", a->is_late ? "online after the start" : "offline");
		ts_json_put_real(o, "from_s", seconds_since(info->start_ns, a->from_ns));
		if (a->to_ns)
			ts_json_put_real(o, "to_s", seconds_since(info->start_ns, a->to_ns));
	}
}

static void put_gap(struct ts_json *list, uint64_t from_ns, uint64_t to_ns)
{
	struct ts_json *o = ts_json_put_object(list, NULL);

	ts_json_put_number(o, "from_ns", from_ns);
	if (to_ns)
		ts_json_put_number(o, "to_ns", to_ns);
}

/* Times in which names and maps may be missing; of this directory alone. */
static void put_gaps(struct ts_json *root, const struct capture_info *info)
{
	uint64_t begin_ns = info->rotation ? info->rotation->begin_ns : 0;
	uint64_t end_ns = info->rotation ? info->rotation->end_ns : 0;
	const struct names_gaps *gaps = info->gaps;
	struct ts_json *list;

	if (!gaps || !(gaps->nr || gaps->since_ns))
		return;
	list = ts_json_put_array(root, "names_missing");
	for (size_t i = 0; i < gaps->nr; i++)
		if (!gaps->items[i].to_ns || gaps->items[i].to_ns >= begin_ns)
			put_gap(list, gaps->items[i].from_ns, gaps->items[i].to_ns);
	if (gaps->since_ns)
		put_gap(list, gaps->since_ns, end_ns);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * TS_NS_PER_SEC + (uint64_t)t.tv_usec * TS_NS_PER_US;
}

/* The cost of the recorder itself. Kernel workers of its io_urings count as its threads. */
static void put_self(struct ts_json *root, const struct ledger *l)
{
	struct ts_json *o = ts_json_put_object(root, "self");
	struct rusage usage;

	ts_json_put_number(o, "samples", l->total.own_samples);
	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	ts_json_put_number(o, "user_ns", timeval_ns(usage.ru_utime));
	ts_json_put_number(o, "system_ns", timeval_ns(usage.ru_stime));
	ts_json_put_number(o, "max_resident_bytes", (uint64_t)usage.ru_maxrss * 1024);
	ts_json_put_number(o, "context_switches", (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw));
}

/* A slot has the number of records kept, and lost by a cause or two; 8 digits each. */
uint64_t capture_info_growth_bytes(const struct record_plan *plan)
{
	uint64_t of_ring = RING_ACCOUNT_BYTES + TS_TIMELINE_SLOTS * SLOT_BYTES;

	return plan->source.nr_rings * of_ring + plan->layout.nr * WRITER_ACCOUNT_BYTES;
}

int capture_info_write(const struct capture_info *info, struct ts_dir *dir, struct ts_error *err)
{
	struct ts_json *root = ts_json_new();
	struct ts_bytes text = {0};
	int code;

	put_recording(root, info);
	put_recorder(root);
	if (info->rotation)
		put_rotation(root, info->rotation);
	put_data(root, info);
	put_events(root, &info->plan->source);
	put_writers(root, info);
	put_rings(root, info);
	if (info->absences->nr)
		put_absences(root, info);
	put_gaps(root, info);
	if (info->ledger) {
		put_ledger(root, info);
		put_self(root, info->ledger);
	}
	code = ts_json_print(root, &text);
	if (!code)
		code = ts_dir_replace(dir, TS_DIR_INFO, text.data, text.len, err);
	else
		code = ts_error_sys(err, ENOMEM, "cannot describe the capture");
	ts_bytes_release(&text);
	ts_json_free(root);
	return code;
}
