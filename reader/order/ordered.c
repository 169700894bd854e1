// SPDX-License-Identifier: Apache-2.0
/*
 * Chunks wait in the order of their lowest time. If the heap's top is later than the lowest time of
 * the next waiting chunk, that chunk is opened first. Its wanted records are listed with their
 * times, and sorted if they step back. Then the run joins the heap.
 *
 *	waiting (by lowest time):   [40..] [70..] [90..]
 *	heap (by current record):   run 12@(22), run 3@(25), run 7@(31)     next: 22
 *
 * An exhausted run leaves the heap and gives its memory to the next chunk. Chunks that hold records
 * without a time are opened once more, first of all and one after the other, for those alone.
 */
#include "reader/order/ordered.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/chunks/chunk_load.h"
#include "reader/chunks/range_read.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"

#define TRIM_RECORDS 64 /* between two looks at the window of mapped files */
#define VERIFIED_AT_ONCE                                                                           \
	64 /* chunks, mostly of a MiB each: the caches of large machines hold them */

struct entry { /* one wanted record of an opened chunk */
	uint64_t time_ns;
	uint32_t offset; /* in the chunk's records */
};

struct run { /* an opened chunk */
	const struct chunk *chunk;
	const uint8_t *records;
	struct entry *entries;
	size_t nr, cap, next;
	struct chunk_buffer buf;
	struct run *next_free;
};

struct ordered {
	const struct chunk_table *table;
	struct ordered_window window;
	struct range_layout layout;
	const struct chunk **waiting; /* timed chunks, by lowest time, then stream, offset */
	size_t nr_waiting, next_waiting;
	size_t nr_verified;  /* of the waiting chunks: verified by workers before they are opened */
	size_t next_untimed; /* index into table->chunks */
	struct run *untimed; /* the chunk whose untimed records are being given; NULL: none */
	struct run **heap;
	size_t nr_heap;
	uint32_t nr_given;
	struct run *free_runs;
	struct run *spent; /* its last record was given: closed at the next call */
	struct damage damage;
};

/* --- which chunks --- */

static bool is_wanted(const struct chunk *c, uint64_t types)
{
	if (c->flags & CHUNK_SAMPLES && types & ORDERED_SAMPLES)
		return true;
	if (c->flags & CHUNK_TASKS && types & CHUNK_TASK_TYPES)
		return true;
	return c->flags & CHUNK_SIDEBAND && types & ~(ORDERED_SAMPLES | CHUNK_TASK_TYPES);
}

static bool is_in_window(const struct chunk *c, const struct ordered_window *w)
{
	return c->time_max_ns && c->time_min_ns < w->to_ns && c->time_max_ns >= w->from_ns;
}

static int compare_waiting(const void *a, const void *b)
{
	const struct chunk *x = *(const struct chunk *const *)a;
	const struct chunk *y = *(const struct chunk *const *)b;

	if (x->time_min_ns != y->time_min_ns)
		return x->time_min_ns < y->time_min_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int list_waiting(struct ordered *o)
{
	const struct chunk *const *chunks = o->window.chunks;
	size_t nr = chunks ? o->window.nr_chunks : o->table->nr;
	struct memory *memory = o->table->capture->memory;

	o->waiting = memory_new(memory, nr + 1, sizeof(*o->waiting));
	o->heap = memory_new(memory, nr + 1, sizeof(*o->heap));
	if (!o->waiting || !o->heap)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct chunk *chunk = chunks ? chunks[i] : &o->table->chunks[i];

		if (is_wanted(chunk, o->window.types) && is_in_window(chunk, &o->window))
			o->waiting[o->nr_waiting++] = chunk;
	}
	qsort(o->waiting, o->nr_waiting, sizeof(*o->waiting), compare_waiting);
	return 0;
}

struct ordered *ordered_open(const struct chunk_table *table, const struct ordered_window *window)
{
	struct ordered *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->table = table;
	o->window = *window;
	range_layout_init(&o->layout, &table->capture->header.events);
	if (window->from_ns)
		o->next_untimed = table->nr;
	if (list_waiting(o)) {
		ordered_close(o);
		return NULL;
	}
	return o;
}

/* --- runs --- */

static void free_run(struct run *run)
{
	if (!run)
		return;
	chunk_buffer_release(&run->buf);
	memory_free(run->entries);
	free(run);
}

static struct run *get_run(struct ordered *o)
{
	struct run *run = o->free_runs;

	if (!run)
		return calloc(1, sizeof(*run));
	o->free_runs = run->next_free;
	return run;
}

