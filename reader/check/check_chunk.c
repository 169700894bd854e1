// SPDX-License-Identifier: Apache-2.0
/*
 * Checks the records of all chunks, on all cores. Each worker takes the next chunk and loads it,
 * which verifies checksum and compression. Then it checks each record. The sums of a worker are
 * added at its end.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/perf/lengthened.h"
#include "reader/check/check.h"
#include "reader/chunks/chunk_load.h"
#include "reader/chunks/record_sanity.h"
#include "reader/runtime/workers.h"

/*
 * The most by which a record may be earlier than one before it in its ring. The kernel takes the
 * time of a record before its place, so the record of an interrupt between these two comes first.
 * No interrupt takes longer than this.
 */
#define BACK_MAX_NS 1000000000ull

struct sums {
	uint64_t nr_records, nr_samples, nr_unknown, nr_back, back_max_ns;
	uint64_t nr_doubtful, unreadable; /* of damaged chunks: records, bytes left out */
	struct check_lengthened lengthened;
	uint64_t time_min_ns, time_max_ns;
};

struct chunk_check { /* the chunk that is being checked */
	struct check *c;
	const struct chunk *chunk;
	const uint8_t *records;
	struct sums *sums;
	uint64_t nr_records, nr_lengthened, time_max_ns, lost;
	bool is_ours;
};

struct work {
	struct check *c;
	atomic_size_t next;
	atomic_int rc;
	pthread_mutex_t lock; /* protects the sums in c */
};

static uint64_t header_offset(const struct chunk *chunk)
{
	return chunk->offset - chunk->header_bytes;
}

static void say_damaged(struct check *c, const struct chunk *chunk, const struct ts_error *err)
{
	findings_add(&c->findings, chunk->stream, header_offset(chunk),
		     chunk->bytes + chunk->header_bytes, "%s", err->text);
}

/* Adds a finding about a record at offset `at` of the plain records of a chunk. */
static void say_record(const struct chunk_check *k, size_t at, uint64_t bytes, const char *reason)
{
	const struct chunk *chunk = k->chunk;

	if (!chunk->inflated && !(chunk->flags & CHUNK_COMPRESSED))
		findings_add(&k->c->findings, chunk->stream, chunk->offset + at, bytes, "%s",
			     reason);
	else
		findings_add(&k->c->findings, chunk->stream, header_offset(chunk),
			     chunk->bytes + chunk->header_bytes,
			     "%s (%zu bytes into what was compressed)", reason, at);
}

static void check_time(struct chunk_check *k, const struct perf_event_header *hdr, size_t at,
		       const struct perf_event_header *h)
{
	uint64_t time = range_layout_time(&k->c->layout, hdr);
	uint64_t back = time && time < k->time_max_ns ? k->time_max_ns - time : 0;

	if (!time)
		return;
	k->time_max_ns = time > k->time_max_ns ? time : k->time_max_ns;
	k->sums->time_min_ns = time < k->sums->time_min_ns ? time : k->sums->time_min_ns;
	k->sums->time_max_ns = time > k->sums->time_max_ns ? time : k->sums->time_max_ns;
	if (!k->is_ours)
		return;
	k->sums->nr_back += back > 0;
	k->sums->back_max_ns = back > k->sums->back_max_ns ? back : k->sums->back_max_ns;
	if (back > BACK_MAX_NS)
		say_record(k, at, h->size,
			   "a record is far earlier than one before it in its ring");
	else if (k->chunk->time_max_ns &&
		 (time < k->chunk->time_min_ns || time > k->chunk->time_max_ns))
		say_record(k, at, h->size, "a record is outside of the times of its chunk");
}

static void take_record(struct chunk_check *k, const struct perf_event_header *hdr)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	size_t at = (size_t)((const uint8_t *)hdr - k->records);
	bool is_unknown;
	const char *reason = record_sanity_check(&k->c->capture.header.events, hdr, &is_unknown);

	k->nr_records++;
	k->sums->nr_records++;
	k->sums->nr_samples += h.type == PERF_RECORD_SAMPLE;
	k->sums->nr_unknown += is_unknown;
	if (!reason && k->is_ours && h.type >= TS_RECORD_USER_START)
		reason = "a record that no kernel writes is in a chunk";
	if (reason) {
		say_record(k, at, h.size, reason);
		return;
	}
	k->nr_lengthened += ts_lengthened_is_record(hdr, k->c->layout.trailer_bytes);
	if (h.type == PERF_RECORD_LOST && h.size >= sizeof(h) + 16)
		k->lost += ts_record_load_u64((const uint8_t *)hdr + sizeof(h) + 8);
	if (k->c->has_header && h.type < TS_RECORD_USER_START)
		check_time(k, hdr, at, &h);
}

/* Counts the records of a damaged chunk that look sound. */
static void count_doubtful(const struct chunk_check *k, size_t len)
{
	struct chunk_walk walk = {k->records, k->records + len};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk))) {
		k->sums->nr_records++;
		k->sums->nr_doubtful++;
		k->sums->nr_samples += ts_record_load_u32(hdr) == PERF_RECORD_SAMPLE;
	}
}

/* Compares the sums of a whole chunk with its header. */
static void check_sums(const struct chunk_check *k)
{
	const struct chunk *chunk = k->chunk;

	if (!k->is_ours || chunk->flags & CHUNK_TORN)
		return;
	if (k->nr_records != chunk->nr_records)
		findings_add(&k->c->findings, chunk->stream, header_offset(chunk), 0,
			     "the chunk header tells of another number of records than follow");
	if (k->lost > chunk->lost)
		findings_add(&k->c->findings, chunk->stream, header_offset(chunk), 0,
			     "the records of the chunk tell of more losses than its header");
}

