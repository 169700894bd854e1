// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/record_values.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/stream/compress.h"
#include "streamer/watch/control.h"

#define TIME_MIN_NS	 (1 * TS_NS_PER_MS)
#define TIME_MAX_NS	 (3600 * TS_NS_PER_SEC)
#define RING_MAX_BYTES	 (UINT64_C(1) << 40)
#define SWITCH_MIN_BYTES (UINT64_C(64) << 10)
#define SWITCH_MIN_NS	 (1 * TS_NS_PER_SEC)
#define MEMORY_MIN_BYTES (8u << 20)
#define MEMORY_MIN_NS	 (10 * TS_NS_PER_SEC)
#define DELAY_MAX_MS	 (7 * 24 * 3600 * 1000ULL)

/* A whole number between lowest and highest. */
int record_value_number(const char *option, const char *text, uint64_t lowest, uint64_t highest,
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

int record_value_freq(struct record_options *o, const char *text, struct ts_error *err)
{
	if (!strcmp(text, "max")) {
		o->event.freq = EVENT_FREQ_MAX;
		return 0;
	}
	return record_value_number("--freq", text, 1, INT32_MAX, &o->event.freq, err);
}

int record_value_delay(struct record_options *o, const char *text, struct ts_error *err)
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

int record_value_pages(struct record_options *o, const char *text, struct ts_error *err)
{
	bool rounded;
	char size[TS_UNITS_TEXT];
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (strchr(text, ','))
		return ts_error_set(err, EINVAL,
				    "cannot use --mmap-pages '%s': AUX areas are not recorded",
				    text);
	if (ts_parse_pages(text, page_bytes, &o->ring_pages, &rounded) < 0)
		return ts_error_set(
			err, EINVAL,
			"cannot use --mmap-pages '%s': it must be a number of pages, or "
			"a size such as 512K or 4M",
			text);
	if (o->ring_pages > RING_MAX_BYTES / page_bytes)
		return ts_error_set(err, EINVAL,
				    "cannot use --mmap-pages '%s': a ring has at most 1T", text);
	if (rounded)
		ts_notes_add(&o->notes, "--mmap-pages is rounded up to %s (%llu pages)",
			     ts_format_size(size, o->ring_pages * page_bytes),
			     (unsigned long long)o->ring_pages);
	return 0;
}

/* --flush and --sync. */
int record_value_time(const char *option, const char *text, uint64_t *ret_ns, struct ts_error *err)
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

int record_value_io(struct record_options *o, const char *text, struct ts_error *err)
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

int record_value_level(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t level = 0;

	o->has_level = true;
	o->compress_level = TS_COMPRESS_LEVEL_FAST;
	if (!text || !strcmp(text, "-1"))
		return 0;
	if (record_value_number("--compression-level", text, 0, TS_COMPRESS_LEVEL_MAX, &level, err))
		return ts_error_hint(err, "%s",
				     *text == '=' ? "write -z3 or --compression-level=3"
						  : "-1 is the fastest; -z alone is that");
	o->compress_level = (int)level;
	return 0;
}

int record_value_realtime(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t priority = 0;

	if (record_value_number("--realtime", text, 1, 99, &priority, err) < 0)
		return -EINVAL;
	o->realtime = (int)priority;
	return 0;
}

int record_value_output(struct record_options *o, const char *text, struct ts_error *err)
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

int record_value_max_size(struct record_options *o, const char *text, struct ts_error *err)
{
	if (ts_parse_size(text, &o->max_bytes) < 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --max-size '%s': it must be a size such as 500M",
				    text);
	if (!o->max_bytes)
		ts_notes_add(&o->notes, "--max-size %s changes nothing: it is no bound", text);
	return 0;
}

int record_value_min_free(struct record_options *o, const char *text, struct ts_error *err)
{
	if (disk_min_free_parse(text, &o->min_free) < 0)
		return ts_error_set(err, EINVAL,
				    "cannot use --min-free '%s': it must be a size such as 500M, "
				    "a part of the filesystem such as 5%%, or 0",
				    text);
	return 0;
}

int record_value_control(struct record_options *o, const char *text, struct ts_error *err)
{
	o->control = text;
	return control_check(text, err);
}

/* -p and -t: one of them, and -a beside it changes nothing. */
int record_value_tasks(struct record_options *o, enum target_kind kind, const char *text,
		       struct ts_error *err)
{
	if (o->target.kind == TARGET_USER)
		return ts_error_set(err, EINVAL,
				    "cannot record --uid beside --pid or --tid: give one");
	if (o->target.nr_ids > 0 && o->target.kind != kind)
		return ts_error_set(err, EINVAL, "cannot record --pid and --tid at once: give one");
	o->has_target = true;
	return target_set_ids(&o->target, kind, text, err);
}

int record_value_user(struct record_options *o, const char *text, struct ts_error *err)
{
	if (o->target.nr_ids > 0)
		return ts_error_set(err, EINVAL,
				    "cannot record --uid beside --pid or --tid: give one");
	o->has_target = true;
	return target_set_user(&o->target, text, err);
}

int record_value_clock(struct record_options *o, const char *text, struct ts_error *err)
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

int record_value_events(struct record_options *o, const char *text, struct ts_error *err)
{
	struct event_list *list = &o->events;
	int code;

	if (is_bpf_program(text)) {
		ts_error_set(err, EINVAL, "cannot record event '%s': BPF programs are not loaded",
			     text);
		return ts_error_hint(err, "one that is loaded asks for a snapshot by "
					  "--switch-output-event bpf-output/map=PATH/");
	}
	code = event_parse(list, text, NULL, err);
	for (size_t i = list->nr - list->nr_last; !code && i < list->nr; i++)
		if (list->items[i].map)
			code = ts_error_set(err, EINVAL,
					    "cannot record event '%s': a map is for "
					    "--switch-output-event",
					    list->items[i].name);
	return code;
}

int record_value_affinity(struct record_options *o, const char *text, struct ts_error *err)
{
	if (strcasecmp(text, "node") && strcasecmp(text, "cpu") && strcasecmp(text, "sys"))
		return ts_error_set(err, EINVAL,
				    "cannot use --affinity '%s': it must be node, cpu or sys",
				    text);
	ts_notes_add(&o->notes,
		     "--affinity changes nothing: writers are always pinned (--threads)");
	return 0;
}

int record_value_aio(struct record_options *o, const char *text, struct ts_error *err)
{
	uint64_t n;

	if (text && record_value_number("--aio", text, 0, INT32_MAX, &n, err) < 0)
		return -EINVAL;
	ts_notes_add(&o->notes, "--aio changes nothing: writes are always asynchronous");
	return 0;
}

/* Times have small letters and sizes large ones, as in perf; both need one. False: neither. */
static bool take_size_or_time(const char *text, uint64_t *ret_bytes, uint64_t *ret_ns)
{
	char unit = *text ? text[strlen(text) - 1] : '\0';

	if (unit && strchr("smhd", unit))
		return ts_parse_time(text, 0, ret_ns) == 0;
	return unit && strchr("BKMGT", unit) && ts_parse_size(text, ret_bytes) == 0;
}

int record_value_switch(struct record_options *o, const char *text, struct ts_error *err)
{
	struct switch_output when = {.is_on = true};

	if (text && strcmp(text, "signal") != 0 &&
	    (!take_size_or_time(text, &when.bytes, &when.every_ns) ||
	     (when.bytes < SWITCH_MIN_BYTES && when.every_ns < SWITCH_MIN_NS)))
		return ts_error_set(err, EINVAL,
				    "cannot use --switch-output '%s': it must be signal, a size "
				    "from 64K such as 500M, or a time from 1s such as 10m",
				    text);
	o->switch_output = when;
	return 0;
}

int record_value_span(const char *option, const char *text, uint64_t *ret_ns, struct ts_error *err)
{
	if (ts_parse_time(text, 0, ret_ns) == 0 && *ret_ns >= TS_NS_PER_SEC)
		return 0;
	return ts_error_set(err, EINVAL,
			    "cannot use %s '%s': it must be a time from 1s such as 10m", option,
			    text);
}

int record_value_memory(struct record_options *o, const char *text, struct ts_error *err)
{
	struct memory_history m = {.is_on = true};

	if (!take_size_or_time(text, &m.bytes, &m.span_ns) ||
	    (m.bytes < MEMORY_MIN_BYTES && m.span_ns < MEMORY_MIN_NS))
		return ts_error_set(
			err, EINVAL,
			"cannot use -M '%s': it must be a size from 8M such as 256M, or "
			"a time from 10s such as 15m",
			text);
	o->memory = m;
	return 0;
}

int record_value_keep_bytes(struct record_options *o, const char *text, struct ts_error *err)
{
	if (ts_parse_size(text, &o->keep_bytes) < 0 || !o->keep_bytes)
		return ts_error_set(err, EINVAL,
				    "cannot use --keep-bytes '%s': it must be a size such as 10G",
				    text);
	return 0;
}