static void put_run(struct ordered *o, struct run *run)
{
	run->next_free = o->free_runs;
	o->free_runs = run;
}

static int add_entry(struct memory *memory, struct run *run, uint64_t time_ns, size_t offset)
{
	if (run->nr == run->cap) {
		size_t cap = run->cap ? 2 * run->cap : 256;
		struct entry *grown = memory_resize(memory, run->entries, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		run->entries = grown;
		run->cap = cap;
	}
	run->entries[run->nr++] = (struct entry){time_ns, (uint32_t)offset};
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Is a record of this time one of the run's? */
static bool is_time_wanted(const struct ordered *o, uint64_t given_ns, uint64_t time,
			   bool is_untimed)
{
	if (is_untimed)
		return !time;
	return time > given_ns && time >= o->window.from_ns && time < o->window.to_ns;
}

static int note_damage(struct ordered *o, const struct run *run, const struct ts_error *err)
{
	struct chunk_damage place = chunk_damaged(run->chunk, &run->buf, err);

	return damage_add(&o->damage, &place);
}

/* Windows of time were cut by the times in the header, so such records may be in none of them. */
static int say_uncovered(struct ordered *o, const struct run *run)
{
	struct ts_error err;

	ts_error_set(&err, EBADMSG, "it has records of times that its header does not tell");
	return note_damage(o, run, &err);
}

/* Lists the wanted records of [records, records + len). */
static int list_entries(struct ordered *o, struct run *run, size_t len, bool is_untimed)
{
	const uint64_t least = run->chunk->time_min_ns, most = run->chunk->time_max_ns;
	struct chunk_walk walk = {run->records, run->records + len};
	const struct perf_event_header *hdr;
	bool is_sorted = true, is_covered = true;
	uint64_t last = 0;

	run->nr = run->next = 0;
	while ((hdr = chunk_walk_next(&walk))) {
		uint32_t type = ts_record_load_u32(hdr);
		uint64_t time;

		if (!type || type >= TS_RECORD_USER_START || !(o->window.types >> type & 1))
			continue;
		time = range_layout_time(&o->layout, hdr);
		is_covered &= !time || !most || (time >= least && time <= most);
		if (!is_time_wanted(o, run->chunk->given_ns, time, is_untimed))
			continue;
		if (add_entry(o->table->capture->memory, run, time,
			      (size_t)((const uint8_t *)hdr - run->records)))
			return -ENOMEM;
		is_sorted &= time >= last;
		last = time;
	}
	if (!is_sorted)
		qsort(run->entries, run->nr, sizeof(*run->entries), compare_entries);
	return is_covered ? 0 : say_uncovered(o, run);
}

/* Opens a chunk. *ret is NULL when it has no wanted record that can be read. */
static int open_run(struct ordered *o, const struct chunk *chunk, bool is_untimed, struct run **ret)
{
	struct run *run = get_run(o);
	struct ts_error err;
	size_t len;
	int rc, loaded;

	*ret = NULL;
	if (!run)
		return -ENOMEM;
	run->chunk = chunk;
	run->nr = 0;
	loaded = rc = chunk_load(o->table, chunk, &run->buf, &run->records, &len, &err);
	if (rc == -EBADMSG || rc == CHUNK_SALVAGED)
		rc = note_damage(o, run, &err);
	if (!rc && loaded >= 0)
		rc = list_entries(o, run, len, is_untimed);
	if (!rc && run->nr) {
		*ret = run;
		return 0;
	}
	put_run(o, run);
	return rc;
}

/* --- the heap --- */

static bool is_before(const struct run *a, const struct run *b)
{
	uint64_t x = a->entries[a->next].time_ns, y = b->entries[b->next].time_ns;

	return x != y ? x < y : a->chunk < b->chunk;
}

static void sift_down(struct ordered *o, size_t i)
{
	struct run **heap = o->heap;
	struct run *moved = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= o->nr_heap)
			break;
		if (child + 1 < o->nr_heap && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], moved))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

