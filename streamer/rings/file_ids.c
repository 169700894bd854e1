// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/file_ids.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/perf/record.h"
#include "common/perf/record_type.h"
#include "streamer/rings/record_walk.h"

#define NR_FILES  16384u /* a power of two */
#define NR_PROBES 32u
#define NR_ASKS	  128u
#define TRIES_MAX 8u
#define FIXED	  72 /* bytes of an MMAP2 in front of its name */
#define ID_OFF	  40 /* of device, inode and generation, or of the build-id: 24 bytes */
#define PROT_OFF  64
#define ID_DATA	  4 /* bytes of a length and of zeros in front of the build-id */

int file_ids_init(struct file_ids *f, struct ts_error *err)
{
	f->files = calloc(NR_FILES, sizeof(*f->files));
	f->asks = calloc(NR_ASKS, sizeof(*f->asks));
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

static struct file_id key_of(const uint8_t *record)
{
	struct file_id key = {.maj = ts_record_load_u32(record + ID_OFF),
			      .min = ts_record_load_u32(record + ID_OFF + 4),
			      .ino = ts_record_load_u64(record + ID_OFF + 8),
			      .generation = ts_record_load_u64(record + ID_OFF + 16)};

	return key;
}

static size_t hash_of(const struct file_id *key)
{
	uint64_t h = key->ino * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 29 ^ key->generation ^ (uint64_t)key->maj << 20 ^ key->min) *
	    0xbf58476d1ce4e5b9u;
	return (size_t)(h >> 40);
}

static bool is_key(const struct file_id *a, const struct file_id *b)
{
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       a->generation == b->generation;
}

/*
 * The entry of the file, or a free one; NULL: its place is full, or just being filled. `is_there`:
 * the file has an entry, so those that are being filled are others'. The entry is the caller's file
 * in that state alone: another writer may give a free one to another file at any time.
 */
static struct file_id *find(const struct file_ids *f, const struct file_id *key, bool is_there,
			    uint32_t *ret_state)
{
	for (size_t i = 0, at = hash_of(key); i < NR_PROBES; i++, at++) {
		struct file_id *e = &f->files[at % NR_FILES];
		/* Acquire: partners are the releases in hand_over() and file_ids_answer(). */
		uint32_t state = atomic_load_explicit(&e->state, memory_order_acquire);

		if (state == FILE_ID_CLAIMED && is_there)
			continue;
		if (state == FILE_ID_CLAIMED)
			return NULL;
		if (state != FILE_ID_FREE && !is_key(e, key))
			continue;
		*ret_state = state;
		return e;
	}
	return NULL;
}

/* --- writers --- */

static struct file_ask *take_free_ask(struct file_ids *f)
{
	for (size_t i = 0; i < NR_ASKS; i++) {
		uint32_t free_turn = FILE_ASK_FREE;

		/* Acquire: partner is the release in file_ids_take(), which has read the record. */
		if (atomic_compare_exchange_strong_explicit(&f->asks[i].turn, &free_turn,
							    FILE_ASK_TAKEN, memory_order_acquire,
							    memory_order_relaxed))
			return &f->asks[i];
	}
	return NULL;
}

static void ring_bell(int fd)
{
	const uint64_t one = 1;
	ssize_t rc = write(fd, &one, sizeof(one));

	(void)rc; /* fails only if the counter is full, and then main is about to wake anyway */
}

