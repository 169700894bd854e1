/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of looks, each once, for formats that have a table of them: programs, libraries, the
 * kernel. They are numbered from 1 in the order of the looks; 0 is no object.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_LOOK_OBJECTS_H
#define TS_READER_PAGE_LOOK_OBJECTS_H

#include "reader/page/frame_looks.h"

struct look_objects {
	struct name_table names; /* frame_look.object, by number - 1 */
	uint32_t *of_look;	 /* owned; by look: the number of its object, or 0 */
};

/* Blocks of `memory`, which may be NULL, hold them. Returns 0 or -ENOMEM; release in both cases. */
int look_objects_init(struct look_objects *o, const struct frame_looks *looks,
		      struct memory *memory);
void look_objects_release(struct look_objects *o); /* accepts a zeroed one; idempotent */

#endif
