/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A still flame graph: one SVG without script, for wikis and mails. Width is a share of the
 * samples' periods; each box has a title with its numbers. A dark scheme is used where the viewer
 * asks for it.
 *
 * A comparison has the mean of the old and the new share as width, and the change as colour.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_PAGE_FLAME_SVG_H
#define TS_READER_PAGE_FLAME_SVG_H

#include <stdbool.h>

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/page/stack_tree.h"

struct flame_svg {
	const char *title, *subtitle; /* two lines above the graph */
	const char *warnings;	      /* lines; "": none */
	bool is_icicle;		      /* the first look of a path is on top */
	bool is_embedded; /* a part of a page, which has the style of the class "still" */
	const struct stack_paths *paths;
	const struct stack_tree *tree; /* of these paths */
};

/*
 * Boxes below a quarter of a pixel (embedded: below a pixel) are left out, and boxes above the last one of 4 pixels; the legend
 * tells of the latter. -EPIPE, and *err is not set: the reader of standard output went away.
 */
int flame_svg_write(const struct flame_svg *svg, struct result_file *to, struct ts_error *err);
/* The same, appended to a text; false: nothing was, because it takes more than so many bytes. */
bool flame_svg_put(const struct flame_svg *svg, size_t most, struct ts_bytes *out);

#endif
