// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/record_values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/stream/compress.h"
#include "streamer/events/event_branch.h"
#include "streamer/events/event_regs.h"
#include "streamer/watch/perf_control.h"

#define RING_MAX_BYTES	 (UINT64_C(1) << 40)
#define RING_TEXT_BYTES	 64
#define SWITCH_MIN_BYTES (UINT64_C(64) << 10)
#define SWITCH_MIN_NS	 (1 * TS_NS_PER_SEC)
#define MEMORY_MIN_BYTES (8u << 20)
#define MEMORY_MIN_NS	 (10 * TS_NS_PER_SEC)
#define DELAY_MAX_MS	 (7 * 24 * 3600 * 1000ULL)

/* A whole number between lowest and highest. */
static int read_number(const char *option, const char *text, uint64_t lowest, uint64_t highest,
		       uint64_t *ret, struct ts_error *err)
{
	uint64_t n;

	if (ts_units_parse_u64(text, &n) < 0 || n < lowest || n > highest)
		return ts_error_set(
			err, EINVAL, "cannot use %s '%s': it must be a number from %llu to %llu",
			option, text, (unsigned long long)lowest, (unsigned long long)highest);
	*ret = n;
	return 0;
}

int record_value_freq(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (!strcmp(text, "max")) {
		o->event.freq = EVENT_FREQ_MAX;
		return 0;
	}
	return read_number("--freq", text, 1, INT32_MAX, &o->event.freq, err);
}

int record_value_delay(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	uint64_t ms;

	if (!strcmp(text, "-1")) {
		o->delay_ms = RECORD_DELAY_FOREVER;
		return 0;
	}
	if (ts_units_parse_u64(text, &ms) < 0 || ms > DELAY_MAX_MS)
		return ts_error_set(err, EINVAL,
				    "cannot use --delay '%s': it must be milliseconds, or -1 to "
				    "wait for an enable command",
				    text);
	o->delay_ms = (int64_t)ms;
	return 0;
}

/* Reads the size of a ring: `len` bytes at `part` of the value `text`. */
static int read_ring_pages(struct record_options *o, const char *text, const char *part, size_t len,
			   uint64_t *ret, struct ts_error *err)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char copy[RING_TEXT_BYTES], size[TS_UNITS_TEXT];
	bool rounded;

	snprintf(copy, sizeof(copy), "%.*s", (int)len, part);
	if (len >= sizeof(copy) || ts_units_parse_pages(copy, page_bytes, ret, &rounded) < 0)
		return ts_error_set(
			err, EINVAL,
			"cannot use --mmap-pages '%s': it must be a number of pages, or "
			"a size such as 512K or 4M",
			text);
	if (*ret > RING_MAX_BYTES / page_bytes)
		return ts_error_set(err, EINVAL,
				    "cannot use --mmap-pages '%s': a ring has at most 1T", text);
	if (rounded)
		ts_notes_add(&o->notes, "--mmap-pages is rounded up to %s (%llu pages)",
			     ts_units_format_size(size, *ret * page_bytes),
			     (unsigned long long)*ret);
	return 0;
}

/* "SAMPLES", "SAMPLES:SIDEBAND" or ":SIDEBAND" */
int record_value_pages(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	size_t len = strcspn(text, ":");
	int code = 0;

	if (strchr(text, ','))
		return ts_error_set(err, EINVAL,
				    "cannot use --mmap-pages '%s': AUX areas are not recorded",
				    text);
	if (len || !text[0])
		code = read_ring_pages(o, text, text, len, &o->ring_pages, err);
	if (!code && text[len])
		code = read_ring_pages(o, text, text + len + 1, strlen(text + len + 1),
				       &o->sideband_pages, err);
	return code;
}

int record_value_io(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
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
			    "cannot use --io '%s': it must be uring or pwrite, optionally followed "
			    "by ',buffered'",
			    text);
}

