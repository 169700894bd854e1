/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture on disk: made beside its final name, shown in one step, its predecessor kept as .old.
 *
 * ts_dir_create() looks at what stands at OUT and refuses what it must not touch,
 * then makes the directory OUT.new (0700) and nothing else; streams and `data` go in there.
 * ts_dir_publish() renames an earlier capture OUT to OUT.old (removing the OUT.old before it) and
 * OUT.new to OUT. Until then nothing the user had is changed, and ts_dir_discard() leaves no trace.
 * The directory is held by its descriptor, so writing goes on whatever it is called, and locked until
 * ts_dir_unlock() or its release (recorder.h): one that another process holds is neither renamed nor
 * removed, at OUT as well as at OUT.old and OUT.new.
 *
 * Only a capture is ever renamed or removed: a directory with a `data` that begins as perf.data
 * does, or such a file. Removal deletes only the names that captures have (data, data.N,
 * tstream.json, their tmp-, and the folder of symbols); if anything else is in there, nothing is
 * deleted and the sentence names it. An empty regular file at OUT is replaced. Links are not
 * followed at the last component.
 *
 * Threads: one owner at a time; ts_dir_replace() may be called by any thread while no other
 * function runs on the same object.
 */
#ifndef TS_COMMON_DIRECTORY_DIRECTORY_H
#define TS_COMMON_DIRECTORY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fdio.h"

#define TS_DIR_DATA "data"
#define TS_DIR_INFO "tstream.json"

struct ts_dir_identity { /* of a directory, whatever it is called */
	uint64_t dev, ino;
};

struct ts_dir {
	int fd;		/* the capture directory; -1 */
	int parent_fd;	/* what it stands in; -1 */
	char *path;	/* as the user gave it, without trailing slashes; owned */
	char *name;	/* its last component; owned */
	int reserve_fd; /* a file without a name that keeps room; -1: none */
	bool is_published;
	struct ts_dir_identity present; /* the capture at OUT that is the owner's; zeroed: none */
	bool has_old;			/* by ts_dir_publish(): what stood at OUT is OUT.old */
	bool syncs; /* the owner's: replaced files and the name that is shown reach the disk at once */
};

#define TS_DIR_INIT                                                                                \
	{                                                                                          \
		.fd = -1, .parent_fd = -1, .reserve_fd = -1                                        \
	}

/* Would ts_dir_create() accept `path`? Changes nothing: for the check of the command line. */
int ts_dir_check(const char *path, struct ts_error *err);
/* Makes OUT.new. *ret is released by the caller, also after failure. -EBUSY: OUT is being written. */
int ts_dir_create(struct ts_dir *ret, const char *path, struct ts_error *err);
/* The same for who goes on in another directory: that OUT is `present`, which he holds, is no refusal. */
int ts_dir_create_next(struct ts_dir *ret, const char *path, const struct ts_dir *present,
		       struct ts_error *err);
/* Creates data.N in it. */
int ts_dir_create_stream(struct ts_dir *d, unsigned int n, enum ts_stream_io io,
			 struct ts_stream_file *ret, struct ts_error *err);
/* Puts a file (TS_DIR_DATA, TS_DIR_INFO) in the place of the one before, in one step. */
int ts_dir_replace(struct ts_dir *d, const char *name, const void *data, size_t len,
		   struct ts_error *err);
/*
 * Keeps room on the filesystem for one more ts_dir_replace() of each file that was put there, so
 * that the last ones find it on a full disk though they are `growth_bytes` longer; where that is
 * not possible, nothing is kept. Replaces an earlier reserve. ts_dir_unreserve() gives it back, as
 * does the end of the process.
 */
void ts_dir_reserve(struct ts_dir *d, uint64_t growth_bytes);
void ts_dir_unreserve(struct ts_dir *d);
/*
 * Shows it as OUT; what stood there becomes OUT.old. On failure OUT is as it was, but the OUT.old
 * before it may be gone.
 */
int ts_dir_publish(struct ts_dir *d, struct ts_error *err);
/*
 * Takes back what ts_dir_publish() did, for a recording that failed before it had a sample: *d is not published, and OUT
 * is what it was. Where that is not possible everything stays.
 */
void ts_dir_withdraw(struct ts_dir *d);
/*
 * Where it is, if it is not where its path says: writes an absolute path to ret (PATH_MAX bytes). False: it is there, or was
 * removed, or nobody can tell.
 */
bool ts_dir_was_moved(const struct ts_dir *d, char *ret);
/* Is it what its path names? It may have been renamed or removed. */
bool ts_dir_is_there(const struct ts_dir *d);
/*
 * As ts_dir_publish() where the new one has everything that the capture at OUT has: both change names in one step,
 * so that OUT is always one of the two, then the former one, now OUT.new, is removed. Where nothing
 * stands it is ts_dir_publish(). -EINVAL, and nothing is changed: the filesystem cannot do it.
 */
int ts_dir_supersede(struct ts_dir *d, struct ts_error *err);
/*
 * OUT becomes OUT.STAMP, or OUT.STAMP-N where that is taken (N from 1), which *d is called from now on;
 * the name reaches the disk, as do the files' names before it. -ENOENT: OUT is no longer this directory.
 */
int ts_dir_stamp(struct ts_dir *d, const char *stamp, struct ts_error *err);
/*
 * The capture OUT`suffix` is called OUT from now on; what stood at OUT becomes OUT.old, as in
 * ts_dir_publish(). -errno: it is called what it was.
 */
int ts_dir_rename(const char *out, const char *suffix, struct ts_error *err);
/* Nothing will be recorded into it any more: others may merge or remove it. */
void ts_dir_unlock(struct ts_dir *d);
/* Removes what ts_dir_create() made, if it was not published. */
void ts_dir_discard(struct ts_dir *d);

void ts_dir_release(struct ts_dir *d); /* closes; accepts TS_DIR_INIT and zeroed; idempotent */

#endif
