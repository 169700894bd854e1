/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mark of a result: the extended attribute user.tstream.result. It has the size of the file and the
 * time of its last change, so it is untrue once somebody has written to the file. A file that was
 * begun has the mark "new" instead.
 *
 * A filesystem without attributes keeps no mark.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_READER_COMMANDS_RESULT_MARK_H
#define TS_READER_COMMANDS_RESULT_MARK_H

#include <stdbool.h>

/* Of an open file: it was begun; it is complete. */
void result_mark_begin(int fd);
void result_mark_end(int fd); /* call it after the last write */

/* Is it a complete result that nobody has written to, or without a byte? */
bool result_mark_is_true(int fd);
/* Has a command left it that was killed: begun, or complete? */
bool result_mark_is_left(int fd);

#endif
