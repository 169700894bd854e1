// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/rotation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/recording/rotation_condense.h"
#include "streamer/recording/rotation_log.h"

#define CONDENSE_BYTES (16u << 20) /* of side-band; a quarter of that with compression */

/* --- the whole recording --- */

static void set_due(struct rotation *t)
{
	t->due_ns = t->every_ns ? ts_clock_now_ns() + t->every_ns : TS_TIME_NEVER;
}

/*
 * Takes over when to make a cut and how much is kept. Returns the bytes between cuts; 0: no bound.
 */
static uint64_t take_bounds(struct rotation *t, const struct record_options *o,
			    const struct memory_segments *h)
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

int rotation_init(struct rotation *t, const struct rotation_given *given,
		  const struct memory_segments *history, struct ts_error *err)
{
	const struct record_plan *plan = given->part->plan;
	const struct record_options *o = plan->options;
	uint64_t bytes;
	int code;

	memset(t, 0, sizeof(*t));
	t->given = *given;
	t->size.reached.fd = t->clock.fd = -1;
	t->due_ns = TS_TIME_NEVER;
	t->next = (struct ts_dir)TS_DIR_INIT;
	t->is_held = history->is_on;
	t->is_on = (o->switch_output.is_on || history->is_on || record_plan_overwrites(plan)) &&
		   !plan->drops_output;
	given->part->has_span = t->is_on;
	bytes = take_bounds(t, o, history);
	if (!t->is_on)
		return 0;
	t->condenses = !history->is_on && rotation_can_condense(plan);
	if (t->condenses)
		bytes = o->compress_level ? CONDENSE_BYTES / 4 : CONDENSE_BYTES;
	t->lost_before = calloc(plan->source.nr_rings, sizeof(*t->lost_before));
	if (!t->lost_before)
		return ts_error_sys(err, ENOMEM, "cannot record");
	if ((code = crew_open_cuts(given->crew, &t->size, err)) < 0)
		return code;
	return size_limit_init(&t->size, bytes, err);
}

int rotation_open_clock(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;

	return t->is_on ? record_clock_open(&t->clock, &p->plan->source.attrs[0], err) : 0;
}

int rotation_start(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	struct data_file *d = &p->data;

	if (!t->is_on)
		return 0;
	set_due(t);
	t->kept.begin_ns = ts_clock_now_ns();
	t->table = live_table_new(d->synthesis.trailer_bytes);
	if (!t->table || live_table_apply_run(t->table, d->tasks.data, d->tasks.len) < 0 ||
	    live_table_apply_run(t->table, d->bpf.data, d->bpf.len) < 0)
		return ts_error_sys(err, ENOMEM,
				    "cannot keep names and maps for other directories");
	return 0;
}

void rotation_release(struct rotation *t)
{
	if (t->given.crew)
		crew_close_cuts(t->given.crew);
	if (t->is_on) {
		record_clock_close(&t->clock);
		size_limit_release(&t->size);
	}
	live_table_free(t->table);
	t->table = NULL;
	rotation_kept_release(&t->kept);
	ts_dir_release(&t->next);
	free(t->lost_before);
	free(t->finished);
	t->finished = NULL;
	t->lost_before = NULL;
	t->is_on = false;
}

/* --- the next directory --- */

static void drop_next(struct rotation *t)
{
	crew_drop_next(t->given.crew);
	ts_dir_discard(&t->next);
	ts_dir_release(&t->next);
}

/* OUT.new has a `data` from the beginning, so its records can be read whatever happens. */
static int make_next(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	int code = ts_dir_create_next(&t->next, p->output, &p->dir, err);

	t->next.syncs = !t->is_held;
	if (!code)
		code = crew_make_next(t->given.crew, &t->next, err);
	if (!code)
		code = data_file_write(&p->data, &t->next, err);
	if (code < 0)
		drop_next(t);
	return code;
}

/* --- the cut --- */

/* With -M the running directory is in the same memory as the finished ones, and has these bytes. */
static void make_room(struct rotation *t, uint64_t running_bytes)
{
	if (t->is_held)
		rotation_kept_make_room(&t->kept, t->given.part->dir.parent_fd, running_bytes,
					t->given.notes);
}

