// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/deferred_callchains.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/counter.h"
#include "reader/chunks/chunk_load.h"
#include "reader/runtime/workers.h"

#define CALLCHAIN_DEFERRED 22 /* newer than the kernel headers of the build */
#define CHAIN_OFF	   24 /* offset of the words in the record, behind cookie and count */
#define ENTRIES_FIRST	   256
/*
 * A chain is shorter than its record. The difference is larger than the marker between two chains.
 */
#define JOINED_BYTES (2 * UINT16_MAX)

/* Does any of these events defer user callchains? */
static bool is_deferred_in(const struct ts_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (ts_event_defers_callchain(&events->items[i].attr))
			return true;
	return false;
}

/* --- gathering --- */

struct gatherer {			       /* a worker and its findings */
	struct deferred_callchain_part *parts; /* words not set yet: they may move */
	size_t nr, cap;
	uint64_t *words;
	size_t nr_words, cap_words;
	struct chunk_buffer buf;
	int rc;
};

struct gathering {
	const struct chunk_table *table;
	struct gatherer *gatherers;
	_Alignas(TS_CACHE_LINE) atomic_size_t next_chunk; /* relaxed: only hands out numbers */
};

static int make_room(struct memory *memory, struct gatherer *g, size_t nr_words)
{
	if (g->nr == g->cap) {
		size_t cap = g->cap ? 2 * g->cap : ENTRIES_FIRST;
		struct deferred_callchain_part *parts =
			memory_resize(memory, g->parts, cap, sizeof(*parts));

		if (!parts)
			return -ENOMEM;
		g->parts = parts;
		g->cap = cap;
	}
	if (g->cap_words - g->nr_words < nr_words) {
		size_t cap = 2 * g->cap_words + UINT16_MAX / 8;
		uint64_t *words = memory_resize(memory, g->words, cap, sizeof(*words));

		if (!words)
			return -ENOMEM;
		g->words = words;
		g->cap_words = cap;
	}
	return 0;
}

/* Skips a record whose chain reaches beyond its end. Its samples then lack their user part. */
static int take_record(const struct gathering *all, struct gatherer *g, uint64_t place,
		       const struct perf_event_header *hdr)
{
	const struct capture *c = all->table->capture;
	const uint8_t *record = (const uint8_t *)hdr;
	size_t size = ts_record_load_header(hdr).size;
	struct ts_sample_id sid;
	uint64_t nr;

	if (size < CHAIN_OFF || ts_decode_trailer(&c->header.events, hdr, &sid) != TS_DECODE_OK)
		return 0;
	nr = ts_record_load_u64(record + CHAIN_OFF - 8);
	if (nr > (size - CHAIN_OFF) / 8)
		return 0;
	if (make_room(c->memory, g, nr))
		return -ENOMEM;
	memcpy(g->words + g->nr_words, record + CHAIN_OFF, 8 * nr);
	g->nr_words += nr;
	g->parts[g->nr++] =
		(struct deferred_callchain_part){.cookie = ts_record_load_u64(record + 8),
						 .tid = sid.tid,
						 .nr = (uint32_t)nr,
						 .place = place};
	return 0;
}

static int gather_chunk(const struct gathering *all, struct gatherer *g, size_t i)
{
	const struct chunk *chunk = &all->table->chunks[i];
	const struct perf_event_header *hdr;
	const uint8_t *records;
	struct chunk_walk walk;
	uint64_t place = (uint64_t)i << 32;
	size_t len;
	int rc = chunk_load_some(all->table, chunk, &g->buf, &records, &len);

	if (rc)
		return rc;
	walk = (struct chunk_walk){records, records + len};
	while (!rc && (hdr = chunk_walk_next(&walk)))
		if (ts_record_load_u32(hdr) == CALLCHAIN_DEFERRED)
			rc = take_record(all, g, place++, hdr);
	chunk_unload(all->table, chunk);
	return rc;
}

static void run_gatherer(void *arg, unsigned int n)
{
	struct gathering *all = arg;
	struct gatherer *g = &all->gatherers[n];
	const struct chunk_table *t = all->table;

	while (!g->rc && !progress_is_stopped(t->capture->progress)) {
		size_t i = atomic_fetch_add_explicit(&all->next_chunk, 1, memory_order_relaxed);

		if (i >= t->nr)
			break;
		if (t->chunks[i].flags & (CHUNK_SAMPLES | CHUNK_SIDEBAND))
			g->rc = gather_chunk(all, g, i);
		progress_add(t->capture->progress, t->chunks[i].bytes);
	}
	chunk_buffer_release(&g->buf);
}

