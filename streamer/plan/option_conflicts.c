// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "streamer/plan/option_conflicts.h"

#include <errno.h>
#include <string.h>

#include "common/stream/compress.h"

static bool has_callchains(const struct record_options *o)
{
	bool found = o->event.callgraph != EVENT_CALLGRAPH_UNSET;

	for (size_t i = 0; i < o->events.nr; i++)
		found |= o->events.items[i].callgraph != EVENT_CALLGRAPH_UNSET;
	return found;
}

static bool overwrites(const struct record_options *o)
{
	bool found = false;

	for (size_t i = 0; i < o->events.nr; i++)
		found |= event_overwrites(&o->events.items[i], &o->event);
	return found;
}

/* Several directories are made; where samples are overwritten, one for each dump. */
static bool makes_several(const struct record_options *o)
{
	return o->switch_output.is_on || o->memory.is_on || overwrites(o);
}

/*
 * -M: the memory keeps the newest records. Other options that keep the newest cannot stand beside
 * it.
 */
static int settle_memory(struct record_options *o, struct ts_error *err)
{
	const char *other = overwrites(o)	     ? "--overwrite"
			    : o->switch_output.is_on ? "--switch-output"
			    : o->max_bytes	     ? "--max-size"
						     : NULL;

	if (!o->memory.is_on && o->memory.before_ns) {
		ts_error_set(err, EINVAL,
			     "cannot use --before: this recording holds no records in memory");
		return ts_error_hint(err, "give -M, which holds the newest records in memory");
	}
	if (!o->memory.is_on)
		return 0;
	o->memory.is_on = strcmp(o->output, "/dev/null") != 0;
#ifndef WITH_READER
	return ts_error_set(
		err, ENOTSUP,
		"cannot use -M: this tstream was built without merge, which writes snapshots");
#endif
	if (other) {
		ts_error_set(err, EINVAL, "cannot use -M with %s", other);
		return ts_error_hint(
			err, "-M keeps the newest records in memory and writes them on SIGUSR1");
	}
	if (!o->has_level)
		o->compress_level = TS_COMPRESS_LEVEL_FAST;
	if (o->sync_ns)
		ts_notes_add(&o->notes, "--sync changes nothing: -M holds the records in memory");
	return 0;
}

/* Options that were given and have no effect. */
static void note_idle_options(struct record_options *o)
{
	bool writes = strcmp(o->output, "/dev/null") != 0;

	if (!writes && o->min_free.kind != MIN_FREE_DEFAULT)
		ts_notes_add(&o->notes,
			     "--min-free changes nothing: -o /dev/null takes no disk space");
	if (!writes && o->sync_ns)
		ts_notes_add(&o->notes,
			     "--sync changes nothing: -o /dev/null writes nothing to a disk");
	if (!writes && (o->switch_output.is_on || o->timestamp_filename || o->memory.is_on))
		ts_notes_add(&o->notes, "--switch-output, -M and --timestamp-filename change "
					"nothing: -o /dev/null has no directories");
	if (!makes_several(o) && (o->switch_max_files || o->keep_bytes))
		ts_notes_add(&o->notes, "--switch-max-files and --keep-bytes change nothing: there "
					"is only one directory (see --switch-output)");
	if (!writes && o->archives)
		ts_notes_add(&o->notes, "--archive changes nothing: -o /dev/null has no directory");
	if (o->on_snapshot && !makes_several(o) && !o->timestamp_filename)
		ts_notes_add(&o->notes,
			     "--on-snapshot changes nothing: no directory gets a time stamp (see "
			     "--switch-output, --overwrite, --timestamp-filename)");
	if ((o->event.kernel_callchains || o->event.user_callchains) && !has_callchains(o))
		ts_notes_add(&o->notes,
			     "--%s-callchains changes nothing: no call chains are "
			     "recorded (-g)",
			     o->event.kernel_callchains ? "kernel" : "user");
	if (o->event.no_samples && !o->event.thread_counts)
		ts_notes_add(&o->notes, "nothing will be sampled: -n leaves samples out, and only "
					"-s records the counts of threads");
	if (o->exclude_self && o->target.kind != TARGET_SYSTEM)
		ts_notes_add(&o->notes, "--exclude-self changes nothing: the recorder is not a "
					"target of this recording");
}

int option_conflicts_settle(struct record_options *o, struct ts_error *err)
{
	if (!o->has_target && !o->command) {
		ts_error_set(err, EINVAL, "cannot record: no target was given");
		return ts_error_hint(err, "give a command, or -a, -C, -p or -t");
	}
	if (!o->has_target)
		o->target.kind = TARGET_COMMAND;
	if (o->target.kind == TARGET_TIDS)
		o->event.inherit &= o->inherits; /* as perf: else these threads alone */
	if (o->events.nr_cgroups && o->target.kind != TARGET_SYSTEM) {
		ts_error_set(err, EINVAL, "cannot use --cgroup: it needs a recording of CPUs");
		return ts_error_hint(err, "give -a or -C");
	}
	if (o->all_cpus && o->target.kind != TARGET_SYSTEM)
		ts_notes_add(&o->notes,
			     "-a changes nothing: --pid, --tid or --uid chooses the target");
	if (o->delay_ms == RECORD_DELAY_FOREVER && !o->control)
		ts_notes_add(&o->notes,
			     "nothing will be sampled: -D -1 waits for an enable command, "
			     "but there is no --control");
	if (!o->events.nr && event_add_default(&o->events, err) < 0)
		return -err->code;
	/* as perf does: an option that asks for a directory wants several streams */
	if (trigger_makes_snapshots(&o->triggers) && !makes_several(o))
		o->switch_output.is_on = true;
	if (o->dead_man_ns && !o->control && !o->socket && !o->is_daemon && !makes_several(o)) {
		ts_error_set(err, EINVAL,
			     "cannot use --dead-man: no commands can reach this recording");
		return ts_error_hint(err, "also give --socket or --control");
	}
	note_idle_options(o);
#ifndef WITH_READER
	if (o->archives)
		return ts_error_set(err, ENOTSUP,
				    "cannot use --archive: this tstream was built without it");
#endif
	return settle_memory(o, err);
}
