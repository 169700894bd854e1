/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a reader under a limit: what grows with a capture lies in blocks, and blocks that do not
 * fit are moved into temporary files.
 *
 *	block -> fits: private memory
 *	      -> does not: a file without a name, all of its room taken on the disk, mapped
 *
 * To who uses a block both are the same: memory at an address, searched and sorted as ever. So what
 * is printed cannot depend on the limit, and nothing is left out. The kernel writes the file's pages
 * back and takes them out of memory when it needs room; spill_trim() takes them out of this process.
 *
 * A block is asked for by size; whether it fits is decided by what the process has of private memory
 * at that moment (/proc/self/statm: symbols, names and maps count, too) and by what was promised to
 * others and not touched so far. Blocks may use three quarters of the limit, caches, which are
 * thrown away where they find no room, seven eighths; the rest is for what is in no block.
 *
 * Threads: any thread may call any of these at the same time, for blocks of its own.
 */
#ifndef TS_READER_RUNTIME_SPILL_H
#define TS_READER_RUNTIME_SPILL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"

#define SPILL_LIMIT_DEFAULT (1ull << 30)
#define SPILL_WINDOW	    (256ull << 20) /* of mapped files in the process; at most the limit */

struct spill_block; /* what stands before a block */

struct spill {
	/* constant after spill_init() */
	uint64_t limit_bytes;  /* 0: no limit */
	uint64_t window_bytes; /* of mapped files in the process, captures included */
	const char *folder;
	int statm; /* descriptor of /proc/self/statm; -1: none */

	/* any thread, relaxed */
	_Atomic uint64_t private_bytes;	  /* in private blocks */
	_Atomic uint64_t untouched_bytes; /* of those, what may not count in statm so far */
	_Atomic uint64_t file_bytes;	  /* in files */
	_Atomic uint64_t most_file_bytes;

	/* under the lock */
	pthread_mutex_t lock;
	struct spill_block *files;
	struct ts_error failure; /* the first one; code 0: none */
};

/*
 * Folder NULL: $TMPDIR, else /var/tmp. Never fails; a folder that cannot be written is noticed when
 * something has to go there. Below, `s` may be NULL: then all memory is private and without limit.
 */
void spill_init(struct spill *s, uint64_t limit_bytes, const char *folder);
void spill_release(struct spill *s); /* after all blocks were freed; accepts a zeroed one */

/*
 * As calloc(), realloc() and free(): spill_new() gives zeros, what spill_resize() adds is undefined,
 * both are aligned to 64 bytes and return NULL when neither memory nor disk has room; then
 * spill_failed() knows more. NULL resizes to a new block, and can be freed.
 */
void *spill_new(struct spill *s, size_t nr, size_t bytes);
void *spill_resize(struct spill *s, void *block, size_t nr, size_t bytes);
void spill_free(void *block);

/* From now on this run of bytes, which is empty, lies in a block. */
void spill_hold(struct spill *s, struct ts_bytes *bytes);

/* For what can be done without: zeros, never in a file; NULL where they would not fit. */
void *spill_new_cache(struct spill *s, size_t nr, size_t bytes);

/* Would so many bytes more, which are in no block, fit in the limit? */
bool spill_has_room(const struct spill *s, uint64_t bytes);

/* Has memory of mapped files in this process grown beyond its window, where there are blocks? */
bool spill_is_wide(struct spill *s);
/* Takes the pages of blocks out of this process, not out of the kernel's cache. */
void spill_trim(struct spill *s);
/* The second where the first says so. Cheap; for long walks, now and then. */
void spill_keep_narrow(struct spill *s);

/*
 * -ENOSPC, -EROFS ... with its sentence where a block could not be moved to a file; 0: there was no
 * such failure. For who got NULL.
 */
int spill_failed(struct spill *s, struct ts_error *err);
/* -EFBIG with a sentence where what a capture needs at least leaves nr_workers no room to work. */
int spill_check(struct spill *s, const char *capture, unsigned int nr_workers,
		struct ts_error *err);

/* --- for who keeps something in a file of his own --- */

/* $TMPDIR, else /var/tmp. */
const char *spill_folder(void);
/* An empty file without a name, to read and write; -1 with errno. */
int spill_file(const char *folder);

#endif
