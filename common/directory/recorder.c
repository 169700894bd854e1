// SPDX-License-Identifier: Apache-2.0
#include "common/directory/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/base/text_file.h"
#include "common/directory/directory.h"

#define NOTE_MAX_BYTES (16 << 20) /* of a tstream.json that this module reads */
#define FIELDS_BETWEEN 19 /* of /proc/PID/stat: from the state, behind the name, to the start */

bool ts_recorder_holds_at(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool holds;

	if (fd < 0)
		return false;
	holds = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return holds;
}

bool ts_recorder_holds(int dir_fd)
{
	return ts_recorder_holds_at(dir_fd, ".");
}

/*
 * Parses the start time of a stat. The name before it stands in parentheses, and may contain blanks
 * and parentheses itself.
 */
static uint64_t parse_start(const char *stat)
{
	const char *at = strrchr(stat, ')');

	for (int i = 0; at && i <= FIELDS_BETWEEN; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t ts_recorder_start_ticks(pid_t pid)
{
	struct ts_bytes stat = {0};
	uint64_t ticks = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!ts_text_file_read_all(&stat, AT_FDCWD, path))
		ticks = parse_start((const char *)stat.data);
	ts_bytes_release(&stat);
	return ticks;
}

/* NULL: the file is missing or cannot be read. */
static struct json_object *read_note(int dir_fd)
{
	int fd = ts_regular_open(dir_fd, TS_DIR_INFO);
	struct json_object *root = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size <= NOTE_MAX_BYTES)
		root = json_object_from_fd(fd);
	close(fd);
	return root;
}

const char *ts_recorder_name(char text[TS_RECORDER_TEXT], int dir_fd)
{
	struct json_object *root = read_note(dir_fd), *recorder, *pid, *start;
	int64_t number = 0;

	if (json_object_object_get_ex(root, TS_RECORDER_KEY, &recorder) &&
	    json_object_object_get_ex(recorder, TS_RECORDER_PID, &pid) &&
	    json_object_object_get_ex(recorder, TS_RECORDER_START, &start) &&
	    json_object_get_uint64(start) &&
	    ts_recorder_start_ticks(json_object_get_int(pid)) == json_object_get_uint64(start))
		number = json_object_get_int(pid);
	json_object_put(root);
	if (number > 0)
		snprintf(text, TS_RECORDER_TEXT, "process %" PRId64, number);
	else
		snprintf(text, TS_RECORDER_TEXT, "another process");
	return text;
}
