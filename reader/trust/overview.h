/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture is and how far a report of it can be trusted: what was captured, what was lost
 * while recording, what is damaged, what was skipped, how much of it is the recorder itself.
 *
 * It is gathered when the samples have been counted, and printed before the rows: as comments
 * (print_overview.c) or as the object `capture` of a JSON report (print_json_capture.c).
 *
 * Threads: one; it points into what it was gathered from.
 */
#ifndef TS_READER_TRUST_OVERVIEW_H
#define TS_READER_TRUST_OVERVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/capture/account.h"
#include "reader/chunks/chunk_table.h"
#include "reader/tasks/tasks.h"

enum overview_source { /* of what was lost, the best that there is */
		       OVERVIEW_FROM_ACCOUNT,
		       OVERVIEW_FROM_CHUNKS,
		       OVERVIEW_FROM_RECORDS,
};

struct overview {
	const struct capture *capture;
	const struct chunk_table *chunks;
	const char *name; /* what the key host calls it; NULL: the report is of it alone */
	const struct damage *damage; /* everything that was met, sorted */
	struct account account;	     /* owned */
	bool is_ours;		     /* a recorder of ours made it */
	bool is_partly_read;	     /* of times and CPUs that were not selected nothing is known */
	double counted_percent;	     /* of it; less than 100 where ^C ended the counting */
	uint64_t first_ns, last_ns;  /* of samples; 0, 0: they have no time */
	uint64_t nr_samples;	     /* that percentages are of; of several captures its own */
	uint64_t nr_threads;	     /* that records name */
	/* lost while recording */
	enum overview_source source;
	bool is_exact; /* all of it is known */
	uint64_t lost[TS_LOSS_NR];
	uint64_t nr_lost;
	/* skipped */
	uint64_t nr_unknown, nr_bad; /* samples: of no event; that reach beyond their end */
	bool has_stacks;	     /* dumped stacks that are not unwound */
};

/* What the overview is made from. */
struct overview_parts {
	const struct capture *capture;
	const struct chunk_table *chunks;
	const struct ts_tasks *tasks; /* NULL: it was not looked at */
	const struct damage *damage;
	const char *name;
	uint64_t nr_samples, nr_unknown, nr_bad;
	bool is_partly_read;
	double counted_percent;
};

void overview_open(struct overview *o, const struct overview_parts *parts);
void overview_close(struct overview *o); /* accepts a zeroed one; idempotent */

/* The text of a feature of the header; NULL: it is not there. */
const char *overview_feature(const struct overview *o, enum ts_feature bit);

#endif
