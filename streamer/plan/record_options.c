// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "streamer/plan/record_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/events/event_branch.h"
#include "streamer/events/event_regs.h"
#include "streamer/plan/option_conflicts.h"
#include "streamer/plan/record_perf_options.h"
#include "streamer/plan/record_values.h"

#define FLUSH_DEFAULT_NS	(1 * TS_NS_PER_SEC)
#define MIN_INTERVAL_DEFAULT_NS (1 * TS_NS_PER_SEC)

/* The command begins at the first word that is no option. */
static int take_command(void *options, char **rest, struct ts_error *err)
{
	struct record_options *o = options;

	(void)err;
	o->command = rest;
	o->before_command = rest[-1];
	return 0;
}

static int set_all_cpus(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	(void)text;
	(void)err;
	o->all_cpus = o->has_target = true;
	return 0;
}

/* Of --all-user and --all-kernel the last one holds. */
static int set_all_user(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	(void)text;
	(void)err;
	o->event.all_user = true;
	o->event.all_kernel = false;
	return 0;
}

static int set_all_kernel(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	(void)text;
	(void)err;
	o->event.all_user = false;
	o->event.all_kernel = true;
	return 0;
}

static int set_verbose(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	(void)text;
	(void)err;
	o->level = o->level < TS_LOG_VERBOSE ? TS_LOG_VERBOSE : TS_LOG_DEBUG;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	return option_conflicts_settle(options, err);
}

#define AT(field)    .at = offsetof(struct record_options, field)
#define READ(value)  .read = record_value_##value
#define BESIDE	     .is_beside = true
#define SAMPLE(bits) .at = offsetof(struct record_options, event.sample_bits), .sets = (bits)
#define A_TIME                                                                                     \
	.least = 1 * TS_NS_PER_MS, .most = 3600 * TS_NS_PER_SEC,                                   \
	.why = "it must be a time with its unit, from 1ms to 1h, such as 500ms"
#define A_SPAN                                                                                     \
	.least = TS_NS_PER_SEC, .most = UINT64_MAX,                                                \
	.why = "it must be a time of at least 1s, such as 10m"

