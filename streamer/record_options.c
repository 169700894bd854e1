// SPDX-License-Identifier: Apache-2.0
#include "streamer/record_options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/units.h"
#include "streamer/control.h"

#define FLUSH_DEFAULT_NS (1 * TS_NS_PER_SEC)
#define TIME_MIN_NS	 (1 * TS_NS_PER_MS)
#define TIME_MAX_NS	 (3600 * TS_NS_PER_SEC)
#define LEVEL_DEFAULT	 1
#define LEVEL_MAX	 22
#define DELAY_MAX_MS	 (7 * 24 * 3600 * 1000ULL)

enum { /* options without a letter */
       KEY_AFFINITY = 0x100,
       KEY_AIO,
       KEY_ALL_KERNEL,
       KEY_ALL_USER,
       KEY_ALWAYS,
       KEY_AUX_SAMPLE,
       KEY_CALL_GRAPH,
       KEY_CONTROL,
       KEY_DRY_RUN,
       KEY_EXCLUDE_SELF,
       KEY_FILTER,
       KEY_FLUSH,
       KEY_HELP,
       KEY_IO,
       KEY_MAX_SIZE,
       KEY_MIN_FREE,
       KEY_SYNC,
       KEY_THREADS,
};

static const struct argp_option option_table[] = {
	{"all-cpus", 'a', NULL, 0, NULL, 0},
	{"cpu", 'C', "LIST", 0, NULL, 0},
	{"pid", 'p', "PIDS", 0, NULL, 0},
	{"tid", 't', "TIDS", 0, NULL, 0},
	{"event", 'e', "EVENTS", 0, NULL, 0},
	{"filter", KEY_FILTER, "FILTER", 0, NULL, 0},
	{"exclude-self", KEY_EXCLUDE_SELF, NULL, 0, NULL, 0},
	{"exclude-perf", KEY_EXCLUDE_SELF, NULL, 0, NULL, 0},
	{"freq", 'F', "HZ", 0, NULL, 0},
	{"count", 'c', "N", 0, NULL, 0},
	{NULL, 'g', NULL, 0, NULL, 0},
	{"call-graph", KEY_CALL_GRAPH, "MODE", 0, NULL, 0},
	{"data", 'd', NULL, 0, NULL, 0},
	{"timestamp", 'T', NULL, 0, NULL, 0},
	{"period", 'P', NULL, 0, NULL, 0},
	{"sample-cpu", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"sample-identifier", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"buildid-all", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"buildid-mmap", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"no-buildid-cache", 'N', NULL, 0, NULL, 0},
	{"no-inherit", 'i', NULL, 0, NULL, 0},
	{"all-user", KEY_ALL_USER, NULL, 0, NULL, 0},
	{"all-kernel", KEY_ALL_KERNEL, NULL, 0, NULL, 0},
	{"raw-samples", 'R', NULL, 0, NULL, 0},
	{"clockid", 'k', "CLOCK", 0, NULL, 0},
	{"delay", 'D', "MS", 0, NULL, 0},
	{"control", KEY_CONTROL, "SPEC", 0, NULL, 0},
	{"threads", KEY_THREADS, "SPEC", OPTION_ARG_OPTIONAL, NULL, 0},
	{"mmap-pages", 'm', "SIZE", 0, NULL, 0},
	{NULL, 'z', "LEVEL", OPTION_ARG_OPTIONAL, NULL, 0},
	{"compression-level", 'z', "LEVEL", OPTION_ARG_OPTIONAL, NULL, 0},
	{"flush", KEY_FLUSH, "TIME", 0, NULL, 0},
	{"sync", KEY_SYNC, "TIME", 0, NULL, 0},
	{"io", KEY_IO, "HOW", 0, NULL, 0},
	{"realtime", 'r', "PRIO", 0, NULL, 0},
	{"output", 'o', "DIR", 0, NULL, 0},
	{"max-size", KEY_MAX_SIZE, "SIZE", 0, NULL, 0},
	{"min-free", KEY_MIN_FREE, "SIZE", 0, NULL, 0},
	{"quiet", 'q', NULL, 0, NULL, 0},
	{"verbose", 'v', NULL, 0, NULL, 0},
	{"dry-run", KEY_DRY_RUN, NULL, 0, NULL, 0},
	{"aio", KEY_AIO, "N", OPTION_ARG_OPTIONAL, NULL, 0},
	{"affinity", KEY_AFFINITY, "MODE", 0, NULL, 0},
	{"snapshot", 'S', "SPEC", OPTION_ARG_OPTIONAL, NULL, 0},
	{"aux-sample", KEY_AUX_SAMPLE, "SPEC", OPTION_ARG_OPTIONAL, NULL, 0},
	{"help", KEY_HELP, NULL, 0, NULL, 0},
	{"usage", 'h', NULL, 0, NULL, 0},
	{NULL, '?', NULL, 0, NULL, 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

const char record_help[] =
	"Usage: tstream record [OPTION...] [--] [COMMAND [ARGUMENT...]]\n"
	"Records events of this machine with parallel writers into a directory that perf reads.\n\n"
	"Whom:    -a, --all-cpus           everything on every CPU, until ^C or COMMAND ends\n"
	"         -C, --cpu LIST           everything on these CPUs: 0-3,8\n"
	"         -p, --pid PIDS           processes and what they start; -t, --tid TIDS  threads\n"
	"What:    -e, --event EVENTS       as perf's: cpu-clock, sched:sched_*, r1a8, cycles:u\n"
	"         --filter FILTER          for the tracepoints of the -e before it\n"
	"         --exclude-self           leave the recorder's own tracepoint events out\n"
	"         -F, --freq HZ|max        samples a second (4000); -c, --count N  events a "
	"sample\n"
	"         -g, --call-graph MODE    -g: by frame pointer; MODE: fp, dwarf[,BYTES]\n"
	"         -d, --data               data addresses and data maps\n"
	"         -i, --no-inherit         not what targets start\n"
	"         --all-user, --all-kernel  only user space, only the kernel\n"
	"         -R, --raw-samples        raw records; -T, --timestamp  (always on)\n"
	"         -k, --clockid CLOCK      mono, mono_raw, boottime, real, tai\n"
	"When:    -D, --delay MS           sample only after MS; -1: when told to\n"
	"         --control fd:N[,M]|fifo:A[,B]  take enable, disable, stop, ping, evlist\n"
	"Writers: --threads[=SPEC]         cpu (default), core, l3, die, socket, numa, or\n"
	"                                  CPUS/AFFINITY[:...]; without: cpu up to 32 CPUs\n"
	"         -m, --mmap-pages SIZE    ring of a CPU, pages or with K, M, G\n"
	"         -z, --compression-level[=N]  zstd, 1 to 22 (1)\n"
	"         --flush TIME             nothing waits longer in memory (1s)\n"
	"         --sync TIME              on the disk itself that much after (never asked for)\n"
	"         --io uring|pwrite        how to write; -r, --realtime PRIO  SCHED_FIFO\n"
	"Output:  -o, --output DIR         where (tstream.data); /dev/null: nowhere\n"
	"         --max-size SIZE          end when the streams have so much\n"
	"         --min-free SIZE|N%       end before less is free (smaller of 1G and 2%; 0: off)\n"
	"         -q, --quiet  -v, --verbose  -vv  say less, more, every descriptor\n"
	"         --dry-run                print writers, rings and memory; open nothing\n\n"
	"--aio[=N] and --affinity=MODE are accepted: writers always do that. 'man tstream-record'\n"
	"tells the rest.\n";

struct reading { /* what the callback works on */
	struct record_options *options;
	struct ts_error *err;
	bool all_cpus;
};

/* A whole number between lowest and highest. */
static int read_number(const char *option, const char *text, uint64_t lowest, uint64_t highest,
		       uint64_t *ret, struct ts_error *err)
{
	uint64_t n;

	if (ts_parse_u64(text, &n) < 0 || n < lowest || n > highest)
		return ts_error_set(
			err, EINVAL, "cannot use %s '%s': it must be a number from %llu to %llu",
			option, text, (unsigned long long)lowest, (unsigned long long)highest);
	*ret = n;
	return 0;
}

static int read_freq(struct record_options *o, const char *text, struct ts_error *err)
{
	if (!strcmp(text, "max")) {
		o->event.freq = EVENT_FREQ_MAX;
		return 0;
	}
	return read_number("--freq", text, 1, INT32_MAX, &o->event.freq, err);
}

static int read_delay(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t ms;

	if (!strcmp(text, "-1")) {
		o->delay_ms = RECORD_DELAY_FOREVER;
		return 0;
	}
	if (ts_parse_u64(text, &ms) < 0 || ms > DELAY_MAX_MS)
		return ts_error_set(err, EINVAL,
				    "cannot use --delay '%s': it must be milliseconds, or -1 to "
				    "wait for an enable command",
				    text);
	o->delay_ms = (int64_t)ms;
	return 0;
}

static int read_pages(struct record_options *o, const char *text, struct ts_error *err)
{
	bool rounded;
	char size[TS_UNITS_TEXT];
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (strchr(text, ','))
		return ts_error_set(err, EINVAL,
				    "cannot use --mmap-pages '%s': AUX areas are not recorded",
				    text);
	if (ts_parse_pages(text, page_bytes, &o->ring_pages, &rounded) < 0 ||
	    o->ring_pages > (UINT64_C(1) << 40) / page_bytes)
		return ts_error_set(
			err, EINVAL,
			"cannot use --mmap-pages '%s': it must be a number of pages, or "
			"a size such as 512K or 4M",
			text);
	if (rounded)
		ts_notes_add(&o->notes, "--mmap-pages is rounded up to %s (%llu pages)",
			     ts_format_size(size, o->ring_pages * page_bytes),
			     (unsigned long long)o->ring_pages);
	return 0;
}

/* --flush and --sync. */
static int read_time(const char *option, const char *text, uint64_t *ret_ns, struct ts_error *err)
{
	uint64_t ns;

	if (ts_parse_time(text, 0, &ns) < 0 || ns < TIME_MIN_NS || ns > TIME_MAX_NS)
		return ts_error_set(err, EINVAL,
				    "cannot use %s '%s': it must be a time with its unit, from "
				    "1ms to 1h, such as 500ms",
				    option, text);
	*ret_ns = ns;
	return 0;
}

static int read_io(struct record_options *o, const char *text, struct ts_error *err)
{
	size_t len = strcspn(text, ",");

	o->io_buffered = !strcmp(text + len, ",buffered");
	if (len == 5 && !strncmp(text, "uring", len))
		o->io = RECORD_IO_URING;
	else if (len == 6 && !strncmp(text, "pwrite", len))
		o->io = RECORD_IO_PWRITE;
	else
		o->io = RECORD_IO_AUTO;
	if (o->io != RECORD_IO_AUTO && (!text[len] || o->io_buffered))
		return 0;
	return ts_error_set(err, EINVAL,
			    "cannot use --io '%s': it must be uring or pwrite, each with "
			    "',buffered' behind it if need be",
			    text);
}

static int read_level(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t level = LEVEL_DEFAULT;

	if (text && read_number("--compression-level", text, 0, LEVEL_MAX, &level, err) < 0)
		return -EINVAL;
	o->compress_level = (int)level;
	return 0;
}

static int read_realtime(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t priority = 0;

	if (read_number("--realtime", text, 1, 99, &priority, err) < 0)
		return -EINVAL;
	o->realtime = (int)priority;
	return 0;
}

static int read_output(struct record_options *o, const char *text, struct ts_error *err)
{
	if (!strcmp(text, "-"))
		return ts_error_set(err, EINVAL,
				    "cannot write to '-': several writers write a directory, not a "
				    "pipe");
	if (!*text)
		return ts_error_set(err, EINVAL, "cannot write to '': the name is empty");
	o->output = text;
	return 0;
}

static int read_max_size(struct record_options *o, const char *text, struct ts_error *err)
{
	if (ts_parse_size(text, &o->max_bytes) < 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --max-size '%s': it must be a size such as 500M",
				    text);
	if (!o->max_bytes)
		ts_notes_add(&o->notes, "--max-size %s changes nothing: it is no bound", text);
	return 0;
}

static int read_min_free(struct record_options *o, const char *text, struct ts_error *err)
{
	if (disk_min_free_parse(text, &o->min_free) < 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --min-free '%s': it must be a size such as 500M, "
				    "a part of the filesystem such as 5%%, or 0",
				    text);
	return 0;
}

static int read_control(struct record_options *o, const char *text, struct ts_error *err)
{
	o->control = text;
	return control_check(text, err);
}

/* -p and -t: one of them, and -a beside it changes nothing. */
static int read_tasks(struct record_options *o, enum target_kind kind, const char *text,
		      struct ts_error *err)
{
	if (o->target.nr_ids > 0 && o->target.kind != kind)
		return ts_error_set(err, EINVAL, "cannot record --pid and --tid at once: give one");
	o->has_target = true;
	return target_set_ids(&o->target, kind, text, err);
}

static int read_clock(struct record_options *o, const char *text, struct ts_error *err)
{
	o->has_clock = o->event.use_clockid = true;
	return event_parse_clock(text, &o->event.clockid, err);
}

/* perf compiles and loads BPF programs named here. */
static bool is_bpf_program(const char *events)
{
	size_t len = strlen(events);

	return len > 2 && (!strcmp(events + len - 2, ".o") || !strcmp(events + len - 2, ".c"));
}

static int read_events(struct record_options *o, const char *text, struct ts_error *err)
{
	if (is_bpf_program(text))
		return ts_error_set(err, EINVAL,
				    "cannot record event '%s': BPF programs are not loaded", text);
	return event_parse(&o->events, text, NULL, err);
}

static int read_affinity(struct record_options *o, const char *text, struct ts_error *err)
{
	if (strcasecmp(text, "node") && strcasecmp(text, "cpu") && strcasecmp(text, "sys"))
		return ts_error_set(err, EINVAL,
				    "cannot use --affinity '%s': it must be node, cpu or sys",
				    text);
	ts_notes_add(&o->notes,
		     "--affinity changes nothing: writers are always pinned (--threads)");
	return 0;
}

static int read_aio(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t n;

	if (text && read_number("--aio", text, 0, INT32_MAX, &n, err) < 0)
		return -EINVAL;
	ts_notes_add(&o->notes, "--aio changes nothing: writes are always asynchronous");
	return 0;
}

static void read_command(struct record_options *o, struct argp_state *state)
{
	o->command = state->argv + state->next - 1;
	state->next = state->argc;
}

/* Options that choose whom to record, and what. -ENOENT: not one of these. */
static int read_what(struct reading *r, int key, char *arg)
{
	struct record_options *o = r->options;

	switch (key) {
	case 'a':
		r->all_cpus = o->has_target = true;
		return 0;
	case 'C':
		o->has_target = true;
		return target_set_cpus(&o->target, arg, r->err);
	case 'p':
		return read_tasks(o, TARGET_PIDS, arg, r->err);
	case 't':
		return read_tasks(o, TARGET_TIDS, arg, r->err);
	case 'e':
		return read_events(o, arg, r->err);
	case KEY_FILTER:
		return event_set_filter(&o->events, arg, r->err);
	case KEY_EXCLUDE_SELF:
		o->exclude_self = true;
		return 0;
	case 'F':
		return read_freq(o, arg, r->err);
	case 'c':
		return read_number("--count", arg, 1, INT64_MAX, &o->event.period, r->err);
	case 'g':
		o->event.callgraph = EVENT_CALLGRAPH_FP;
		return 0;
	case KEY_CALL_GRAPH:
		return event_parse_callgraph(arg, &o->event.callgraph, &o->event.stack_bytes,
					     r->err);
	case 'd':
		o->event.data_addr = true;
		return 0;
	case 'T': /* every record has these, and no cache is ever written */
	case 'P':
	case 'N':
	case KEY_ALWAYS:
		return 0;
	case 'i':
		o->event.inherit = false;
		return 0;
	case KEY_ALL_USER:
	case KEY_ALL_KERNEL:
		o->event.all_user = key == KEY_ALL_USER;
		o->event.all_kernel = key == KEY_ALL_KERNEL;
		return 0;
	case 'R':
		o->event.raw_samples = true;
		return 0;
	case 'k':
		return read_clock(o, arg, r->err);
	default:
		return -ENOENT;
	}
}

/* Options that choose how. -ENOENT: not one of these. */
static int read_how(struct reading *r, int key, char *arg)
{
	struct record_options *o = r->options;

	switch (key) {
	case 'D':
		return read_delay(o, arg, r->err);
	case KEY_CONTROL:
		return read_control(o, arg, r->err);
	case KEY_THREADS:
		o->threads = arg ? arg : "";
		return 0;
	case 'm':
		return read_pages(o, arg, r->err);
	case 'z':
		return read_level(o, arg, r->err);
	case KEY_FLUSH:
		return read_time("--flush", arg, &o->flush_ns, r->err);
	case KEY_SYNC:
		return read_time("--sync", arg, &o->sync_ns, r->err);
	case KEY_IO:
		return read_io(o, arg, r->err);
	case 'r':
		return read_realtime(o, arg, r->err);
	case 'o':
		return read_output(o, arg, r->err);
	case KEY_MAX_SIZE:
		return read_max_size(o, arg, r->err);
	case KEY_MIN_FREE:
		return read_min_free(o, arg, r->err);
	case 'q':
		o->level = TS_LOG_QUIET;
		return 0;
	case 'v':
		o->level = o->level < TS_LOG_VERBOSE ? TS_LOG_VERBOSE : TS_LOG_DEBUG;
		return 0;
	case KEY_DRY_RUN:
		o->dry_run = true;
		return 0;
	case KEY_AIO:
		return read_aio(o, arg, r->err);
	case KEY_AFFINITY:
		return read_affinity(o, arg, r->err);
	case 'S':
	case KEY_AUX_SAMPLE:
		return ts_error_set(r->err, EINVAL, "cannot use %s: AUX areas are not recorded",
				    key == 'S' ? "--snapshot" : "--aux-sample");
	default:
		return -ENOENT;
	}
}

static error_t read_option(int key, char *arg, struct argp_state *state)
{
	struct reading *r = state->input;
	int code;

	switch (key) {
	case 'h':
	case '?':
	case KEY_HELP:
		r->options->help = true;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_ARG:
		read_command(r->options, state);
		return 0;
	default:
		break;
	}
	code = read_what(r, key, arg);
	if (code == -ENOENT && !r->err->code)
		code = read_how(r, key, arg);
	if (code == -ENOENT && !r->err->code)
		return ARGP_ERR_UNKNOWN;
	return code < 0 ? EINVAL : 0;
}

/* What was asked for and has nothing to do. */
static void note_idle_options(struct record_options *o)
{
	bool writes = strcmp(o->output, "/dev/null") != 0;

	if (!writes && o->min_free.kind != MIN_FREE_DEFAULT)
		ts_notes_add(&o->notes, "--min-free changes nothing: -o /dev/null takes no room");
	if (!writes && o->sync_ns)
		ts_notes_add(&o->notes,
			     "--sync changes nothing: -o /dev/null writes nothing to a disk");
	if (o->exclude_self && o->target.kind != TARGET_SYSTEM)
		ts_notes_add(&o->notes, "--exclude-self changes nothing: the recorder is not among "
					"what is recorded");
}

/* What follows from all options together. */
static int settle(struct reading *r)
{
	struct record_options *o = r->options;

	if (!o->has_target && !o->command) {
		ts_error_set(r->err, EINVAL, "cannot record: nothing was said about whom");
		return ts_error_hint(r->err, "give a command, or -a, -C, -p or -t");
	}
	if (!o->has_target)
		o->target.kind = TARGET_COMMAND;
	if (r->all_cpus && o->target.nr_ids > 0)
		ts_notes_add(&o->notes, "-a changes nothing: --pid or --tid says whom to record");
	if (o->delay_ms == RECORD_DELAY_FOREVER && !o->control)
		ts_notes_add(&o->notes,
			     "nothing will be sampled: -D -1 waits for an enable command, "
			     "but there is no --control");
	note_idle_options(o);
	if (!o->events.nr)
		return event_add_default(&o->events, r->err);
	return 0;
}

int record_options_read(struct record_options *options, int argc, char **argv, struct ts_error *err)
{
	static const struct argp argp = {.options = option_table, .parser = read_option};
	struct reading reading = {.options = options, .err = err};

	memset(options, 0, sizeof(*options));
	memset(err, 0, sizeof(*err));
	options->flush_ns = FLUSH_DEFAULT_NS;
	options->output = RECORD_OUTPUT;
	options->target.kind = TARGET_SYSTEM;
	options->event.inherit = true;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_EXIT, NULL,
		       &reading) != 0)
		return -EINVAL;
	return options->help ? 0 : settle(&reading);
}

void record_options_release(struct record_options *options)
{
	target_release(&options->target);
	event_list_release(&options->events);
	ts_notes_release(&options->notes);
}
