// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/left_over.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory/directory.h"
#include "common/directory/recorder.h"
#include "streamer/directory/cut.h"

struct left_over {
	char path[PATH_MAX + 64], kept[PATH_MAX + 64];
};

static bool has_records(int dir_fd)
{
	struct stat st = {.st_size = 0};
	char name[32];

	for (unsigned int n = 0; !st.st_size; n++) {
		snprintf(name, sizeof(name), TS_DIR_DATA ".%u", n);
		if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			return false;
	}
	return true;
}

/* Finds both names; false: nothing is to be kept. */
static bool find_left_over(struct left_over *l, const char *output)
{
	char stamp[CUT_STAMP_BYTES];
	size_t len = strlen(output);
	bool is_kept;
	struct stat st;
	int fd;

	while (len > 1 && output[len - 1] == '/')
		len--;
	snprintf(l->path, sizeof(l->path), "%.*s.new", (int)len, output);
	fd = open(l->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_kept = !ts_recorder_holds(fd) && has_records(fd) &&
		  !fstatat(fd, TS_DIR_DATA, &st, AT_SYMLINK_NOFOLLOW);
	close(fd);
	if (!is_kept)
		return false;
	cut_stamp(stamp, st.st_mtim);
	snprintf(l->kept, sizeof(l->kept), "%.*s.%s", (int)len, output, stamp);
	return true;
}

int left_over_keep(const char *output, struct ts_notes *notes, struct ts_error *err)
{
	struct left_over l;
	int rc;

	if (!find_left_over(&l, output))
		return 0;
	rc = ts_dir_rename_numbered(AT_FDCWD, l.path, l.kept, sizeof(l.kept));
	if (rc)
		return ts_error_sys(err, -rc, "cannot keep %s as %s", l.path, l.kept);
	ts_notes_add(notes,
		     "%s is from a recorder that was killed, and has records: it was renamed to %s",
		     l.path, l.kept);
	return 0;
}
