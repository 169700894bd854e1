// SPDX-License-Identifier: Apache-2.0
#include "common/directory/capture_note.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/regular.h"
#include "common/base/text_file.h"
#include "common/directory/directory.h"

/* A recorder of a thousand CPUs, with 256 slots of time for each, writes less than half of this. */
#define NOTE_MAX_BYTES (32u << 20)
#define PARSED_BYTES   (512u << 20) /* many times what 4096 CPUs need */

int ts_capture_note_parse(struct ts_json **ret, const char *text, size_t len, size_t *ret_offset)
{
	*ret = NULL;
	*ret_offset = 0;
	if (len > NOTE_MAX_BYTES)
		return -E2BIG;
	return ts_json_parse(text, len, PARSED_BYTES, ret, ret_offset);
}

int ts_capture_note_read(struct ts_json **ret, int dir_fd)
{
	int fd = ts_regular_open(dir_fd, TS_DIR_INFO), rc = fd < 0 ? fd : -EINVAL;
	struct ts_bytes text = {0};
	struct stat st;
	size_t offset;

	*ret = NULL;
	if (fd >= 0 && !fstat(fd, &st) && st.st_size <= (off_t)NOTE_MAX_BYTES)
		rc = ts_text_file_read_fd(&text, fd);
	if (!rc)
		rc = ts_capture_note_parse(ret, (const char *)text.data, text.len, &offset);
	ts_bytes_release(&text);
	if (fd >= 0)
		close(fd);
	return ts_error_is_of_machine(-rc) ? rc : 0;
}