/* Adds up the sums and keeps the first place. */
static void add_lengthened(struct check_lengthened *to, const struct check_lengthened *from)
{
	bool is_first = !to->nr || from->stream < to->stream ||
			(from->stream == to->stream && from->offset < to->offset);

	if (from->nr && is_first) {
		to->stream = from->stream;
		to->offset = from->offset;
	}
	to->nr += from->nr;
	to->nr_chunks += from->nr_chunks;
}

/*
 * These records are not lost, but the headers of their chunks may have wrong times. They have one
 * cause, so they are one finding.
 */
static void say_lengthened(struct check *c)
{
	const struct check_lengthened *l = &c->lengthened;

	if (l->nr && c->is_ours)
		findings_add(
			&c->findings, l->stream, l->offset, 0,
			"the kernel lengthened %llu records in %llu chunks from here on, which "
			"perf may not read: merge and check --repair mend them",
			(unsigned long long)l->nr, (unsigned long long)l->nr_chunks);
}

static int check_chunk(struct check *c, const struct chunk *chunk, struct chunk_buffer *buf,
		       struct sums *sums)
{
	struct chunk_check k = {.c = c, .chunk = chunk, .sums = sums};
	const struct perf_event_header *hdr;
	struct chunk_walk walk;
	struct ts_error err;
	size_t len;
	int rc = chunk_read(&c->table, chunk, buf, &k.records, &len, &err);

	if (rc == -EBADMSG || rc == CHUNK_SALVAGED) {
		say_damaged(c, chunk, &err);
		sums->unreadable += chunk_damaged(chunk, buf, &err).bytes;
		if (rc == CHUNK_SALVAGED)
			count_doubtful(&k, len);
		return 0;
	}
	if (rc)
		return rc;
	k.is_ours = chunk->flags & CHUNK_CHECKSUM;
	walk = (struct chunk_walk){k.records, k.records + len};
	while ((hdr = chunk_walk_next(&walk)))
		take_record(&k, hdr);
	if (walk.at < walk.end && !(chunk->flags & CHUNK_TORN))
		say_record(&k, (size_t)(walk.at - k.records), (uint64_t)(walk.end - walk.at),
			   "no record begins here");
	else
		check_sums(&k);
	if (k.nr_lengthened)
		add_lengthened(&sums->lengthened, &(struct check_lengthened){
							  .nr = k.nr_lengthened,
							  .nr_chunks = 1,
							  .stream = chunk->stream,
							  .offset = header_offset(chunk),
						  });
	return 0;
}

static void add_sums(struct check *c, const struct sums *s)
{
	c->nr_records += s->nr_records;
	c->nr_samples += s->nr_samples;
	c->nr_unknown += s->nr_unknown;
	c->nr_doubtful += s->nr_doubtful;
	c->unreadable += s->unreadable;
	add_lengthened(&c->lengthened, &s->lengthened);
	c->nr_back += s->nr_back;
	c->back_max_ns = s->back_max_ns > c->back_max_ns ? s->back_max_ns : c->back_max_ns;
	c->time_min_ns = s->time_min_ns < c->time_min_ns ? s->time_min_ns : c->time_min_ns;
	c->time_max_ns = s->time_max_ns > c->time_max_ns ? s->time_max_ns : c->time_max_ns;
}

static void work_on_chunks(void *arg, unsigned int n)
{
	struct sums sums = {.time_min_ns = UINT64_MAX};
	struct chunk_buffer buf = {0};
	struct work *w = arg;
	struct progress *progress = w->c->capture.progress;
	size_t i;
	int rc = 0;

	(void)n;
	while (!rc && !progress_is_stopped(progress) &&
	       (i = atomic_fetch_add(&w->next, 1)) < w->c->table.nr) {
		rc = check_chunk(w->c, &w->c->table.chunks[i], &buf, &sums);
		progress_add(progress, w->c->table.chunks[i].bytes);
	}
	if (rc)
		atomic_store(&w->rc, rc);
	pthread_mutex_lock(&w->lock);
	add_sums(w->c, &sums);
	pthread_mutex_unlock(&w->lock);
	chunk_buffer_release(&buf);
}

/* --- the order of chunks --- */

#define RINGS_MAX 65536 /* rings with larger numbers are not checked */

/* Within a ring a later chunk must not be far earlier. */
static int check_order(struct check *c)
{
	uint64_t *newest = calloc(RINGS_MAX, sizeof(*newest));

	if (!newest)
		return -ENOMEM;
	for (size_t i = 0; i < c->table.nr; i++) {
		const struct chunk *chunk = &c->table.chunks[i];
		uint64_t *time;

		if (!chunk->header_bytes || chunk->ring >= RINGS_MAX || !chunk->time_max_ns)
			continue;
		time = &newest[chunk->ring];
		if (*time > BACK_MAX_NS && chunk->time_min_ns < *time - BACK_MAX_NS)
			findings_add(&c->findings, chunk->stream, header_offset(chunk), 0,
				     "a chunk is far earlier than the one before it in its ring");
		*time = chunk->time_max_ns > *time ? chunk->time_max_ns : *time;
	}
	free(newest);
	return 0;
}

int check_chunks(struct check *c, unsigned int nr_workers)
{
	struct work w = {.c = c, .lock = PTHREAD_MUTEX_INITIALIZER};

	progress_begin(c->capture.progress, "Checking", chunk_table_bytes(&c->table));
	workers_run(nr_workers, work_on_chunks, &w);
	say_lengthened(c);
	return atomic_load(&w.rc) ? atomic_load(&w.rc) : check_order(c);
}
