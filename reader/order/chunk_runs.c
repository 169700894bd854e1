// SPDX-License-Identifier: Apache-2.0
#include "reader/order/chunk_runs.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/chunks/chunk_salvage.h"

/*
 * The records of open chunks that do not lie in the file may take HELD_BASE bytes, and HELD_RATIO
 * times the bytes of these chunks on disk. Chunks of samples shrink by 6 to 13, dumps of stacks by
 * 77 to 183.
 */
#define HELD_BASE  (16u << 20)
#define HELD_RATIO 192u
#define SPARE_MOST (16u << 20) /* bytes of closed runs, kept for the next ones */
/* The bytes of records that are loaded again are at most so many times those that were opened. */
#define REOPEN_MOST  4u
#define SHRINK_LEAST 4096u /* bytes of a buffer that are worth giving back */

/* --- memory --- */

/* Bytes of the memory that a run has. */
static uint64_t bytes_of(const struct chunk_run *run)
{
	return run->plain.cap + run->cap * sizeof(*run->entries);
}

static struct chunk_run *get_run(struct chunk_runs *r)
{
	struct chunk_run *run = r->spare;

	if (!run)
		return calloc(1, sizeof(*run));
	r->spare = run->next_spare;
	r->spare_bytes -= bytes_of(run);
	return run;
}

static void free_plain(struct chunk_run *run)
{
	memory_free(run->plain.data);
	run->plain = (struct chunk_memory){0};
}

static void free_records(struct chunk_run *run)
{
	free_plain(run);
	memory_free(run->entries);
	run->entries = NULL;
	run->records = NULL;
	run->cap = 0;
}

void chunk_run_free(struct chunk_run *run)
{
	if (!run)
		return;
	free_records(run);
	free(run->holes.items);
	free(run);
}

void chunk_runs_release(struct chunk_runs *r)
{
	while (r->spare) {
		struct chunk_run *run = r->spare;

		r->spare = run->next_spare;
		chunk_run_free(run);
	}
	chunk_buffer_release(&r->loading);
	damage_release(&r->damage);
}

/* Its records lie in its own memory. */
static bool is_held(const struct chunk_run *run)
{
	return run->records && run->records == run->plain.data;
}

static void count_held(struct chunk_runs *r, const struct chunk_run *run)
{
	if (!is_held(run))
		return;
	r->held_bytes += bytes_of(run);
	r->held_on_disk += run->chunk->bytes;
}

static void uncount_held(struct chunk_runs *r, const struct chunk_run *run)
{
	if (!is_held(run))
		return;
	r->held_bytes -= bytes_of(run);
	r->held_on_disk -= run->chunk->bytes;
}

void chunk_runs_close(struct chunk_runs *r, struct chunk_run *run)
{
	uncount_held(r, run);
	run->records = NULL;
	if (r->spare_bytes + bytes_of(run) > SPARE_MOST)
		free_records(run);
	run->next_spare = r->spare;
	r->spare = run;
	r->spare_bytes += bytes_of(run);
}

/* --- entries --- */

