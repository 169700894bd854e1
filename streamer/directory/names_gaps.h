/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times in which names and maps may be missing, because side-band was lost.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_DIRECTORY_NAMES_GAPS_H
#define TS_STREAMER_DIRECTORY_NAMES_GAPS_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_GAPS_MAX 32

struct names_gap { /* on the clock of the records */
	uint64_t from_ns;
	uint64_t to_ns; /* 0: to the end */
};

struct names_gaps {				/* zeroed: none */
	struct names_gap items[NAMES_GAPS_MAX]; /* ascending */
	size_t nr;
	uint64_t since_ns; /* of a further one that has no end yet; 0: there is none */
};

/* Adds a later gap. Gaps that touch become one; so do the last ones if there are too many. */
void names_gaps_add(struct names_gaps *g, uint64_t from_ns, uint64_t to_ns);

#endif
