// SPDX-License-Identifier: Apache-2.0
/*
 * The first part of the story, up to the moment when the capture has its name: recording_open() at
 * the end has the steps in their order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "streamer/directory/left_over.h"
#include "streamer/recording/recording_parts.h"
#include "streamer/targets/self_filter.h"
#include "streamer/writer/drain.h"

/* A random UUID (version 4, RFC 9562). */
static int make_uuid(uint8_t *uuid, struct ts_error *err)
{
	if (getrandom(uuid, 16, 0) != 16)
		return ts_error_sys(err, errno, "cannot name the recording");
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
	return 0;
}

/* Before anything else: the command is to have the process as it was. */
static int hold_command(struct recording *r, const struct caller_state *caller,
			struct ts_error *err)
{
	struct record_options *o = r->plan->options;
	int code;

	if (!o->command)
		return 0;
	code = workload_fork(&r->workload, o->command, caller, err);
	if (code < 0 || o->target.kind != TARGET_COMMAND)
		return code;
	return target_set_command(&o->target, r->workload.pid, err);
}

/* Before the command is: who holds its pipe keeps it from ending with the recorder. */
static int start_runners(struct recording *r, const struct caller_state *caller,
			 struct ts_error *err)
{
	const struct record_options *o = r->plan->options;
	int log_fd = r->plan->log_fd;
	int code = hook_start(&r->hook, o->archives, o->on_snapshot, log_fd, caller, err);

	return code < 0 ? code : history_start(&r->history, o, log_fd, caller, err);
}

const char *recording_path(const struct recording *r)
{
	return r->history.is_on ? r->history.path : r->plan->options->output;
}

static int make_streams(struct recording *r, struct ts_error *err)
{
	enum ts_stream_io io = r->plan->options->io_buffered ? TS_STREAM_BUFFERED : TS_STREAM_AUTO;
	const char *out = recording_path(r);
	int code;

	if (r->plan->drops_output)
		return 0;
	if (!r->history.is_on && (code = left_over_keep(out, r->notes, err)) < 0)
		return code;
	code = ts_dir_create(&r->dir, out, err);
	r->dir.syncs = r->plan->options->sync_ns > 0;
	if (!code)
		code = disk_watch_open(&r->disk, r->dir.fd, out, &r->plan->options->min_free, err);
	for (size_t i = 0; i < r->plan->layout.nr && !code; i++) {
		struct recording_stream *s = &r->streams[i];

		code = ts_dir_create_stream(&r->dir, (unsigned int)i, io, &s->file, err);
		if (!code && asprintf(&s->path, "%s/data.%zu", out, i) < 0) {
			s->path = NULL;
			code = ts_error_sys(err, ENOMEM, "cannot record");
		}
	}
	return code;
}

int recording_map_ring(struct recording *r, size_t ring, struct ts_error *err)
{
	const struct record_plan *p = r->plan;
	const struct source_ring *s = &p->source.rings[ring];
	struct ring_id id = {.number = (uint32_t)ring, .cpu = s->cpu, .kind = s->kind};
	uint64_t bytes = record_plan_ring_bytes(p, s);
	int code = ring_open(&r->rings[ring], &id, s->fd, s->fd, bytes, err);

	return code < 0 ? privilege_explain_mmap(&p->privilege, (int)s->cpu, bytes, -code, err) : 0;
}

/* Those of CPUs that are offline are mapped when these come (recording_cpus.c). */
static int map_rings(struct recording *r, struct ts_error *err)
{
	const struct source *s = &r->plan->source;
	int code = 0;

	for (size_t i = 0; i < s->nr_rings && !code; i++) {
		r->ring_refs[i] = &r->rings[i];
		if (!s->rings[i].is_absent)
			code = recording_map_ring(r, i, err);
	}
	return code;
}

/*
 * Descriptors for every thread that is to be recorded, and the memory of the rings: before anything
 * is opened. After the command has been forked, which keeps the limits that it had.
 */
static int raise_limits(struct recording *r, struct ts_error *err)
{
	size_t nr;
	int code = target_count_threads(&r->plan->options->target, &nr, err);

	if (code < 0)
		return code;
	privilege_raise_memlock(&r->plan->privilege);
	return privilege_raise_files(record_plan_descriptors(r->plan, nr), err);
}

