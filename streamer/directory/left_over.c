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
#include "common/directory/output_place.h"
#include "common/directory/recorder.h"
#include "streamer/directory/cut.h"

struct left_over {
	int parent_fd;
	char folder[PATH_MAX]; /* as it was given, with a slash at its end, or "" */
	char name[NAME_MAX + 64], kept[NAME_MAX + 64]; /* in it */
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

/* Splits OUT into its folder, which is opened, and the name OUT.new in it. */
static bool open_folder(struct left_over *l, const char *output)
{
	size_t len = strlen(output), folder;

	while (len > 1 && output[len - 1] == '/')
		len--;
	for (folder = len; folder && output[folder - 1] != '/';)
		folder--;
	if (folder >= sizeof(l->folder) || len - folder > NAME_MAX)
		return false;
	snprintf(l->folder, sizeof(l->folder), "%.*s", (int)folder, output);
	snprintf(l->name, sizeof(l->name), "%.*s.new", (int)(len - folder), output + folder);
	l->parent_fd = open(folder ? l->folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return l->parent_fd >= 0;
}

/* Finds the other name; false: nothing is to be kept. Others may make directories there, too. */
static bool find_left_over(struct left_over *l)
{
	const int fd =
		openat(l->parent_fd, l->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char stamp[CUT_STAMP_BYTES];
	struct stat st;
	bool is_kept;

	if (fd < 0)
		return false;
	is_kept = !fstat(fd, &st) && ts_output_place_is_ours(&st) && !ts_recorder_holds(fd) &&
		  has_records(fd) && !fstatat(fd, TS_DIR_DATA, &st, AT_SYMLINK_NOFOLLOW);
	close(fd);
	if (!is_kept)
		return false;
	cut_stamp(stamp, st.st_mtim);
	snprintf(l->kept, sizeof(l->kept), "%.*s.%s", (int)(strlen(l->name) - strlen(".new")),
		 l->name, stamp);
	return true;
}

int left_over_keep(const char *output, struct ts_notes *notes, struct ts_error *err)
{
	struct left_over l;
	int rc = 0;

	if (!open_folder(&l, output))
		return 0; /* the next step meets and reports the reason */
	if (!find_left_over(&l))
		goto out;
	rc = ts_dir_rename_numbered(l.parent_fd, l.name, l.kept, sizeof(l.kept));
	if (rc)
		ts_error_sys(err, -rc, "cannot keep %s%s as %s%s", l.folder, l.name, l.folder,
			     l.kept);
	else
		ts_notes_add(notes,
			     "%s%s is from a recorder that was killed, and has records: it was "
			     "renamed to %s%s",
			     l.folder, l.name, l.folder, l.kept);
out:
	close(l.parent_fd);
	return rc;
}
