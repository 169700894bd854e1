// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/rotation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/recording/rotation_condense.h"
#include "streamer/recording/rotation_parts.h"

#define CONDENSE_BYTES (16u << 20) /* of side-band, a quarter of it compressed: time to look */

/* --- the whole recording --- */

static void set_due(struct rotation *t)
{
	t->due_ns = t->every_ns ? ts_now_ns() + t->every_ns : TS_TIME_NEVER;
}

/* When to go on, and what of it is kept. Returns after how many bytes; 0: never by these. */
static uint64_t take_bounds(struct rotation *t, const struct record_options *o,
			    const struct history *h)
{
	if (h->is_on) {
		t->every_ns = h->bounds.segment_ns;
		t->kept.max_bytes = h->bounds.held_bytes;
		t->kept.max_age_ns = h->bounds.held_ns;
		return h->bounds.segment_bytes;
	}
	t->every_ns = o->switch_output.every_ns;
	t->kept.max_files = o->switch_max_files;
	t->kept.max_bytes = o->keep_bytes;
	return o->switch_output.bytes;
}

int rotation_init(struct recording *r, struct ts_error *err)
{
	const struct record_plan *plan = r->plan;
	const struct record_options *o = plan->options;
	const struct history *history = &r->history;
	struct rotation *t = &r->rotation;
	uint64_t bytes;
	int code;

	memset(t, 0, sizeof(*t));
	t->size.reached.fd = t->clock.fd = -1;
	t->due_ns = TS_TIME_NEVER;
	t->next = (struct ts_dir)TS_DIR_INIT;
	t->is_on = (o->switch_output.is_on || history->is_on || record_plan_overwrites(plan)) &&
		   !plan->drops_output;
	r->part.has_span = t->is_on;
	bytes = take_bounds(t, o, history);
	if (!t->is_on)
		return 0;
	t->condenses = !history->is_on && rotation_can_condense(plan);
	if (t->condenses)
		bytes = o->compress_level ? CONDENSE_BYTES / 4 : CONDENSE_BYTES;
	t->told = calloc(plan->source.nr_rings, sizeof(*t->told));
	if (!t->told)
		return ts_error_sys(err, ENOMEM, "cannot record");
	if ((code = crew_open_cuts(&r->crew, &t->size, err)) < 0)
		return code;
	return size_limit_init(&t->size, bytes, err);
}

int rotation_open_clock(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;

	return t->is_on ? record_clock_open(&t->clock, &r->plan->source.attrs[0], err) : 0;
}

int rotation_start(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;
	struct data_file *d = &r->part.data;

	if (!t->is_on)
		return 0;
	set_due(t);
	t->kept.begin_ns = ts_now_ns();
	t->table = live_table_new(d->synthesis.trailer_bytes);
	if (!t->table || live_table_apply_run(t->table, d->tasks.data, d->tasks.len) < 0 ||
	    live_table_apply_run(t->table, d->bpf.data, d->bpf.len) < 0)
		return ts_error_sys(err, ENOMEM,
				    "cannot keep names and maps for other directories");
	return 0;
}

void rotation_release(struct recording *r)
{
	struct rotation *t = &r->rotation;

	crew_close_cuts(&r->crew);
	if (t->is_on) {
		record_clock_close(&t->clock);
		size_limit_release(&t->size);
	}
	live_table_free(t->table);
	t->table = NULL;
	rotation_kept_release(&t->kept);
	ts_dir_release(&t->next);
	free(t->told);
	free(t->finished);
	t->finished = NULL;
	t->told = NULL;
	t->is_on = false;
}

/* --- the next directory --- */

static void drop_next(struct recording *r)
{
	struct rotation *t = &r->rotation;

	crew_drop_next(&r->crew);
	ts_dir_discard(&t->next);
	ts_dir_release(&t->next);
}

/* It has a `data` from the beginning, so that what is written to it can be read whatever happens. */
static int make_next(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;
	int code = ts_dir_create_next(&t->next, r->part.output, &r->part.dir, err);

	t->next.syncs = !r->history.is_on;
	if (!code)
		code = crew_make_next(&r->crew, &t->next, err);
	if (!code)
		code = data_file_write(&r->part.data, &t->next, err);
	if (code < 0)
		drop_next(r);
	return code;
}

/* --- the cut --- */

