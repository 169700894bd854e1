/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines on a terminal that are drawn again and again in the same place.
 *
 *	what was printed before          stays
 *	lines of the last frame          drawn over by the next one, at most the terminal's height
 *	_                                the cursor rests below them
 *
 * A frame is put together first and written at once, each line cut to the terminal's width. Between
 * two frames the terminal is in no state that would have to be restored: whoever ends here leaves
 * the last frame and a cursor below it. Nothing is drawn while the process is in the background.
 *
 * Threads: one.
 */
#ifndef TS_READER_REPORT_SCREEN_H
#define TS_READER_REPORT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"
#include "reader/runtime/progress.h"

struct screen {
	int fd;
	const struct progress *progress; /* asked whether to stop while nobody takes a frame */
	size_t rows, columns;		 /* as of this frame; 0: there was none */
	struct ts_bytes frame;
	size_t nr_lines; /* in the frame */
	size_t room;	 /* lines that may still be added */
	size_t nr_drawn; /* lines above the cursor that the frame before has left */
};

/* Can this be drawn on at all? */
bool screen_is_there(int fd);
/* Zeroes it; the progress (NULL: none) outlives it. */
void screen_init(struct screen *s, int fd, const struct progress *progress);
void screen_release(struct screen *s); /* accepts a zeroed one; idempotent */

/* A new frame, with room for all rows but that of the cursor. False: not now. */
bool screen_begin(struct screen *s);
/* How many lines can still be added; and no more than `lines` of them. */
size_t screen_room(const struct screen *s);
void screen_narrow(struct screen *s, size_t lines);
/* Adds whole lines, up to the room that is left. 0; 1: there is none left; -ENOMEM. */
int screen_put(struct screen *s, const struct ts_bytes *text);
/* Draws the frame over the one before. 0 or -errno; -EINTR: the progress was stopped. */
int screen_show(struct screen *s);
/* Takes the last frame away, or, if it is to stay, what was typed below it. */
void screen_erase(struct screen *s);
void screen_leave(struct screen *s);

#endif
