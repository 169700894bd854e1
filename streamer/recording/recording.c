// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/recording.h"

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/base/wakeup.h"

static void note_start(struct recording *r)
{
	if (r->part.start_ns)
		return;
	r->part.start_realtime_ns = ts_clock_ns(CLOCK_REALTIME);
	r->part.start_ns = r->first_start_ns = ts_clock_now_ns();
}

int recording_start(struct recording *r, struct ts_error *err)
{
	int code;

	if ((code = source_enable_sideband(&r->plan->source, err)) < 0 ||
	    (code = data_file_scan(&r->part.data, r->notes, err)) < 0 ||
	    (code = rotation_start(&r->rotation, err)) < 0 ||
	    (code = part_write_data(&r->part, err)) < 0)
		return code;
	part_reserve(&r->part);
	if (!r->plan->options->delay_ms && !r->plan->enables_on_exec)
		code = recording_enable(r, NULL, err);
	if (r->plan->enables_on_exec)
		note_start(r);
	if (!code)
		code = triggers_enable(&r->triggers, err);
	return !code && r->workload.pid ? workload_release(&r->workload, err) : code;
}

int recording_enable(struct recording *r, const char *event, struct ts_error *err)
{
	note_start(r);
	return source_enable(&r->plan->source, event, err);
}

int recording_disable(struct recording *r, const char *event, struct ts_error *err)
{
	return source_disable(&r->plan->source, event, err);
}

int recording_look_at_disk(struct recording *r, struct ts_error *err)
{
	struct disk_watch *d = &r->part.disk;
	uint64_t now_ns = ts_clock_now_ns();
	int code;

	if (now_ns < d->next_ns)
		return 0;
	code = disk_watch_look(d, now_ns, size_limit_bytes(&r->crew.limit), err);
	return code < 0 || !d->counts_links ? code : crew_check_streams(&r->crew, err);
}

/*
 * A `data` with new build-ids is written once a second at most, and so seldom that it takes at most
 * a hundredth of the time.
 */
int recording_look_at_files(struct recording *r, struct ts_error *err)
{
	uint64_t now_ns = ts_clock_now_ns();
	int code;

	if (now_ns < r->files_look_ns)
		return 0;
	ts_wakeup_take(r->crew.file_ids.fd);
	code = data_file_read_files(&r->part.data, &r->crew.file_ids, err);
	if (code < 0)
		return code;
	r->has_new_files |= code > 0;
	r->files_look_ns = r->has_new_files ? r->files_write_ns : TS_TIME_NEVER;
	if (!r->has_new_files || now_ns < r->files_write_ns)
		return 0;
	now_ns = ts_clock_now_ns();
	code = part_write_data(&r->part, err);
	r->has_new_files = false;
	r->files_look_ns = TS_TIME_NEVER;
	r->files_write_ns = now_ns + ts_max(TS_NS_PER_SEC, (ts_clock_now_ns() - now_ns) * 100);
	return code;
}

/* Keeps the first error: later ones often follow from it. */
static int keep_first(int code, int next, const struct ts_error *next_err, struct ts_error *err)
{
	if (code < 0 || next >= 0)
		return code;
	*err = *next_err;
	return next;
}

int recording_stop(struct recording *r, struct ts_error *err)
{
	struct part *p = &r->part;
	struct ts_error next_err;
	int code = -err->code;

	source_disable_all(&r->plan->source);
	p->end_ns = ts_clock_now_ns();
	code = keep_first(code, crew_join(&r->crew, &next_err), &next_err, err);
	names_again_end(&r->names);
	code = keep_first(code, data_file_read_files(&p->data, &r->crew.file_ids, &next_err),
			  &next_err, err);
	if (r->rotation.is_cutting) {
		code = keep_first(code, rotation_finish_cut(&r->rotation, &next_err), &next_err,
				  err);
		p->end_ns = ts_clock_now_ns();
	}
	code = keep_first(code,
			  part_take_account(p, &r->crew, r->rotation.lost_before, true, &next_err),
			  &next_err, err);
	if (p->ledger.writers)
		code = keep_first(code, data_file_finish(&p->data, &p->ledger, &next_err),
				  &next_err, err);
	ts_dir_unreserve(&p->dir);
	code = keep_first(code, part_write_data(p, &next_err), &next_err, err);
	code = keep_first(code, part_write_info(p, &p->dir, code < 0 ? err->text : NULL, &next_err),
			  &next_err, err);
	return keep_first(code, rotation_stamp_last(&r->rotation, &next_err), &next_err, err);
}

void recording_withdraw(struct recording *r)
{
	struct ts_error ignored; /* no record exists that could be lost */

	source_disable_all(&r->plan->source);
	crew_join(&r->crew, &ignored);
	ts_dir_unreserve(&r->part.dir);
	ts_dir_withdraw(&r->part.dir);
}

void recording_close(struct recording *r)
{
	if (!r->is_open)
		return;
	r->is_open = false;
	crew_close(&r->crew, r->part.dir.is_published, r->notes);
	names_again_release(&r->names);
	triggers_close(&r->triggers);
	rotation_release(&r->rotation);
	part_release(&r->part);
	hotplug_close(&r->hotplug);
	absences_release(&r->absences);
	target_life_close(&r->lifeline);
	workload_close(&r->workload);
	on_snapshot_close(&r->hook);
	part_close(&r->part);
	memory_segments_close(&r->history);
	crew_release(&r->crew);
}