void recording_unmap_rings(struct recording *r)
{
	for (size_t i = 0; r->rings && i < r->plan->source.nr_rings; i++)
		ring_close(&r->rings[i]);
}

/*
 * Other processes of this user share the memory that he may lock, and nothing tells how much they
 * have: sample rings are halved until all fit. The watermark follows, and that is the owner's.
 */
static int map_what_fits(struct recording *r, struct ts_error *err)
{
	struct record_plan *p = r->plan;
	char size[TS_UNITS_TEXT];
	bool was_halved = false;
	int code;

	for (;; was_halved = true) {
		code = source_open_owners(&p->source, record_plan_watermark(p, TS_RING_SAMPLES),
					  record_plan_watermark(p, TS_RING_SIDEBAND), err);
		if (code < 0)
			return code;
		code = map_rings(r, err);
		if (code != -EPERM || !record_plan_halve_rings(p))
			break;
		recording_unmap_rings(r);
		source_close_owners(&p->source);
	}
	if (!code && was_halved)
		ts_notes_add(r->notes,
			     "rings have %s: others of this user have locked the rest of his "
			     "memory (kernel.perf_event_mlock_kb)",
			     ts_format_size(size, p->sample_ring_bytes));
	return code;
}

static int open_rings(struct recording *r, struct ts_error *err)
{
	int code;

	code = map_what_fits(r, err);
	if (code < 0)
		return code;
	return source_open_events(&r->plan->source, r->notes, err);
}

/* -p, -t and -u without a command end with their targets. */
static int watch_targets(struct recording *r, struct ts_error *err)
{
	const struct target *t = &r->plan->options->target;
	pid_t *tids;
	size_t nr;
	int code;

	if (t->kind == TARGET_SYSTEM || t->kind == TARGET_COMMAND)
		return 0;
	code = target_threads(t, &tids, &nr, err);
	if (code < 0)
		return code;
	code = lifeline_open(&r->lifeline, tids, nr, (int)r->plan->source.rings[0].cpu, err);
	free(tids);
	return code;
}

/* Rings of a plan are sorted by writer: each has a run of them. */
static size_t count_run(const struct source *s, size_t first, size_t writer)
{
	size_t nr = 0;

	while (first + nr < s->nr_rings && s->rings[first + nr].writer == writer)
		nr++;
	return nr;
}

/* As the events were opened; without one they carry the time of the kernel's own clock. */
static clockid_t clock_of_records(const struct source *s)
{
	return s->nr_attrs && s->attrs[0].use_clockid ? s->attrs[0].clockid : DRAIN_NO_CLOCK;
}

static int start_writers(struct recording *r, struct ts_error *err)
{
	const struct record_plan *p = r->plan;
	size_t first = 0;
	int code = 0;

	for (size_t i = 0; i < p->layout.nr && !code; i++) {
		struct recording_stream *s = &r->streams[i];
		struct writer_plan plan = {
			.number = (uint32_t)i,
			.cpus = p->layout.writers[i].affinity,
			.nodes = p->layout.writers[i].nodes,
			.rings = r->ring_refs + first,
			.nr_rings = count_run(&p->source, first, i),
			.file = s->file,
			.stream_path = s->path,
			.sink = record_plan_sink(p),
			.flush_ns = p->options->flush_ns,
			.sync_ns = p->options->sync_ns,
			.compression_level = p->options->compress_level,
			.clock = clock_of_records(&p->source),
			.nr_buffers = p->nr_buffers,
			.buffer_bytes = p->buffer_bytes,
			.rt_priority = p->options->realtime,
			.failure = &r->failure,
			.limit = &r->limit,
			.switch_at = r->rotation.is_on ? &r->rotation.size : NULL,
			.has_cuts = r->rotation.is_on,
			.cut_fd = r->rotation.cut_fd,
			.supply = &r->supply,
		};

		memcpy(plan.uuid, r->uuid, sizeof(plan.uuid));
		first += plan.nr_rings;
		s->writer = writer_new(&plan, err);
		code = s->writer ? writer_start(s->writer, err) : -err->code;
	}
	return code;
}

