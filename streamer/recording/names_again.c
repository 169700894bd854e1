// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/names_again.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"

#define LOOK_NS	 TS_NS_PER_SEC
#define RETRY_NS (100 * TS_NS_PER_MS) /* the writer still has records of the scan before */

void names_again_init(struct names_again *n, struct crew *crew, struct data_file *data,
		      struct ts_notes *notes)
{
	*n = (struct names_again){.crew = crew,
				  .data = data,
				  .notes = notes,
				  .due_ns = TS_TIME_NEVER,
				  .clock = RECORD_CLOCK_INIT};
}

/* Takes over what writers have reported. */
static void take_report(struct names_again *n)
{
	uint64_t since_ns = sideband_gap_take(&n->crew->gap);

	if (!since_ns)
		return;
	n->gaps.since_ns = n->gaps.since_ns ? ts_min(n->gaps.since_ns, since_ns) : since_ns;
	n->due_ns = ts_min(n->due_ns, n->looked_ns ? n->looked_ns + LOOK_NS : 0);
}

/* A ring that was full need not have lost anything. Also true where the kernel does not count. */
static bool has_lost(const struct names_again *n, uint64_t *ret_lost)
{
	const struct source *s = &n->crew->plan->source;

	*ret_lost = source_sideband_lost(s);
	return !s->counts_lost || *ret_lost > n->lost;
}

/* The time on the clock of the records; 0: it cannot be read. */
static uint64_t record_time(struct names_again *n)
{
	const struct perf_event_attr *attr = &n->crew->plan->source.attrs[0];
	struct ts_error ignored;

	if (!n->has_clock && record_clock_open(&n->clock, attr, &ignored) < 0)
		return 0;
	n->has_clock = true;
	return record_clock_now(&n->clock);
}

static int scan(struct names_again *n, struct ts_error *err)
{
	uint64_t time_ns = record_time(n);
	int code;

	if (!time_ns)
		return ts_error_set(err, EIO, "cannot read the clock of the events");
	ts_bytes_clear(&n->run);
	code = data_file_scan_again(n->data, time_ns, &n->run, err);
	if (code < 0)
		return code;
	crew_feed(n->crew, n->run.data, n->run.len);
	names_gaps_add(&n->gaps, n->gaps.since_ns, time_ns);
	n->gaps.since_ns = 0;
	return 0;
}

void names_again_look(struct names_again *n)
{
	uint64_t now_ns = ts_clock_now_ns(), cpu_ns = ts_clock_ns(CLOCK_PROCESS_CPUTIME_ID), lost;
	struct ts_error err;

	take_report(n);
	if (now_ns < n->due_ns)
		return;
	if (!crew_can_feed(n->crew)) {
		n->due_ns = now_ns + RETRY_NS;
		return;
	}
	n->due_ns = TS_TIME_NEVER;
	n->looked_ns = now_ns;
	if (!has_lost(n, &lost)) {
		n->gaps.since_ns = 0;
		return;
	}
	if (scan(n, &err) < 0) {
		if (!n->has_failed)
			ts_notes_add(n->notes,
				     "names and maps that were lost are not read again: %s",
				     err.text);
		n->has_failed = true;
		n->due_ns = now_ns + LOOK_NS;
		return;
	}
	n->lost = lost;
	cpu_ns = ts_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	/* Scans that would take more than a CPU are made less often. */
	n->looked_ns += ts_max(cpu_ns, LOOK_NS) - LOOK_NS;
}

void names_again_end(struct names_again *n)
{
	uint64_t lost;

	take_report(n);
	if (n->gaps.since_ns && has_lost(n, &lost))
		names_gaps_add(&n->gaps, n->gaps.since_ns, 0);
	n->gaps.since_ns = 0;
	n->due_ns = TS_TIME_NEVER;
}

void names_again_release(struct names_again *n)
{
	record_clock_close(&n->clock);
	ts_bytes_release(&n->run);
}
