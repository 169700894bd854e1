// SPDX-License-Identifier: Apache-2.0
/*
 * Building: a worker takes the first work that is there, of three kinds:
 * - read the records of a range that was cut;
 * - cut a piece of a large stream of others (parallel_scan.h), and read its ranges;
 * - cut a stream that no worker has begun (sequential, one worker a stream).
 *
 * So many streams are cut in parallel, and all workers read the ranges of a single stream while one
 * of them still cuts it. The lock is taken once per range of half a megabyte.
 *
 * With a selection, a chunk of ours that cannot match is not listed. Ranges of others are dropped
 * at the end, when their contents are known.
 */
#include "reader/chunks/chunk_table.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/stream/checksum.h"
#include "common/stream/chunk.h"
#include "reader/chunks/chunk_contents.h"
#include "reader/chunks/parallel_scan.h"
#include "reader/chunks/range_read.h"
#include "reader/chunks/range_scan.h"
#include "reader/chunks/stream_walk.h"
#include "reader/runtime/workers.h"

/* Smaller captures stay mapped in this process: giving pages back would gain nothing. */
#define KEPT_BYTES (32ull << 20)
/* If more ranges than this wait, the worker that cuts also reads them. */
#define BACKLOG_MAX 16

struct extent { /* of chunks, listed or not */
	uint64_t nr, first_ns, last_ns;
};

struct build {
	/* constant while workers run */
	struct chunk_table *table;
	const struct capture *capture;
	struct range_layout layout;
	struct chunk_counts *counts; /* one a worker */
	struct parallel_scan pieces; /* each is its worker's while it is cut */

	/* shared: under the lock */
	pthread_mutex_t lock;
	pthread_cond_t more; /* a range was cut, or a cutter ended */
	size_t next_piece;
	size_t next_stream;
	size_t next_range;
	unsigned int nr_cutting;
	size_t cap;
	struct extent seen;
	int rc; /* the first failure */
};

/* --- chunks that a selection leaves out --- */

static void extend_extent(struct extent *e, const struct chunk *chunk)
{
	e->nr++;
	if (!(chunk->flags & CHUNK_SAMPLES) || !chunk->time_max_ns)
		return;
	if (!e->last_ns || chunk->time_min_ns < e->first_ns)
		e->first_ns = chunk->time_min_ns;
	if (chunk->time_max_ns > e->last_ns)
		e->last_ns = chunk->time_max_ns;
}

static void add_extent(struct extent *to, const struct extent *from)
{
	to->nr += from->nr;
	if (from->last_ns && (!to->last_ns || from->first_ns < to->first_ns))
		to->first_ns = from->first_ns;
	if (from->last_ns > to->last_ns)
		to->last_ns = from->last_ns;
}

bool chunk_may_match(const struct chunk_table *t, const struct chunk *chunk)
{
	bool is_timed = chunk->time_max_ns && !(chunk->flags & CHUNK_UNTIMED);

	return !t->selection || selection_may_match(t->selection, is_timed ? chunk->time_min_ns : 0,
						    is_timed ? chunk->time_max_ns : UINT64_MAX,
						    chunk->header_bytes ? chunk->cpu : UINT32_MAX);
}

/* Names and maps come from the whole capture, whatever is selected. */
static bool is_needed(const struct chunk_table *t, const struct chunk *chunk)
{
	return chunk->flags & CHUNK_TASKS || chunk_may_match(t, chunk);
}

/* --- found chunks, under the lock --- */

