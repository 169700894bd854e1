// SPDX-License-Identifier: Apache-2.0
#include "reader/order/time_windows.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/runtime/line_output.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"

/* With fewer records than this a window is not worth opening its chunks. */
#define WINDOW_RECORDS 8192u
#define WINDOWS_AHEAD  4u /* finished windows that wait, for each worker */
/* About the bytes of a window's records; see plan_memory(). */
#define WINDOW_BYTES (1u << 20)
#define PART_BYTES   (32u << 20) /* of a text, between two looks at the memory */
#define PASS_BYTES   (4u << 20)	 /* of a text, between two looks whether it is its turn */
/* The expected text of a record, in bytes of the record: 3 to 9 were seen. */
#define TEXT_FACTOR 10u
#define TEXT_BYTES  (256ull << 20) /* for all texts, if memory has no limit */
/*
 * Chunks that reach over a cut are opened on both sides: at most so many for each chunk that
 * begins.
 */
#define CARRIED_MOST 4u

struct slot {
	struct window_text text;
	bool is_done;
	uint64_t counted; /* in window_line.text_bytes: expected or used bytes */
};

struct window {
	uint64_t from_ns;
	uint64_t bytes; /* of the records that begin in it */
	size_t first;	/* of its chunks, in window_line.chunks */
};

struct window_line {
	/* constant while running */
	const struct time_windows_job *job;
	uint64_t types;
	int fd;
	struct progress *progress;
	uint64_t total_bytes;
	struct memory *memory;
	struct window *windows;	     /* window i ends where i + 1 begins */
	const struct chunk **chunks; /* of all windows, one after the other */
	size_t nr_chunks, cap_chunks;
	uint64_t window_bytes;
	uint64_t text_most; /* bytes that texts may take together */
	size_t nr_windows;
	size_t nr_slots; /* window i waits in slot i % nr_slots */

	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a window was written or the run failed */
	struct slot *slots;
	size_t next_to_take, next_to_write;
	uint64_t text_bytes;	 /* of all slots */
	bool is_writing;	 /* one thread writes, without the lock */
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
 * sides. A window holds several chunks of each stream, so only a fraction is opened twice.
 */
static uint64_t records_of_window(const struct chunk_table *table, size_t nr_timed)
{
	uint64_t records = 0, wanted;

	for (size_t i = 0; i < table->nr; i++)
		records += table->chunks[i].nr_records;
	wanted = nr_timed ? 2 * table->capture->nr_streams * (records / nr_timed) : 0;
	return ts_max(wanted, WINDOW_RECORDS);
}

/* Appends a chunk to the list of the last window. */
static int list_chunk(struct window_line *c, const struct chunk *chunk)
{
	if (c->nr_chunks == c->cap_chunks) {
		size_t cap = c->cap_chunks ? 2 * c->cap_chunks : 256;
		const struct chunk **grown =
			memory_resize(c->memory, c->chunks, cap, sizeof(*c->chunks));

		if (!grown)
			return -ENOMEM;
		c->chunks = grown;
		c->cap_chunks = cap;
	}
	c->chunks[c->nr_chunks++] = chunk;
	return 0;
}

/* The number of chunks of the last window that reach to a time. */
static size_t count_carried(const struct window_line *c, uint64_t from_ns)
{
	size_t nr = 0;

	for (size_t i = c->windows[c->nr_windows].first; i < c->nr_chunks; i++)
		nr += c->chunks[i]->time_max_ns >= from_ns;
	return nr;
}

/*
 * May the last window end here? `begun` chunks begin in it. If too many chunks would be listed
 * again, *wait becomes the number of chunks that must begin before the next count: at least twice
 * as many. So the lists and the counting stay in proportion to the chunks.
 */
static bool may_end(const struct window_line *c, uint64_t end_ns, size_t begun, size_t *wait)
{
	size_t carried;

	if (begun < *wait)
		return false;
	carried = count_carried(c, end_ns);
	*wait = ts_max(carried / CARRIED_MOST, 2 * begun);
	return carried <= CARRIED_MOST * begun;
}

/*
 * Begins a window at a time. Chunks of the previous window that reach into it are its first ones.
 */
static int begin_window(struct window_line *c, uint64_t from_ns)
{
	const size_t first = c->windows[c->nr_windows].first, end = c->nr_chunks;

	c->windows[++c->nr_windows] = (struct window){.from_ns = from_ns, .first = end};
	for (size_t i = first; i < end; i++)
		if (c->chunks[i]->time_max_ns >= from_ns && list_chunk(c, c->chunks[i]))
			return -ENOMEM;
	return 0;
}

static int cut_at(struct window_line *c, const struct chunk **sorted, size_t nr, uint64_t wanted)
{
	size_t begun = 0, wait = 0;
	uint64_t records = 0;

	for (size_t i = 0; i < nr; i++) {
		struct window *last = &c->windows[c->nr_windows];

		if ((records >= wanted || last->bytes >= c->window_bytes) &&
		    sorted[i]->time_min_ns > last->from_ns &&
		    may_end(c, sorted[i]->time_min_ns, begun, &wait)) {
			if (begin_window(c, sorted[i]->time_min_ns))
				return -ENOMEM;
			last++;
			records = begun = wait = 0;
		}
		begun++;
		records += sorted[i]->nr_records;
		last->bytes += sorted[i]->raw_bytes;
		if (list_chunk(c, sorted[i]))
			return -ENOMEM;
	}
	c->windows[++c->nr_windows] = (struct window){.from_ns = UINT64_MAX, .first = c->nr_chunks};
	return 0;
}

static int cut_windows(struct window_line *c, const struct chunk_table *table)
{
	const struct chunk **sorted = memory_new(c->memory, table->nr + 1, sizeof(*sorted));
	size_t nr = 0;
	int rc = -ENOMEM;

	c->windows = memory_new(c->memory, table->nr + 2, sizeof(*c->windows));
	for (size_t i = 0; sorted && i < table->nr; i++)
		if (has_time(&table->chunks[i]))
			sorted[nr++] = &table->chunks[i];
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), by_time);
	if (sorted && c->windows)
		rc = cut_at(c, sorted, nr, records_of_window(table, nr));
	memory_free(sorted);
	return rc;
}

