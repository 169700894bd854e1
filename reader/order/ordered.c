// SPDX-License-Identifier: Apache-2.0
/*
 * Chunks wait in the order of their lowest time. If the heap's top is later than the lowest time of
 * the next waiting chunk, that chunk is opened first. Its wanted records are listed with their
 * times, and sorted if they step back. Then the run joins the heap.
 *
 *	waiting (by lowest time):   [40..] [70..] [90..]
 *	heap (by current record):   run 12@(22), run 3@(25), run 7@(31)     next: 22
 *
 * An exhausted run leaves the heap and gives its memory to the next chunk. A run that waits may be
 * set aside (chunk_runs.h); it is taken up when it becomes the top. Chunks that hold records without
 * a time are opened once more, first of all and one after the other, for those alone.
 */
#include "reader/order/ordered.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/chunks/chunk_load.h"
#include "reader/order/chunk_runs.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"

#define TRIM_RECORDS 64 /* between two trims of mapped memory */
#define VERIFIED_AT_ONCE                                                                           \
	64 /* chunks, mostly of a MiB each: the caches of large machines hold them */

struct ordered {
	struct chunk_runs runs;
	const struct chunk **waiting; /* timed chunks, by lowest time, then stream, offset */
	size_t nr_waiting, next_waiting;
	size_t nr_verified;  /* of the waiting chunks: verified by workers before they are opened */
	size_t next_untimed; /* index into table->chunks */
	struct chunk_run *untimed; /* the chunk whose untimed records are being given; NULL: none */
	struct chunk_run **heap;
	size_t nr_heap;
	uint32_t nr_given;
	struct chunk_run *spent; /* its record was given: it moves on at the next call */
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
	const struct chunk *const *chunks = o->runs.window.chunks;
	size_t nr = chunks ? o->runs.window.nr_chunks : o->runs.table->nr;
	struct memory *memory = o->runs.table->capture->memory;

	o->waiting = memory_new(memory, nr + 1, sizeof(*o->waiting));
	o->heap = memory_new(memory, nr + 1, sizeof(*o->heap));
	if (!o->waiting || !o->heap)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct chunk *chunk = chunks ? chunks[i] : &o->runs.table->chunks[i];

		if (is_wanted(chunk, o->runs.window.types) && is_in_window(chunk, &o->runs.window))
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
	o->runs.table = table;
	o->runs.window = *window;
	range_layout_init(&o->runs.layout, &table->capture->header.events);
	if (window->from_ns)
		o->next_untimed = table->nr;
	if (list_waiting(o)) {
		ordered_close(o);
		return NULL;
	}
	return o;
}

/* --- the heap --- */

/* The order of records: by time, then by chunk. */
static bool comes_before(uint64_t a_ns, const struct chunk *a, uint64_t b_ns, const struct chunk *b)
{
	return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static bool is_before(const struct chunk_run *a, const struct chunk_run *b)
{
	return comes_before(a->next_ns, a->chunk, b->next_ns, b->chunk);
}

static void sift_down(struct ordered *o, size_t i)
{
	struct chunk_run **heap = o->heap;
	struct chunk_run *moved = heap[i];

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

static void push_run(struct ordered *o, struct chunk_run *run)
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
			chunk_load(v->o->runs.table, v->o->waiting[i], &unused, &records, &len,
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
	workers_run(o->runs.window.nr_workers, verify_some, &v);
}

/* May a record of a waiting chunk come before the heap's top? */
static bool is_due(const struct ordered *o, const struct chunk *chunk)
{
	const struct chunk_run *top = o->nr_heap ? o->heap[0] : NULL;

	return !top || comes_before(chunk->time_min_ns, chunk, top->next_ns, top->chunk);
}

/* The new run or the top before it has to wait. */
static void join_heap(struct ordered *o, struct chunk_run *run)
{
	struct chunk_run *top = o->nr_heap ? o->heap[0] : NULL;

	push_run(o, run);
	if (top)
		chunk_runs_set_aside(&o->runs, o->heap[0] == run ? top : run);
}

static int open_due(struct ordered *o)
{
	while (o->next_waiting < o->nr_waiting && is_due(o, o->waiting[o->next_waiting])) {
		struct chunk_run *run;
		int rc;

		if (o->runs.window.nr_workers > 1 && o->next_waiting == o->nr_verified)
			verify_next(o);
		rc = chunk_runs_open(&o->runs, o->waiting[o->next_waiting++], false, &run);
		if (rc)
			return rc;
		if (run)
			join_heap(o, run);
	}
	return 0;
}

/* --- giving --- */

/* 1: a record without a time was given; 0: no more. */
static int give_untimed(struct ordered *o, struct ordered_record *ret)
{
	while (!o->untimed && o->next_untimed < o->runs.table->nr) {
		const struct chunk *chunk = &o->runs.table->chunks[o->next_untimed++];
		int rc;

		if (!(chunk->flags & CHUNK_UNTIMED) || !is_wanted(chunk, o->runs.window.types))
			continue;
		rc = chunk_runs_open(&o->runs, chunk, true, &o->untimed);
		if (rc)
			return rc;
	}
	if (!o->untimed)
		return 0;
	chunk_run_give(o->untimed, ret);
	return 1;
}

static void drop_top(struct ordered *o)
{
	struct chunk_run *run = o->heap[0];

	o->heap[0] = o->heap[--o->nr_heap];
	if (o->nr_heap)
		sift_down(o, 0);
	chunk_runs_close(&o->runs, run);
}

/* --- moving on: the last given record is not needed any more --- */

static void advance_untimed(struct ordered *o)
{
	if (!o->untimed || chunk_run_advance(o->untimed))
		return;
	chunk_runs_close(&o->runs, o->untimed);
	o->untimed = NULL;
}

static void advance_run(struct ordered *o)
{
	struct chunk_run *run = o->spent;

	if (!run)
		return;
	o->spent = NULL;
	if (!chunk_run_advance(run)) {
		drop_top(o);
		return;
	}
	sift_down(o, 0);
	if (o->heap[0] != run)
		chunk_runs_set_aside(&o->runs, run);
}

/* Makes the run with the next record the top. 1; 0: there is none; -ENOMEM. */
static int find_next(struct ordered *o)
{
	int rc;

	do {
		rc = open_due(o);
		if (rc || !o->nr_heap)
			return rc;
		rc = chunk_runs_take_up(&o->runs, o->heap[0]);
		if (rc == -EBADMSG)
			drop_top(o);
	} while (rc == -EBADMSG);
	return rc ? rc : 1;
}

int ordered_next(struct ordered *o, struct ordered_record *ret)
{
	int rc;

	advance_untimed(o);
	rc = give_untimed(o, ret);
	if (rc)
		return rc;
	advance_run(o);
	rc = find_next(o);
	if (rc <= 0)
		return rc;
	/* what the caller makes of the records may lie in files, too */
	if (++o->nr_given % TRIM_RECORDS == 0)
		memory_keep_narrow(o->runs.table->capture->memory);
	o->spent = o->heap[0];
	chunk_run_give(o->spent, ret);
	return 1;
}

const struct damage *ordered_damage(const struct ordered *o)
{
	return &o->runs.damage;
}

void ordered_close(struct ordered *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->nr_heap; i++)
		chunk_run_free(o->heap[i]);
	chunk_run_free(o->untimed);
	chunk_runs_release(&o->runs);
	memory_free(o->heap);
	memory_free(o->waiting);
	free(o);
}