int record_value_level(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	uint64_t level = 0;

	o->has_level = true;
	o->compress_level = TS_COMPRESS_LEVEL_FAST;
	if (!text || !strcmp(text, "-1"))
		return 0;
	if (read_number("--compression-level", text, 0, TS_COMPRESS_LEVEL_MAX, &level, err))
		return ts_error_hint(err, "%s",
				     *text == '='
					     ? "write -z3 or --compression-level=3"
					     : "-1 is the fastest; -z without a level means -1");
	o->compress_level = (int)level;
	return 0;
}

int record_value_realtime(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	uint64_t priority = 0;

	if (read_number("--realtime", text, 1, 99, &priority, err) < 0)
		return -EINVAL;
	o->realtime = (int)priority;
	return 0;
}

int record_value_output(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (!strcmp(text, "-"))
		return ts_error_set(err, EINVAL,
				    "cannot write to '-': several writers write a directory, not a "
				    "pipe");
	if (!*text)
		return ts_error_set(err, EINVAL, "cannot write to '': the name is empty");
	o->output = text;
	return 0;
}

int record_value_max_size(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (ts_units_parse_size(text, &o->max_bytes) < 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --max-size '%s': it must be a size such as 500M",
				    text);
	if (!o->max_bytes)
		ts_notes_add(&o->notes, "--max-size %s changes nothing: it sets no limit", text);
	return 0;
}

int record_value_min_free(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (disk_min_free_parse(text, &o->min_free) < 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --min-free '%s': it must be a size such as 500M, "
				    "a part of the filesystem such as 5%%, or 0",
				    text);
	return 0;
}

int record_value_control(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	o->control = text;
	return perf_control_check(text, err);
}

/* -p and -t exclude each other, and -a beside one of them changes nothing. */
static int read_tasks(struct record_options *o, enum target_kind kind, const char *text,
		      struct ts_error *err)
{
	if (o->target.kind == TARGET_USER)
		return ts_error_set(err, EINVAL,
				    "cannot use --uid with --pid or --tid: give only one");
	if (o->target.nr_ids > 0 && o->target.kind != kind)
		return ts_error_set(err, EINVAL, "cannot use --pid with --tid: give only one");
	o->has_target = true;
	return target_set_ids(&o->target, kind, text, err);
}

int record_value_pids(void *options, const char *text, struct ts_error *err)
{
	return read_tasks(options, TARGET_PIDS, text, err);
}

int record_value_tids(void *options, const char *text, struct ts_error *err)
{
	return read_tasks(options, TARGET_TIDS, text, err);
}

