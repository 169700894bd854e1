// SPDX-License-Identifier: Apache-2.0
#include "common/directory/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/text_file.h"
#include "common/directory/capture_note.h"

#define FIELDS_BETWEEN 19 /* of /proc/PID/stat: from the state, behind the name, to the start */

int ts_recorder_look(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return ts_error_is_shortage(errno) ? -errno : 0;
	if (flock(fd, LOCK_SH | LOCK_NB))
		rc = errno == EWOULDBLOCK ? 1 : ts_error_is_shortage(errno) ? -errno : 0;
	close(fd);
	return rc;
}

bool ts_recorder_holds_at(int dir_fd, const char *path)
{
	return ts_recorder_look(dir_fd, path) != 0;
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

const char *ts_recorder_name(char text[TS_RECORDER_TEXT], int dir_fd)
{
	const struct ts_json *recorder;
	struct ts_json *root;
	uint64_t pid, start;

	ts_capture_note_read(&root, dir_fd); /* without memory it has no name, either */
	recorder = ts_json_member(root, TS_RECORDER_KEY, TS_JSON_OBJECT);
	pid = ts_json_number(recorder, TS_RECORDER_PID);
	start = ts_json_number(recorder, TS_RECORDER_START);
	if (pid && pid <= INT32_MAX && start && ts_recorder_start_ticks((pid_t)pid) == start)
		snprintf(text, TS_RECORDER_TEXT, "process %" PRIu64, pid);
	else
		snprintf(text, TS_RECORDER_TEXT, "another process");
	ts_json_free(root);
	return text;
}
