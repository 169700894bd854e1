/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of a check: file, place, reason.
 *
 * The first FINDINGS_MAX findings are kept, the others only counted. So a file of garbage costs no
 * more memory than a sound one. Invariant: items[0 .. findings_kept()-1] are set, whatever the
 * value of `nr`, unless `failed`.
 *
 * Threads: several threads may call findings_add() at once; everything else is for one thread.
 */
#ifndef TS_READER_CHECK_CHECK_FINDING_H
#define TS_READER_CHECK_CHECK_FINDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FINDINGS_MAX 1000

struct check_finding {
	uint32_t file;	 /* the caller's number of the file */
	uint64_t offset; /* in that file */
	uint64_t bytes;	 /* bytes from there that cannot be trusted; 0: no particular bytes */
	char text[160];	 /* the reason: "the chunk header is damaged" */
};

struct findings {
	pthread_mutex_t lock;
	struct check_finding *items;
	size_t nr; /* all findings, even those not kept */
	size_t cap;
	bool failed; /* memory was out: not all that are to be kept are here */
};

void findings_init(struct findings *f);
/* Adds a finding; without memory it is only counted, and `failed` is set. */
void findings_add(struct findings *f, uint32_t file, uint64_t offset, uint64_t bytes,
		  const char *reason, ...) __attribute__((format(printf, 5, 6)));
/* The number of findings that have an item. */
size_t findings_kept(const struct findings *f);
/* Sorts the kept findings by file, then offset. */
void findings_sort(struct findings *f);
void findings_release(struct findings *f); /* after findings_init(); idempotent */

#endif