/* All writers have the same time, for none of them takes a record while it is read. */
static int cut_writers(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;

	crew_hold(&r->crew);
	r->part.span.end_ns = record_clock_now(&t->clock);
	if (r->part.span.end_ns)
		crew_cut(&r->crew, r->part.span.end_ns, r->part.span.number + 1, !t->is_condensing);
	crew_unhold(&r->crew);
	t->is_cutting = r->part.span.end_ns != 0;
	return t->is_cutting ? 0 : ts_error_set(err, EIO, "cannot read the clock of the events");
}

/* --- after the cut --- */

static void add_told(struct rotation *t, const struct ledger *l)
{
	for (size_t i = 0; i < l->nr_rings; i++)
		t->told[i] += l->rings[i].lost;
	ledger_sum_add(&t->finished_total, l);
}

/* The last `data` and tstream.json of the old directory. */
static int close_old(struct recording *r, struct ts_error *err)
{
	int code;

	r->part.end_ns = ts_now_ns();
	r->part.ended_by = "switch-output";
	r->part.dir.syncs = !r->history.is_on;
	if ((code = crew_sync(&r->crew, err)) < 0 ||
	    (code = part_take_account(&r->part, &r->crew, r->rotation.told, false, err)) < 0)
		return code;
	add_told(&r->rotation, &r->part.ledger);
	return part_finish(&r->part, err);
}

int rotation_read_log(struct recording *r, struct sideband_log *log, struct ts_error *err)
{
	struct rotation *t = &r->rotation;
	char name[32];
	int code = 0;

	for (size_t i = 0; i < r->plan->layout.nr && !code; i++) {
		snprintf(name, sizeof(name), TS_DIR_DATA ".%zu", i);
		code = sideband_log_read(log, r->part.dir.fd, name, r->part.dir.path, err);
		supply_serve(&r->crew.supply);
	}
	t->is_read = !code;
	if (!code)
		code = sideband_log_apply(log, t->table, err);
	if (!code)
		live_table_forget_ended(t->table, r->part.span.end_ns);
	return code;
}

/* What the old streams tell goes into the table, and what there is at the cut into the next `data`. */
static int carry_over(struct recording *r, struct ts_error *err)
{
	struct sideband_log log = {0};
	int code = rotation_read_log(r, &log, err);

	sideband_log_release(&log);
	return code ? code : data_file_begin_next(&r->part.data, r->rotation.table, err);
}

/* From here on it is complete, and never touched again. */
static int name_old(struct recording *r, const struct timespec *now, const char *name,
		    struct ts_error *err)
{
	int code = part_name(&r->part, now, name, err);

	if (!code) {
		r->rotation.nr_finished++;
		free(r->rotation.finished);
		r->rotation.finished = strdup(r->part.dir.path);
	}
	if (!code && !r->history.is_on) {
		ts_dir_unlock(&r->part.dir); /* who is told finds it as it stays */
		hook_tell(&r->hook, r->part.dir.path, r->notes);
	}
	return code;
}

/* The recording is in the next directory from now on. */
static void move_on(struct recording *r)
{
	struct rotation *t = &r->rotation;
	uint64_t bytes = crew_next_bytes(&r->crew);

	crew_begin_next(&r->crew);
	part_move(&r->part, &t->next);
	size_limit_restart(&r->crew.limit);
	size_limit_restart(&t->size);
	size_limit_add(&r->crew.limit, bytes);
	size_limit_add(&t->size, bytes);
	t->unread_bytes = 0;
	disk_watch_move(&r->part.disk, r->part.dir.fd);
	t->is_cutting = t->is_condensing = false;
}

/* And the old one is finished: what is told of the recording begins anew. */
static void take_next(struct recording *r)
{
	part_next_span(&r->part);
	move_on(r);
	part_begin_next(&r->part);
}

/* Steps 5 and 6 of condensing. On failure the old directory stands where it was, as it was. */
static int take_place(struct recording *r, bool is_over, struct ts_error *err)
{
	struct rotation *t = &r->rotation;
	const struct cut_span old = r->part.span;
	int code = rotation_condense_old(r, is_over, err);

	if (!code && !ts_dir_is_there(&r->part.dir)) /* what is there now is not ours to remove */
		code = ts_error_set(err, ENOENT, "cannot condense %s: it was moved away",
				    r->part.dir.path);
	if (!code)
		code = data_file_write(&r->part.data, &t->next, err);
	part_next_span(&r->part);
	if (!code)
		code = part_write_info(&r->part, &t->next, NULL, err);
	if (!code && (code = ts_dir_supersede(&t->next, err)) < 0 && t->next.is_published) {
		ts_notes_add(r->notes, "%s", err->text);
		code = 0;
	}
	if (code < 0) {
		r->part.span = old;
		return code;
	}
	move_on(r);
	part_reserve(&r->part);
	return 0;
}

