/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sort key `parent`: the first function of a callchain whose name matches a pattern.
 *
 * The parent follows from the frames of a stack, so it is not part of the key of a stack. Names are
 * numbered in their order; stacks without a parent come last.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_ROWS_PARENT_KEY_H
#define TS_READER_ROWS_PARENT_KEY_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "reader/stacks/frame.h"

#define PARENT_KEY_DEFAULT "^sys_|^do_page_fault" /* perf's */
#define PARENT_KEY_OTHER   "[other]"

struct parents {
	uint32_t *of_frame; /* number of its name; nr: the pattern does not match */
	const char **names;
	uint32_t nr;
};

int parents_init(struct parents *p, const struct frames *frames, const regex_t *pattern);
/* The number of a callchain's parent, searched from the caller or from the leaf; nr: none. */
uint32_t parents_find(const struct parents *p, const uint32_t *frames, uint32_t nr_frames,
		      bool caller_first);
/* The name, or PARENT_KEY_OTHER. */
const char *parents_name(const struct parents *p, uint32_t number);
void parents_release(struct parents *p); /* accepts a zeroed one; idempotent */

#endif