/* All writers have the same time, because none takes a record while the clock is read. */
static int cut_writers(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	struct crew *c = t->given.crew;

	crew_hold(c);
	p->span.end_ns = record_clock_now(&t->clock);
	if (p->span.end_ns)
		crew_cut(c, p->span.end_ns, p->span.number + 1, !t->is_condensing);
	crew_unhold(c);
	t->is_cutting = p->span.end_ns != 0;
	return t->is_cutting ? 0 : ts_error_set(err, EIO, "cannot read the clock of the events");
}

/* --- after the cut --- */

static void add_finished(struct rotation *t, const struct ledger *l)
{
	for (size_t i = 0; i < l->nr_rings; i++)
		t->lost_before[i] += l->rings[i].lost;
	ledger_sum_add(&t->finished_total, l);
}

/* Writes the last `data` and tstream.json of the old directory. */
static int close_old(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	struct crew *c = t->given.crew;
	int code;

	p->end_ns = ts_clock_now_ns();
	p->ended_by = "switch-output";
	p->dir.syncs = !t->is_held;
	if ((code = crew_sync(c, err)) < 0 ||
	    (code = data_file_read_files(&p->data, &c->file_ids, err)) < 0 ||
	    (code = part_take_account(p, c, t->lost_before, false, err)) < 0)
		return code;
	add_finished(t, &p->ledger);
	return part_finish(p, err);
}

/*
 * Puts the side-band of the old streams into the table, and the state at the cut into the next
 * `data`.
 */
static int carry_over(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	struct sideband_log log = {0};
	int code = rotation_log_read(t, &log, err);

	sideband_log_release(&log);
	return code ? code : data_file_begin_next(&p->data, t->table, err);
}

/* From here on the old directory is complete, and is not touched again. */
static int name_old(struct rotation *t, const struct timespec *now, const char *name,
		    struct ts_error *err)
{
	struct part *p = t->given.part;
	int code = part_name(p, now, name, err);

	if (!code) {
		t->nr_finished++;
		free(t->finished);
		t->finished = strdup(p->dir.path);
	}
	if (!code && !t->is_held) {
		ts_dir_unlock(&p->dir); /* the program finds the directory as it stays */
		on_snapshot_tell(t->given.hook, p->dir.path, t->given.notes);
	}
	return code;
}

/* Makes the next directory the one that is recorded into. */
static void move_on(struct rotation *t)
{
	struct part *p = t->given.part;
	struct crew *c = t->given.crew;
	uint64_t bytes = crew_next_bytes(c);

	crew_begin_next(c);
	part_move(p, &t->next);
	size_limit_restart(&c->limit);
	size_limit_restart(&t->size);
	size_limit_add(&c->limit, bytes);
	size_limit_add(&t->size, bytes);
	t->unread_bytes = 0;
	disk_watch_move(&p->disk, p->dir.fd);
	t->is_cutting = t->is_condensing = false;
}

/* The same after the old directory is finished: account and times begin anew. */
static void take_next(struct rotation *t)
{
	struct part *p = t->given.part;

	part_next_span(p);
	move_on(t);
	part_begin_next(p);
}

/* Steps 5 and 6 of condensing. On failure the old directory is unchanged in its place. */
static int take_place(struct rotation *t, bool is_over, struct ts_error *err)
{
	struct part *p = t->given.part;
	const struct cut_span old = p->span;
	int code = data_file_read_files(&p->data, &t->given.crew->file_ids, err);

	if (code >= 0)
		code = rotation_condense_old(t, is_over, err);
	if (!code && !ts_dir_is_there(&p->dir)) /* another one there is not ours to remove */
		code = ts_error_set(err, ENOENT, "cannot condense %s: it was moved away",
				    p->dir.path);
	if (!code)
		code = data_file_write(&p->data, &t->next, err);
	part_next_span(p);
	if (!code)
		code = part_write_info(p, &t->next, NULL, err);
	if (!code && (code = ts_dir_supersede(&t->next, err)) < 0 && t->next.is_published) {
		ts_notes_add(t->given.notes, "%s", err->text);
		code = 0;
	}
	if (code < 0) {
		p->span = old;
		return code;
	}
	move_on(t);
	part_reserve(p);
	return 0;
}