static int add_entry(struct memory *memory, struct chunk_run *run, uint64_t time_ns, size_t offset)
{
	if (run->nr == run->cap) {
		size_t cap = run->cap ? 2 * run->cap : 256;
		struct chunk_run_entry *grown =
			memory_resize(memory, run->entries, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		run->entries = grown;
		run->cap = cap;
	}
	run->entries[run->nr++] = (struct chunk_run_entry){time_ns, (uint32_t)offset};
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct chunk_run_entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Is a record of this time one of the run's? */
static bool is_time_wanted(const struct chunk_runs *r, uint64_t given_ns, uint64_t time,
			   bool is_untimed)
{
	if (is_untimed)
		return !time;
	return time > given_ns && time >= r->window.from_ns && time < r->window.to_ns;
}

/* Lists the wanted records. *ret_covered: the times of all are those that the header tells. */
static int list_entries(struct chunk_runs *r, struct chunk_run *run, size_t len, bool is_untimed,
			bool *ret_covered)
{
	const uint64_t least = run->chunk->time_min_ns, most = run->chunk->time_max_ns;
	struct chunk_walk walk = {run->records, run->records + len};
	const struct perf_event_header *hdr;
	bool is_sorted = true;
	uint64_t last = 0;

	run->nr = run->next = 0;
	*ret_covered = true;
	while ((hdr = chunk_walk_next(&walk))) {
		uint32_t type = ts_record_load_u32(hdr);
		uint64_t time;

		if (!type || type >= TS_RECORD_USER_START || !(r->window.types >> type & 1))
			continue;
		time = range_layout_time(&r->layout, hdr);
		*ret_covered &= !time || !most || (time >= least && time <= most);
		if (!is_time_wanted(r, run->chunk->given_ns, time, is_untimed))
			continue;
		if (add_entry(r->table->capture->memory, run, time,
			      (size_t)((const uint8_t *)hdr - run->records)))
			return -ENOMEM;
		is_sorted &= time >= last;
		last = time;
	}
	if (!is_sorted)
		qsort(run->entries, run->nr, sizeof(*run->entries), compare_entries);
	return 0;
}

/* --- opening --- */

static int note_damage(struct chunk_runs *r, const struct chunk *chunk, const struct ts_error *err)
{
	struct chunk_damage place = chunk_damaged(chunk, &r->loading, err);

	return damage_add(&r->damage, &place);
}

/* Windows of time were cut by the times in the header, so such records may be in none of them. */
static int say_uncovered(struct chunk_runs *r, const struct chunk *chunk)
{
	struct ts_error err;

	ts_error_set(&err, EBADMSG, "it has records of times that its header does not tell");
	return note_damage(r, chunk, &err);
}

/* Sound records of a damaged chunk take less room than it had claimed. */
static void give_back_spare(struct chunk_runs *r, struct chunk_run *run, size_t len)
{
	uint8_t *shrunk;

	if (run->plain.cap - len < SHRINK_LEAST)
		return;
	shrunk = memory_resize(r->table->capture->memory, run->plain.data, 1, len);
	if (shrunk)
		run->plain = (struct chunk_memory){shrunk, len};
}

/* Gives the loaded records to a run. */
static void take_records(struct chunk_runs *r, struct chunk_run *run, const uint8_t *records,
			 size_t len)
{
	const struct chunk_memory spare = run->plain;
	const struct chunk_holes holes = run->holes;

	run->holes = r->loading.holes;
	r->loading.holes = holes;
	run->records = records;
	if (records != r->loading.plain.data) {
		free_plain(run);
		return;
	}
	run->plain = r->loading.plain;
	r->loading.plain = spare;
	give_back_spare(r, run, len);
	run->records = run->plain.data;
}

/*
 * Loads the chunk of a run. *ret_covered: as list_entries() says. *bytes grows by those of the
 * records. 0, -ENOMEM, -EBADMSG or CHUNK_SALVAGED.
 */
static int load(struct chunk_runs *r, struct chunk_run *run, bool is_untimed, bool *ret_covered,
		uint64_t *bytes, struct ts_error *err)
{
	const uint8_t *records;
	size_t len;
	const int rc = chunk_load(r->table, run->chunk, &r->loading, &records, &len, err);
	int listed;

	*ret_covered = true;
	run->nr = run->next = 0;
	if (rc < 0)
		return rc;
	*bytes += len;
	take_records(r, run, records, len);
	listed = list_entries(r, run, len, is_untimed, ret_covered);
	count_held(r, run);
	return listed ? listed : rc;
}

int chunk_runs_open(struct chunk_runs *r, const struct chunk *chunk, bool is_untimed,
		    struct chunk_run **ret)
{
	struct chunk_run *run = get_run(r);
	struct ts_error err;
	bool is_covered;
	int rc;

	*ret = NULL;
	if (!run)
		return -ENOMEM;
	run->chunk = chunk;
	rc = load(r, run, is_untimed, &is_covered, &r->opened_bytes, &err);
	if (rc == -EBADMSG || rc == CHUNK_SALVAGED)
		rc = note_damage(r, chunk, &err);
	if (!rc && !is_covered)
		rc = say_uncovered(r, chunk);
	if (rc || !run->nr) {
		chunk_runs_close(r, run);
		return rc;
	}
	run->next_ns = run->entries[0].time_ns;
	*ret = run;
	return 0;
}

/* --- waiting --- */

void chunk_runs_set_aside(struct chunk_runs *r, struct chunk_run *run)
{
	if (!is_held(run) || r->held_bytes <= HELD_BASE + HELD_RATIO * r->held_on_disk ||
	    r->reopened_bytes > REOPEN_MOST * r->opened_bytes)
		return;
	uncount_held(r, run);
	free_records(run);
}

/* Does a run that was loaded again have the record that it waited for? */
static bool is_same(const struct chunk_run *run, size_t next)
{
	return next < run->nr && run->entries[next].time_ns == run->next_ns;
}

int chunk_runs_take_up(struct chunk_runs *r, struct chunk_run *run)
{
	const size_t next = run->next;
	struct ts_error err;
	bool is_covered;
	int rc;

	if (run->records)
		return 0;
	rc = load(r, run, false, &is_covered, &r->reopened_bytes, &err);
	if (rc >= 0 && !is_same(run, next))
		rc = ts_error_set(&err, EBADMSG, "it was changed while it was read");
	if (rc < 0)
		return rc == -ENOMEM || note_damage(r, run->chunk, &err) ? -ENOMEM : -EBADMSG;
	run->next = next;
	return 0;
}

bool chunk_run_advance(struct chunk_run *run)
{
	if (++run->next >= run->nr)
		return false;
	run->next_ns = run->entries[run->next].time_ns;
	return true;
}

void chunk_run_give(const struct chunk_run *run, struct ordered_record *ret)
{
	const struct chunk_run_entry *e = &run->entries[run->next];
	const struct chunk *c = run->chunk;
	bool is_plain = !c->inflated && !(c->flags & CHUNK_COMPRESSED);

	*ret = (struct ordered_record){
		.hdr = (const void *)(run->records + e->offset),
		.time_ns = e->time_ns,
		.stream = c->stream,
		.offset = c->offset + (is_plain ? chunk_salvage_place(&run->holes, e->offset) : 0),
	};
}
