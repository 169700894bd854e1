/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data elements of the page: rows, tree, looks and objects. If they are too large, the rows are counted in
 * longer steps.
 *
 * Threads: main thread only; uses several.
 */
#ifndef TS_READER_HTML_HTML_DATA_H
#define TS_READER_HTML_HTML_DATA_H

#include "common/base/error.h"
#include "reader/html/html_elements.h"
#include "reader/html/html_events.h"
#include "reader/html/html_rows.h"
#include "reader/html/html_source.h"
#include "reader/html/html_tree.h"
#include "reader/page/stack_tree.h"

struct html_planes { /* of each column; 0: all its numbers are 0 */
	unsigned int time, stack, cpu, period, event, count, look, object, run;
};

struct html_data {
	struct html_events events;
	struct html_tree tree;
	struct html_rows rows;
	struct name_table objects; /* of the looks; 0: "" */
	struct name_table runs;	   /* " (23 frames)"; 0: "" */
	uint32_t *run_of_node;	   /* owned */
	uint32_t *object_of_look;  /* owned */
	struct html_planes planes;
	struct html_elements elements;
	unsigned int nr_fixed; /* elements that are not of rows */
	uint64_t fixed_bytes;  /* what these take in the page */
};

/*
 * `tree` is that of the source's paths. Each sample is a row, or there are MOST_ROWS of longer steps. Returns 0;
 * -ENOMEM; or -EINTR, and *err is not set. The caller releases *d in any case.
 */
int html_data_init(struct html_data *d, const struct html_source *s, const struct stack_tree *tree,
		   struct ts_error *err);
/*
 * Counts the rows in longer steps until the page, which has so many other bytes, is not too large. Does nothing if it
 * is not. Returns 0 or as above; or -EFBIG: it is too large, however long the steps.
 */
int html_data_fit(struct html_data *d, const struct html_source *s, uint64_t other_bytes,
		  struct ts_error *err);
void html_data_release(struct html_data *d); /* accepts a zeroed one; idempotent */

#endif
