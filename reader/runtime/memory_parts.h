/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of memory.c and the account that memory_limit.c keeps of them. Only these two include
 * this.
 *
 *	memory_promise() -> the block is mapped: memory_count()
 *	                        -> it grows: memory_count_moved()
 *	                        -> it is freed: memory_uncount()
 *	                 -> the block is not mapped: memory_withdraw()
 *
 * Bytes that were promised, and bytes that a block has but nobody has written to, are "untouched":
 * the kernel does not count them for the process yet.
 *
 * Threads: as memory.h. `s` may be NULL, and then nothing is counted.
 */
#ifndef TS_READER_RUNTIME_MEMORY_PARTS_H
#define TS_READER_RUNTIME_MEMORY_PARTS_H

#include "reader/runtime/memory_limit.h"

enum block_kind { BLOCK_HEAP, BLOCK_PRIVATE, BLOCK_FILE };

struct memory_block {
	_Alignas(64) struct memory *owner; /* NULL: nobody counts */
	size_t bytes;			   /* this head included */
	size_t untouched;		   /* of them, counted in untouched_bytes */
	enum block_kind kind;
	struct memory_block *next, *prev; /* of the owner's files, under its lock */
};

/* The most that all blocks together may take of private memory before they become files. */
uint64_t memory_share_of_blocks(const struct memory *s);
/* The same for caches. The last eighth is for memory outside of blocks: symbols, text, sorting. */
uint64_t memory_share_of_caches(const struct memory *s);

/*
 * Promises `more` bytes of private memory if they fit in `share`. Bytes that other threads were
 * promised at the same time count as untouched, so two threads never get the same room.
 */
bool memory_promise(struct memory *s, uint64_t more, uint64_t share);
/* Ends a promise whose bytes were touched, or could not be had. */
void memory_withdraw(struct memory *s, uint64_t bytes);

/*
 * Counts a new block; of a private one so many bytes are untouched. Files are listed for
 * memory_trim().
 */
void memory_count(struct memory_block *block, size_t untouched);
/*
 * A private block has `bytes` now, of which `more` are new and were promised. Its old bytes were
 * touched before it grew.
 */
void memory_count_moved(struct memory_block *block, size_t bytes, size_t more);
void memory_uncount(struct memory_block *block);

/* Keeps the first failure to make a file for a block, for memory_failed(). `code` is an errno. */
void memory_note_failure(struct memory *s, int code, size_t bytes);

#endif
