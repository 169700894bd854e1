// SPDX-License-Identifier: Apache-2.0
/*
 * Writes the streams of the new directory, one after the other. Workers on all cores make the
 * chunks of a stream, which are written in their order:
 *
 *	entries  [0] [1] [2..9] [10..17] ...   workers take the next run
 *	slots        a batch that is made waits in slot (number % nr_slots) for those before it
 *	             the worker that finishes the first in line writes it, and all finished
 *	             ones behind it
 *
 * A run is one chunk of ours, or so many of others that the new chunks, one per ring, are not
 * small. Memory: each slot has a batch of at most one run.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/check/relaid_stream.h"
#include "reader/compact/compact.h"
#include "reader/compact/compact_batch.h"
#include "reader/runtime/workers.h"

#define RUN_BYTES      (16u << 20) /* bytes of records of others */
#define SLOTS_A_WORKER 2u	   /* one that is being made, one that waits */

struct slot {
	struct compact_batch batch;
	bool is_made;
	struct merge_part *part; /* part of the batch */
};

struct batch_line {
	/* constant while workers run */
	struct compact *compact;
	const struct merge_entry *entries; /* entries of the stream */
	size_t nr_entries;
	size_t nr_slots;

	/* each worker has its own */
	struct compact_worker *workers;

	/*
	 * under the lock; while is_laying, its worker uses `laid` and the counts of compact without
	 * it
	 */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a batch was written, or the work failed */
	struct slot *slots;
	size_t next_entry;
	size_t next_to_take, next_to_write; /* numbers of runs */
	bool is_laying;
	struct relaid_stream laid;
	struct ts_error failure; /* the first one; code 0: none */
};

/* --- runs --- */

static const struct chunk *chunk_of(const struct batch_line *b, size_t entry)
{
	return &b->compact->merge.table.chunks[b->entries[entry].chunk];
}

/* The end of the run that begins at an entry. */
static size_t end_of_run(const struct batch_line *b, size_t entry, uint64_t *ret_bytes)
{
	bool is_ours = b->entries[entry].is_ours;
	uint64_t raw_bytes = 0;

	*ret_bytes = 0;
	do {
		raw_bytes += chunk_of(b, entry)->raw_bytes;
		*ret_bytes += chunk_of(b, entry)->bytes;
		entry++;
	} while (!is_ours && entry < b->nr_entries && !b->entries[entry].is_ours &&
		 raw_bytes < RUN_BYTES);
	return entry;
}

static void fail_line(struct batch_line *b, const struct ts_error *err)
{
	if (!b->failure.code)
		b->failure = *err;
	pthread_cond_broadcast(&b->moved);
}

static bool is_over(const struct batch_line *b)
{
	return b->failure.code || b->next_entry == b->nr_entries;
}

/*
 * Takes the next run as soon as a slot is free. False: none is left, or the work has failed or was
 * stopped.
 */
static bool take_slot(struct batch_line *b, size_t *ret_run, size_t *ret_first, size_t *ret_nr)
{
	struct ts_error err;
	uint64_t bytes = 0;
	bool is_taken;

	pthread_mutex_lock(&b->lock);
	while (!is_over(b) && b->next_to_take - b->next_to_write == b->nr_slots)
		pthread_cond_wait(&b->moved, &b->lock);
	is_taken = !is_over(b);
	if (is_taken) {
		*ret_run = b->next_to_take++;
		*ret_first = b->next_entry;
		b->next_entry = end_of_run(b, b->next_entry, &bytes);
		*ret_nr = b->next_entry - *ret_first;
		if (merge_note_progress(&b->compact->merge, bytes, &err)) {
			fail_line(b, &err);
			is_taken = false;
		}
	}
	pthread_mutex_unlock(&b->lock);
	return is_taken;
}

/* --- laying --- */

static void add_counts(struct compact_counts *to, const struct compact_counts *from)
{
	to->nr_records += from->nr_records;
	to->nr_dumps += from->nr_dumps;
	to->nr_frames += from->nr_frames;
	to->dump_bytes += from->dump_bytes;
	to->nr_unsound += from->nr_unsound;
	to->nr_unknown += from->nr_unknown;
	to->nr_lost += from->nr_lost;
}

static int write_slot(struct batch_line *b, struct slot *slot, struct ts_error *err)
{
	struct compact *c = b->compact;
	struct compact_batch *batch = &slot->batch;
	int rc = damage_merge(&c->merge.damage, &batch->damage);

	if (rc)
		return merge_no_memory(&c->merge, err);
	if (batch->damage.nr)
		slot->part->is_sound = false;
	for (uint64_t i = 0; i < batch->counts.nr_unsound; i++)
		merge_leave_out(slot->part);
	add_counts(&c->counts, &batch->counts);
	for (size_t i = 0; !rc && i < batch->nr; i++)
		rc = relaid_stream_add(&b->laid, &batch->chunks[i].header,
				       batch->payload.data + batch->chunks[i].offset, err);
	return rc;
}

