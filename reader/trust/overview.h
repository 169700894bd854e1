/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overview of a capture tells how far its report can be trusted: recorded samples, losses while
 * recording, damage, skipped samples, and the share of the recorder itself.
 *
 * It is gathered after the samples have been counted and printed before the rows: as comments
 * (print_overview.c) or as the object `capture` of a JSON report (print_json_capture.c).
 *
 * Threads: one thread. The overview points into the objects that it was gathered from.
 */
#ifndef TS_READER_TRUST_OVERVIEW_H
#define TS_READER_TRUST_OVERVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/capture/account.h"
#include "reader/capture/capture_clock.h"
#include "reader/chunks/chunk_table.h"
#include "reader/tasks/tasks.h"

enum overview_source { /* source of the losses, the best that exists */
		       OVERVIEW_FROM_ACCOUNT,
		       OVERVIEW_FROM_CHUNKS,
		       OVERVIEW_FROM_RECORDS,
};

struct overview {
	const struct capture *capture;
	const struct chunk_table *chunks;
	const struct tasks *tasks; /* NULL: not replayed */
	const char *name;	   /* its name in the key host; NULL: the report has one capture */
	const struct damage *damage; /* all damage that was found, sorted */
	struct account account;	     /* owned */
	bool is_ours;		     /* our recorder made it */
	bool is_partly_read;	     /* times and CPUs that were not selected are unknown */
	double counted_percent;	     /* less than 100 if ^C ended the counting */
	uint64_t first_ns, last_ns;  /* of samples; 0, 0: samples have no time */
	uint64_t nr_samples;	     /* percentages are of these; of this capture alone */
	uint64_t nr_threads;	     /* threads that records name */
	/* losses while recording */
	enum overview_source source;
	bool is_exact; /* all losses are known */
	uint64_t lost[TS_LOSS_NR];
	uint64_t nr_lost;
	/* skipped */
	uint64_t nr_unknown, nr_bad; /* samples of no event; samples of a wrong size */
	bool has_stacks;	     /* dumped stacks that are not unwound */
};

/* The inputs of an overview. */
struct overview_parts {
	const struct capture *capture;
	const struct chunk_table *chunks;
	const struct tasks *tasks; /* NULL: not replayed */
	const struct damage *damage;
	const char *name;
	uint64_t nr_samples, nr_unknown, nr_bad;
	bool is_partly_read;
	double counted_percent;
};

int overview_open(struct overview *o, const struct overview_parts *parts); /* 0 or -ENOMEM */
void overview_close(struct overview *o); /* accepts a zeroed one; idempotent */

/* The text of a feature of the header; NULL: it is not there. */
const char *overview_feature(const struct overview *o, enum ts_feature bit);
/* Its clock, with the moment of the header or else the start of the recorder. */
struct capture_clock overview_clock(const struct overview *o);
/* A time of the capture on the wall clock, in ns since 1970; 0: unknown. */
uint64_t overview_wall_clock(const struct overview *o, uint64_t ns);

#endif