static int compare_parts(const void *a, const void *b)
{
	const struct deferred_callchain_part *x = a, *y = b;

	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int compare_places(const void *a, const void *b)
{
	const struct deferred_callchain_part *x = a, *y = b;
	int order = compare_parts(a, b);

	return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* Takes over the parts that one worker has found. */
static void take_parts(struct deferred_callchains *d, struct gatherer *g)
{
	uint64_t *words = g->words;

	for (size_t i = 0; i < g->nr; i++) {
		g->parts[i].words = words;
		words += g->parts[i].nr;
		d->parts[d->nr++] = g->parts[i];
	}
	d->blocks[d->nr_blocks++] = g->words;
	g->words = NULL;
}

static int finish_gathering(struct deferred_callchains *d, struct gathering *all,
			    unsigned int nr_workers)
{
	size_t nr = 0;
	int rc = 0;

	for (unsigned int i = 0; i < nr_workers; i++) {
		rc = rc ? rc : all->gatherers[i].rc;
		nr += all->gatherers[i].nr;
	}
	d->parts = rc ? NULL : memory_new(all->table->capture->memory, nr + 1, sizeof(*d->parts));
	d->blocks = calloc(nr_workers, sizeof(*d->blocks));
	if (rc || !d->parts || !d->blocks)
		return rc ? rc : -ENOMEM;
	for (unsigned int i = 0; i < nr_workers; i++)
		take_parts(d, &all->gatherers[i]);
	qsort(d->parts, d->nr, sizeof(*d->parts), compare_places);
	return 0;
}

int deferred_callchains_open(struct deferred_callchains *d, const struct chunk_table *table,
			     unsigned int nr_workers, struct ts_error *err)
{
	struct gathering all = {.table = table};
	int rc = 0;

	*d = (struct deferred_callchains){0};
	if (!is_deferred_in(&table->capture->header.events))
		return 0;
	/*
	 * The record of a sample may be behind the end of the selection, so all chunks are needed.
	 */
	if (table->selection) {
		rc = chunk_table_open(&d->whole, table->capture, nr_workers, 0, NULL, err);
		all.table = &d->whole;
	}
	if (rc)
		return rc;
	progress_begin(table->capture->progress, "Reading callchains",
		       chunk_table_bytes(all.table));
	all.gatherers = calloc(nr_workers, sizeof(*all.gatherers));
	rc = all.gatherers ? 0 : -ENOMEM;
	if (!rc) {
		workers_run(nr_workers, run_gatherer, &all);
		rc = finish_gathering(d, &all, nr_workers);
	}
	for (unsigned int i = 0; all.gatherers && i < nr_workers; i++) {
		memory_free(all.gatherers[i].parts);
		memory_free(all.gatherers[i].words);
	}
	free(all.gatherers);
	chunk_table_close(&d->whole);
	if (!rc)
		return 0;
	deferred_callchains_close(d);
	return ts_error_sys(err, -rc, "cannot read the callchains of %s", table->capture->path);
}

void deferred_callchains_close(struct deferred_callchains *d)
{
	for (unsigned int i = 0; i < d->nr_blocks; i++)
		memory_free(d->blocks[i]);
	free(d->blocks);
	memory_free(d->parts);
	*d = (struct deferred_callchains){0};
}

/* --- joining --- */

static const struct deferred_callchain_part *find_part(const struct deferred_callchains *d,
						       uint64_t cookie, uint32_t tid)
{
	const struct deferred_callchain_part wanted = {.cookie = cookie, .tid = tid};

	return d->nr ? bsearch(&wanted, d->parts, d->nr, sizeof(*d->parts), compare_parts) : NULL;
}

static uint8_t *put_words(uint8_t *to, const void *words, uint64_t nr)
{
	return (uint8_t *)memcpy(to, words, 8 * nr) + 8 * nr;
}

int deferred_callchains_join(const struct deferred_callchains *d, struct deferred_callchain *chain,
			     struct ts_sample *sample)
{
	const struct deferred_callchain_part *part =
		find_part(d, sample->deferred_cookie, sample->sid.tid);
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER;
	uint8_t *end;

	if (!part) {
		chain->nr_missing++;
		return 0;
	}
	if (!chain->words)
		chain->words = malloc(JOINED_BYTES);
	if (!chain->words)
		return -ENOMEM;
	end = put_words(chain->words, sample->callchain.data, sample->callchain.nr);
	if (!part->nr || part->words[0] != user)
		end = put_words(end, &user, 1);
	end = put_words(end, part->words, part->nr);
	sample->callchain.data = chain->words;
	sample->callchain.nr = (uint64_t)(end - chain->words) / 8;
	return 0;
}

void deferred_callchain_release(struct deferred_callchain *chain)
{
	free(chain->words);
	*chain = (struct deferred_callchain){0};
}
