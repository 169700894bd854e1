/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws lines on a terminal again and again in the same place.
 *
 *	earlier output                   stays
 *	lines of the last frame          drawn over by the next one, at most the terminal's height
 *	_                                the cursor rests below them
 *
 * A frame is composed first and written at once; each line is cut to the width of the terminal.
 * Between two frames no state of the terminal must be restored: if the process ends, the last frame
 * stays with the cursor below it. Nothing is drawn while the process is in the background.
 *
 * Threads: one.
 */
#ifndef TS_READER_COMMANDS_SCREEN_H
#define TS_READER_COMMANDS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"
#include "reader/runtime/progress.h"

struct screen {
	int fd;
	const struct progress *progress; /* asked whether to stop while the terminal blocks */
	size_t rows, columns;		 /* size at this frame; 0: no frame yet */
	struct ts_bytes frame;
	size_t nr_lines; /* in the frame */
	size_t room;	 /* lines that may still be added */
	size_t nr_drawn; /* lines of the last frame above the cursor */
};

/* Can the descriptor be drawn on at all? */
bool screen_is_there(int fd);
/* Initialises *s; the progress (NULL: none) must outlive it. */
void screen_init(struct screen *s, int fd, const struct progress *progress);
void screen_release(struct screen *s); /* accepts a zeroed one; idempotent */

/*
 * Begins a frame with room for all rows except that of the cursor. False: drawing is not possible
 * now.
 */
bool screen_begin(struct screen *s);
/* The number of lines that can still be added. screen_narrow() limits it to `lines`. */
size_t screen_room(const struct screen *s);
void screen_narrow(struct screen *s, size_t lines);
/* Adds whole lines, up to the room that is left. Returns 0; 1: no room is left; -ENOMEM. */
int screen_put(struct screen *s, const struct ts_bytes *text);
/* Draws the frame over the last one. Returns 0 or -errno; -EINTR: the progress was stopped. */
int screen_show(struct screen *s);
/*
 * screen_erase() removes the last frame. screen_leave() keeps it and removes text typed below it.
 */
void screen_erase(struct screen *s);
void screen_leave(struct screen *s);

#endif
