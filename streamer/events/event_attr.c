// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_attr.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/text_file.h"
#include "common/base/units.h"
#include "common/perf/perf_layout.h"
#include "streamer/events/event_regs.h"

static int settle_max_rate(struct event_options *options, uint64_t max_rate, struct ts_notes *notes,
			   struct ts_error *err)
{
	if (options->freq == EVENT_FREQ_MAX) {
		if (!max_rate)
			return ts_error_set(err, EINVAL,
					    "cannot record with -F max: the kernel's highest "
					    "frequency is not known");
		options->freq = max_rate;
		ts_notes_add(notes, "the sampling frequency is %" PRIu64 " Hz", max_rate);
	} else if (max_rate && options->freq > max_rate && options->strict_freq) {
		ts_error_set(err, EINVAL,
			     "cannot record at %" PRIu64 " Hz: the kernel allows %" PRIu64,
			     options->freq, max_rate);
		return ts_error_hint(err, "give -F max, or raise kernel.perf_event_max_sample_rate "
					  "(kernel.perf_cpu_time_max_percent lowers it)");
	} else if (max_rate && options->freq > max_rate) {
		ts_notes_add(notes,
			     "the sampling frequency is %" PRIu64 " Hz, not %" PRIu64
			     ": kernel.perf_event_max_sample_rate allows no more",
			     max_rate, options->freq);
		options->freq = max_rate;
	}
	return 0;
}

int event_options_settle(struct event_options *options, uint64_t max_rate, struct ts_notes *notes,
			 struct ts_error *err)
{
	if (options->freq && options->period)
		return ts_error_set(err, EINVAL,
				    "cannot record with both -F and -c: a frequency and a period "
				    "exclude each other");
	options->is_rate_given = options->freq || options->period;
	if (!options->is_rate_given)
		options->freq = EVENT_FREQ_DEFAULT;
	return options->period ? 0 : settle_max_rate(options, max_rate, notes, err);
}

int event_parse_callgraph(const char *text, enum event_callgraph *ret, uint32_t *ret_stack_bytes,
			  struct ts_error *err)
{
	uint64_t bytes;

	if (!strcmp(text, "fp") || !strcmp(text, "dwarf")) {
		*ret = *text == 'f' ? EVENT_CALLGRAPH_FP : EVENT_CALLGRAPH_DWARF;
		*ret_stack_bytes = EVENT_DWARF_STACK_BYTES;
		return 0;
	}
	if (!strcmp(text, "lbr"))
		return ts_error_set(err, EINVAL,
				    "cannot record call graphs by lbr: branch stacks are not "
				    "recorded");
	if (strncmp(text, "dwarf,", 6)) {
		ts_error_set(err, EINVAL, "cannot record call graphs by '%s': no such method",
			     text);
		return ts_error_hint(err, "give fp, dwarf or dwarf,BYTES");
	}
	if (ts_units_parse_u64(text + 6, &bytes) || !bytes || bytes > EVENT_DWARF_STACK_MAX)
		return ts_error_set(
			err, EINVAL,
			"cannot record call graphs by '%s': the stack size must be 8 to %d bytes",
			text, EVENT_DWARF_STACK_MAX);
	*ret = EVENT_CALLGRAPH_DWARF;
	*ret_stack_bytes = (bytes + 7) & ~7ULL;
	return 0;
}

static const struct {
	const char *name;
	int clockid;
} clocks[] = {
	{"monotonic", CLOCK_MONOTONIC},
	{"mono", CLOCK_MONOTONIC},
	{"CLOCK_MONOTONIC", CLOCK_MONOTONIC},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW},
	{"mono_raw", CLOCK_MONOTONIC_RAW},
	{"raw", CLOCK_MONOTONIC_RAW},
	{"CLOCK_MONOTONIC_RAW", CLOCK_MONOTONIC_RAW},
	{"realtime", CLOCK_REALTIME},
	{"real", CLOCK_REALTIME},
	{"CLOCK_REALTIME", CLOCK_REALTIME},
	{"boottime", CLOCK_BOOTTIME},
	{"boot", CLOCK_BOOTTIME},
	{"CLOCK_BOOTTIME", CLOCK_BOOTTIME},
	{"tai", CLOCK_TAI},
	{"CLOCK_TAI", CLOCK_TAI},
};

