// SPDX-License-Identifier: Apache-2.0
/*
 * The first part of a recording, up to the moment when the capture has its name. recording_open(),
 * at the end, has the steps in their order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "streamer/directory/left_over.h"
#include "streamer/recording/recording.h"

/* A random UUID (version 4, RFC 9562). */
static int make_uuid(uint8_t *uuid, struct ts_error *err)
{
	if (getrandom(uuid, 16, 0) != 16)
		return ts_error_sys(err, errno, "cannot name the recording");
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
	return 0;
}

/* Before anything else, because the command is to have the process as it was. */
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

/*
 * Forked before the command: a process that holds the command's pipe would keep the command from
 * ending with the recorder.
 */
static int start_runners(struct recording *r, const struct caller_state *caller,
			 struct ts_error *err)
{
	const struct record_options *o = r->plan->options;
	int log_fd = r->plan->log_fd;
	int code = on_snapshot_start(&r->hook, o->archives, o->on_snapshot, log_fd, caller, err);

	return code < 0 ? code : memory_segments_start(&r->history, o, log_fd, caller, err);
}

/* The path of the running directory. */
static const char *path_of(const struct recording *r)
{
	return r->history.is_on ? r->history.path : r->plan->options->output;
}

static int make_streams(struct recording *r, struct ts_error *err)
{
	const char *out = path_of(r);
	int code;

	if (r->plan->drops_output)
		return 0;
	if (!r->history.is_on && (code = left_over_keep(out, r->notes, err)) < 0)
		return code;
	code = part_create(&r->part, out, err);
	return code ? code : crew_make_streams(&r->crew, &r->part.dir, out, err);
}

/*
 * Makes room for the descriptors of every thread that is to be recorded and for the memory of the
 * rings, before anything is opened. The command has been forked already and keeps the limits that
 * it had.
 */
static int raise_limits(struct recording *r, struct ts_error *err)
{
	struct target_counts threads;
	int code = target_count_threads(&r->plan->options->target, &threads, err);

	if (code < 0)
		return code;
	privilege_raise_memlock(&r->plan->privilege);
	return privilege_raise_files(record_plan_descriptors(r->plan, &threads), err);
}

static pid_t next_target(const void *filter, pid_t after)
{
	return task_filter_next_target(filter, after);
}

/* A FORK is known when its ring was drained. */
static int watch_processes(struct recording *r, struct ts_error *err)
{
	const struct record_options *o = r->plan->options;

	return target_life_open_processes(&r->lifeline, next_target, &r->plan->source.tasks,
					  o->event.inherit ? o->flush_ns * 2 : 0, err);
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
	code = record_plan_watches_processes(r->plan) ? watch_processes(r, err) : -ENOSYS;
	if (code != -ENOSYS)
		return code;
	code = target_threads(t, &tids, &nr, err);
	if (code < 0)
		return code;
	code = target_life_open(&r->lifeline, tids, nr, (int)r->plan->source.rings[0].cpu,
				r->plan->options->event.inherit, err);
	free(tids);
	return code;
}

/*
 * Writes the first `data` and tstream.json, then takes the name that the user gave: now it is a
 * capture.
 */
static int show_capture(struct recording *r, int argc, char **argv, struct ts_error *err)
{
	struct data_file_facts facts = {.argc = argc, .argv = argv, .command = r->workload.pid};
	char kept[TS_DIR_KEPT_TEXT];
	int code;

	if (r->plan->options->target.kind != TARGET_COMMAND)
		facts.command = 0;
	code = data_file_init(&r->part.data, r->plan, &facts, r->notes, err);
	if (code < 0 || (code = part_write_data(&r->part, err)) < 0 ||
	    (code = part_write_info(&r->part, &r->part.dir, NULL, err)) < 0)
		return code;
	if (r->plan->drops_output)
		return 0;
	code = ts_dir_publish(&r->part.dir, err);
	if (!code && ts_dir_tell_kept(&r->part.dir, kept))
		ts_notes_add(r->notes, "%s", kept);
	return code;
}

/* Sets a state that recording_close() accepts. */
static void set_empty(struct recording *r, struct record_plan *plan, struct ts_notes *notes)
{
	memset(r, 0, sizeof(*r));
	r->plan = plan;
	r->notes = notes;
	r->hotplug.fd = -1;
	r->files_look_ns = TS_TIME_NEVER;
	r->lifeline.epoll_fd = -1;
	crew_init(&r->crew, plan);
	part_init(&r->part, plan, r->uuid, &r->absences);
	names_again_init(&r->names, &r->crew, &r->part.data, notes);
	r->part.gaps = &r->names.gaps;
	r->is_open = true;
}

/* Opens the descriptors by which others notify the main thread. */
static int open_notices(struct recording *r, struct ts_error *err)
{
	const struct record_plan *p = r->plan;
	const struct rotation_given given = {
		.crew = &r->crew, .part = &r->part, .hook = &r->hook, .notes = r->notes};
	int code;

	if ((code = crew_open(&r->crew, err)) < 0 ||
	    (code = memory_segments_open(&r->history, p->options, r->notes, err)) < 0 ||
	    (code = rotation_init(&r->rotation, &given, &r->history, err)) < 0)
		return code;
	return hotplug_open(&r->hotplug, p->machine.online, err);
}

int recording_open(struct recording *r, struct record_plan *plan, int argc, char **argv,
		   const struct caller_state *caller, struct ts_notes *notes, struct ts_error *err)
{
	int code;

	set_empty(r, plan, notes);
	/*
	 * Runners and the command first: they keep the limits as they were. Then our limits, for
	 * all later steps.
	 */
	if ((code = start_runners(r, caller, err)) < 0 ||
	    (code = hold_command(r, caller, err)) < 0 || (code = raise_limits(r, err)) < 0 ||
	    (code = make_uuid(r->uuid, err)) < 0 || (code = open_notices(r, err)) < 0 ||
	    (code = crew_allocate(&r->crew, err)) < 0)
		goto fail;
	/* Where nothing can be written, nothing else is opened. */
	if ((code = make_streams(r, err)) < 0 ||
	    (code = crew_open_rings(&r->crew, r->notes, err)) < 0 ||
	    (code = rotation_open_clock(&r->rotation, err)) < 0 ||
	    (code = triggers_open(&r->triggers, &plan->options->triggers, &plan->source, err)) <
		    0 ||
	    (code = watch_targets(r, err)) < 0)
		goto fail;
	/*
	 * Writers lock memory that the rings have left. A filter names the threads of all writers.
	 */
	if ((code = crew_start(&r->crew, r->uuid, err)) < 0 ||
	    (code = crew_set_filters(&r->crew, r->notes, err)) < 0)
		goto fail;
	/* The last step of this one changes what the user had. */
	code = show_capture(r, argc, argv, err);
	if (!code)
		return 0;
fail:
	recording_close(r);
	return code;
}
