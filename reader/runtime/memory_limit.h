/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit behind the blocks of memory.h: --mem-limit, the files that hold what does not fit, and
 * the window of mapped files. A command sets it, and long walks ask it now and then; all others
 * need memory.h alone.
 *
 * The size of a new block is compared with two numbers. The first is the private memory that the
 * process has at that moment (/proc/self/statm), which includes symbols, names and maps. The second
 * is the memory that other blocks were promised and have not touched yet. Blocks may use three
 * quarters of the limit. Caches may use seven eighths; a cache that finds no room is dropped. The
 * rest is for data outside of blocks.
 *
 * Threads: any thread may call any of these at the same time, but for memory_init() and
 * memory_release().
 */
#ifndef TS_READER_RUNTIME_MEMORY_LIMIT_H
#define TS_READER_RUNTIME_MEMORY_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/runtime/memory.h"

#define MEMORY_LIMIT_DEFAULT (1ull << 30)
#define MEMORY_WINDOW	     (256ull << 20) /* of mapped files in the process; at most the limit */

struct memory {
	/* constant after memory_init() */
	uint64_t limit_bytes;  /* 0: no limit */
	uint64_t window_bytes; /* of mapped files in the process, captures included */
	const char *folder;
	int statm; /* descriptor of /proc/self/statm; -1: none */

	/* any thread, relaxed */
	_Atomic uint64_t private_bytes;	  /* in private blocks */
	_Atomic uint64_t untouched_bytes; /* of those, what may not count in statm so far */
	_Atomic uint64_t file_bytes;	  /* in files */
	_Atomic uint64_t most_file_bytes;
	_Atomic uint64_t kept_file_bytes; /* of mapped files, after the last memory_trim() */

	/* under the lock */
	pthread_mutex_t lock;
	struct memory_block *files;
	struct ts_error failure; /* the first one; code 0: none */
};

/*
 * limit_bytes 0: no limit. folder NULL: temporary_folder(). Never fails: a folder that cannot be
 * written is noticed when a block has to go there.
 */
void memory_init(struct memory *s, uint64_t limit_bytes, const char *folder);
void memory_release(struct memory *s); /* after all blocks were freed; accepts a zeroed one */

/* Would so many bytes more, which are in no block, fit in the limit? NULL: yes. */
bool memory_has_room(const struct memory *s, uint64_t bytes);
/*
 * -EFBIG with a sentence if the memory that a capture needs at least leaves nr_workers no room to
 * work. Called when names, maps and the table of chunks are there.
 */
int memory_check(struct memory *s, const char *capture, unsigned int nr_workers,
		 struct ts_error *err);

/*
 * The same while names and maps are still growing: how much they need is not known yet. Called now and
 * then.
 */
int memory_check_growth(struct memory *s, const char *capture, struct ts_error *err);

/*
 * After a NULL of memory.h: -ENOSPC, -EROFS ... with its sentence if a block could not become a
 * file; 0: there was no such failure. The first failure is kept.
 */
int memory_failed(struct memory *s, struct ts_error *err);

/* How much of mapped files this process should keep. NULL: MEMORY_WINDOW. */
uint64_t memory_window_bytes(const struct memory *s);
/*
 * Does it keep more, and are there blocks in files? Trimming would help: a quarter of the window has
 * come since the last time, when mapped captures alone may have filled it.
 */
bool memory_is_wide(struct memory *s);
/* Takes the pages of blocks out of this process, not out of the kernel's cache. */
void memory_trim(struct memory *s);
/* The second where the first says so. Cheap; for long walks, now and then. */
void memory_keep_narrow(struct memory *s);

#endif