int event_parse_clock(const char *text, int *ret_clockid, struct ts_error *err)
{
	struct timespec resolution;
	uint64_t number;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!strcasecmp(text, clocks[i].name)) {
			*ret_clockid = clocks[i].clockid;
			return 0;
		}
	}
	if (ts_units_parse_u64(text, &number) || number > INT32_MAX ||
	    clock_getres((clockid_t)number, &resolution)) {
		ts_error_set(err, EINVAL, "cannot use clock '%s': there is no such clock", text);
		return ts_error_hint(err, "clocks are mono, mono_raw, boottime, real, tai, or a "
					  "number of clock_gettime(2)");
	}
	*ret_clockid = (int)number;
	return 0;
}

/* Clocks that the kernel reads in a few nanoseconds. */
static bool clocksource_is_cheap(const char *path)
{
	static const char *const cheap[] = {"tsc", "kvm-clock", "arch_sys_counter"};
	struct ts_bytes name = {0};
	bool is_cheap = false;

	if (!ts_text_file_read_word(&name, AT_FDCWD, path))
		for (size_t i = 0; i < sizeof(cheap) / sizeof(cheap[0]); i++)
			is_cheap = is_cheap || !strcmp((char *)name.data, cheap[i]);
	ts_bytes_release(&name);
	return is_cheap;
}

/* The kernel gives such events large PEBS buffers, whose times are those of the PMU's own clock. */
static bool is_precise_with_period(const struct event *event, const struct event_options *options)
{
	return (event->attr.precise_ip || event->precise_max) &&
	       (event->period || (options->period && !event->freq));
}

void event_default_clock(const struct event_list *list, const char *clocksource_path,
			 struct event_options *options)
{
	if (!clocksource_is_cheap(clocksource_path ? clocksource_path : EVENT_CLOCKSOURCE))
		return;
	for (size_t i = 0; i < list->nr; i++)
		if (is_precise_with_period(&list->items[i], options))
			return;
	options->use_clockid = true;
	options->clockid = CLOCK_MONOTONIC;
}

/* Sets the fields that all our attrs have in common, dummies included. */
static void set_base(const struct event_options *options, struct perf_event_attr *attr)
{
	attr->size = TS_ATTR_SIZE;
	attr->sample_type |= EVENT_BASE_SAMPLE_TYPE;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->disabled = 1;
	attr->sample_id_all = 1;
	if (options->use_clockid) {
		attr->use_clockid = 1;
		attr->clockid = options->clockid;
	}
}

static void set_rate(const struct event *event, const struct event_options *options,
		     struct perf_event_attr *attr)
{
	bool is_single = event->tracepoint || attr->type == PERF_TYPE_BREAKPOINT;

	if (event->period) {
		attr->sample_period = event->period;
	} else if (event->freq) {
		attr->freq = 1;
		attr->sample_freq = event->freq;
	} else if (is_single && !options->is_rate_given) {
		attr->sample_period = 1;
	} else if (options->period) {
		attr->sample_period = options->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = options->freq;
	}
}

static enum event_callgraph callgraph_of(const struct event *event,
					 const struct event_options *options)
{
	return event->callgraph != EVENT_CALLGRAPH_UNSET ? event->callgraph : options->callgraph;
}

static uint32_t stack_bytes_of(const struct event *event, const struct event_options *options)
{
	if (event->stack_bytes)
		return event->stack_bytes;
	return options->stack_bytes ? options->stack_bytes : EVENT_DWARF_STACK_BYTES;
}

static void set_callgraph(const struct event *event, const struct event_options *options,
			  struct perf_event_attr *attr)
{
	enum event_callgraph callgraph = callgraph_of(event, options);

	if (callgraph != EVENT_CALLGRAPH_FP && callgraph != EVENT_CALLGRAPH_DWARF)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = event->max_stack;
	attr->exclude_callchain_user = options->kernel_callchains;
	attr->exclude_callchain_kernel = options->user_callchains;
	if (callgraph != EVENT_CALLGRAPH_DWARF)
		return;
	/* the user's part is unwound from the stack; perf sets ADDR, too */
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_ADDR |
			     PERF_SAMPLE_DATA_SRC;
	attr->sample_regs_user |= EVENT_REGS_ALL;
	attr->sample_stack_user = stack_bytes_of(event, options);
	attr->exclude_callchain_user = 1;
}

