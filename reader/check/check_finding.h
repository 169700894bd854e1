/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check of a capture found: file, place, reason.
 *
 * The first FINDINGS_MAX are kept, the others counted, so that a file of garbage costs no more
 * memory than a sound one. Invariant: items[0 .. findings_kept()-1] are set, whatever `nr` says.
 *
 * Threads: findings_add() may be called by several threads at once; everything else by one.
 */
#ifndef TS_READER_CHECK_CHECK_FINDING_H
#define TS_READER_CHECK_CHECK_FINDING_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define FINDINGS_MAX 1000

struct check_finding {
	uint32_t file;	 /* the caller's number of the file */
	uint64_t offset; /* in that file */
	uint64_t bytes;	 /* from there that cannot be trusted; 0: no part of it in particular */
	char text[160];	 /* the reason: "the chunk header is damaged" */
};

struct findings {
	pthread_mutex_t lock;
	struct check_finding *items;
	size_t nr; /* all of them, also those not kept */
	size_t cap;
};

void findings_init(struct findings *f);
/* Adds one; where memory is out it is only counted. */
void findings_add(struct findings *f, uint32_t file, uint64_t offset, uint64_t bytes,
		  const char *reason, ...) __attribute__((format(printf, 5, 6)));
/* How many of them have an item. */
size_t findings_kept(const struct findings *f);
/* Sorts what is kept by file, then offset. */
void findings_sort(struct findings *f);
void findings_release(struct findings *f); /* after findings_init(); idempotent */

#endif
