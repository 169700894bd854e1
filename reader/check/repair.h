/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new capture of what is sound of a damaged one.
 *
 *	data       a header of the events that are there and of the features that are well formed;
 *	           the sound records of the old one                             repair_data.c
 *	data.N     ours: the sound chunks, laid anew, with an index and a footer;
 *	           others: the sound records, plain                             repair_stream.c
 *
 * It is made beside its name and renamed when it is complete; the damaged one is not touched.
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

/* Records of `data` beyond this get a stream of their own: the header is made in memory. */
#define REPAIR_DATA_MAX (64u << 20)

struct repair {
	const struct check *check;
	struct ts_dir dir;
	struct ts_bytes records; /* of the new `data` */
	uint64_t nr_records;	 /* in the new capture */
};

/*
 * Makes the capture at `path`, where nothing may stand (-EEXIST), of one that was checked. Needs a
 * header that can be parsed (-EINVAL).
 */
int repair_run(struct repair *r, const struct check *check, const char *path, struct ts_error *err);
void repair_release(struct repair *r); /* accepts a zeroed one; idempotent */

/* --- the parts --- */

/* The file `data`, of r->records. */
int repair_data(struct repair *r, struct ts_error *err);
/* A stream of ours as data.`number`. */
int repair_own_stream(struct repair *r, uint32_t stream, unsigned int number, struct ts_error *err);
/* A stream of others as data.`number`, or, with number UINT32_MAX, to r->records. */
int repair_foreign_stream(struct repair *r, uint32_t stream, unsigned int number,
			  struct ts_error *err);

#endif