/* Steps 4 to 6 of rotation.h. */
static int finish(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;
	struct timespec now;
	uint64_t bytes;
	int code;

	clock_gettime(CLOCK_REALTIME, &now);
	code = close_old(r, err);
	bytes = part_bytes(&r->part);
	if (!code)
		code = t->is_read ? data_file_begin_next(&r->part.data, t->table, err)
				  : carry_over(r, err);
	if (!code)
		code = data_file_write(&r->part.data, &t->next, err);
	if (!code)
		code = name_old(r, &now, r->part.span.cause.name, err);
	if (!code)
		rotation_kept_add(&t->kept, r->part.dir.parent_fd, r->part.dir.path, bytes,
				  r->notes);
	if (!code && !r->history.is_on)
		ts_notes_add(r->notes, "%s is complete", r->part.dir.path);
	take_next(r);
	if (!code && (code = part_write_info(&r->part, &r->part.dir, NULL, err)) == 0)
		code = ts_dir_publish(&r->part.dir, err);
	if (!code)
		part_reserve(&r->part);
	r->part.dir.is_published = true; /* it has records: under whatever name, it stays */
	t->has_failed |= code < 0;
	return code;
}

static int finish_either(struct recording *r, bool is_over, struct ts_error *err)
{
	struct rotation *t = &r->rotation;

	if (!t->is_cutting)
		return 0;
	if (!t->is_condensing)
		return finish(r, err);
	if (take_place(r, is_over, err) == 0)
		return 0;
	ts_notes_add(r->notes, "%s; %s is finished instead", err->text, r->part.dir.path);
	t->cannot_condense = true;
	return finish(r, err);
}

int rotation_finish_cut(struct recording *r, struct ts_error *err)
{
	return finish_either(r, true, err);
}

/* Steps 1 to 3, and the rest. */
static int cut(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;
	int code;

	size_limit_restart(&t->size);
	t->is_read = false;
	code = make_next(r, err);
	if (!code && (code = cut_writers(r, err)) < 0)
		drop_next(r);
	if (code < 0) {
		t->has_failed = true;
		return code;
	}
	crew_wait_for_cpus(&r->crew);
	code = crew_wait(&r->crew, err);
	return code < 0 ? code : finish_either(r, false, err);
}

int rotation_cut(struct recording *r, const struct cut_cause *cause, struct ts_error *err)
{
	struct rotation *t = &r->rotation;

	r->part.span.cause = *cause;
	if (!r->part.span.cause.realtime_ns)
		r->part.span.cause.realtime_ns = ts_clock_ns(CLOCK_REALTIME);
	set_due(t);
	t->is_condensing = false;
	return cut(r, err);
}

/* What went on from the last time is written anew: there is to be as much that is new. */
int rotation_condense(struct recording *r, struct ts_error *err)
{
	struct rotation *t = &r->rotation;

	t->unread_bytes += t->size.max_bytes;
	if (t->cannot_condense || t->unread_bytes < r->part.data.tasks.len) {
		size_limit_restart(&t->size);
		return 0;
	}
	r->part.span.cause =
		(struct cut_cause){.kind = CUT_BY_SIZE, .realtime_ns = ts_clock_ns(CLOCK_REALTIME)};
	t->is_condensing = true;
	return cut(r, err);
}

int rotation_stamp_last(struct recording *r, struct ts_error *err)
{
	const struct record_options *o = r->plan->options;
	struct timespec now;
	int code;

	if (r->plan->drops_output || r->history.is_on ||
	    !(o->switch_output.is_on || o->timestamp_filename))
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	code = name_old(r, &now, "", err);
	if (!code)
		rotation_kept_add(&r->rotation.kept, r->part.dir.parent_fd, r->part.dir.path,
				  part_bytes(&r->part), r->notes);
	return code;
}