static void fail_line(struct window_line *c, const struct ts_error *err)
{
	if (!c->failure.code)
		c->failure = *err;
	pthread_cond_broadcast(&c->moved);
}

static void count_text(struct window_line *c, struct slot *slot, uint64_t bytes)
{
	c->text_bytes += bytes - slot->counted;
	slot->counted = bytes;
}

/* With the lock held: is there room for one more window's text? */
static bool has_room(const struct window_line *c)
{
	uint64_t ahead = c->next_to_take - c->next_to_write;
	uint64_t more = TEXT_FACTOR * c->windows[c->next_to_take].bytes;

	return !ahead || (ahead < c->nr_slots && c->text_bytes + more <= c->text_most);
}

static void fail_stopped(struct window_line *c)
{
	struct ts_error err;

	ts_error_set(&err, EINTR, "cannot print the whole capture: interrupted");
	fail_line(c, &err);
}

/*
 * Takes the next window when memory has room. False: no window is left, the run failed, or it must
 * stop.
 */
static bool take_window(struct window_line *c, size_t *ret)
{
	bool taken;

	pthread_mutex_lock(&c->lock);
	if (progress_is_stopped(c->progress) && c->next_to_take < c->nr_windows)
		fail_stopped(c);
	while (!c->failure.code && c->next_to_take < c->nr_windows && !has_room(c))
		pthread_cond_wait(&c->moved, &c->lock);
	taken = !c->failure.code && c->next_to_take < c->nr_windows;
	if (taken) {
		struct slot *slot = &c->slots[c->next_to_take % c->nr_slots];

		count_text(c, slot,
			   ts_max(slot->text.bytes.cap,
				  TEXT_FACTOR * c->windows[c->next_to_take].bytes));
		slot->text.index = c->next_to_take;
		slot->text.next_bytes = PASS_BYTES;
		*ret = c->next_to_take++;
	}
	pthread_mutex_unlock(&c->lock);
	return taken;
}

/* A text may lie in a file, and its pages in the window of mapped files: written in parts of whole lines. */
static int write_text(const struct window_line *c, const struct ts_bytes *text,
		      struct ts_error *err)
{
	const uint8_t *at = text->data, *end = at + text->len, *line;
	int rc = 0;

	for (; !rc && at < end; at = line) {
		line = (size_t)(end - at) > PART_BYTES
			       ? memchr(at + PART_BYTES, '\n', (size_t)(end - at) - PART_BYTES)
			       : NULL;
		line = line ? line + 1 : end;
		rc = line_output_write(c->fd, c->progress, at, (size_t)(line - at));
		memory_keep_narrow(c->memory);
	}
	return rc ? ts_error_sys(err, -rc, "cannot write the output") : 0;
}

/* With the lock held: writes the windows at the front of the line that are finished. */
static void write_line(struct window_line *c)
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
		ret = write_text(c, &slot->text.bytes, &err);
		pthread_mutex_lock(&c->lock);
		if (ret)
			fail_line(c, &err);
		ts_bytes_clear(&slot->text.bytes);
		if (slot->text.bytes.cap > c->text_most / c->nr_slots)
			ts_bytes_release(&slot->text.bytes);
		count_text(c, slot, slot->text.bytes.cap);
		slot->is_done = false;
		c->next_to_write++;
		progress_add(c->progress, c->total_bytes / c->nr_windows);
		pthread_cond_broadcast(&c->moved);
	}
	c->is_writing = false;
}

static int check_text(const struct window_text *text, struct ts_error *err)
{
	return ts_bytes_failed(&text->bytes)
		       ? ts_error_sys(err, ENOMEM, "cannot make the text of a window")
		       : 0;
}