static const struct ts_option option_rows[] = {
	{TS_OPTION_READ, "all-cpus", 'a', NULL, "everything on every CPU, until ^C or COMMAND ends",
	 .group = "Targets", .read = set_all_cpus},
	{TS_OPTION_READ, "cpu", 'C', "LIST", "everything on these CPUs: 0-3,8", READ(cpus)},
	{TS_OPTION_READ, "pid", 'p', "PIDS", "processes and their children", READ(pids)},
	{TS_OPTION_READ, "tid", 't', "TIDS", "threads", BESIDE, READ(tids)},
	{TS_OPTION_READ, "uid", 'u', "USER", "the processes of a user", READ(user)},

	{TS_OPTION_READ, "event", 'e', "EVENTS",
	 "like perf: cpu-clock, sched:sched_*, r1a8, cycles:u", .group = "Events", READ(events)},
	{TS_OPTION_READ, "cgroup", 'G', "NAMES",
	 "with -a: only that cgroup, for the events before it", READ(cgroups)},
	{TS_OPTION_READ, "filter", 0, "FILTER", "for the tracepoints of the -e before it",
	 READ(filter)},
	{TS_OPTION_FLAG, "exclude-self", .help = "exclude the recorder's own tracepoint events",
	 AT(exclude_self)},
	{TS_OPTION_ALIAS, .name = "exclude-perf"},
	{TS_OPTION_READ, "freq", 'F', "HZ|max", "samples a second (4000)", READ(freq)},
	{TS_OPTION_NUMBER, "count", 'c', "N", "events a sample", BESIDE, AT(event.period),
	 .least = 1},
	{TS_OPTION_FLAG, "strict-freq", .help = "fail if the kernel allows less than -F",
	 AT(event.strict_freq)},
	{TS_OPTION_CHOICE, NULL, 'g', NULL, "call chains (fp)", AT(event.callgraph),
	 .sets = EVENT_CALLGRAPH_FP},
	{TS_OPTION_READ, "call-graph", 0, "MODE", "fp, dwarf[,BYTES]", BESIDE, READ(callgraph)},
	{TS_OPTION_FLAG, "kernel-callchains", AT(event.kernel_callchains)},
	{TS_OPTION_FLAG, "user-callchains", .help = "only kernel/user part", BESIDE,
	 AT(event.user_callchains)},
	{TS_OPTION_BITS, "data", 'd', NULL, "addresses, maps of data",
	 SAMPLE(PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC)},
	{TS_OPTION_BITS, "weight", 'W', NULL, BESIDE, SAMPLE(EVENT_SAMPLE_WEIGHT)},
	{TS_OPTION_BITS, "transaction", BESIDE, SAMPLE(PERF_SAMPLE_TRANSACTION)},
	{TS_OPTION_BITS, "phys-data", SAMPLE(PERF_SAMPLE_PHYS_ADDR)},
	{TS_OPTION_BITS, "data-page-size", BESIDE, SAMPLE(PERF_SAMPLE_DATA_PAGE_SIZE)},
	{TS_OPTION_BITS, "code-page-size", BESIDE, SAMPLE(PERF_SAMPLE_CODE_PAGE_SIZE)},
	{TS_OPTION_READ, "intr-regs", 'I', "[REGS]", "registers: ip,sp,ax", READ(intr_regs)},
	{TS_OPTION_READ, "user-regs", 0, "[REGS]", "the user's", BESIDE, READ(user_regs)},
	{TS_OPTION_READ, "branch-any", 'b', NULL, "branches before the sample", READ(branches)},
	{TS_OPTION_READ, "branch-filter", 'j', "FILTERS", BESIDE, READ(branches)},
	{TS_OPTION_BITS, "all-cgroups", .help = "cgroups of samples", SAMPLE(PERF_SAMPLE_CGROUP)},
	{TS_OPTION_FLAG, "switch-events", .help = "task switches", BESIDE, AT(event.switch_events)},
	{TS_OPTION_FLAG, "stat", 's', NULL, "counts of each thread", AT(event.thread_counts)},
	{TS_OPTION_FLAG, "no-samples", 'n', NULL, "no samples", BESIDE, AT(event.no_samples)},
	{TS_OPTION_NO_FLAG, "no-inherit", 'i', NULL, "exclude child tasks", AT(event.inherit)},
	{TS_OPTION_FLAG, "inherit", .is_hidden = true, AT(inherits)},
	{TS_OPTION_READ, "all-user", .help = "only user space", BESIDE, .read = set_all_user},
	{TS_OPTION_READ, "all-kernel", .help = "only the kernel", .read = set_all_kernel},
	{TS_OPTION_BITS, "raw-samples", 'R', NULL, "raw records", BESIDE, SAMPLE(PERF_SAMPLE_RAW)},
	{TS_OPTION_READ, "clockid", 'k', "CLOCK", "mono, mono_raw, boottime, real, tai",
	 READ(clock)},
	/* every record has these, and no cache is ever written */
	{TS_OPTION_NOTHING, "timestamp", 'T', NULL, .is_hidden = true},
	{TS_OPTION_NOTHING, "period", 'P', NULL, .is_hidden = true},
	{TS_OPTION_NOTHING, "sample-cpu", .is_hidden = true},
	{TS_OPTION_ALIAS, .name = "sample-identifier"},
	{TS_OPTION_NOTHING, "buildid-all", .is_hidden = true},
	{TS_OPTION_FLAG, "no-buildid-mmap", .is_hidden = true, AT(event.without_build_ids)},
	{TS_OPTION_NO_FLAG, "buildid-mmap", .is_hidden = true, AT(event.without_build_ids)},
	{TS_OPTION_NOTHING, "no-buildid-cache", 'N', NULL, .is_hidden = true},

	{TS_OPTION_READ, "delay", 'D', "MS", "sample only after MS; -1: after an enable command",
	 .group = "Start", READ(delay)},
	{TS_OPTION_NUMBER, "proc-map-timeout", 0, "MS",
	 "limit for maps of an existing process (500)", AT(map_limit_ms), .least = 1,
	 .most = UINT32_MAX},
	{TS_OPTION_READ, "control", 0, "fd:N[,M]|fifo:A[,B]",
	 "take enable, disable, stop, ping, evlist", READ(control)},
	{TS_OPTION_FLAG, "daemon", AT(is_daemon)},
	{TS_OPTION_READ, "socket", 0, "PATH", BESIDE, READ(socket)},
	{TS_OPTION_TIME, "dead-man", 0, "TIME", "for 'tstream ctl'", BESIDE, AT(dead_man_ns),
	 A_SPAN},

	{TS_OPTION_READ, "threads", 0, "[SPEC]",
	 "cpu (default), core, l3, die, socket, numa, or CPUS/AFFINITY[:...]; without: cpu up to "
	 "32 "
	 "CPUs",
	 .group = "Writers", READ(threads)},
	{TS_OPTION_READ, "mmap-pages", 'm', "SIZE[:SIZE]", "ring size per CPU: pages, or K, M, G",
	 READ(pages)},
	{TS_OPTION_READ, "compression-level", 'z', "[LEVEL]", "zstd, 1 to 22; -1: faster (-1)",
	 READ(level)},
	{TS_OPTION_TIME, "flush", 0, "TIME", "write records after at most TIME (1s)", AT(flush_ns),
	 A_TIME},
	{TS_OPTION_TIME, "sync", 0, "TIME", "sync to the disk within TIME (off)", AT(sync_ns),
	 A_TIME},
	{TS_OPTION_READ, "io", 0, "uring|pwrite", "how to write", READ(io)},
	{TS_OPTION_READ, "realtime", 'r', "PRIO", "SCHED_FIFO", BESIDE, READ(realtime)},

	{TS_OPTION_READ, "output", 'o', "DIR", "output (tstream.data); /dev/null: none",
	 .group = "Output", READ(output)},
	{TS_OPTION_READ, "max-size", 0, "SIZE", "end when the streams have SIZE", READ(max_size)},
	{TS_OPTION_READ, "min-free", 0, "SIZE|N%",
	 "end when less is free (smaller of 1G and 2%; 0: off)", READ(min_free)},
	{TS_OPTION_READ, "switch-output", 0, "[WHEN]",
	 "start a new directory at a signal, SIZE or TIME", READ(switch)},
	{TS_OPTION_FLAG, "overwrite", .help = "rings keep the newest samples, SIGUSR2 saves them",
	 AT(event.overwrite)},
	{TS_OPTION_READ, "memory", 'M', "SIZE|TIME", "hold newest data in RAM, SIGUSR1 saves it",
	 READ(memory)},
	{TS_OPTION_NUMBER, "switch-max-files", 0, "N", AT(switch_max_files), .least = 1,
	 .most = INT32_MAX},
	{TS_OPTION_READ, "keep-bytes", 0, "SIZE", "keep the newest", BESIDE, READ(keep_bytes)},
	{TS_OPTION_FLAG, "timestamp-filename", BESIDE, AT(timestamp_filename)},
	{TS_OPTION_TEXT, "on-snapshot", 0, "CMD", "run CMD with each finished directory",
	 AT(on_snapshot)},
	{TS_OPTION_FLAG, "archive", .help = "add its symbols before that", BESIDE, AT(archives)},
	{TS_OPTION_READ, "switch-output-event", 0, "EVENT",
	 "switch or snapshot at an event or pressure", READ(trigger_events)},
	{TS_OPTION_READ, "trigger", 0, "event:EVENT|psi:memory:STALL/WINDOW", BESIDE,
	 READ(trigger)},
	{TS_OPTION_TIME, "min-interval", 0, "TIME", AT(triggers.min_interval_ns), A_TIME},
	{TS_OPTION_TIME, "before", 0, "TIME", BESIDE, AT(memory.before_ns), A_TIME},
	{TS_OPTION_TIME, "after", 0, "TIME", "limits of triggers", BESIDE, AT(triggers.after_ns),
	 A_TIME},
	{TS_OPTION_CHOICE, "quiet", 'q', NULL, "say less", AT(level),
	 .sets = (uint64_t)TS_LOG_QUIET},
	{TS_OPTION_READ, "verbose", 'v', NULL, "more", BESIDE, .read = set_verbose},
	{TS_OPTION_FLAG, "dry-run", .help = "print the plan", BESIDE, AT(dry_run)},
	{TS_OPTION_READ, "aio", 0, "[N]", .is_hidden = true, READ(aio)},
	{TS_OPTION_READ, "affinity", 0, "MODE", .is_hidden = true, READ(affinity)},
	{TS_OPTION_PART, .part = record_perf_rows},
	{0},
};

