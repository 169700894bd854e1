// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/cut_request.h"

#include <errno.h>

#include "common/base/clock.h"

int cut_request_check(const struct rotation *t, struct ts_error *err)
{
	if (t->is_on)
		return 0;
	ts_error_set(err, EINVAL, "cannot make a snapshot: this recording has one directory");
	return ts_error_hint(err, "record with --switch-output, --overwrite or -M");
}

/*
 * With -M, size and time end a segment; all other causes ask for a snapshot of the held segments.
 */
static bool is_snapshot(const struct rotation *t, const struct cut_cause *cause)
{
	return t->is_held && cause->kind != CUT_BY_SIZE && cause->kind != CUT_BY_TIME;
}

/* --before, counted back from the request, CLOCK_MONOTONIC; 0: everything. */
static uint64_t since(const struct memory_history *memory, uint64_t asked_realtime_ns)
{
	uint64_t before_ns = memory->before_ns;
	uint64_t age_ns = ts_clock_ns(CLOCK_REALTIME) - asked_realtime_ns;
	uint64_t now_ns = ts_clock_now_ns();

	if (!before_ns)
		return 0;
	if (age_ns > now_ns) /* the wall clock was set meanwhile */
		age_ns = 0;
	return now_ns - age_ns > before_ns ? now_ns - age_ns - before_ns : 0;
}

enum cut_request cut_request_make(struct recording *r, const struct cut_cause *cause,
				  struct ts_error *err)
{
	uint64_t asked_ns = cause->realtime_ns ? cause->realtime_ns : ts_clock_ns(CLOCK_REALTIME);
	const struct record_options *o = r->plan->options;
	struct rotation *t = &r->rotation;
	uint32_t before = r->part.span.number;
	int code;

	if (is_snapshot(t, cause) && memory_segments_check(&r->history, err) < 0)
		return CUT_REQUEST_REFUSED;
	code = t->condenses && cause->kind == CUT_BY_SIZE ? rotation_condense(t, err)
							  : rotation_cut(t, cause, err);
	if (code < 0)
		return rotation_stays(t, before) ? CUT_REQUEST_REFUSED : CUT_REQUEST_BROKEN;
	if (is_snapshot(t, cause) &&
	    memory_segments_save(&r->history, &t->kept, since(&o->memory, asked_ns), o->output,
				 cause->name, err) < 0)
		return CUT_REQUEST_REFUSED;
	return CUT_REQUEST_MADE;
}
