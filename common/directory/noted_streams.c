// SPDX-License-Identifier: Apache-2.0
#include "common/directory/noted_streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/directory/capture_note.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int ts_noted_streams_read(struct ts_noted_streams *ret, int dir_fd)
{
	const struct ts_json *writers, *writer;
	int rc;

	*ret = (struct ts_noted_streams){0};
	rc = ts_capture_note_read(&ret->note, dir_fd);
	if (rc)
		return rc;
	writers = ts_json_member(ret->note, "writers", TS_JSON_ARRAY);
	ret->names = calloc(ts_json_count(writers) + 1, sizeof(*ret->names));
	if (!ret->names)
		return -ENOMEM;
	for (writer = ts_json_first(writers); writer; writer = ts_json_next(writer)) {
		const char *name = ts_json_text(writer, "stream");

		if (name)
			ret->names[ret->nr++] = name;
	}
	qsort(ret->names, ret->nr, sizeof(*ret->names), by_name);
	return 0;
}

bool ts_noted_streams_allow(const struct ts_noted_streams *n, const char *name)
{
	return !n->nr || bsearch(&name, n->names, n->nr, sizeof(*n->names), by_name);
}

void ts_noted_streams_release(struct ts_noted_streams *n)
{
	ts_json_free(n->note);
	free(n->names);
	*n = (struct ts_noted_streams){0};
}
