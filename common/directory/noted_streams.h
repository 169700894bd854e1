/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streams that the tstream.json of a directory names. Another file data.N there is no part of the
 * capture, so nobody may remove it with the capture.
 *
 * Threads: none of its own; one owner at a time.
 */
#ifndef TS_COMMON_DIRECTORY_NOTED_STREAMS_H
#define TS_COMMON_DIRECTORY_NOTED_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

struct ts_json;

struct ts_noted_streams {
	struct ts_json *note; /* owned */
	const char **names;   /* owned; sorted; they lie in `note` */
	size_t nr;	      /* 0: there is no tstream.json, or it names no stream */
};

/* Returns 0, or -errno as ts_capture_note_read(); *ret is to be released in both cases. */
int ts_noted_streams_read(struct ts_noted_streams *ret, int dir_fd);
/* True also if there are no names: the number alone then makes data.N a stream. */
bool ts_noted_streams_allow(const struct ts_noted_streams *n, const char *name);
void ts_noted_streams_release(struct ts_noted_streams *n); /* accepts a zeroed one; idempotent */

#endif