static int add_chunk(struct build *b, const struct chunk *chunk)
{
	struct chunk_table *t = b->table;

	if (t->nr == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 256;
		struct chunk *grown =
			memory_resize(t->capture->memory, t->chunks, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->chunks = grown;
		b->cap = cap;
	}
	t->chunks[t->nr++] = *chunk;
	pthread_cond_signal(&b->more);
	return 0;
}

/* Takes a chunk or damage from the worker that cuts; nonzero ends the cutting. */
static int publish_chunk(struct build *b, int found, const struct chunk *chunk,
			 const struct chunk_damage *damage)
{
	int rc = found < 0 ? found : 0;
	bool is_listed = false;

	if (found == RANGE_SCAN_CHUNK && !chunk->header_bytes)
		chunk_note_mapped(b->table, chunk->bytes);
	pthread_mutex_lock(&b->lock);
	if (found == RANGE_SCAN_CHUNK) {
		rc = add_chunk(b, chunk);
		is_listed = !rc;
	} else if (found == RANGE_SCAN_DAMAGE)
		rc = damage_add(&b->table->damage, damage);
	if (rc && !b->rc)
		b->rc = rc;
	rc = b->rc;
	pthread_mutex_unlock(&b->lock);
	if (found == RANGE_SCAN_CHUNK && !is_listed)
		memory_free((void *)(uintptr_t)chunk->inflated);
	return rc;
}

/* --- reading a range --- */

static void take_range(struct build *b, unsigned int worker, struct chunk_buffer *buf)
{
	size_t i = b->next_range++;
	struct chunk chunk = b->table->chunks[i];
	struct chunk_damage damage;
	int rc;

	pthread_mutex_unlock(&b->lock);
	rc = chunk_contents_read(b->table, &b->layout, &chunk, &b->counts[worker], buf, &damage);
	if (chunk.header_bytes)
		progress_add(b->capture->progress, chunk.bytes);
	pthread_mutex_lock(&b->lock);
	b->table->chunks[i] = chunk;
	if (rc == RANGE_SCAN_DAMAGE)
		rc = damage_add(&b->table->damage, &damage);
	if (rc && !b->rc)
		b->rc = rc;
}

/* --- cutting a stream --- */

/* The user stopped it: the table is what is there by now. */
static bool is_stopped(const struct build *b)
{
	return progress_is_stopped(b->capture->progress);
}

/*
 * A worker that cuts far ahead reads the ranges that it cut, while they are in its cache and little
 * is mapped.
 */
static void catch_up(struct build *b, unsigned int worker, struct chunk_buffer *buf)
{
	pthread_mutex_lock(&b->lock);
	while (!b->rc && b->next_range + BACKLOG_MAX < b->table->nr)
		take_range(b, worker, buf);
	pthread_mutex_unlock(&b->lock);
}

static void cut_foreign(struct build *b, uint32_t stream, unsigned int worker,
			struct chunk_buffer *buf)
{
	struct chunk_counts *counts = &b->counts[worker];
	struct chunk_damage damage;
	struct chunk chunk;
	struct range_scan scan;
	int found;

	range_scan_init(&scan, b->capture, stream, counts);
	do {
		found = range_scan_next(&scan, &chunk, &damage);
		if (found == RANGE_SCAN_CHUNK) {
			progress_add(b->capture->progress, chunk.bytes);
			catch_up(b, worker, buf);
		}
	} while (!publish_chunk(b, found, &chunk, &damage) && found != RANGE_SCAN_END &&
		 !is_stopped(b));
	range_scan_release(&scan);
	chunk_note_read(b->table,
			b->capture->streams[stream].end - b->capture->streams[stream].begin);
}

static void cut_own(struct build *b, uint32_t stream, unsigned int worker)
{
	struct chunk_counts *counts = &b->counts[worker];
	struct chunk_damage damage;
	struct extent seen = {0};
	struct chunk chunk;
	struct stream_walk walk;
	int found;

	stream_walk_init(&walk, b->capture, stream, b->table->is_sparse, counts);
	do {
		found = stream_walk_next(&walk, &chunk, &damage);
		if (found == RANGE_SCAN_CHUNK)
			extend_extent(&seen, &chunk);
		if (found == RANGE_SCAN_CHUNK && !is_needed(b->table, &chunk))
			continue;
		if (publish_chunk(b, found, &chunk, &damage))
			break;
	} while (found != RANGE_SCAN_END && !is_stopped(b));
	chunk_note_read(b->table, walk.nr_read);
	stream_walk_release(&walk);
	pthread_mutex_lock(&b->lock);
	add_extent(&b->seen, &seen);
	pthread_mutex_unlock(&b->lock);
}

static void cut_stream(struct build *b, uint32_t stream, unsigned int worker,
		       struct chunk_buffer *buf)
{
	const struct capture_stream *s = &b->capture->streams[stream];

	if (parallel_scan_have(&b->pieces, stream))
		return;
	if (b->table->is_sparse)
		map_read_sparsely(&s->map, true);
	if (stream_walk_is_ours(s)) {
		cut_own(b, stream, worker);
		return;
	}
	if (b->table->is_sparse)
		map_read_sparsely(&s->map, false);
	cut_foreign(b, stream, worker, buf);
}

static void take_stream(struct build *b, unsigned int worker, struct chunk_buffer *buf)
{
	size_t stream = b->next_stream++;

	b->nr_cutting++;
	pthread_mutex_unlock(&b->lock);
	cut_stream(b, (uint32_t)stream, worker, buf);
	pthread_mutex_lock(&b->lock);
	b->nr_cutting--;
	pthread_cond_broadcast(&b->more);
}

static void take_piece(struct build *b, struct chunk_buffer *buf)
{
	struct piece *piece = &b->pieces.items[b->next_piece++];

	pthread_mutex_unlock(&b->lock);
	piece_cut(piece, b->table, &b->layout, buf);
	pthread_mutex_lock(&b->lock);
	if (piece->rc && !b->rc)
		b->rc = piece->rc;
}

static void build_worker(void *arg, unsigned int worker)
{
	struct chunk_buffer buf = {0};
	struct build *b = arg;

	pthread_mutex_lock(&b->lock);
	while (!b->rc && !is_stopped(b)) {
		if (b->next_range < b->table->nr)
			take_range(b, worker, &buf);
		else if (b->next_piece < b->pieces.nr)
			take_piece(b, &buf);
		else if (b->next_stream < b->capture->nr_streams)
			take_stream(b, worker, &buf);
		else if (b->nr_cutting)
			pthread_cond_wait(&b->more, &b->lock);
		else
			break;
	}
	pthread_mutex_unlock(&b->lock);
	chunk_buffer_release(&buf);
}

/* --- the whole --- */

static int compare_chunks(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int alloc_counts(struct build *b, unsigned int nr_workers, bool is_full)
{
	size_t nr_events = b->capture->header.events.nr;
	int rc = chunk_counts_init(&b->table->counts, nr_events);

	b->counts = calloc(nr_workers, sizeof(*b->counts));
	if (!b->counts)
		return -ENOMEM;
	for (unsigned int i = 0; !rc && i < nr_workers; i++) {
		rc = chunk_counts_init(&b->counts[i], nr_events);
		b->counts[i].is_full = is_full;
		b->counts[i].selection = is_full ? b->table->selection : NULL;
	}
	b->table->counts.is_full = is_full;
	return rc;
}

static void add_counts(struct build *b, unsigned int nr_workers)
{
	for (unsigned int i = 0; b->counts && i < nr_workers; i++) {
		if (b->counts[i].event_samples && !b->rc)
			chunk_counts_add(&b->table->counts, &b->counts[i]);
		chunk_counts_release(&b->counts[i]);
	}
	free(b->counts);
}

static void sort_table(struct chunk_table *t)
{
	if (t->nr)
		qsort(t->chunks, t->nr, sizeof(*t->chunks), compare_chunks);
	damage_sort(&t->damage);
}

/* Moves a chunk to an earlier place, with all that is known of its payload. */
static void move_chunk(struct chunk_table *t, size_t to, size_t from)
{
	t->chunks[to] = t->chunks[from];
	if (t->reads->seen)
		t->reads->seen[to] = t->reads->seen[from];
}

void chunk_table_narrow(struct chunk_table *t,
			bool (*is_kept)(const struct chunk *chunk, const void *arg),
			const void *arg)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++) {
		if (is_kept(&t->chunks[i], arg))
			move_chunk(t, nr++, i);
		else
			memory_free((void *)(uintptr_t)t->chunks[i].inflated);
	}
	t->nr = nr;
}