int record_value_user(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (o->target.nr_ids > 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --uid with --pid or --tid: give only one");
	o->has_target = true;
	return target_set_user(&o->target, text, err);
}

int record_value_clock(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	o->has_clock = o->event.use_clockid = true;
	return event_parse_clock(text, &o->event.clockid, err);
}

/* BPF programs, which perf would compile and load. */
static bool is_bpf_program(const char *events)
{
	size_t len = strlen(events);

	return len > 2 && (!strcmp(events + len - 2, ".o") || !strcmp(events + len - 2, ".c"));
}

int record_value_events(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	struct event_list *list = &o->events;
	int code;

	o->filters_trigger = false;
	if (is_bpf_program(text)) {
		ts_error_set(err, EINVAL,
			     "cannot record event '%s': tstream does not load BPF programs", text);
		return ts_error_hint(err, "let a loaded program ask for a snapshot with "
					  "--switch-output-event bpf-output/map=PATH/");
	}
	code = event_parse(list, text, NULL, err);
	for (size_t i = list->nr - list->nr_last; !code && i < list->nr; i++)
		if (list->items[i].map)
			code = ts_error_set(
				err, EINVAL,
				"cannot record event '%s': only --switch-output-event takes a map",
				list->items[i].name);
	return code;
}

int record_value_cgroups(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	return event_set_cgroups(&o->events, text, err);
}

int record_value_filter(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	return event_set_filter(o->filters_trigger ? &o->triggers.events : &o->events, text, err);
}

int record_value_trigger_events(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	o->filters_trigger = true;
	return trigger_add_events(&o->triggers, text, err);
}

int record_value_trigger(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	o->filters_trigger |= trigger_is_event(text);
	return trigger_add(&o->triggers, text, err);
}

int record_value_cpus(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	o->has_target = true;
	return target_set_cpus(&o->target, text, err);
}

int record_value_callgraph(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	return event_parse_callgraph(text, &o->event.callgraph, &o->event.stack_bytes, err);
}

int record_value_intr_regs(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	return event_parse_regs("--intr-regs", text, &o->event.intr_regs, err);
}

int record_value_user_regs(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	return event_parse_regs("--user-regs", text, &o->event.user_regs, err);
}

int record_value_branches(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (o->event.branches)
		return ts_error_set(err, EINVAL,
				    "cannot use -b or -j twice: give one of them once");
	return event_parse_branch(text, &o->event.branches, err);
}

int record_value_socket(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	o->socket = text;
	return *text ? 0 : ts_error_set(err, EINVAL, "cannot use --socket '': it is empty");
}

int record_value_threads(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	(void)err;
	o->threads = text ? text : "";
	return 0;
}

int record_value_affinity(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (strcasecmp(text, "node") && strcasecmp(text, "cpu") && strcasecmp(text, "sys"))
		return ts_error_set(err, EINVAL,
				    "cannot use --affinity '%s': it must be node, cpu or sys",
				    text);
	ts_notes_add(&o->notes,
		     "--affinity changes nothing: writers are always pinned (--threads)");
	return 0;
}

int record_value_aio(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	uint64_t n;

	if (text && read_number("--aio", text, 0, INT32_MAX, &n, err) < 0)
		return -EINVAL;
	ts_notes_add(&o->notes, "--aio changes nothing: writes are always asynchronous");
	return 0;
}

/* Times have small letters and sizes large ones, as in perf. Both need a letter. False: neither. */
static bool take_size_or_time(const char *text, uint64_t *ret_bytes, uint64_t *ret_ns)
{
	char unit = *text ? text[strlen(text) - 1] : '\0';

	if (unit && strchr("smhd", unit))
		return ts_units_parse_time(text, 0, ret_ns) == 0;
	return unit && strchr("BKMGT", unit) && ts_units_parse_size(text, ret_bytes) == 0;
}

int record_value_switch(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	struct switch_output when = {.is_on = true};

	if (text && strcmp(text, "signal") != 0 &&
	    (!take_size_or_time(text, &when.bytes, &when.every_ns) ||
	     (when.bytes < SWITCH_MIN_BYTES && when.every_ns < SWITCH_MIN_NS)))
		return ts_error_set(
			err, EINVAL,
			"cannot use --switch-output '%s': it must be signal, a size of at least "
			"64K such as 500M, or a time of at least 1s such as 10m",
			text);
	o->switch_output = when;
	return 0;
}

int record_value_memory(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;
	struct memory_history m = {.is_on = true};

	if (!take_size_or_time(text, &m.bytes, &m.span_ns) ||
	    (m.bytes < MEMORY_MIN_BYTES && m.span_ns < MEMORY_MIN_NS))
		return ts_error_set(err, EINVAL,
				    "cannot use -M '%s': it must be a size of at least 8M such as "
				    "256M, or a time of at least 10s such as 15m",
				    text);
	o->memory = m;
	return 0;
}

int record_value_keep_bytes(void *options, const char *text, struct ts_error *err)
{
	struct record_options *o = options;

	if (ts_units_parse_size(text, &o->keep_bytes) < 0 || !o->keep_bytes)
		return ts_error_set(err, EINVAL,
				    "cannot use --keep-bytes '%s': it must be a size such as 10G",
				    text);
	return 0;
}
