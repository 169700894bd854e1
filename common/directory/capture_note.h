/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tstream.json of a directory, as a document.
 *
 * Threads: none of its own; one owner at a time.
 */
#ifndef TS_COMMON_DIRECTORY_CAPTURE_NOTE_H
#define TS_COMMON_DIRECTORY_CAPTURE_NOTE_H

#include "common/json/json.h"

/*
 * Parses the text of one, for the caller to ts_json_free(), with the errors and the offset of
 * ts_json_parse(). -E2BIG: it has more than 32 MiB.
 */
int ts_capture_note_parse(struct ts_json **ret, const char *text, size_t len, size_t *ret_offset);
/*
 * Reads the file. *ret is the caller's, also NULL: the file is missing, or makes no sense. Returns 0,
 * or -errno if it cannot be known (ts_error_is_of_machine()).
 */
int ts_capture_note_read(struct ts_json **ret, int dir_fd);

#endif
