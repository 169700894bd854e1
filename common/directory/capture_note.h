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
 * Parses the file. *ret is the caller's, also NULL: the file is missing, is no JSON object, or has
 * more than 32 MiB. Returns 0 or -ENOMEM.
 */
int ts_capture_note_read(struct ts_json **ret, int dir_fd);

#endif