/* Only a recording of everything sees its recorder, whose threads are all there now. */
int recording_set_filters(struct recording *r, struct ts_error *err)
{
	const struct record_options *o = r->plan->options;
	bool leaves_out = o->exclude_self && o->target.kind == TARGET_SYSTEM;
	struct ts_bytes self = {0};
	int code = leaves_out ? self_filter_make(&self, err) : 0;

	if (!code)
		code = source_set_filters(&r->plan->source,
					  leaves_out ? (const char *)self.data : NULL, r->notes,
					  err);
	ts_bytes_release(&self);
	return code;
}

/* The first `data`, tstream.json, and the name that the user gave: now it is a capture. */
static int show_capture(struct recording *r, int argc, char **argv, struct ts_error *err)
{
	struct data_file_facts facts = {.argc = argc, .argv = argv, .command = r->workload.pid};
	int code;

	if (r->plan->options->target.kind != TARGET_COMMAND)
		facts.command = 0;
	code = data_file_init(&r->data, r->plan, &facts, r->notes, err);
	if (code < 0 || (code = recording_write_data(r, err)) < 0 ||
	    (code = recording_write_info(r, &r->dir, NULL, err)) < 0)
		return code;
	return r->plan->drops_output ? 0 : ts_dir_publish(&r->dir, err);
}

static int allocate(struct recording *r, struct ts_error *err)
{
	const struct record_plan *p = r->plan;

	r->rings = calloc(p->source.nr_rings, sizeof(*r->rings));
	r->ring_refs = calloc(p->source.nr_rings, sizeof(*r->ring_refs));
	r->streams = calloc(p->layout.nr, sizeof(*r->streams));
	if (!r->rings || !r->ring_refs || !r->streams)
		return ts_error_sys(err, ENOMEM, "cannot record");
	for (size_t i = 0; i < p->layout.nr; i++)
		r->streams[i].file.fd = -1;
	return 0;
}

/* So that recording_close() finds what there is. */
static void set_empty(struct recording *r, struct record_plan *plan, struct ts_notes *notes)
{
	memset(r, 0, sizeof(*r));
	r->plan = plan;
	r->notes = notes;
	r->dir = (struct ts_dir)TS_DIR_INIT;
	r->disk.next_ns = TS_TIME_NEVER;
	r->hotplug.fd = -1;
	r->lifeline.epoll_fd = r->failure.fd = r->limit.reached.fd = r->supply.fd = -1;
	r->is_open = true;
}

/* By which others tell the main thread that there is something to do. */
static int open_notices(struct recording *r, struct ts_error *err)
{
	const struct record_plan *p = r->plan;
	int code;

	if ((code = ts_stop_init(&r->failure, err)) < 0 ||
	    (code = supply_init(&r->supply, p->layout.nr, supply_default_bytes(), err)) < 0 ||
	    (code = size_limit_init(&r->limit, p->options->max_bytes, err)) < 0)
		return code;
	if ((code = history_open(&r->history, p->options, r->notes, err)) < 0 ||
	    (code = rotation_init(&r->rotation, p, &r->history, err)) < 0)
		return code;
	return hotplug_open(&r->hotplug, p->machine.online, err);
}

int recording_open(struct recording *r, struct record_plan *plan, int argc, char **argv,
		   const struct caller_state *caller, struct ts_notes *notes, struct ts_error *err)
{
	int code;

	set_empty(r, plan, notes);
	/* Commands first: they keep the limits as they were. Then ours, for all that follows. */
	if ((code = start_runners(r, caller, err)) < 0 ||
	    (code = hold_command(r, caller, err)) < 0 || (code = raise_limits(r, err)) < 0 ||
	    (code = make_uuid(r->uuid, err)) < 0 || (code = open_notices(r, err)) < 0 ||
	    (code = allocate(r, err)) < 0)
		goto fail;
	/* Where nothing can be written, nothing else is opened. */
	if ((code = make_streams(r, err)) < 0 || (code = open_rings(r, err)) < 0 ||
	    (code = rotation_open_clock(r, err)) < 0 ||
	    (code = triggers_open(&r->triggers, &plan->options->triggers, &plan->source, err)) <
		    0 ||
	    (code = watch_targets(r, err)) < 0)
		goto fail;
	/* Writers lock what memory the rings have left. A filter names the threads of all of them. */
	if ((code = start_writers(r, err)) < 0 || (code = recording_set_filters(r, err)) < 0)
		goto fail;
	/* Its last step changes what the user had. */
	code = show_capture(r, argc, argv, err);
	if (!code)
		return 0;
fail:
	recording_close(r);
	return code;
}