/* With the lock held: writes the batches at the front of the line that are finished. */
static void write_finished(struct batch_line *b)
{
	struct ts_error err;

	if (b->is_laying)
		return;
	b->is_laying = true;
	while (!b->failure.code && b->next_to_write < b->next_to_take) {
		struct slot *slot = &b->slots[b->next_to_write % b->nr_slots];
		int rc;

		if (!slot->is_made)
			break;
		pthread_mutex_unlock(&b->lock);
		rc = write_slot(b, slot, &err);
		pthread_mutex_lock(&b->lock);
		if (rc)
			fail_line(b, &err);
		slot->is_made = false;
		b->next_to_write++;
		pthread_cond_broadcast(&b->moved);
	}
	b->is_laying = false;
}

static void work_on_batches(void *arg, unsigned int n)
{
	struct batch_line *b = arg;
	size_t run, first, nr;

	while (take_slot(b, &run, &first, &nr)) {
		struct slot *slot = &b->slots[run % b->nr_slots];
		struct ts_error err;
		int rc = compact_worker_make(&b->workers[n], &b->entries[first], nr, &slot->batch,
					     &err);

		pthread_mutex_lock(&b->lock);
		if (rc)
			fail_line(b, &err);
		slot->part = &b->compact->merge.parts[b->entries[first].part];
		slot->is_made = true;
		write_finished(b);
		pthread_mutex_unlock(&b->lock);
	}
}

/* --- one stream --- */

/* A stream of ours has a footer, even without chunks. */
static void begin_without_chunks(struct batch_line *b)
{
	if (b->laid.has_uuid)
		return;
	ts_stream_init(&b->laid.stream, b->compact->uuid, 0, b->laid.file.align);
	b->laid.has_uuid = true;
}

static int finish_line(struct batch_line *b, struct ts_error *err)
{
	int rc;

	begin_without_chunks(b);
	rc = relaid_stream_finish(&b->laid, err);
	if (!rc && fsync(b->laid.file.fd))
		rc = ts_error_sys(err, errno, "cannot sync the capture %s to the disk",
				  b->laid.path);
	return rc;
}

/* Writes data.`number` from its entries. */
static int put_stream(struct batch_line *b, struct ts_dir *dir, uint32_t number,
		      struct ts_error *err)
{
	int rc = relaid_stream_open(&b->laid, dir, number, err);

	b->next_entry = b->next_to_take = b->next_to_write = 0;
	if (!rc && b->nr_entries)
		workers_run(b->compact->nr_workers, work_on_batches, b);
	if (!rc && b->failure.code) {
		*err = b->failure;
		rc = -err->code;
	}
	if (!rc)
		rc = finish_line(b, err);
	b->compact->out_bytes += b->laid.stream.next_offset;
	if (!rc)
		rc = merge_note_stream(&b->compact->merge, number, b->laid.stream.next_offset, err);
	relaid_stream_close(&b->laid);
	return rc;
}

static int put_all(struct batch_line *b, const bool *has, struct ts_dir *dir, struct ts_error *err)
{
	const struct merge *m = &b->compact->merge;
	size_t first = 0, end;
	int rc = 0;

	for (uint32_t number = 0; !rc && number < MERGE_STREAMS_MAX; number++, first = end) {
		for (end = first; end < m->nr_entries; end++)
			if (m->entries[end].stream != number)
				break;
		b->entries = m->entries + first;
		b->nr_entries = end - first;
		if (has[number] || b->nr_entries)
			rc = put_stream(b, dir, number, err);
	}
	return rc;
}

/* --- the whole --- */

static int open_line(struct batch_line *b, struct ts_error *err)
{
	unsigned int nr = b->compact->nr_workers;
	int rc = 0;

	b->nr_slots = SLOTS_A_WORKER * nr;
	b->slots = calloc(b->nr_slots, sizeof(*b->slots));
	b->workers = calloc(nr, sizeof(*b->workers));
	if (!b->slots || !b->workers)
		return merge_no_memory(&b->compact->merge, err);
	for (unsigned int i = 0; !rc && i < nr; i++)
		rc = compact_worker_init(&b->workers[i], b->compact, err);
	return rc;
}

static void close_line(struct batch_line *b)
{
	for (size_t i = 0; b->slots && i < b->nr_slots; i++)
		compact_batch_release(&b->slots[i].batch);
	for (unsigned int i = 0; b->workers && i < b->compact->nr_workers; i++)
		compact_worker_release(&b->workers[i]);
	free(b->slots);
	free(b->workers);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->moved);
}

int compact_streams(struct compact *c, struct ts_dir *dir, struct ts_error *err)
{
	struct batch_line b = {.compact = c};
	bool *has = merge_list_streams(&c->merge);
	int rc = has ? 0 : merge_no_memory(&c->merge, err);

	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.moved, NULL);
	c->in_bytes = chunk_table_bytes(&c->merge.table);
	progress_begin(c->merge.capture.progress, "Compacting", c->in_bytes);
	if (!rc)
		rc = open_line(&b, err);
	if (!rc)
		rc = put_all(&b, has, dir, err);
	close_line(&b);
	free(has);
	return rc;
}