bool event_attr_is_function_trace(const struct event *event)
{
	return event->tracepoint && !strcmp(event->system, "ftrace") &&
	       !strcmp(event->tracepoint, "function");
}

/* Leaves the kernel out as perf does. For the default event the hypervisor bit is not set. */
static void set_user_only(const struct event *event, struct perf_event_attr *attr)
{
	if (attr->exclude_kernel || attr->exclude_user)
		return;
	attr->exclude_kernel = 1;
	attr->exclude_hv = !event->is_default;
}

/* -I, --user-regs, -b and -j. */
static void set_extras(const struct event_options *options, struct perf_event_attr *attr)
{
	if (options->intr_regs)
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
	attr->sample_regs_intr = options->intr_regs;
	if (options->user_regs)
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user |= options->user_regs;
	if (options->branches)
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = options->branches;
}

bool event_overwrites(const struct event *event, const struct event_options *options)
{
	return event->overwrite || (options->overwrite && !event->no_overwrite);
}

void event_attr(const struct event *event, const struct event_options *options,
		struct perf_event_attr *ret)
{
	*ret = event->attr;
	set_base(options, ret);
	set_rate(event, options, ret);
	set_callgraph(event, options, ret);
	if (event_attr_is_function_trace(event))
		ret->exclude_callchain_user = 1; /* the kernel refuses it otherwise */
	if (event->precise_max)
		ret->precise_ip = 3;
	ret->sample_type |= options->sample_bits;
	set_extras(options, ret);
	if (event->tracepoint)
		ret->sample_type |= PERF_SAMPLE_RAW;
	if (options->thread_counts) {
		ret->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		ret->inherit_stat = 1;
	}
	if (options->no_samples)
		ret->sample_freq = 0;
	if (options->user_only)
		set_user_only(event, ret);
	if (options->all_user || options->all_kernel) {
		ret->exclude_kernel = options->all_user;
		ret->exclude_user = options->all_kernel;
	}
	ret->inherit = options->inherit && !event->no_inherit;
	ret->enable_on_exec = options->enable_on_exec;
	ret->write_backward = event_overwrites(event, options);
}

static void set_dummy(const struct event_options *options, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1};
	set_base(options, attr);
	attr->exclude_kernel = attr->exclude_hv = options->user_only;
}

bool event_wants_data_maps(const struct event_list *list, const struct event_options *options)
{
	if (options->sample_bits & PERF_SAMPLE_ADDR || options->callgraph == EVENT_CALLGRAPH_DWARF)
		return true;
	for (size_t i = 0; i < list->nr; i++)
		if (list->items[i].callgraph == EVENT_CALLGRAPH_DWARF)
			return true;
	return false;
}

int event_check_callgraph(const struct event_list *list, const struct event_options *options,
			  struct ts_error *err)
{
	for (size_t i = 0; !EVENT_REGS_ALL && i < list->nr; i++)
		if (callgraph_of(&list->items[i], options) == EVENT_CALLGRAPH_DWARF)
			return ts_error_set(err, EINVAL,
					    "cannot record call graphs by dwarf: the registers of "
					    "this architecture are not known");
	return 0;
}

void event_attr_sideband(const struct event_options *options, bool data_maps,
			 struct perf_event_attr *ret)
{
	set_dummy(options, ret);
	/* A new thread that is not sampled maps code for those that are. */
	ret->inherit = 1;
	ret->inherit_thread = !options->inherit;
	ret->mmap = 1;
	ret->mmap2 = 1;
	ret->mmap_data = data_maps;
	ret->build_id = !options->without_build_ids;
	ret->comm = 1;
	ret->comm_exec = 1;
	ret->task = 1;
	ret->ksymbol = 1;
	ret->bpf_event = 1;
	ret->cgroup = 1;
	ret->namespaces = options->namespaces;
	ret->context_switch = options->switch_events;
}

void event_attr_owner(const struct event_options *options, uint32_t watermark_bytes,
		      bool is_backward, struct perf_event_attr *ret)
{
	set_dummy(options, ret);
	ret->watermark = 1;
	/* The kernel limits it to the ring's size. */
	ret->wakeup_watermark = is_backward ? UINT32_MAX : watermark_bytes;
	ret->write_backward = is_backward;
}