static bool is_needed_by(const struct chunk *chunk, const void *table)
{
	return is_needed(table, chunk);
}

/* Drops chunks that cannot match; the contents of others' streams are known only now. */
static void narrow_to_selection(struct chunk_table *t)
{
	chunk_table_narrow(t, is_needed_by, t);
}

void chunk_table_select(struct chunk_table *t, const struct selection *selection)
{
	t->selection = selection;
	narrow_to_selection(t);
}

/* Chunks of ours were counted while they were cut, before any was left out. */
static void note_extent(struct chunk_table *t, struct extent *seen)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!t->chunks[i].header_bytes)
			extend_extent(seen, &t->chunks[i]);
	t->nr_seen = seen->nr;
	t->first_ns = seen->first_ns;
	t->last_ns = seen->last_ns;
}

static int finish_table(struct chunk_table *t, struct extent *seen)
{
	sort_table(t);
	note_extent(t, seen);
	narrow_to_selection(t);
	t->reads->seen = calloc(t->nr + 1, sizeof(*t->reads->seen));
	return t->reads->seen ? 0 : -ENOMEM;
}

int chunk_table_open_in_pieces(struct chunk_table *t, const struct capture *c,
			       unsigned int nr_workers, unsigned int flags,
			       const struct selection *selection, uint64_t piece_bytes,
			       struct ts_error *err)
{
	struct build b = {
		.table = t,
		.capture = c,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.more = PTHREAD_COND_INITIALIZER,
	};