/*
 * Waits while the texts are too many, until this one is the first in line. The first in line never
 * waits, so the line moves on. 1: it is the first; 0: it is not, and has room; -errno.
 */
static int await_turn(struct window_line *c, struct window_text *text, struct ts_error *err)
{
	struct slot *slot = &c->slots[text->index % c->nr_slots];
	int ret;

	pthread_mutex_lock(&c->lock);
	count_text(c, slot, ts_max(slot->counted, text->bytes.cap));
	while (!c->failure.code && c->next_to_write != text->index && c->text_bytes > c->text_most)
		pthread_cond_wait(&c->moved, &c->lock);
	ret = c->next_to_write == text->index;
	if (c->failure.code) {
		*err = c->failure;
		ret = -c->failure.code;
	}
	pthread_mutex_unlock(&c->lock);
	return ret;
}

/* No other thread writes while the first window in line is not done. */
int time_windows_pass(struct window_text *text, struct ts_error *err)
{
	int ret;

	if (text->bytes.len < text->next_bytes)
		return 0;
	ret = check_text(text, err);
	if (!ret)
		ret = await_turn(text->line, text, err);
	if (ret > 0) {
		ret = write_text(text->line, &text->bytes, err);
		ts_bytes_clear(&text->bytes);
	}
	text->next_bytes = text->bytes.len + PASS_BYTES;
	return ret;
}

static void put_window(struct window_line *c, size_t index, int ret, struct ts_error *err)
{
	struct slot *slot = &c->slots[index % c->nr_slots];

	if (!ret)
		ret = check_text(&slot->text, err);
	pthread_mutex_lock(&c->lock);
	slot->is_done = true;
	count_text(c, slot, slot->text.bytes.cap);
	if (ret)
		fail_line(c, err);
	write_line(c);
	pthread_mutex_unlock(&c->lock);
}

static void work_on_windows(void *arg, unsigned int n)
{
	struct window_line *c = arg;
	struct ts_error err;
	void *state = c->job->open(c->job->arg, &err);
	size_t i;

	(void)n;
	if (!state) {
		pthread_mutex_lock(&c->lock);
		fail_line(c, &err);
		pthread_mutex_unlock(&c->lock);
		return;
	}
	while (take_window(c, &i)) {
		const struct ordered_window window = {
			.types = c->types,
			.from_ns = c->windows[i].from_ns,
			.to_ns = c->windows[i + 1].from_ns,
			.chunks = c->chunks + c->windows[i].first,
			.nr_chunks = c->windows[i + 1].first - c->windows[i].first,
		};

		put_window(c, i,
			   c->job->format(state, &window, &c->slots[i % c->nr_slots].text, &err),
			   &err);
	}
	c->job->close(state);
}

/*
 * Small windows stay in the caches of a CPU, but each opens a chunk of each stream once more. Texts
 * may take a quarter of the limit.
 */
static void plan_memory(struct window_line *c, const struct chunk_table *table,
			unsigned int nr_workers)
{
	uint64_t chunks = 0;

	for (size_t i = 0; i < table->nr; i++)
		chunks += table->chunks[i].raw_bytes;
	chunks = table->nr ? chunks / table->nr * table->capture->nr_streams : 0;
	c->text_most =
		c->memory && c->memory->limit_bytes ? c->memory->limit_bytes / 4 : TEXT_BYTES;
	c->window_bytes =
		ts_min(ts_max(WINDOW_BYTES, chunks), c->text_most / TEXT_FACTOR / nr_workers);
}

static void init_text(struct window_line *c, struct window_text *text)
{
	memory_hold(c->memory, &text->bytes);
	text->line = c;
}

int time_windows_run(const struct chunk_table *table, uint64_t types, unsigned int nr_workers,
		     int fd, const struct time_windows_job *job, struct ts_error *err)
{
	struct window_line c = {
		.job = job,
		.types = types,
		.fd = fd,
		.memory = table->capture->memory,
		.progress = table->capture->progress,
		.total_bytes = chunk_table_bytes(table),
		.nr_slots = WINDOWS_AHEAD * nr_workers,
	};

	progress_begin(c.progress, "Printing", c.total_bytes);
	plan_memory(&c, table, nr_workers);
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.moved, NULL);
	c.slots = calloc(c.nr_slots, sizeof(*c.slots));
	for (size_t i = 0; c.slots && i < c.nr_slots; i++)
		init_text(&c, &c.slots[i].text);
	if (!c.slots || cut_windows(&c, table))
		ts_error_sys(&c.failure, ENOMEM, "cannot print %s", table->capture->path);
	else
		workers_run(nr_workers, work_on_windows, &c);
	for (size_t i = 0; c.slots && i < c.nr_slots; i++)
		ts_bytes_release(&c.slots[i].text.bytes);
	free(c.slots);
	memory_free(c.windows);
	memory_free(c.chunks);
	if (c.failure.code)
		*err = c.failure;
	return -c.failure.code;
}
