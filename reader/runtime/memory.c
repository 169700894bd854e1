// SPDX-License-Identifier: Apache-2.0
/*
 * There are three kinds of blocks. Small ones are from the heap. Others are private mappings, which
 * grow without a copy and go back to the kernel as soon as they are freed. A block that does not fit
 * is a mapped file of its own. A file block that grows becomes another file: no descriptor is kept,
 * and the kernel frees the room with the mapping, however the process ends.
 *
 * A private mapping of a large page or more consists of large pages, and moves page by page with
 * them. So does a file, where its filesystem has large pages (ext4 of Linux 6.16, XFS): with small ones the faults of a
 * log of samples took longer than all work on it. The room of a file is taken on the disk before the mapping. Some
 * filesystems promise more than they have (those that compress, or copy on write); the missing room is then a signal:
 * sigbus.h.
 *
 *	[ struct memory_block, 64 bytes ][ the block ]
 */
#include "reader/runtime/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/memory_parts.h"
#include "reader/runtime/temporary_file.h"

#define SMALL_BYTES (128u << 10)      /* below this always on the heap */
#define LARGE_BYTES ((size_t)2 << 20) /* of a large page */
#define COPY_BYTES  (32u << 20)	      /* copied between two looks at the window */

/* ThreadSanitizer sees no mremap(), and takes an address that comes again for a shared one. */
#ifdef __SANITIZE_THREAD__
#define CAN_REMAP false
#else
#define CAN_REMAP true
#endif

static const size_t head_bytes = sizeof(struct memory_block);

static struct memory_block *block_of(void *data)
{
	return (struct memory_block *)((uint8_t *)data - head_bytes);
}

static void *data_of(struct memory_block *block)
{
	return block ? (uint8_t *)block + head_bytes : NULL;
}

/* The bytes that a block takes: large ones are whole large pages. */
static size_t taken_bytes(size_t bytes)
{
	return bytes < LARGE_BYTES ? bytes : (bytes + LARGE_BYTES - 1) & ~(LARGE_BYTES - 1);
}

/*
 * Addresses for a large block, at which large pages can lie; nothing is there. NULL: none are free.
 */
static uint8_t *reserve_pages(size_t bytes)
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

/* At an address at which large pages can lie, if it is as large as one. */
static void *map_shared(int fd, size_t bytes)
{
	const size_t taken = taken_bytes(bytes), page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t mapped = (bytes + page - 1) & ~(page - 1);
	uint8_t *at = bytes < LARGE_BYTES ? NULL : reserve_pages(taken);
	void *data =
		mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);

	if (at && data == MAP_FAILED)
		munmap(at, taken);
	else if (at && mapped < taken)
		munmap(at + mapped, taken - mapped);
	if (at && data != MAP_FAILED)
		madvise(data, bytes, MADV_HUGEPAGE);
	return data;
}

static struct memory_block *map_file(struct memory *s, size_t bytes)
{
	int fd = temporary_file_open(s->folder), code = fd < 0 ? errno : 0;
	void *data = MAP_FAILED;

	if (fd >= 0) {
		do /* a filesystem in memory gives up when a signal comes */
			code = posix_fallocate(fd, 0, (off_t)bytes);
		while (code == EINTR);
		if (!code)
			data = map_shared(fd, bytes);
		if (!code && data == MAP_FAILED)
			code = errno;
		close(fd);
	}
	if (!code)
		return data;
	memory_note_failure(s, code, bytes);
	return NULL;
}

static struct memory_block *map_private(size_t bytes)
{
	void *at = bytes < LARGE_BYTES ? NULL : reserve_pages(bytes);
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
static bool touch_pages(void *data, size_t bytes)
{
	if (bytes < LARGE_BYTES)
		return !madvise(data, bytes, MADV_POPULATE_WRITE); /* Linux 5.14 */
	madvise(data, bytes, MADV_HUGEPAGE);
	return false;
}

static struct memory_block *finish_block(struct memory_block *block, struct memory *s, size_t bytes,
					 enum block_kind kind, size_t untouched)
{
	if (!block) {
		memory_withdraw(s, untouched);
		return NULL;
	}
	block->owner = s;
	block->bytes = bytes;
	block->kind = kind;
	memory_count(block, untouched);
	return block;
}

/* Of bytes that were promised to it. */
static struct memory_block *new_private(struct memory *s, size_t bytes)
{
	struct memory_block *block = map_private(bytes);
	size_t untouched = bytes;

