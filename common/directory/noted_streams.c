// SPDX-License-Identifier: Apache-2.0
#include "common/directory/noted_streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/bytes.h"
#include "common/base/regular.h"
#include "common/base/text_file.h"
#include "common/json/json.h"

/* As reader/capture/account.c: many times what a recorder of 4096 CPUs writes. */
#define NOTE_MAX_BYTES (32 << 20)
#define PARSED_BYTES   (512u << 20)

static int parse_note(struct ts_noted_streams *n, int fd)
{
	struct ts_bytes text = {0};
	struct stat st;
	size_t offset;
	int rc = -EINVAL;

	if (!fstat(fd, &st) && st.st_size <= NOTE_MAX_BYTES)
		rc = ts_text_file_read_fd(&text, fd);
	if (!rc)
		rc = ts_json_parse((const char *)text.data, text.len, PARSED_BYTES, &n->note,
				   &offset);
	ts_bytes_release(&text);
	return rc == -ENOMEM ? rc : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int ts_noted_streams_read(struct ts_noted_streams *ret, int dir_fd)
{
	const int fd = ts_regular_open(dir_fd, "tstream.json");
	const struct ts_json *writers, *writer;
	int rc;

	*ret = (struct ts_noted_streams){0};
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	rc = parse_note(ret, fd);
	close(fd);
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