static void push_run(struct ordered *o, struct run *run)
{
	size_t i = o->nr_heap++;

	while (i && is_before(run, o->heap[(i - 1) / 2])) {
		o->heap[i] = o->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	o->heap[i] = run;
}

/* --- verifying --- */

struct verifying {
	struct ordered *o;
	_Atomic size_t next;
	size_t end;
};

/*
 * Ignores damage: it is found again when the chunk is opened. Compressed chunks are left for that
 * moment, too.
 */
static void verify_some(void *arg, unsigned int n)
{
	struct verifying *v = arg;
	struct chunk_buffer unused = {0};
	const uint8_t *records;
	struct ts_error ignored;
	size_t i, len;

	(void)n;
	while ((i = atomic_fetch_add_explicit(&v->next, 1, memory_order_relaxed)) < v->end)
		if ((v->o->waiting[i]->flags & (CHUNK_CHECKSUM | CHUNK_COMPRESSED)) ==
		    CHUNK_CHECKSUM)
			chunk_load(v->o->table, v->o->waiting[i], &unused, &records, &len,
				   &ignored);
	chunk_buffer_release(&unused);
}

/*
 * Checksums take most of the time, and any thread can make them. The records belong to one thread.
 */
static void verify_next(struct ordered *o)
{
	struct verifying v = {.o = o, .next = o->nr_verified};

	v.end = ts_min(o->nr_verified + VERIFIED_AT_ONCE, o->nr_waiting);
	o->nr_verified = v.end;
	workers_run(o->window.nr_workers, verify_some, &v);
}

/* Opens every waiting chunk that may begin before the heap's top. */
static int open_due(struct ordered *o)
{
	while (o->next_waiting < o->nr_waiting) {
		const struct chunk *chunk = o->waiting[o->next_waiting];
		struct run *run;
		int rc;

		if (o->nr_heap &&
		    o->heap[0]->entries[o->heap[0]->next].time_ns < chunk->time_min_ns)
			break;
		if (o->window.nr_workers > 1 && o->next_waiting == o->nr_verified)
			verify_next(o);
		o->next_waiting++;
		rc = open_run(o, chunk, false, &run);
		if (rc)
			return rc;
		if (run)
			push_run(o, run);
	}
	return 0;
}

/* --- giving --- */

static void give_record(const struct run *run, struct ordered_record *ret)
{
	const struct entry *e = &run->entries[run->next];
	const struct chunk *c = run->chunk;
	bool is_plain = !c->inflated && !(c->flags & CHUNK_COMPRESSED);

	*ret = (struct ordered_record){
		.hdr = (const void *)(run->records + e->offset),
		.time_ns = e->time_ns,
		.stream = c->stream,
		.offset = c->offset +
			  (is_plain ? chunk_salvage_place(&run->buf.holes, e->offset) : 0),
	};
}

/* 1: a record without a time was given; 0: no more. */
static int next_untimed(struct ordered *o, struct ordered_record *ret)
{
	if (o->untimed && o->untimed->next == o->untimed->nr) {
		put_run(o, o->untimed);
		o->untimed = NULL;
	}
	while (!o->untimed && o->next_untimed < o->table->nr) {
		const struct chunk *chunk = &o->table->chunks[o->next_untimed++];
		int rc;

		if (!(chunk->flags & CHUNK_UNTIMED) || !is_wanted(chunk, o->window.types))
			continue;
		rc = open_run(o, chunk, true, &o->untimed);
		if (rc)
			return rc;
	}
	if (!o->untimed)
		return 0;
	give_record(o->untimed, ret);
	o->untimed->next++;
	return 1;
}

/* The last given record is not needed any more: its run moves on. */
static void advance_run(struct ordered *o)
{
	struct run *run = o->spent;

	if (!run)
		return;
	o->spent = NULL;
	if (++run->next < run->nr) {
		sift_down(o, 0);
		return;
	}
	o->heap[0] = o->heap[--o->nr_heap];
	if (o->nr_heap)
		sift_down(o, 0);
	put_run(o, run);
}

int ordered_next(struct ordered *o, struct ordered_record *ret)
{
	int rc = next_untimed(o, ret);

	if (rc)
		return rc;
	advance_run(o);
	rc = open_due(o);
	if (rc)
		return rc;
	if (!o->nr_heap)
		return 0;
	/* what the caller makes of the records may lie in files, too */
	if (++o->nr_given % TRIM_RECORDS == 0)
		memory_keep_narrow(o->table->capture->memory);
	o->spent = o->heap[0];
	give_record(o->spent, ret);
	return 1;
}

const struct damage *ordered_damage(const struct ordered *o)
{
	return &o->damage;
}

void ordered_close(struct ordered *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->nr_heap; i++)
		free_run(o->heap[i]);
	free_run(o->untimed);
	while (o->free_runs) {
		struct run *run = o->free_runs;

		o->free_runs = run->next_free;
		free_run(run);
	}
	damage_release(&o->damage);
	memory_free(o->heap);
	memory_free(o->waiting);
	free(o);
}
