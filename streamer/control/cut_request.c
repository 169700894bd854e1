// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/cut_request.h"

#include <errno.h>

#include "common/base/clock.h"

int record_switch_check(const struct recording *r, struct ts_error *err)
{
	if (r->rotation.is_on)
		return 0;
	ts_error_set(err, EINVAL, "cannot make a snapshot: this recording has one directory");
	return ts_error_hint(err, "record with --switch-output, --overwrite or -M");
}

/* With -M size and time end a segment, everything else asks for what is held. */
static bool is_snapshot(const struct recording *r, const struct cut_cause *cause)
{
	return r->history.is_on && cause->kind != CUT_BY_SIZE && cause->kind != CUT_BY_TIME;
}

/* --before what asked for it, CLOCK_MONOTONIC; 0: everything. */
static uint64_t since(const struct recording *r, uint64_t asked_realtime_ns)
{
	uint64_t before_ns = r->plan->options->memory.before_ns;
	uint64_t age_ns = ts_clock_ns(CLOCK_REALTIME) - asked_realtime_ns;
	uint64_t now_ns = ts_now_ns();

	if (!before_ns)
		return 0;
	if (age_ns > now_ns) /* the wall clock was set meanwhile */
		age_ns = 0;
	return now_ns - age_ns > before_ns ? now_ns - age_ns - before_ns : 0;
}

enum record_switch record_switch(struct recording *r, const struct cut_cause *cause,
				 struct ts_error *err)
{
	uint64_t asked_ns = cause->realtime_ns ? cause->realtime_ns : ts_clock_ns(CLOCK_REALTIME);
	uint32_t before = r->part.span.number;

	if (rotation_cut(&r->rotation, cause, err) < 0)
		return !r->rotation.is_cutting && r->part.span.number == before ? RECORD_STAYS
										: RECORD_BROKEN;
	if (is_snapshot(r, cause) &&
	    history_save(&r->history, &r->rotation.kept, since(r, asked_ns),
			 r->plan->options->output, cause->name, err) < 0)
		return RECORD_STAYS;
	return RECORD_SWITCHED;
}
