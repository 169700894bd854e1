/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by directory.c, directory_place.c and directory_names.c alone.
 *
 * Threads: the same as in directory.h.
 */
#ifndef TS_COMMON_DIRECTORY_DIRECTORY_PARTS_H
#define TS_COMMON_DIRECTORY_DIRECTORY_PARTS_H

#include "common/directory/directory.h"

#define TS_DIR_OLD_SUFFIX ".old"
#define TS_DIR_NEW_SUFFIX ".new"

/* Names beside the capture: NAME_MAX and a suffix. The kernel itself refuses longer ones. */
struct ts_dir_beside {
	char name[NAME_MAX + 64];
	char path[PATH_MAX + 64];
};

/* --- directory_place.c --- */

struct ts_dir_beside ts_directory_beside(const struct ts_dir *d, const char *suffix);
/*
 * The name that an earlier capture is kept under: OUT.old. A file of another user there stays as it
 * is, whatever it is, and OUT.old-1, OUT.old-2 ... takes its place.
 */
struct ts_dir_beside ts_directory_old(const struct ts_dir *d);
bool ts_directory_is_of_another(const struct ts_dir *d, const char *name);
/* Does this name beside OUT still name our directory? */
bool ts_directory_is_at(const struct ts_dir *d, const char *name);
/* Fills path, name and parent_fd, and looks at OUT. 0, or -errno with the sentence. */
int ts_directory_find(struct ts_dir *d, const char *path, struct ts_error *err);
/*
 * Looks at OUT and returns its enum ts_output_place, if it may be replaced; otherwise -errno with
 * the sentence.
 */
int ts_directory_look(const struct ts_dir *d, struct ts_error *err);
/* Adds a hint to errors that only another place can solve. Returns -err->code. */
int ts_directory_hint(struct ts_error *err);

#endif
