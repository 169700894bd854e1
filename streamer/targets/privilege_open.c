// SPDX-License-Identifier: Apache-2.0
/*
 * Words why perf_event_open(2) has failed: the meaning of its errno for this event, target and
 * user, and a remedy.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "streamer/events/event_attr.h"
#include "streamer/targets/privilege.h"

struct failure {
	const struct privilege *privilege;
	const struct event *event;
	const struct perf_event_attr *attr;
	const struct target *target;
	char where[32]; /* "CPU 3" */
	int code;
	struct ts_error *err;
};

static int say_reason(const struct failure *f, const char *reason)
{
	return ts_error_set(f->err, f->code, "cannot open event %s [%s]: %s", f->event->name,
			    f->where, reason);
}

static bool is_hardware(const struct failure *f)
{
	return f->attr->type == PERF_TYPE_HARDWARE || f->attr->type == PERF_TYPE_HW_CACHE ||
	       f->attr->type == PERF_TYPE_RAW;
}

/* The highest kernel.perf_event_paranoid at which an ordinary user may open the event. */
static int paranoid_that_would_do(const struct failure *f)
{
	if (f->attr->type == PERF_TYPE_TRACEPOINT)
		return -1;
	if (f->target->kind == TARGET_SYSTEM)
		return 0;
	return f->attr->exclude_kernel ? 2 : 1;
}

/*
 * True for a refusal by seccomp. The kernel itself returns EACCES, except for tracepoints and for
 * tasks of other users.
 */
static bool is_of_seccomp(const struct failure *f)
{
	return f->privilege->has_seccomp &&
	       (f->code == ENOSYS || (f->code == EPERM && f->attr->type != PERF_TYPE_TRACEPOINT));
}

static int explain_seccomp(const struct failure *f)
{
	say_reason(f, "the seccomp filter of this process (usual in containers) refuses "
		      "perf_event_open()");
	return ts_error_hint(f->err,
			     "allow it in the container's seccomp profile; docker and podman "
			     "do so with --cap-add=PERFMON");
}

static int explain_refusal(const struct failure *f)
{
	int value = paranoid_that_would_do(f);

	if (is_of_seccomp(f))
		return explain_seccomp(f);
	if (f->privilege->has_perfmon && event_attr_is_function_trace(f->event)) {
		say_reason(f, "the kernel does not let perf events trace its functions");
		return ts_error_hint(f->err,
				     "trace them through tracefs (current_tracer), or record "
				     "tracepoints or kprobes");
	}
	if (f->privilege->has_perfmon && f->attr->type == PERF_TYPE_TRACEPOINT) {
		say_reason(f, "the kernel allows counting this tracepoint, but not recording it");
		return ts_error_hint(f->err, "leave it out: recording it would trigger it again");
	}
	if (f->privilege->has_perfmon) {
		say_reason(f, "the kernel refuses it although this user has CAP_PERFMON");
		return ts_error_hint(f->err, "a security module or lockdown mode may forbid it");
	}
	if (f->privilege->paranoid > value) {
		ts_error_set(f->err, f->code,
			     "cannot open event %s [%s]: kernel.perf_event_paranoid=%d forbids it "
			     "to ordinary users",
			     f->event->name, f->where, f->privilege->paranoid);
		return privilege_hint_paranoid(f->privilege, value, f->err);
	}
	say_reason(f, "this user may not observe that process");
	return ts_error_hint(f->err, "run as its owner, as root, or with CAP_PERFMON");
}

static int explain_missing(const struct failure *f)
{
	if (!is_hardware(f))
		return say_reason(f, "this kernel does not have it");
	say_reason(f, "this machine does not count it");
	return ts_error_hint(f->err, "virtual machines often have no hardware counters; cpu-clock "
				     "works everywhere");
}

static int explain_invalid(const struct failure *f)
{
	if (event_attr_is_function_trace(f->event) &&
	    f->attr->sample_type & PERF_SAMPLE_STACK_USER) {
		say_reason(f, "the kernel dumps no stacks where it traces its functions");
		return ts_error_hint(f->err, "leave out --call-graph dwarf for it");
	}
	if (f->attr->precise_ip) {
		say_reason(f, "the kernel refuses it; the machine may not support that precision");
		return ts_error_hint(f->err, "give fewer p after the ':'");
	}
	if (f->attr->type > PERF_TYPE_BREAKPOINT)
		return say_reason(f, "the kernel refuses it; that PMU may only count, not sample");
	if (f->attr->use_clockid) {
		say_reason(f, "the kernel refuses its attributes");
		return ts_error_hint(f->err, "try another -k: the event may not allow clock %d",
				     f->attr->clockid);
	}
	return say_reason(f, "the kernel refuses its attributes");
}

static int explain_unsupported(const struct failure *f)
{
	if (!f->attr->branch_sample_type)
		return say_reason(f, "that PMU can only count, not sample");
	say_reason(f, "this machine cannot record branches with it");
	return ts_error_hint(f->err, "use cycles on a processor that records branches (virtual "
				     "machines hide that), or -g for call chains");
}

static int explain_files(const struct failure *f)
{
	say_reason(f, f->code == EMFILE ? "this process has too many descriptors (RLIMIT_NOFILE)"
					: "the system has too many open files (fs.file-max)");
	return ts_error_hint(f->err, "record fewer events, CPUs or threads, or raise the limit");
}

int privilege_explain_open(const struct privilege *privilege, const struct event *event,
			   const struct perf_event_attr *attr, const struct target *target, int cpu,
			   int code, struct ts_error *err)
{
	struct failure f = {.privilege = privilege,
			    .event = event,
			    .attr = attr,
			    .target = target,
			    .code = code,
			    .err = err};

	snprintf(f.where, sizeof(f.where), "CPU %d", cpu);
	switch (code) {
	case EACCES:
	case EPERM:
		return explain_refusal(&f);
	case ENOENT:
	case ENXIO:
		return explain_missing(&f);
	case EOPNOTSUPP:
		return explain_unsupported(&f);
	case EINVAL:
		return explain_invalid(&f);
	case EMFILE:
	case ENFILE:
		return explain_files(&f);
	case ENODEV:
		return say_reason(&f, "the CPU is offline or does not have that PMU");
	case EBUSY:
		return say_reason(&f, "another user occupies the PMU");
	case ENOSPC:
		return say_reason(&f, "the machine has no breakpoint left");
	case ESRCH:
		return say_reason(&f, "its process is gone");
	case ENOSYS:
		if (is_of_seccomp(&f))
			return explain_seccomp(&f);
		return say_reason(&f, "this kernel has no performance events (CONFIG_PERF_EVENTS)");
	default:
		return ts_error_sys(err, code, "cannot open event %s [%s]", event->name, f.where);
	}
}
