// SPDX-License-Identifier: Apache-2.0
/*
 * A block is one of three: from the heap where it is small; a private mapping, which grows without
 * a copy and is given back at once; or a mapped file of its own. A file block that grows becomes
 * another file: no descriptor is kept, and the kernel gives the room back with the mapping, however
 * the process ends. A private mapping of a large page or more consists of large pages, and moves
 * page by page with them. The room is taken on the disk before the mapping. Where a filesystem promises more
 * than it has (one that compresses, or copies on write), what is missing is a signal: sigbus.h.
 *
 *	[ struct spill_block, 64 bytes ][ the block ]
 */
#include "reader/runtime/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "common/base/units.h"

#define SMALL_BYTES  (128u << 10)      /* below this always on the heap */
#define LARGE_BYTES  ((size_t)2 << 20) /* of a large page */
#define WINDOW_LEAST (16ull << 20)
#define WORKER_BYTES (1u << 20) /* what a worker needs at least */
#define NAME_BYTES   4096

/* ThreadSanitizer sees no mremap(), and takes an address that comes again for a shared one. */
#ifdef __SANITIZE_THREAD__
#define CAN_REMAP false
#else
#define CAN_REMAP true
#endif

enum block_kind { BLOCK_HEAP, BLOCK_PRIVATE, BLOCK_FILE };

struct spill_block {
	_Alignas(64) struct spill *owner; /* NULL: nobody counts */
	size_t bytes;			  /* this head included */
	size_t untouched;		  /* of them, counted in untouched_bytes */
	enum block_kind kind;
	struct spill_block *next, *prev; /* of the owner's files, under its lock */
};

static const size_t head_bytes = sizeof(struct spill_block);

static struct spill_block *block_of(void *data)
{
	return (struct spill_block *)((uint8_t *)data - head_bytes);
}

static void *data_of(struct spill_block *block)
{
	return block ? (uint8_t *)block + head_bytes : NULL;
}

const char *spill_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/var/tmp";
}

void spill_init(struct spill *s, uint64_t limit_bytes, const char *folder)
{
	*s = (struct spill){
		.limit_bytes = limit_bytes,
		.window_bytes = SPILL_WINDOW,
		.folder = folder ? folder : spill_folder(),
		.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC),
	};
	if (limit_bytes && limit_bytes < SPILL_WINDOW)
		s->window_bytes = ts_max(limit_bytes, WINDOW_LEAST);
	pthread_mutex_init(&s->lock, NULL);
}

void spill_release(struct spill *s)
{
	if (!s->folder)
		return;
	if (s->statm >= 0)
		close(s->statm);
	pthread_mutex_destroy(&s->lock);
	s->folder = NULL;
}

/* --- what there is --- */

/* Resident bytes of the process: private ones, and those of files. Zeros where nobody tells. */
static void read_statm(const struct spill *s, uint64_t *ret_private, uint64_t *ret_files)
{
	unsigned long long size, resident, shared;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[128];
	ssize_t len = s->statm < 0 ? 0 : pread(s->statm, text, sizeof(text) - 1, 0);

	*ret_private = *ret_files = 0;
	text[len > 0 ? len : 0] = '\0';
	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3)
		return;
	*ret_files = shared * page;
	*ret_private = resident > shared ? (resident - shared) * page : 0;
}

static void add(_Atomic uint64_t *sum, uint64_t bytes)
{
	atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed);
}