	if (block && touch_pages(block, bytes)) {
		memory_withdraw(s, untouched);
		untouched = 0;
	}
	return finish_block(block, s, bytes, BLOCK_PRIVATE, untouched);
}

/* A block of zeros, head included in its bytes, in private memory up to `share` of the limit. */
static struct memory_block *new_block(struct memory *s, size_t bytes, uint64_t share,
				      bool may_spill)
{
	struct memory_block *block;

	bytes = taken_bytes(bytes);
	if (bytes < SMALL_BYTES) {
		block = aligned_alloc(head_bytes, (bytes + head_bytes - 1) & ~(head_bytes - 1));
		if (block)
			memset(block, 0, bytes);
		return finish_block(block, s, bytes, BLOCK_HEAP, 0);
	}
	if (memory_promise(s, bytes, share))
		return new_private(s, bytes);
	return may_spill ? finish_block(map_file(s, bytes), s, bytes, BLOCK_FILE, 0) : NULL;
}

static void free_block(struct memory_block *block)
{
	memory_uncount(block);
	if (block->kind == BLOCK_HEAP)
		free(block);
	else
		munmap(block, block->bytes);
}

static bool is_too_large(size_t nr, size_t bytes)
{
	return bytes && nr > (SIZE_MAX / 2 - head_bytes) / bytes;
}

void *memory_new(struct memory *s, size_t nr, size_t bytes)
{
	if (is_too_large(nr, bytes))
		return NULL;
	return data_of(new_block(s, nr * bytes + head_bytes, memory_share_of_blocks(s), true));
}

void *memory_new_file(struct memory *s, size_t nr, size_t bytes)
{
	const size_t taken = nr * bytes + head_bytes;

	if (is_too_large(nr, bytes))
		return NULL;
	if (!s || !s->limit_bytes || taken < SMALL_BYTES)
		return memory_new(s, nr, bytes);
	return data_of(finish_block(map_file(s, taken), s, taken, BLOCK_FILE, 0));
}

void *memory_new_cache(struct memory *s, size_t nr, size_t bytes)
{
	if (is_too_large(nr, bytes))
		return NULL;
	return data_of(new_block(s, nr * bytes + head_bytes, memory_share_of_caches(s), false));
}

static struct memory_block *move_block(struct memory_block *block, size_t bytes)
{
	void *at = bytes < LARGE_BYTES ? NULL : reserve_pages(bytes);
	void *moved =
		mremap(block, block->bytes, bytes, MREMAP_MAYMOVE | (at ? MREMAP_FIXED : 0), at);

	if (moved == MAP_FAILED && at)
		munmap(at, bytes);
	if (moved != MAP_FAILED && at)
		madvise(moved, bytes, MADV_HUGEPAGE);
	return moved == MAP_FAILED ? NULL : moved;
}

/* Where it fits a private mapping grows where it is, or moves without a copy. */
static struct memory_block *remap_block(struct memory_block *block, size_t bytes)
{
	struct memory *s = block->owner;
	size_t more = bytes > block->bytes ? bytes - block->bytes : 0;
	struct memory_block *moved;

	if (bytes == block->bytes)
		return block;
	if (!memory_promise(s, more, memory_share_of_blocks(s)))
		return NULL;
	moved = move_block(block, bytes);
	if (!moved) {
		memory_withdraw(s, more);
		return NULL;
	}
	memory_count_moved(moved, bytes, more);
	return moved;
}

/* Large blocks in files would both be in this process. */
static void copy_bytes(struct memory *s, uint8_t *to, const uint8_t *from, size_t nr)
{
	for (size_t at = 0; at < nr; at += COPY_BYTES) {
		memcpy(to + at, from + at, ts_min(nr - at, (size_t)COPY_BYTES));
		if (nr > COPY_BYTES)
			memory_keep_narrow(s);
	}
}

static struct memory_block *copy_block(struct memory_block *old, size_t bytes)
{
	struct memory *s = old->owner;
	struct memory_block *block;

	if (old->kind == BLOCK_FILE) /* it will not fit again */
		block = finish_block(map_file(s, bytes), s, bytes, BLOCK_FILE, 0);
	else
		block = new_block(s, bytes, memory_share_of_blocks(s), true);
	if (!block)
		return NULL;
	copy_bytes(s, data_of(block), data_of(old), ts_min(bytes, old->bytes) - head_bytes);
	free_block(old);
	return block;
}

void *memory_resize(struct memory *s, void *data, size_t nr, size_t bytes)
{
	struct memory_block *block, *moved = NULL;
	size_t wanted;

	if (!data)
		return memory_new(s, nr, bytes);
	if (is_too_large(nr, bytes))
		return NULL;
	wanted = nr * bytes + head_bytes;
	block = block_of(data);
	if (block->kind == BLOCK_FILE && wanted <= block->bytes)
		return data;
	if (CAN_REMAP && block->kind == BLOCK_PRIVATE)
		moved = remap_block(block, taken_bytes(wanted));
	return data_of(moved ? moved : copy_block(block, wanted));
}

void memory_free(void *data)
{
	if (data)
		free_block(block_of(data));
}

static void *resize_bytes(void *s, void *data, size_t bytes)
{
	if (bytes)
		return memory_resize(s, data, 1, bytes);
	memory_free(data);
	return NULL;
}

void memory_hold(struct memory *s, struct ts_bytes *bytes)
{
	bytes->resize = resize_bytes;
	bytes->source = s;
}
