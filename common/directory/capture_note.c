// SPDX-License-Identifier: Apache-2.0
#include "common/directory/capture_note.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/base/text_file.h"
#include "common/directory/directory.h"

/* As reader/capture/account.c: many times what a recorder of 4096 CPUs writes. */
#define NOTE_MAX_BYTES (32 << 20)
#define PARSED_BYTES   (512u << 20)

int ts_capture_note_read(struct ts_json **ret, int dir_fd)
{
	int fd = ts_regular_open(dir_fd, TS_DIR_INFO), rc = fd < 0 ? fd : -EINVAL;
	struct ts_bytes text = {0};
	struct stat st;
	size_t offset;

	*ret = NULL;
	if (fd >= 0 && !fstat(fd, &st) && st.st_size <= NOTE_MAX_BYTES)
		rc = ts_text_file_read_fd(&text, fd);
	if (!rc)
		rc = ts_json_parse((const char *)text.data, text.len, PARSED_BYTES, ret, &offset);
	ts_bytes_release(&text);
	if (fd >= 0)
		close(fd);
	return rc == -ENOMEM ? rc : 0;
}
