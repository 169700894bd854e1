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
	unsigned int time, stack, cpu, period, event, count, look, object;
};

struct html_data {
	struct html_events events;
	struct html_tree tree;
	struct html_rows rows;
	struct name_table objects; /* of the looks; 0: "" */
	uint32_t *object_of_look;  /* owned */
	struct html_planes planes;
	struct html_elements elements;
};

/*
 * `tree` is that of the source's paths. most_bytes: of the elements. Returns 0; -ENOMEM; -EFBIG: they have no
 * room, however long the steps; or -EINTR, and *err is not set. The caller releases *d in any case.
 */
int html_data_init(struct html_data *d, const struct html_source *s, const struct stack_tree *tree,
		   uint64_t most_bytes, struct ts_error *err);
void html_data_release(struct html_data *d); /* accepts a zeroed one; idempotent */

#endif