/* Steps 4 to 6 of rotation.h. */
static int finish_cut(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	struct timespec now;
	uint64_t bytes;
	int code;

	clock_gettime(CLOCK_REALTIME, &now);
	code = close_old(t, err);
	bytes = part_bytes(p);
	if (!code)
		code = t->is_read ? data_file_begin_next(&p->data, t->table, err)
				  : carry_over(t, err);
	if (!code)
		code = data_file_write(&p->data, &t->next, err);
	if (!code)
		code = name_old(t, &now, p->span.cause.name, err);
	if (!code)
		rotation_kept_add(&t->kept, p->dir.parent_fd, p->dir.path, bytes, t->given.notes);
	make_room(t, crew_next_bytes(t->given.crew));
	if (!code && !t->is_held)
		ts_notes_add(t->given.notes, "%s is complete", p->dir.path);
	take_next(t);
	if (!code && (code = part_write_info(p, &p->dir, NULL, err)) == 0)
		code = ts_dir_publish(&p->dir, err);
	if (!code)
		part_reserve(p);
	p->dir.is_published = true; /* it has records: it stays, under whatever name */
	t->has_failed |= code < 0;
	return code;
}

static int finish_either(struct rotation *t, bool is_over, struct ts_error *err)
{
	struct part *p = t->given.part;

	if (!t->is_cutting)
		return 0;
	if (!t->is_condensing)
		return finish_cut(t, err);
	if (take_place(t, is_over, err) == 0)
		return 0;
	ts_notes_add(t->given.notes, "%s; %s is finished instead", err->text, p->dir.path);
	t->cannot_condense = true;
	return finish_cut(t, err);
}

int rotation_finish_cut(struct rotation *t, struct ts_error *err)
{
	return finish_either(t, true, err);
}

/* Steps 1 to 3, and the rest. */
static int cut_parts(struct rotation *t, struct ts_error *err)
{
	struct crew *c = t->given.crew;
	int code;

	make_room(t, size_limit_bytes(&c->limit)); /* first: writers go on, and a cut takes time */
	size_limit_restart(&t->size);
	t->is_read = false;
	code = rotation_kept_reserve(&t->kept, err);
	if (!code)
		code = make_next(t, err);
	if (!code && (code = cut_writers(t, err)) < 0)
		drop_next(t);
	if (code < 0) {
		t->has_failed = true;
		return code;
	}
	crew_wait_for_cpus(c);
	code = crew_wait(c, err);
	return code < 0 ? code : finish_either(t, false, err);
}

int rotation_cut(struct rotation *t, const struct cut_cause *cause, struct ts_error *err)
{
	struct part *p = t->given.part;

	p->span.cause = *cause;
	if (!p->span.cause.realtime_ns)
		p->span.cause.realtime_ns = ts_clock_ns(CLOCK_REALTIME);
	set_due(t);
	t->is_condensing = false;
	return cut_parts(t, err);
}

/*
 * Side-band that was carried over is written anew each time. So as much new side-band must have
 * come.
 */
int rotation_condense(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;

	t->unread_bytes += t->size.max_bytes;
	if (t->cannot_condense || t->unread_bytes < p->data.tasks.len) {
		size_limit_restart(&t->size);
		return 0;
	}
	p->span.cause =
		(struct cut_cause){.kind = CUT_BY_SIZE, .realtime_ns = ts_clock_ns(CLOCK_REALTIME)};
	t->is_condensing = true;
	return cut_parts(t, err);
}

bool rotation_stays(const struct rotation *t, uint32_t number)
{
	return !t->is_cutting && t->given.part->span.number == number;
}

int rotation_stamp_last(struct rotation *t, struct ts_error *err)
{
	struct part *p = t->given.part;
	const struct record_options *o = p->plan->options;
	struct timespec now;
	int code;

	if (p->plan->drops_output || t->is_held ||
	    !(o->switch_output.is_on || o->timestamp_filename))
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	code = name_old(t, &now, "", err);
	if (!code)
		rotation_kept_add(&t->kept, p->dir.parent_fd, p->dir.path, part_bytes(p),
				  t->given.notes);
	return code;
}
