// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/file_ids.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/wakeup.h"
#include "common/perf/record.h"
#include "common/perf/record_layout.h"
#include "common/perf/record_type.h"
#include "streamer/rings/record_walk.h"

#define NR_FILES  16384u /* a power of two */
#define NR_PROBES 32u
#define ASKS	  (2u << 20) /* bytes, a power of two: a record for each file of the table */
#define TRIES_MAX 8u
#define CLAIM	  8u /* one more in the number of claims of a state */

int file_ids_init(struct file_ids *f, struct ts_error *err)
{
	f->files = calloc(NR_FILES, sizeof(*f->files));
	f->asks = calloc(1, ASKS);
	f->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->files && f->asks && f->fd >= 0)
		return 0;
	ts_error_sys(err, f->fd < 0 ? errno : ENOMEM, "cannot keep the build-ids of mapped files");
	file_ids_release(f);
	return -err->code;
}

void file_ids_release(struct file_ids *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->files);
	free(f->asks);
	*f = (struct file_ids){.fd = -1};
}

/* --- the table --- */

static struct file_id_words words_of(const struct ts_record_mmap2 *map)
{
	struct file_id_words w;

	static_assert(sizeof(w) == sizeof(map->file), "the key of a file");
	memcpy(&w, map->file, sizeof(w));
	return w;
}

/* Acquire and release: a word of the next file lets its reader see that the place was claimed. */
static struct file_id_words load(_Atomic uint64_t from[3])
{
	struct file_id_words w;

	for (size_t i = 0; i < 3; i++)
		w.words[i] = atomic_load_explicit(&from[i], memory_order_acquire);
	return w;
}

static void store(_Atomic uint64_t to[3], const struct file_id_words *w)
{
	for (size_t i = 0; i < 3; i++)
		atomic_store_explicit(&to[i], w->words[i], memory_order_release);
}

static enum file_id_state kind_of(uint64_t state)
{
	return (enum file_id_state)(state % CLAIM);
}

static struct file_id *place(const struct file_ids *f, const struct file_id_words *key, size_t i)
{
	uint64_t h = key->words[1] * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 29 ^ key->words[2] ^ key->words[0] << 20) * 0xbf58476d1ce4e5b9u;
	return &f->files[((h >> 40) + i) % NR_FILES];
}

/* The entry of the file with its state and build-id; NULL: none, or it is just given away. */
static struct file_id *find(const struct file_ids *f, const struct file_id_words *key,
			    uint64_t *ret_state, struct file_id_words *ret_id)
{
	for (size_t i = 0; i < NR_PROBES; i++) {
		struct file_id *e = place(f, key, i);
		/* Acquire: partner is the release in set_kind(). */
		uint64_t state = atomic_load_explicit(&e->state, memory_order_acquire);
		struct file_id_words is = load(e->key);

		if (kind_of(state) == FILE_ID_FREE)
			return NULL;
		if (kind_of(state) == FILE_ID_CLAIMED || memcmp(&is, key, sizeof(is)) != 0)
			continue;
		*ret_id = load(e->id);
		*ret_state = state;
		return atomic_load_explicit(&e->state, memory_order_relaxed) == state ? e : NULL;
	}
	return NULL;
}

/* A place for a new file: free, or claimed least often. NULL: all are being asked for. */
static struct file_id *find_place(const struct file_ids *f, const struct file_id_words *key,
				  uint64_t *ret_state)
{
	struct file_id *oldest = NULL;

	for (size_t i = 0; i < NR_PROBES; i++) {
		struct file_id *e = place(f, key, i);
		uint64_t state = atomic_load_explicit(&e->state, memory_order_relaxed);

		if (kind_of(state) == FILE_ID_CLAIMED || kind_of(state) == FILE_ID_ASKED)
			continue;
		if (!oldest || state / CLAIM < *ret_state / CLAIM) {
			oldest = e;
			*ret_state = state;
		}
	}
	return oldest;
}

/* --- the ring of asks --- */

static _Atomic uint64_t *first_word(struct file_ids *f, uint64_t pos)
{
	return (_Atomic uint64_t *)(void *)(f->asks + pos % ASKS);
}

/* Release: partner is the acquire in file_ids_take(), which reads the record. */
static void publish(struct file_ids *f, uint64_t pos, const void *header)
{
	uint64_t word;

	memcpy(&word, header, sizeof(word));
	atomic_store_explicit(first_word(f, pos), word, memory_order_release);
}

/* False: main is behind. A record is in one piece; a header of type 0 fills the rest of the ring. */
static bool ask(struct file_ids *f, const uint8_t *record, size_t bytes)
{
	uint64_t head = atomic_load_explicit(&f->head, memory_order_relaxed);
	struct perf_event_header rest = {0};

	do {
		const uint64_t left = ASKS - head % ASKS;

		rest.size = (uint16_t)(left < bytes ? left : 0);
		/* Acquire: partner is the release in file_ids_take(), which has cleared the bytes. */
		if (head + rest.size + bytes -
			    atomic_load_explicit(&f->tail, memory_order_acquire) >
		    ASKS)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&f->head, &head, head + rest.size + bytes,
							memory_order_relaxed,
							memory_order_relaxed));
	if (rest.size)
		publish(f, head, &rest);
	head += rest.size;
	memcpy(f->asks + head % ASKS + sizeof(rest), record + sizeof(rest), bytes - sizeof(rest));
	publish(f, head, record);
	return true;
}