/* The writer that changes the state of the entry is the only one that asks. */
static void hand_over(struct file_ids *f, struct file_id *e, uint32_t state,
		      const struct file_id *key, const uint8_t *record, size_t bytes)
{
	struct file_ask *ask = take_free_ask(f);

	if (!ask)
		return;
	if (!atomic_compare_exchange_strong_explicit(&e->state, &state, FILE_ID_CLAIMED,
						     memory_order_acquire, memory_order_relaxed)) {
		atomic_store_explicit(&ask->turn, FILE_ASK_FREE, memory_order_relaxed);
		return;
	}
	if (state == FILE_ID_FREE) {
		e->maj = key->maj;
		e->min = key->min;
		e->ino = key->ino;
		e->generation = key->generation;
	}
	/* Release: partner is the acquire in find(), which reads the key. */
	atomic_store_explicit(&e->state, FILE_ID_ASKED, memory_order_release);
	memcpy(ask->record, record, bytes);
	/* Release: partner is the acquire in file_ids_take(), which reads the record. */
	atomic_store_explicit(&ask->turn, FILE_ASK_MAIN, memory_order_release);
	ring_bell(f->fd);
}

void file_ids_put(void *record, const struct ts_build_id *id)
{
	struct perf_event_header hdr = ts_record_load_header(record);
	uint8_t *at = (uint8_t *)record + ID_OFF;

	hdr.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	memcpy(record, &hdr, sizeof(hdr));
	memset(at, 0, ID_DATA);
	at[0] = id->len;
	memcpy(at + ID_DATA, id->bytes, sizeof(id->bytes));
}

/* Code of a file that has a path: everything else has no build-id that could be found. */
static bool is_of_file(const uint8_t *record, size_t bytes, const struct file_id *key)
{
	return key->ino && bytes <= FILE_IDS_RECORD_BYTES && record[FIXED] == '/' &&
	       (ts_record_load_u32(record + PROT_OFF) & PROT_EXEC);
}

static void put_map(struct file_ids *f, uint8_t *record, struct perf_event_header hdr)
{
	struct file_id key, *e;
	uint32_t state;

	hdr.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	memcpy(record, &hdr, sizeof(hdr));
	key = key_of(record);
	e = is_of_file(record, hdr.size, &key) ? find(f, &key, false, &state) : NULL;
	if (!e)
		return;
	if (state == FILE_ID_FREE || state == FILE_ID_UNREAD)
		hand_over(f, e, state, &key, record, hdr.size);
	else if (state == FILE_ID_KNOWN && e->id.len)
		file_ids_put(record, &e->id);
}

void file_ids_put_run(struct file_ids *f, void *run, size_t len)
{
	uint8_t *at = run, *end = at + len;
	size_t span;

	for (; (span = ts_record_span_in_run(at, (size_t)(end - at))); at += span) {
		const struct perf_event_header hdr = ts_record_load_header(at);

		if (hdr.type == PERF_RECORD_MMAP2 && span > FIXED + RECORD_WALK_TRAILER_BYTES)
			put_map(f, at, hdr);
	}
}

/* --- main --- */

bool file_ids_take(struct file_ids *f, uint8_t record[FILE_IDS_RECORD_BYTES])
{
	for (size_t i = 0; f->asks && i < NR_ASKS; i++) {
		struct file_ask *ask = &f->asks[i];

		/* Acquire: partner is the release in hand_over(), which filled the record. */
		if (atomic_load_explicit(&ask->turn, memory_order_acquire) != FILE_ASK_MAIN)
			continue;
		memcpy(record, ask->record, ts_record_load_header(ask->record).size);
		/* Release: partner is the acquire in take_free_ask(), which writes over it. */
		atomic_store_explicit(&ask->turn, FILE_ASK_FREE, memory_order_release);
		return true;
	}
	return false;
}

void file_ids_answer(struct file_ids *f, const void *record, bool was_read,
		     const struct ts_build_id *id)
{
	const struct file_id key = key_of(record);
	uint32_t state;
	struct file_id *e = find(f, &key, true, &state);

	if (!e || state != FILE_ID_ASKED)
		return;
	e->id = *id;
	was_read |= ++e->nr_tries >= TRIES_MAX;
	/* Release: partner is the acquire in find(), behind which put_map() reads the build-id. */
	atomic_store_explicit(&e->state, was_read ? FILE_ID_KNOWN : FILE_ID_UNREAD,
			      memory_order_release);
}
