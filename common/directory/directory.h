/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture on disk: made beside its final name, shown in one step, its predecessor kept as .old.
 *
 * ts_dir_create() looks at OUT and refuses anything that it must not touch. It then makes the
 * directory OUT.new (0700) and nothing else; streams and `data` go in there. ts_dir_publish()
 * renames an earlier capture OUT to OUT.old (and removes the OUT.old before it), then OUT.new to
 * OUT. Until then nothing of the user's is changed, and ts_dir_discard() leaves no trace.
 *
 * The directory is held by its descriptor, so writing goes on under any name. It is locked until
 * ts_dir_unlock() or its release (recorder.h). A directory that another process holds is neither
 * renamed nor removed, at OUT, at OUT.old and at OUT.new. Nor is a file or directory of another
 * user, at OUT.old and at OUT.new: where another user has OUT.old, the earlier capture becomes
 * OUT.old-1, or the first further number that is no other user's.
 *
 * Only a capture is ever renamed or removed: a directory with a `data` that begins as perf.data
 * does, or such a file. Removal deletes only the names that captures have: data, data.N (only those
 * that tstream.json names, if it names any), tstream.json, their tmp-, and the folder of symbols. If the directory holds anything else,
 * nothing is deleted and the sentence names it. An empty regular file at OUT is replaced. Links are
 * not followed at the last component.
 *
 * Threads: one owner at a time; ts_dir_replace() may be called by any thread while no other
 * function runs on the same object.
 */
#ifndef TS_COMMON_DIRECTORY_DIRECTORY_H
#define TS_COMMON_DIRECTORY_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/file_io.h"

#define TS_DIR_DATA "data"
#define TS_DIR_INFO "tstream.json"

struct ts_dir_identity { /* of a directory, under any name */
	uint64_t dev, ino;
};

struct ts_dir {
	int fd;		/* the capture directory; -1 */
	int parent_fd;	/* the directory that contains it; -1 */
	char *path;	/* as the user gave it, without trailing slashes; owned */
	char *name;	/* its last component; owned */
	int reserve_fd; /* a file without a name that keeps room; -1: none */
	bool is_published;
	struct ts_dir_identity present; /* the owner's own capture at OUT; zeroed: none */
	char kept
		[16]; /* ts_dir_publish() renamed an earlier OUT to OUT and this suffix; "": none */
	/* Set by the owner: replaced files and the published name reach the disk at once. */
	bool syncs;
};

#define TS_DIR_INIT                                                                                \
	{                                                                                          \
		.fd = -1, .parent_fd = -1, .reserve_fd = -1                                        \
	}

/* Would ts_dir_create() accept `path`? Changes nothing: for the check of the command line. */
int ts_dir_check(const char *path, struct ts_error *err);
/*
 * Makes OUT.new. The caller releases *ret, also after a failure. -EBUSY: somebody writes OUT.
 */
int ts_dir_create(struct ts_dir *ret, const char *path, struct ts_error *err);
/*
 * The same for a recording that goes on in another directory: `present` at OUT, which it holds, is
 * no reason to refuse.
 */
int ts_dir_create_next(struct ts_dir *ret, const char *path, const struct ts_dir *present,
		       struct ts_error *err);
/* Creates data.N in it. */
int ts_dir_create_stream(struct ts_dir *d, unsigned int n, enum ts_stream_io io,
			 struct ts_stream_file *ret, struct ts_error *err);
/* Replaces a file (TS_DIR_DATA, TS_DIR_INFO) in one step. */
int ts_dir_replace(struct ts_dir *d, const char *name, const void *data, size_t len,
		   struct ts_error *err);
/*
 * Keeps room on the filesystem for one more ts_dir_replace() of each file that was replaced before,
 * even if these files are `growth_bytes` longer. The last versions then find room on a full disk.
 * If that is not possible, nothing is kept. Replaces an earlier reserve. ts_dir_unreserve() gives
 * the room back, and so does the end of the process.
 */
void ts_dir_reserve(struct ts_dir *d, uint64_t growth_bytes);
void ts_dir_unreserve(struct ts_dir *d);
/*
 * Shows the directory as OUT; an earlier OUT becomes OUT.old. On failure OUT is as it was, but the
 * OUT.old before it may be gone.
 */
int ts_dir_publish(struct ts_dir *d, struct ts_error *err);
#define TS_DIR_KEPT_TEXT (4 * PATH_MAX)

/*
 * The sentence for the user after ts_dir_publish(), if a file of another user is OUT.old, so that
 * the earlier capture got another name. NULL: it did not. Returns text.
 */
const char *ts_dir_tell_kept(const struct ts_dir *d, char text[TS_DIR_KEPT_TEXT]);
/*
 * Undoes ts_dir_publish(), for a recording that failed before it had a sample: *d is no longer
 * published, and OUT is as it was before. If that is not possible, everything stays.
 */
void ts_dir_withdraw(struct ts_dir *d);
/*
 * Was the directory moved away from its path? Then its absolute path is written to ret (PATH_MAX
 * bytes). False: it is in its place, was removed, or its path cannot be found out.
 */
bool ts_dir_was_moved(const struct ts_dir *d, char *ret);
/* Does its path still name this directory? It may have been renamed or removed. */
bool ts_dir_is_there(const struct ts_dir *d);
/*
 * Like ts_dir_publish(), for a new capture with everything that the capture at OUT has. Both change
 * names in one step, so OUT is always one of the two; then the former one, now OUT.new, is removed.
 * If nothing stands at OUT, it is ts_dir_publish(). -EINVAL, and nothing is changed: the filesystem
 * cannot do it.
 */
int ts_dir_supersede(struct ts_dir *d, struct ts_error *err);
/*
 * Renames OUT to OUT.STAMP, or to OUT.STAMP-N if that name is taken (N from 1); *d has this name
 * from now on. The names of the files reach the disk before, the new name after the rename.
 * -ENOENT: OUT is no longer this directory.
 */
int ts_dir_stamp(struct ts_dir *d, const char *stamp, struct ts_error *err);
/*
 * Renames the capture OUT`suffix` to OUT; an earlier OUT becomes OUT.old, as in ts_dir_publish().
 * *ret_kept is then the sentence of ts_dir_tell_kept(), or "". -errno: the capture keeps its name.
 */
int ts_dir_rename(const char *out, const char *suffix, char ret_kept[TS_DIR_KEPT_TEXT],
		  struct ts_error *err);
/*
 * Renames `from` to `to`, or to `to`-N if that name is taken (N from 1), both below parent_fd; writes
 * the name that it has now to `to`, of so many bytes. 0, or -errno: *to is then undefined.
 */
int ts_dir_rename_numbered(int parent_fd, const char *from, char *to, size_t bytes);
/* Ends the recording into this directory: other processes may then merge or remove it. */
void ts_dir_unlock(struct ts_dir *d);
/* Removes the directory of ts_dir_create(), unless it was published. */
void ts_dir_discard(struct ts_dir *d);
/*
 * Removes the directory that a killed ts_dir_create() for `path` left, if there is one. As there, it
 * is refused if another process or another user has it.
 */
int ts_dir_clear(const char *path, struct ts_error *err);

void ts_dir_release(struct ts_dir *d); /* closes; accepts TS_DIR_INIT and zeroed; idempotent */

#endif
