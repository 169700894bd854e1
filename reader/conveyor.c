// SPDX-License-Identifier: Apache-2.0
#include "reader/conveyor.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "reader/outlet.h"
#include "reader/workers.h"

/* A window is worth the trouble of opening its chunks from about here. */
#define WINDOW_RECORDS 8192u
#define CONVEYOR_AHEAD 4u /* finished windows that wait, a worker */

struct slot {
	struct ts_bytes text;
	bool is_done;
};

struct conveyor {
	/* constant while running */
	const struct conveyor_job *job;
	uint64_t types;
	int fd;
	struct progress *progress;
	uint64_t total_bytes;
	uint64_t *cuts; /* window i is [cuts[i], cuts[i + 1]) */
	size_t nr_windows;
	size_t nr_slots; /* window i waits in slot i % nr_slots */

	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a window was written or the run failed */
	struct slot *slots;
	size_t next_to_take, next_to_write;
	bool is_writing;	 /* one thread is, without the lock */
	struct ts_error failure; /* the first one; code 0: none */
};

static int by_time(const void *a, const void *b)
{
	const struct chunk *x = *(const struct chunk *const *)a,
			   *y = *(const struct chunk *const *)b;

	return x->time_min_ns < y->time_min_ns ? -1 : x->time_min_ns > y->time_min_ns;
}

static bool has_time(const struct chunk *chunk)
{
	return chunk->time_min_ns <= chunk->time_max_ns;
}

/*
 * Chunks of several streams overlap in time, and those that lie across a cut are opened on both
 * sides: a window holds several chunks of each stream, so that this stays a fraction.
 */
static uint64_t records_of_window(const struct chunk_table *table, size_t nr_timed)
{
	uint64_t records = 0, wanted;

	for (size_t i = 0; i < table->nr; i++)
		records += table->chunks[i].nr_records;
	wanted = nr_timed ? 2 * table->capture->nr_streams * (records / nr_timed) : 0;
	return ts_max(wanted, WINDOW_RECORDS);
}

static int cut_windows(struct conveyor *c, const struct chunk_table *table)
{
	const struct chunk **sorted = calloc(table->nr + 1, sizeof(*sorted));
	uint64_t records = 0, wanted;
	size_t nr = 0;

	c->cuts = calloc(table->nr + 2, sizeof(*c->cuts));
	if (!sorted || !c->cuts) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->nr; i++)
		if (has_time(&table->chunks[i]))
			sorted[nr++] = &table->chunks[i];
	qsort(sorted, nr, sizeof(*sorted), by_time);
	wanted = records_of_window(table, nr);
	for (size_t i = 0; i < nr; i++) {
		if (records >= wanted && sorted[i]->time_min_ns > c->cuts[c->nr_windows]) {
			c->cuts[++c->nr_windows] = sorted[i]->time_min_ns;
			records = 0;
		}
		records += sorted[i]->nr_records;
	}
	c->cuts[++c->nr_windows] = UINT64_MAX;
	free(sorted);
	return 0;
}

static void fail(struct conveyor *c, const struct ts_error *err)
{
	if (!c->failure.code)
		c->failure = *err;
	pthread_cond_broadcast(&c->moved);
}

static void fail_stopped(struct conveyor *c)
{
	struct ts_error err;

	ts_error_set(&err, EINTR, "cannot print all of it: interrupted");
	fail(c, &err);
}

/*
 * Takes the next window when it is not too far ahead; false: there is none, the run failed, or is
 * to stop.
 */
static bool take(struct conveyor *c, size_t *ret)
{
	bool taken;

	pthread_mutex_lock(&c->lock);
	if (progress_is_stopped(c->progress) && c->next_to_take < c->nr_windows)
		fail_stopped(c);
	while (!c->failure.code && c->next_to_take < c->nr_windows &&
	       c->next_to_take - c->next_to_write >= c->nr_slots)
		pthread_cond_wait(&c->moved, &c->lock);
	taken = !c->failure.code && c->next_to_take < c->nr_windows;
	if (taken)
		*ret = c->next_to_take++;
	pthread_mutex_unlock(&c->lock);
	return taken;
}

/* With the lock held: writes what stands first in line, for as long as it is finished. */
static void write_line(struct conveyor *c)
{
	struct ts_error err;

	if (c->is_writing)
		return;
	c->is_writing = true;
	while (!c->failure.code && c->next_to_write < c->nr_windows) {
		struct slot *slot = &c->slots[c->next_to_write % c->nr_slots];
		int ret;

		if (!slot->is_done)
			break;
		pthread_mutex_unlock(&c->lock);
		ret = outlet_write(c->fd, c->progress, slot->text.data, slot->text.len);
		pthread_mutex_lock(&c->lock);
		if (ret) {
			ts_error_sys(&err, -ret, "cannot write the output");
			fail(c, &err);
		}
		ts_bytes_clear(&slot->text);
		slot->is_done = false;
		c->next_to_write++;
		progress_add(c->progress, c->total_bytes / c->nr_windows);
		pthread_cond_broadcast(&c->moved);
	}
	c->is_writing = false;
}

static void put(struct conveyor *c, size_t index, int ret, struct ts_error *err)
{
	struct slot *slot = &c->slots[index % c->nr_slots];

	if (!ret && ts_bytes_failed(&slot->text))
		ret = ts_error_sys(err, ENOMEM, "cannot make the text of a window");
	pthread_mutex_lock(&c->lock);
	slot->is_done = true;
	if (ret)
		fail(c, err);
	write_line(c);
	pthread_mutex_unlock(&c->lock);
}

static void work(void *arg, unsigned int n)
{
	struct conveyor *c = arg;
	struct ts_error err;
	void *state = c->job->open(c->job->arg, &err);
	size_t i;

	(void)n;
	if (!state) {
		pthread_mutex_lock(&c->lock);
		fail(c, &err);
		pthread_mutex_unlock(&c->lock);
		return;
	}
	while (take(c, &i)) {
		const struct ordered_window window = {
			.types = c->types, .from_ns = c->cuts[i], .to_ns = c->cuts[i + 1]};

		put(c, i, c->job->format(state, &window, &c->slots[i % c->nr_slots].text, &err),
		    &err);
	}
	c->job->close(state);
}

int conveyor_run(const struct chunk_table *table, uint64_t types, unsigned int nr_workers, int fd,
		 const struct conveyor_job *job, struct ts_error *err)
{
	struct conveyor c = {
		.job = job,
		.types = types,
		.fd = fd,
		.progress = table->capture->progress,
		.total_bytes = chunk_table_bytes(table),
		.nr_slots = CONVEYOR_AHEAD * nr_workers,
	};

	progress_begin(c.progress, "Printing", c.total_bytes);
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.moved, NULL);
	c.slots = calloc(c.nr_slots, sizeof(*c.slots));
	if (!c.slots || cut_windows(&c, table))
		ts_error_sys(&c.failure, ENOMEM, "cannot print %s", table->capture->path);
	else
		workers_run(nr_workers, work, &c);
	for (size_t i = 0; c.slots && i < c.nr_slots; i++)
		ts_bytes_release(&c.slots[i].text);
	free(c.slots);
	free(c.cuts);
	if (c.failure.code)
		*err = c.failure;
	return -c.failure.code;
}
