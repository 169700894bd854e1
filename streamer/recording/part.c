// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/directory/capture_info.h"

void part_init(struct part *p, const struct record_plan *plan, const uint8_t *uuid,
	       const struct absences *absences)
{
	*p = (struct part){.plan = plan, .uuid = uuid, .absences = absences, .dir = TS_DIR_INIT};
	p->disk.next_ns = TS_TIME_NEVER;
}

int part_create(struct part *p, const char *out, struct ts_error *err)
{
	int code = ts_dir_create(&p->dir, out, err);

	p->output = out;
	p->dir.syncs = p->plan->options->sync_ns > 0;
	if (!code)
		code = disk_watch_open(&p->disk, p->dir.fd, out, &p->plan->options->min_free, err);
	return code;
}

int part_write_data(struct part *p, struct ts_error *err)
{
	return p->plan->drops_output ? 0 : data_file_write(&p->data, &p->dir, err);
}

int part_write_info(struct part *p, struct ts_dir *dir, const char *failure, struct ts_error *err)
{
	struct capture_info info = {
		.plan = p->plan,
		.uuid = p->uuid,
		.start_realtime_ns = p->start_realtime_ns,
		.duration_ns = part_duration_ns(p),
		.ledger = p->ledger.writers ? &p->ledger : NULL,
		.failure = failure,
		.absences = p->absences,
		.gaps = p->gaps,
		.start_ns = p->start_ns,
		.ended_by = p->ended_by,
		.data_bytes = p->data.written_bytes,
		.data_checksum = p->data.written_checksum,
		.rotation = p->has_span ? &p->span : NULL,
	};

	return p->plan->drops_output ? 0 : capture_info_write(&info, dir, err);
}

void part_reserve(struct part *p)
{
	if (!p->plan->drops_output)
		ts_dir_reserve(&p->dir, capture_info_growth_bytes(p->plan));
}

int part_take_account(struct part *p, const struct crew *crew, const uint64_t *lost_before,
		      bool is_last, struct ts_error *err)
{
	struct writer **writers = calloc(p->plan->layout.nr, sizeof(struct writer *));
	int code;

	if (!writers)
		return ts_error_sys(err, ENOMEM, "cannot count lost records");
	for (size_t i = 0; i < p->plan->layout.nr; i++)
		writers[i] = crew->streams[i].writer;
	code = ledger_take(&p->ledger, p->plan, lost_before, is_last, writers, err);
	free(writers);
	return code;
}

int part_finish(struct part *p, struct ts_error *err)
{
	int code;

	ts_dir_unreserve(&p->dir);
	if ((code = data_file_finish(&p->data, &p->ledger, err)) < 0 ||
	    (code = part_write_data(p, err)) < 0)
		return code;
	return part_write_info(p, &p->dir, NULL, err);
}

int part_name(struct part *p, const struct timespec *now, const char *name, struct ts_error *err)
{
	char stamp[CUT_STAMP_BYTES + CUT_NAME_MAX + 1];
	size_t len;

	cut_stamp(stamp, *now);
	len = strlen(stamp);
	if (*name)
		snprintf(stamp + len, sizeof(stamp) - len, "-%s", name);
	return ts_dir_stamp(&p->dir, stamp, err);
}

void part_next_span(struct part *p)
{
	p->span = (struct cut_span){.number = p->span.number + 1, .begin_ns = p->span.end_ns};
}

void part_move(struct part *p, struct ts_dir *next)
{
	ts_dir_release(&p->dir);
	p->dir = *next;
	p->dir.syncs = p->plan->options->sync_ns > 0;
	*next = (struct ts_dir)TS_DIR_INIT;
}

void part_begin_next(struct part *p)
{
	ledger_release(&p->ledger);
	p->ended_by = NULL;
	if (p->start_ns) {
		p->start_ns = p->end_ns;
		p->start_realtime_ns = ts_clock_ns(CLOCK_REALTIME);
	}
	p->end_ns = 0;
}

uint64_t part_bytes(const struct part *p)
{
	return p->ledger.total.stream_bytes + p->data.written_bytes;
}

uint64_t part_duration_ns(const struct part *p)
{
	return p->start_ns && p->end_ns > p->start_ns ? p->end_ns - p->start_ns : 0;
}

void part_release(struct part *p)
{
	ledger_release(&p->ledger);
	data_file_release(&p->data);
}

void part_close(struct part *p)
{
	ts_dir_discard(&p->dir);
	ts_dir_release(&p->dir);
}
