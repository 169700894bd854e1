/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours of pictures: one table, in a light and a dark scheme. tests/palette.py holds it to
 * what people can see: contrast to the text, and distance of any two kinds, also for the colour-blind.
 *
 * Threads: constant.
 */
#ifndef TS_READER_PAGE_FRAME_PALETTE_H
#define TS_READER_PAGE_FRAME_PALETTE_H

#include "reader/page/frame_looks.h"

struct frame_palette_row {
	const char *name;	  /* in legends and as a CSS class */
	const char *light, *dark; /* RRGGBB */
};

extern const struct frame_palette_row frame_palette[FRAME_KIND_NR];

/* On any of them, and beside them. */
#define PALETTE_TEXT_LIGHT	 "111111"
#define PALETTE_TEXT_DARK	 "ffffff"
#define PALETTE_BACKGROUND_LIGHT "ffffff"
#define PALETTE_BACKGROUND_DARK	 "1b1b1d"
/* Of comparisons: less than before, the same, more. Between them colours are mixed. */
#define PALETTE_LESS 0x3a7fc4
#define PALETTE_SAME 0xe6e6e6
#define PALETTE_MORE 0xf08c2e

#endif