/* --- writers --- */

static void set_kind(struct file_id *e, uint64_t state, enum file_id_state kind)
{
	/* Release: partners are the acquires in find() and file_ids_answer(), which read the key. */
	atomic_store_explicit(&e->state, state - state % CLAIM + kind, memory_order_release);
}

/* The writer that changes the state is the only one that asks. `is_new`: the place gets that key. */
static void hand_over(struct file_ids *f, struct file_id *e, uint64_t state, bool is_new,
		      const struct ts_record_mmap2 *map)
{
	const struct file_id_words key = words_of(map);
	const uint64_t claimed = state - state % CLAIM + CLAIM * is_new + FILE_ID_CLAIMED;

	if (!atomic_compare_exchange_strong_explicit(&e->state, &state, claimed,
						     memory_order_acquire, memory_order_relaxed))
		return;
	if (is_new) {
		store(e->key, &key);
		e->nr_tries = 0;
	}
	set_kind(e, claimed, FILE_ID_ASKED);
	if (ask(f, (const uint8_t *)map, map->header.size))
		ts_wakeup_send(f->fd);
	else
		set_kind(e, claimed, FILE_ID_UNREAD);
}

/* The 24 bytes as the kernel writes them. */
static struct file_id_words words_of_id(const struct ts_build_id *id)
{
	struct ts_record_mmap2 map = {.build_id_size = id->len};

	static_assert(sizeof(map.build_id) == sizeof(id->bytes), "a build-id of MMAP2");
	if (id->len)
		memcpy(map.build_id, id->bytes, sizeof(id->bytes));
	return words_of(&map);
}

static void put(struct ts_record_mmap2 *map, const struct file_id_words *id)
{
	map->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	memcpy(map->file, id, sizeof(map->file));
}

void file_ids_put(void *record, const struct ts_build_id *id)
{
	const struct file_id_words w = words_of_id(id);

	put(record, &w);
}

/* Code of a file that has a path: everything else has no build-id that could be found. */
static bool is_of_file(const struct ts_record_mmap2 *map)
{
	const size_t bytes = map->header.size;

	return map->ino && bytes <= FILE_IDS_RECORD_BYTES && bytes % 8 == 0 &&
	       map->filename[0] == '/' && (map->prot & PROT_EXEC);
}

static void put_map(struct file_ids *f, struct ts_record_mmap2 *map)
{
	const struct file_id_words key = words_of(map);
	struct file_id_words id;
	struct file_id *e;
	uint64_t state;

	map->header.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!is_of_file(map))
		return;
	e = find(f, &key, &state, &id);
	if (!e) {
		e = find_place(f, &key, &state);
		if (e)
			hand_over(f, e, state, true, map);
	} else if (kind_of(state) == FILE_ID_UNREAD) {
		hand_over(f, e, state, false, map);
	} else if (kind_of(state) == FILE_ID_KNOWN && id.words[0]) {
		put(map, &id);
	}
}

void file_ids_put_run(struct file_ids *f, void *run, size_t len)
{
	uint8_t *at = run, *end = at + len;
	size_t span;

	for (; (span = ts_record_span_in_run(at, (size_t)(end - at))); at += span) {
		const struct perf_event_header hdr = ts_record_load_header(at);

		if (hdr.type == PERF_RECORD_MMAP2 &&
		    span > sizeof(struct ts_record_mmap2) + RECORD_WALK_TRAILER_BYTES)
			put_map(f, (void *)at);
	}
}

/* --- main --- */

bool file_ids_take(struct file_ids *f, uint8_t record[FILE_IDS_RECORD_BYTES])
{
	struct perf_event_header hdr;
	uint64_t word, tail = atomic_load_explicit(&f->tail, memory_order_relaxed);

	do {
		if (!f->asks)
			return false;
		/* Acquire: partner is the release in publish(), behind which the record is whole. */
		word = atomic_load_explicit(first_word(f, tail), memory_order_acquire);
		memcpy(&hdr, &word, sizeof(hdr));
		if (!hdr.size)
			return false;
		if (hdr.type)
			memcpy(record, f->asks + tail % ASKS, hdr.size);
		memset(f->asks + tail % ASKS, 0, hdr.size);
		tail += hdr.size;
		/* Release: partner is the acquire in ask(), which writes there. */
		atomic_store_explicit(&f->tail, tail, memory_order_release);
	} while (!hdr.type);
	return true;
}

/* Two writers may have given the file two places at once. */
void file_ids_answer(struct file_ids *f, const void *record, int looked,
		     const struct ts_build_id *id)
{
	const struct file_id_words key = words_of(record), answer = words_of_id(id);

	for (size_t i = 0; i < NR_PROBES; i++) {
		struct file_id *e = place(f, &key, i);
		/* Acquire: partner is the release in hand_over(), which gives the place to main. */
		uint64_t state = atomic_load_explicit(&e->state, memory_order_acquire);
		struct file_id_words is = load(e->key);

		if (kind_of(state) != FILE_ID_ASKED || memcmp(&is, &key, sizeof(is)) != 0)
			continue;
		e->nr_tries += looked >= 0;
		store(e->id, &answer);
		set_kind(e, state,
			 looked > 0 || e->nr_tries >= TRIES_MAX ? FILE_ID_KNOWN : FILE_ID_UNREAD);
	}
}
