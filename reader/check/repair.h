/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a new capture from the sound parts of a damaged one.
 *
 *	data       a header with the events and the features that are well formed;
 *	           the sound records of the old one                             repair_data.c
 *	data.N     ours: the sound chunks, written anew with an index and a footer;
 *	           others: the sound records, plain                             repair_stream.c
 *
 * The new capture is made beside its name and renamed when it is complete. The damaged one is not
 * touched.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_CHECK_REPAIR_H
#define TS_READER_CHECK_REPAIR_H

#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/directory/directory.h"
#include "reader/check/check.h"

/*
 * If the records of `data` are larger, they get a stream of their own, because `data` is composed
 * in memory.
 */
#define REPAIR_DATA_MAX (64u << 20)

struct repair {
	const struct check *check;
	struct ts_dir dir;
	struct ts_bytes records; /* of the new `data` */
	uint64_t nr_records;	 /* in the new capture */
};

/*
 * Makes the capture at `path`, where nothing may exist (-EEXIST), from a checked one. Its header
 * must have been parsed (-EINVAL).
 */
int repair_run(struct repair *r, const struct check *check, const char *path, struct ts_error *err);
void repair_release(struct repair *r); /* accepts a zeroed one; idempotent */

/* --- the parts --- */

/* Writes the file `data` with r->records; first without them, since it makes a capture of the rest. */
int repair_data(struct repair *r, struct ts_error *err);
/* Writes a stream of ours as data.`number`. */
int repair_own_stream(struct repair *r, uint32_t stream, unsigned int number, struct ts_error *err);
/* Writes a stream of others as data.`number`, or to r->records if number is UINT32_MAX. */
int repair_foreign_stream(struct repair *r, uint32_t stream, unsigned int number,
			  struct ts_error *err);

#endif
