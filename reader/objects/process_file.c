// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/process_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/objects/process_root.h"

size_t process_file_path_len(const char *path)
{
	const size_t len = strlen(path), end = strlen(PROCESS_FILE_DELETED);

	return len > end && !strcmp(path + len - end, PROCESS_FILE_DELETED) ? len - end : len;
}

bool process_file_program(uint32_t pid, char ret[PROCESS_FILE_BYTES])
{
	snprintf(ret, PROCESS_FILE_BYTES, "/proc/%" PRIu32 "/exe", process_root_thread(pid));
	return pid;
}

/* "7f00-7f80 r-xp 00000000 08:01 4711   /path (deleted)", with its newline cut off */
static bool is_line_of(const char *line, const char *path, size_t len)
{
	const char *slash = strchr(line, '/');

	return slash && process_file_path_len(slash) == len && !strncmp(slash, path, len);
}

bool process_file_mapped(uint32_t pid, const char *path, char ret[PROCESS_FILE_BYTES])
{
	const size_t len = process_file_path_len(path);
	const uint32_t tid = process_root_thread(pid);
	uint64_t start, end;
	char maps[PROCESS_FILE_BYTES], *line = NULL;
	bool is_found = false;
	size_t cap = 0;
	FILE *file;

	snprintf(maps, sizeof(maps), "/proc/%" PRIu32 "/maps", tid);
	file = pid ? fopen(maps, "re") : NULL;
	while (file && !is_found && getline(&line, &cap, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		is_found = is_line_of(line, path, len) &&
			   sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2;
	}
	if (is_found)
		snprintf(ret, PROCESS_FILE_BYTES,
			 "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, tid, start, end);
	free(line);
	if (file)
		fclose(file);
	return is_found;
}
