/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The looks of the frames of a picture: a name, its object, and the kind that decides the colour.
 *
 * Frames of different addresses or lines may look the same. Looks are numbered in the order of name,
 * object and kind, so a smaller number comes first.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_FRAME_LOOKS_H
#define TS_READER_PAGE_FRAME_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/runtime/name_table.h"
#include "reader/stacks/aggregate.h"

enum frame_kind {
	FRAME_KIND_USER,
	FRAME_KIND_KERNEL,  /* the hypervisor and the kernels of guests, too */
	FRAME_KIND_INLINED, /* into the frame below it */
	FRAME_KIND_JIT,	    /* code that the process made itself */
	FRAME_KIND_UNKNOWN, /* no function is known */
	FRAME_KIND_COMMAND, /* no frame: the command that a picture begins with */
	FRAME_KIND_NR,
};

struct frame_look {
	/* as it is shown: of the function, or of its object in brackets: [libc.so.6], [unknown] */
	const char *name;
	/* as report shows it, or its path; "": unknown, or not told apart */
	const char *object;
	enum frame_kind kind;
};

struct frame_looks_plan {
	bool by_object;
	bool by_path;	/* objects are told apart, and named, by their paths */
	bool by_kind;	/* otherwise functions of all kinds are FRAME_KIND_USER */
	bool is_folded; /* in names ';' becomes ':', and blanks at the end are left out */
};

struct frame_looks {
	struct frame_look *items; /* owned; most strings are those of the aggregate */
	uint32_t nr;
	uint32_t *of_frame, *of_comm; /* owned; by number in the aggregate */
	struct name_table changed;    /* names that are not shown as they are */
};

/* The aggregate must outlive *l. Returns 0 or -ENOMEM. */
int frame_looks_init(struct frame_looks *l, const struct aggregate *a,
		     const struct frame_looks_plan *plan);
void frame_looks_release(struct frame_looks *l); /* accepts a zeroed one; idempotent */

#endif
