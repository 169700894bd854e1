/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that all threads of a Firefox profile share: names, libraries, functions, frames, stacks.
 *
 *	look of a frame --> string, function and frame of the same number
 *	its object      --> a library, and the resource of the same number
 *	node of a tree  --> a stack of the same number, whose prefix is the node's parent
 *
 * Source: src/types/profile.ts and docs-developer/CHANGELOG-formats.md of the Firefox profiler,
 * version 60 of the processed format.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_EXPORT_FIREFOX_TABLES_H
#define TS_READER_EXPORT_FIREFOX_TABLES_H

#include "reader/encoding/json_file.h"
#include "reader/page/look_objects.h"
#include "reader/page/stack_tree.h"

struct firefox_tables {
	const struct frame_looks *looks;
	const struct stack_tree *tree; /* of bare paths */
	struct look_objects libs;      /* by path; a library has its number - 1 */
	const char *marker_name;       /* of the markers of all threads */
};

/* Looks and tree must outlive *t. Returns 0 or -ENOMEM; release in both cases. */
int firefox_tables_init(struct firefox_tables *t, const struct frame_looks *looks,
			const struct stack_tree *tree, const char *marker_name);
void firefox_tables_release(struct firefox_tables *t); /* accepts a zeroed one; idempotent */

/* The number of the string marker_name. */
uint32_t firefox_tables_marker(const struct firefox_tables *t);

/* "categories" of meta: the one that the viewer falls back to, then one for each kind of frame. */
void firefox_tables_put_categories(struct json *j);
/* "libs", beside meta, and "shared". Errors are those of json_file_pass(). */
int firefox_tables_put_libs(const struct firefox_tables *t, struct json_file *f,
			    struct ts_error *err);
int firefox_tables_put_shared(const struct firefox_tables *t, struct json_file *f,
			      struct ts_error *err);

#endif
