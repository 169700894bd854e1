// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/directory/capture_info.h"

int part_create(struct recording *r, const char *out, struct ts_error *err)
{
	int code = ts_dir_create(&r->dir, out, err);

	r->dir.syncs = r->plan->options->sync_ns > 0;
	if (!code)
		code = disk_watch_open(&r->disk, r->dir.fd, out, &r->plan->options->min_free, err);
	return code;
}

int part_write_data(struct recording *r, struct ts_error *err)
{
	return r->plan->drops_output ? 0 : data_file_write(&r->data, &r->dir, err);
}

int part_write_info(struct recording *r, struct ts_dir *dir, const char *failure,
		    struct ts_error *err)
{
	struct capture_info info = {
		.plan = r->plan,
		.uuid = r->uuid,
		.start_realtime_ns = r->start_realtime_ns,
		.duration_ns = part_duration_ns(r),
		.ledger = r->ledger.writers ? &r->ledger : NULL,
		.failure = failure,
		.absences = &r->absences,
		.start_ns = r->start_ns,
		.ended_by = r->ended_by,
		.data_bytes = r->data.written_bytes,
		.data_checksum = r->data.written_checksum,
		.rotation = r->rotation.is_on ? &r->rotation.part : NULL,
	};

	return r->plan->drops_output ? 0 : capture_info_write(&info, dir, err);
}

void part_reserve(struct recording *r)
{
	if (!r->plan->drops_output)
		ts_dir_reserve(&r->dir, capture_info_growth_bytes(r->plan));
}

int part_take_account(struct recording *r, bool is_last, struct ts_error *err)
{
	struct writer **writers = calloc(r->plan->layout.nr, sizeof(struct writer *));
	int code;

	if (!writers)
		return ts_error_sys(err, ENOMEM, "cannot take the account of what was lost");
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		writers[i] = r->crew.streams[i].writer;
	code = ledger_take(&r->ledger, r->plan, r->rotation.told, is_last, writers, err);
	free(writers);
	return code;
}

int part_finish(struct recording *r, struct ts_error *err)
{
	int code;

	ts_dir_unreserve(&r->dir);
	if ((code = data_file_finish(&r->data, &r->ledger, err)) < 0 ||
	    (code = part_write_data(r, err)) < 0)
		return code;
	return part_write_info(r, &r->dir, NULL, err);
}

int part_name(struct recording *r, const struct timespec *now, const char *name,
	      struct ts_error *err)
{
	char stamp[CUT_STAMP_BYTES + CUT_NAME_MAX + 1];
	size_t len;

	cut_stamp(stamp, *now);
	len = strlen(stamp);
	if (*name)
		snprintf(stamp + len, sizeof(stamp) - len, "-%s", name);
	return ts_dir_stamp(&r->dir, stamp, err);
}

void part_next_span(struct cut_span *p)
{
	*p = (struct cut_span){.number = p->number + 1, .begin_ns = p->end_ns};
}

void part_move(struct recording *r, struct ts_dir *next)
{
	ts_dir_release(&r->dir);
	r->dir = *next;
	r->dir.syncs = r->plan->options->sync_ns > 0;
	*next = (struct ts_dir)TS_DIR_INIT;
}

void part_begin_next(struct recording *r)
{
	ledger_release(&r->ledger);
	r->ended_by = NULL;
	if (r->start_ns) {
		r->start_ns = r->end_ns;
		r->start_realtime_ns = ts_clock_ns(CLOCK_REALTIME);
	}
	r->end_ns = 0;
}

uint64_t part_bytes(const struct recording *r)
{
	return r->ledger.total.stream_bytes + r->data.written_bytes;
}

uint64_t part_duration_ns(const struct recording *r)
{
	return r->start_ns && r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0;
}
