/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of a capture that could not be read. The list keeps the first thousand and counts the
 * rest, so a file of garbage needs no more memory than a sound one.
 *
 * Invariant: items[0 .. damage_kept()-1] are set, whatever `nr` says.
 *
 * Threads: none of its own; threads that share a list lock around it.
 */
#ifndef TS_READER_CAPTURE_DAMAGE_H
#define TS_READER_CAPTURE_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#define DAMAGE_MAX 1000 /* places that are kept */

/* A place that could not be read. */
struct chunk_damage {
	uint32_t stream; /* index into capture.streams */
	uint64_t offset; /* in the stream's file */
	uint64_t bytes;	 /* skipped from there; in a chunk that was read in part: of its records */
	uint64_t nr_doubtful; /* records of the place that were read, although they may be wrong */
	char text[120];	      /* what was wrong there */
};

/* Zero-initialise. */
struct damage {
	struct chunk_damage *items;
	size_t nr; /* all places, also those not kept */
	size_t cap;
};

/* Makes a place. A text that is too long is cut. */
struct chunk_damage damage_at(uint32_t stream, uint64_t offset, uint64_t bytes, const char *text);
/* Adds a copy. -ENOMEM: the list is as it was. */
int damage_add(struct damage *d, const struct chunk_damage *place);
/*
 * Adds the places of `from` that `d` does not have: a place that several passes met is one. Places
 * that are not kept cannot be compared, so above DAMAGE_MAX d->nr may count some twice. -ENOMEM.
 */
int damage_merge(struct damage *d, const struct damage *from);
/* The number of places that are kept. */
size_t damage_kept(const struct damage *d);
/* Sums over the places that are kept. */
uint64_t damage_bytes(const struct damage *d);
uint64_t damage_doubtful(const struct damage *d);
/* Sorts the kept places by stream, then offset. */
void damage_sort(struct damage *d);
void damage_release(struct damage *d); /* accepts a zeroed one; idempotent */

#endif