	*t = (struct chunk_table){.capture = c,
				  .events = &c->header.events,
				  .selection = selection,
				  .is_sparse = flags & CHUNK_TABLE_SPARSE};
	t->is_large = chunk_table_bytes(t) > KEPT_BYTES;
	range_layout_init(&b.layout, &c->header.events);
	progress_begin(c->progress, "Looking through", chunk_table_bytes(t));
	t->nr_workers = nr_workers;
	t->reads = calloc(1, sizeof(*t->reads));
	b.rc = t->reads ? alloc_counts(&b, nr_workers, flags & CHUNK_TABLE_COUNTS) : -ENOMEM;
	if (!b.rc)
		b.rc = parallel_scan_plan(&b.pieces, t, piece_bytes, &b.counts[0]);
	if (!b.rc)
		workers_run(nr_workers, build_worker, &b);
	if (!b.rc)
		b.rc = parallel_scan_join(&b.pieces, t, &b.cap, &b.layout, &b.counts[0]);
	parallel_scan_release(&b.pieces);
	add_counts(&b, nr_workers);
	if (!b.rc)
		b.rc = finish_table(t, &b.seen);
	if (!b.rc)
		return 0;
	chunk_table_close(t);
	return ts_error_sys(err, -b.rc, "cannot read capture %s", c->path);
}

int chunk_table_open(struct chunk_table *t, const struct capture *c, unsigned int nr_workers,
		     unsigned int flags, const struct selection *selection, struct ts_error *err)
{
	return chunk_table_open_in_pieces(t, c, nr_workers, flags, selection, PIECE_BYTES, err);
}

size_t chunk_table_find(const struct chunk_table *t, uint32_t stream, uint64_t offset)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct chunk *c = &t->chunks[middle];

		if (c->stream < stream ||
		    (c->stream == stream && c->offset - c->header_bytes < offset))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t chunk_table_bytes(const struct chunk_table *t)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->capture->nr_streams; i++)
		bytes += t->capture->streams[i].end - t->capture->streams[i].begin;
	return bytes;
}

void chunk_table_close(struct chunk_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		memory_free((void *)(uintptr_t)t->chunks[i].inflated);
	memory_free(t->chunks);
	if (t->reads)
		free((void *)(uintptr_t)t->reads->seen);
	free(t->reads);
	damage_release(&t->damage);
	chunk_counts_release(&t->counts);
	*t = (struct chunk_table){0};
}