const struct ts_command cmd_record_line = {
	.name = "record",
	.summary = "record events of this machine, of processes, of a command",
	.words = "[--] [COMMAND [ARGUMENT...]]",
	.purpose =
		"Records events of this machine with parallel writers into a directory that perf "
		"reads.",
	.rows = option_rows,
	.more = "See 'man tstream-record' for the rest. --aio[=N] and --affinity=MODE change "
		"nothing.",
	.take_word = take_command,
	.rest_is_program = true,
	.settle = settle_options,
};

static void set_defaults(struct record_options *options)
{
	*options = (struct record_options){
		.flush_ns = FLUSH_DEFAULT_NS,
		.triggers.min_interval_ns = MIN_INTERVAL_DEFAULT_NS,
		.output = RECORD_OUTPUT,
		.target.kind = TARGET_SYSTEM,
		.event.inherit = true,
	};
}

int record_options_read(struct record_options *options, int argc, char **argv, struct ts_error *err)
{
	enum ts_command_asks asks;
	int code;

	set_defaults(options);
	code = ts_command_read(&cmd_record_line, options, argc, argv, &asks, &options->notes, err);
	options->help = asks == TS_ASKS_HELP;
	return code;
}

void record_options_explain_command(const struct record_options *options, struct ts_error *err)
{
	static const struct {
		const char *option, *with_value;
	} rows[] = {
		{"--threads", "--threads="},
		{"--aio", "--aio="},
		{"-g", "--call-graph "},
		{"-z", "-z"},
		{"--compression-level", "--compression-level="},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(options->before_command, rows[i].option))
			ts_error_hint(err, "if it is the value of %s, write %s%s", rows[i].option,
				      rows[i].with_value, options->command[0]);
}

void record_options_release(struct record_options *options)
{
	target_release(&options->target);
	event_list_release(&options->events);
	event_list_release(&options->triggers.events);
	ts_notes_release(&options->notes);
}
