/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of spill.c and the account that spill_limit.c keeps of them. Only these two include
 * this.
 *
 * 	spill_promise() -> the block is mapped -> spill_count() -> it grows -> spill_count_moved()
 * 	                '> it is not: spill_withdraw()                       '> it is freed: spill_uncount()
 *
 * Bytes that were promised, and bytes that a block has but nobody has written to, are "untouched":
 * the kernel does not count them for the process yet.
 *
 * Threads: as spill.h. `s` may be NULL, and then nothing is counted.
 */
#ifndef TS_READER_RUNTIME_SPILL_PARTS_H
#define TS_READER_RUNTIME_SPILL_PARTS_H

#include "reader/runtime/spill_limit.h"

enum block_kind { BLOCK_HEAP, BLOCK_PRIVATE, BLOCK_FILE };

struct spill_block {
	_Alignas(64) struct spill *owner; /* NULL: nobody counts */
	size_t bytes;			  /* this head included */
	size_t untouched;		  /* of them, counted in untouched_bytes */
	enum block_kind kind;
	struct spill_block *next, *prev; /* of the owner's files, under its lock */
};

/* The most that all blocks together may take of private memory before they become files. */
uint64_t spill_share_of_blocks(const struct spill *s);
/* The same for caches. The last eighth is for memory outside of blocks: symbols, text, sorting. */
uint64_t spill_share_of_caches(const struct spill *s);

/*
 * Promises `more` bytes of private memory if they fit in `share`. Bytes that other threads were
 * promised at the same time count as untouched, so two threads never get the same room.
 */
bool spill_promise(struct spill *s, uint64_t more, uint64_t share);
/* Ends a promise whose bytes were touched, or could not be had. */
void spill_withdraw(struct spill *s, uint64_t bytes);

/*
 * Counts a new block; of a private one so many bytes are untouched. Files are listed for
 * spill_trim().
 */
void spill_count(struct spill_block *block, size_t untouched);
/*
 * A private block has `bytes` now, of which `more` are new and were promised. Its old bytes were
 * touched before it grew.
 */
void spill_count_moved(struct spill_block *block, size_t bytes, size_t more);
void spill_uncount(struct spill_block *block);

/* Keeps the first failure to make a file for a block, for spill_failed(). `code` is an errno. */
void spill_note_failure(struct spill *s, int code, size_t bytes);

#endif
