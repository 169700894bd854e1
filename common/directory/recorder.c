// SPDX-License-Identifier: Apache-2.0
#include "common/directory/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/base/text_file.h"
#include "common/directory/directory.h"
#include "common/json/json.h"

#define NOTE_MAX_BYTES	  (16 << 20) /* of a tstream.json that this module reads */
#define NOTE_PARSED_BYTES (256u << 20)
#define FIELDS_BETWEEN	  19 /* of /proc/PID/stat: from the state, behind the name, to the start */

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
static struct ts_json *read_note(int dir_fd)
{
	int fd = ts_regular_open(dir_fd, TS_DIR_INFO);
	struct ts_json *root = NULL;
	struct ts_bytes text = {0};
	struct stat st;
	size_t offset;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size <= NOTE_MAX_BYTES &&
	    !ts_text_file_read_fd(&text, fd))
		ts_json_parse((const char *)text.data, text.len, NOTE_PARSED_BYTES, &root, &offset);
	ts_bytes_release(&text);
	if (fd >= 0)
		close(fd);
	return root;
}

const char *ts_recorder_name(char text[TS_RECORDER_TEXT], int dir_fd)
{
	struct ts_json *root = read_note(dir_fd);
	const struct ts_json *recorder = ts_json_member(root, TS_RECORDER_KEY, TS_JSON_OBJECT);
	uint64_t pid = ts_json_number(recorder, TS_RECORDER_PID);
	uint64_t start = ts_json_number(recorder, TS_RECORDER_START);

	if (pid && pid <= INT32_MAX && start && ts_recorder_start_ticks((pid_t)pid) == start)
		snprintf(text, TS_RECORDER_TEXT, "process %" PRIu64, pid);
	else
		snprintf(text, TS_RECORDER_TEXT, "another process");
	ts_json_free(root);
	return text;
}