static void sub(_Atomic uint64_t *sum, uint64_t bytes)
{
	atomic_fetch_sub_explicit(sum, bytes, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *sum)
{
	return atomic_load_explicit(sum, memory_order_relaxed);
}

/*
 * Promises `more` bytes of private memory, if they fit in `share` of the limit. What others were
 * promised at the same time is among the untouched, so that not all of them find the same room.
 */
static bool promise(struct spill *s, uint64_t more, uint64_t share)
{
	uint64_t there, files, untouched;

	add(&s->untouched_bytes, more);
	if (!s->limit_bytes)
		return true;
	read_statm(s, &there, &files);
	untouched = load(&s->untouched_bytes);
	if (ts_max(there + untouched, load(&s->private_bytes) + more) <= share)
		return true;
	sub(&s->untouched_bytes, more);
	return false;
}

static void count(struct spill_block *block, size_t untouched)
{
	struct spill *s = block->owner;

	block->untouched = untouched;
	if (!s)
		return;
	if (block->kind != BLOCK_FILE) {
		add(&s->private_bytes, block->bytes);
		return;
	}
	add(&s->file_bytes, block->bytes);
	pthread_mutex_lock(&s->lock);
	s->most_file_bytes = ts_max(load(&s->most_file_bytes), load(&s->file_bytes));
	block->next = s->files;
	block->prev = NULL;
	if (s->files)
		s->files->prev = block;
	s->files = block;
	pthread_mutex_unlock(&s->lock);
}

static void uncount(struct spill_block *block)
{
	struct spill *s = block->owner;

	if (!s)
		return;
	sub(&s->untouched_bytes, block->untouched);
	if (block->kind != BLOCK_FILE) {
		sub(&s->private_bytes, block->bytes);
		return;
	}
	sub(&s->file_bytes, block->bytes);
	pthread_mutex_lock(&s->lock);
	if (block->next)
		block->next->prev = block->prev;
	if (block->prev)
		block->prev->next = block->next;
	else
		s->files = block->next;
	pthread_mutex_unlock(&s->lock);
}

/* --- files --- */

static void note_failure(struct spill *s, int code, size_t bytes)
{
	char size[TS_UNITS_TEXT];

	pthread_mutex_lock(&s->lock);
	if (!s->failure.code) {
		ts_error_sys(&s->failure, code,
			     "cannot move %s of what was counted to a file in %s",
			     ts_format_size(size, bytes), s->folder);
		ts_error_hint(&s->failure,
			      "%s, name another folder with TMPDIR, or give more with --mem-limit",
			      code == EFBIG ? "allow larger files (ulimit -f)" : "make room there");
	}
	pthread_mutex_unlock(&s->lock);
}

/* On filesystems that make no files without a name, it is removed at once. */
int spill_file(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[NAME_BYTES];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	snprintf(name, sizeof(name), "%s/tstream-XXXXXX", folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static struct spill_block *map_file(struct spill *s, size_t bytes)
{
	int fd = spill_file(s->folder), code = fd < 0 ? errno : 0;
	void *data = MAP_FAILED;

	if (fd >= 0) {
		do /* a filesystem in memory gives up when a signal comes */
			code = posix_fallocate(fd, 0, (off_t)bytes);
		while (code == EINTR);
		if (!code)
			data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (!code && data == MAP_FAILED)
			code = errno;
		close(fd);
	}
	if (!code)
		return data;
	note_failure(s, code, bytes);
	return NULL;
}

/* --- blocks --- */

/* What a block takes: large ones are whole large pages. */
static size_t taken_bytes(size_t bytes)
{
	return bytes < LARGE_BYTES ? bytes : (bytes + LARGE_BYTES - 1) & ~(LARGE_BYTES - 1);
}

/* Addresses for a large block, at which large pages can lie; nothing is there. NULL: none are free. */
static uint8_t *reserve(size_t bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint8_t *all = mmap(NULL, bytes + LARGE_BYTES, PROT_NONE, flags, -1, 0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)all & (LARGE_BYTES - 1);
	if (before)
		munmap(all, before);
	if (before < LARGE_BYTES)
		munmap(all + before + bytes, LARGE_BYTES - before);
	return all + before;
}

static struct spill_block *map_private(size_t bytes)
{
	void *at = bytes < LARGE_BYTES ? NULL : reserve(bytes);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
	void *data = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (data == MAP_FAILED && at)
		munmap(at, bytes);
	return data == MAP_FAILED ? NULL : data;
}

/*
 * A fault for each page at its first use costs more than what is done there: a block gets all its
 * pages at once, a large one large pages as it is used. Returns whether it has them.
 */
static bool touch(void *data, size_t bytes)
{
	if (bytes < LARGE_BYTES)
		return !madvise(data, bytes, MADV_POPULATE_WRITE); /* Linux 5.14 */
	madvise(data, bytes, MADV_HUGEPAGE);
	return false;
}

static struct spill_block *finish(struct spill_block *block, struct spill *s, size_t bytes,
				  enum block_kind kind, size_t untouched)
{
	if (!block) {
		if (s)
			sub(&s->untouched_bytes, untouched);
		return NULL;
	}
	block->owner = s;
	block->bytes = bytes;
	block->kind = kind;
	count(block, untouched);
	return block;
}

/* Of bytes that were promised to it. */
static struct spill_block *new_private(struct spill *s, size_t bytes)
{
	struct spill_block *block = map_private(bytes);
	size_t untouched = s ? bytes : 0;

	if (block && touch(block, bytes)) {
		if (s)
			sub(&s->untouched_bytes, untouched);
		untouched = 0;
	}
	return finish(block, s, bytes, BLOCK_PRIVATE, untouched);
}

/* A block of zeros, head included in its bytes, in private memory up to `share` of the limit. */
static struct spill_block *new_block(struct spill *s, size_t bytes, uint64_t share, bool may_spill)
{
	struct spill_block *block;

	bytes = taken_bytes(bytes);
	if (bytes < SMALL_BYTES) {
		block = aligned_alloc(head_bytes, (bytes + head_bytes - 1) & ~(head_bytes - 1));
		if (block)
			memset(block, 0, bytes);
		return finish(block, s, bytes, BLOCK_HEAP, 0);
	}
	if (!s || promise(s, bytes, share))
		return new_private(s, bytes);
	return may_spill ? finish(map_file(s, bytes), s, bytes, BLOCK_FILE, 0) : NULL;
}

static void free_block(struct spill_block *block)
{
	uncount(block);
	if (block->kind == BLOCK_HEAP)
		free(block);
	else
		munmap(block, block->bytes);
}

/* The sum of what blocks may take before they are moved. */
static uint64_t share_of_blocks(const struct spill *s)
{
	return s ? s->limit_bytes - s->limit_bytes / 4 : 0;
}

/* The last eighth is for what is in no block: symbols of another object, text, sorting. */
static uint64_t share_of_caches(const struct spill *s)
{
	return s ? s->limit_bytes - s->limit_bytes / 8 : 0;
}

bool spill_has_room(const struct spill *s, uint64_t bytes)
{
	uint64_t there, files;

	if (!s || !s->limit_bytes)
		return true;
	read_statm(s, &there, &files);
	return there + load(&s->untouched_bytes) + bytes <= share_of_caches(s);
}

static bool is_too_large(size_t nr, size_t bytes)
{
	return bytes && nr > (SIZE_MAX / 2 - head_bytes) / bytes;
}

void *spill_new(struct spill *s, size_t nr, size_t bytes)
{
	if (is_too_large(nr, bytes))
		return NULL;
	return data_of(new_block(s, nr * bytes + head_bytes, share_of_blocks(s), true));
}

void *spill_new_cache(struct spill *s, size_t nr, size_t bytes)
{
	if (is_too_large(nr, bytes))
		return NULL;
	return data_of(new_block(s, nr * bytes + head_bytes, share_of_caches(s), false));
}

static struct spill_block *move(struct spill_block *block, size_t bytes)
{
	void *at = bytes < LARGE_BYTES ? NULL : reserve(bytes);
	void *moved =
		mremap(block, block->bytes, bytes, MREMAP_MAYMOVE | (at ? MREMAP_FIXED : 0), at);

	if (moved == MAP_FAILED && at)
		munmap(at, bytes);
	if (moved != MAP_FAILED && at)
		madvise(moved, bytes, MADV_HUGEPAGE);
	return moved == MAP_FAILED ? NULL : moved;
}

/* Where it fits a private mapping grows where it is, or moves without a copy. */
static struct spill_block *remap(struct spill_block *block, size_t bytes)
{
	struct spill *s = block->owner;
	size_t more = bytes > block->bytes ? bytes - block->bytes : 0;
	struct spill_block *moved;

	if (bytes == block->bytes)
		return block;
	if (s && !promise(s, more, share_of_blocks(s)))
		return NULL;
	moved = move(block, bytes);
	if (!moved) {
		if (s)
			sub(&s->untouched_bytes, more);
		return NULL;
	}
	if (s) { /* what was there is touched by now: it was filled before it had to grow */
		sub(&s->untouched_bytes, moved->untouched);
		sub(&s->private_bytes, moved->bytes);
		add(&s->private_bytes, bytes);
	}
	moved->untouched = s ? more : 0;
	moved->bytes = bytes;
	return moved;
}

static struct spill_block *copy_block(struct spill_block *old, size_t bytes)
{
	struct spill *s = old->owner;
	struct spill_block *block;

	if (old->kind == BLOCK_FILE) /* it will not fit again */
		block = finish(map_file(s, bytes), s, bytes, BLOCK_FILE, 0);
	else
		block = new_block(s, bytes, share_of_blocks(s), true);
	if (!block)
		return NULL;
	memcpy(data_of(block), data_of(old), ts_min(bytes, old->bytes) - head_bytes);
	free_block(old);
	return block;
}

void *spill_resize(struct spill *s, void *data, size_t nr, size_t bytes)
{
	struct spill_block *block, *moved = NULL;
	size_t wanted;

	if (!data)
		return spill_new(s, nr, bytes);
	if (is_too_large(nr, bytes))
		return NULL;
	wanted = nr * bytes + head_bytes;
	block = block_of(data);
	if (block->kind == BLOCK_FILE && wanted <= block->bytes)
		return data;
	if (CAN_REMAP && block->kind == BLOCK_PRIVATE)
		moved = remap(block, taken_bytes(wanted));
	return data_of(moved ? moved : copy_block(block, wanted));
}

void spill_free(void *data)
{
	if (data)
		free_block(block_of(data));
}

static void *resize_bytes(void *s, void *data, size_t bytes)
{
	if (bytes)
		return spill_resize(s, data, 1, bytes);
	spill_free(data);
	return NULL;
}

void spill_hold(struct spill *s, struct ts_bytes *bytes)
{
	bytes->resize = resize_bytes;
	bytes->source = s;
}

/* --- the window --- */

bool spill_is_wide(struct spill *s)
{
	uint64_t there, files;

	if (!s || !load(&s->file_bytes))
		return false;
	read_statm(s, &there, &files);
	return files > s->window_bytes;
}

void spill_trim(struct spill *s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	for (struct spill_block *b = s->files; b; b = b->next)
		madvise(b, (b->bytes + page - 1) & ~(page - 1), MADV_DONTNEED);
	pthread_mutex_unlock(&s->lock);
}

void spill_keep_narrow(struct spill *s)
{
	if (spill_is_wide(s))
		spill_trim(s);
}

/* --- failures --- */

int spill_failed(struct spill *s, struct ts_error *err)
{
	int code;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	code = s->failure.code;
	if (code)
		*err = s->failure;
	pthread_mutex_unlock(&s->lock);
	return -code;
}

int spill_check(struct spill *s, const char *capture, unsigned int nr_workers, struct ts_error *err)
{
	char limit[TS_UNITS_TEXT], taken[TS_UNITS_TEXT], needed[TS_UNITS_TEXT];
	const uint64_t megabyte = 1u << 20;
	uint64_t there, files, least;

	if (!s || !s->limit_bytes)
		return 0;
	read_statm(s, &there, &files);
	there = ts_max(there, load(&s->private_bytes));
	least = there + nr_workers * (uint64_t)WORKER_BYTES;
	if (least <= s->limit_bytes)
		return 0;
	least = (least + least / 4 + megabyte) / megabyte * megabyte;
	ts_error_set(err, EFBIG,
		     "cannot read %s with %s of memory: its names, its maps and the list of its "
		     "chunks take %s, and each of %u threads needs 1M",
		     capture, ts_format_size(limit, s->limit_bytes), ts_format_size(taken, there),
		     nr_workers);
	return ts_error_hint(err, "give at least --mem-limit=%s, or fewer threads",
			     ts_format_size(needed, least));
}
