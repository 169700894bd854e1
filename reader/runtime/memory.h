/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of memory: asked for, resized and freed as with calloc(), realloc() and free(). All memory
 * that grows with a capture lies in blocks, so that the limit of the command holds (memory_limit.h).
 *
 *	block -> fits: private memory
 *	      -> does not: a file without a name, all of its room taken on the disk, mapped
 *
 * Both are memory at an address. The limit therefore never changes the output, and nothing is left
 * out.
 *
 * Threads: any thread may call any of these at the same time, for blocks of its own.
 */
#ifndef TS_READER_RUNTIME_MEMORY_H
#define TS_READER_RUNTIME_MEMORY_H

#include <stddef.h>

#include "common/base/bytes.h"

/*
 * The code of an error, beside errno: --mem-limit has no room. EDQUOT is that of a filesystem's
 * quota.
 */
#define MEMORY_REFUSED 4096

struct memory; /* the limit; NULL stands for none: then all blocks are private */

/*
 * memory_new() gives zeros; the bytes that memory_resize() adds are undefined. Blocks are aligned to
 * 64 bytes. NULL: neither memory nor disk has room, and memory_failed() may know more. A NULL block
 * resizes to a new one, and may be freed.
 */
void *memory_new(struct memory *s, size_t nr, size_t bytes);
void *memory_resize(struct memory *s, void *block, size_t nr, size_t bytes);
void memory_free(void *block);

/* The same in a file, for much that is written once; in memory if that has no limit. */
void *memory_new_file(struct memory *s, size_t nr, size_t bytes);

/* For caches: zeros, never in a file; NULL where they would not fit. */
void *memory_new_cache(struct memory *s, size_t nr, size_t bytes);

/* From now on this run of bytes, which is empty, lies in a block. */
void memory_hold(struct memory *s, struct ts_bytes *bytes);

#endif
