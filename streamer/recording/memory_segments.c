// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/memory_segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file_io.h"
#include "common/base/min_max.h"
#include "common/base/units.h"
#include "common/directory/directory.h"
#include "common/directory/memory_store.h"
#include "common/directory/output_place.h"
#include "streamer/directory/cut.h"

#define ROOTS_MAX     100
#define ROOTS_IN_TURN 10
#define UNNAMED_MAX   10
#define SEGMENTS      16 /* of a hold; one is being written, one may end late */
#define UNNAMED	      TS_MEMORY_STORE_PARENT "/" TS_MEMORY_STORE_UNNAMED TS_MEMORY_STORE_RANDOM

/* --- the hold --- */

/* The bounds of -M where `free_bytes` are free. */
static struct memory_segments_bounds choose_bounds(const struct memory_history *asked,
						   uint64_t free_bytes)
{
	uint64_t bytes = asked->bytes ? asked->bytes : free_bytes / 2;
	struct memory_segments_bounds b = {.segment_bytes = bytes / SEGMENTS};

	b.held_bytes = bytes - 2 * b.segment_bytes;
	b.held_ns = asked->span_ns;
	b.segment_ns = asked->span_ns / SEGMENTS;
	return b;
}

static uint64_t free_bytes_of(void)
{
	struct statvfs fs;

	return statvfs(TS_MEMORY_STORE_PARENT, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* How long the merge of a snapshot may take: its output may be on a server that has gone. */
static unsigned int deadline_s(const struct memory_history *asked)
{
	const uint64_t bytes = asked->bytes ? asked->bytes : free_bytes_of() / 2;
	const uint64_t s = MEMORY_SEGMENTS_DEADLINE_S + bytes / MEMORY_SEGMENTS_LEAST_RATE;

	return (unsigned int)ts_min(s, (uint64_t)UINT_MAX);
}

#define WORD_OUT 4 /* of the line that tell_merge() makes */

/* A merge that was killed leaves OUT.new. */
static void clear_merge(char *const *argv)
{
	struct ts_error ignored; /* the snapshot has failed, which is reported */

	ts_dir_clear(argv[WORD_OUT], &ignored);
}

int memory_segments_start(struct memory_segments *h, const struct record_options *o, int log_fd,
			  const struct caller_state *caller, struct ts_error *err)
{
	const struct program_runner_plan plan = {
		.what = "snapshots",
		.deadline_s = deadline_s(&o->memory),
		.log_fd = log_fd,
		.caller = caller,
		.clear = clear_merge,
	};

	*h = (struct memory_segments){
		.root_fd = -1, .parent_fd = -1, .runner = PROGRAM_RUNNER_INIT};
	if (!o->memory.is_on)
		return 0;
	h->is_on = true;
	return program_runner_start(&h->runner, &plan, err);
}

static int find_room(struct memory_segments *h, const struct record_options *o,
		     struct ts_notes *notes, struct ts_error *err)
{
	char asked[TS_UNITS_TEXT], room[TS_UNITS_TEXT];
	struct statvfs fs;
	uint64_t free_bytes;

	if (statvfs(TS_MEMORY_STORE_PARENT, &fs) < 0)
		return ts_error_sys(err, errno, "cannot hold records in " TS_MEMORY_STORE_PARENT);
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	h->bounds = choose_bounds(&o->memory, free_bytes);
	ts_units_format_size(room, free_bytes);
	if (o->memory.bytes > free_bytes) {
		ts_error_set(err, ENOSPC,
			     "cannot hold %s in " TS_MEMORY_STORE_PARENT ": it has room for %s",
			     ts_units_format_size(asked, o->memory.bytes), room);
		return ts_error_hint(err,
				     "give a smaller -M, or enlarge the filesystem: mount -o "
				     "remount,size=%s " TS_MEMORY_STORE_PARENT,
				     asked);
	}
	if (!o->memory.bytes)
		ts_notes_add(
			notes,
			"-M holds at most %s (half of the free space in " TS_MEMORY_STORE_PARENT
			")",
			ts_units_format_size(asked, h->bounds.held_bytes));
	return 0;
}

static int open_parent(struct memory_segments *h, const char *output, struct ts_error *err)
{
	const char *slash = strrchr(output, '/');
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - output) + 1 : 1,
		 slash ? output : ".");
	h->parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return h->parent_fd < 0 ? ts_error_sys(err, errno, "cannot open %s", parent) : 0;
}

/* Writes OUT into the hold, for `tstream rescue`. */
static int note_output(const struct memory_segments *h, const char *output, struct ts_error *err)
{
	char text[2 * PATH_MAX], cwd[PATH_MAX] = "";
	int len;

	if (output[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return ts_error_sys(err, errno, "cannot find the directory that %s is in", output);
	len = snprintf(text, sizeof(text), "%s%s%s\n", cwd, *cwd ? "/" : "", output);
	return ts_file_replace(h->root_fd, TS_MEMORY_STORE_OUT, h->root, text, (size_t)len, false,
			       err);
}

/* Others can write to /dev/shm, and could have made all names that come in turn. */
static unsigned int next_number(unsigned int i)
{
	unsigned int number = i;

	if (i < ROOTS_IN_TURN || getrandom(&number, sizeof(number), 0) == sizeof(number))
		return number;
	return i;
}

/* Locks the folder; -ENOENT: it was removed before. */
static int lock_root(int root_fd)
{
	struct stat st;

	if (root_fd < 0 || flock(root_fd, LOCK_EX | LOCK_NB) || fstat(root_fd, &st))
		return -errno;
	return st.st_nlink ? 0 : -ENOENT;
}

static int make_locked(struct memory_segments *h, char path[sizeof(UNNAMED)], struct ts_error *err)
{
	int code;

	memcpy(path, UNNAMED, sizeof(UNNAMED));
	if (!mkdtemp(path))
		return ts_error_sys(err, errno, "cannot make %s", path);
	h->root_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	code = lock_root(h->root_fd);
	if (!code)
		return 0;
	rmdir(path);
	if (h->root_fd >= 0)
		close(h->root_fd);
	h->root_fd = -1;
	return ts_error_sys(err, -code, "cannot lock %s", path);
}

/*
 * Makes and locks the hold under a name that no hold has: to rescue a hold that nobody locks is one
 * of a killed recorder. A kill before it has its name leaves an empty folder, which rescue removes
 * with a lock of its own. If it was quicker than a recorder that was stopped here, another folder
 * is made.
 */
static int make_unnamed(struct memory_segments *h, char path[sizeof(UNNAMED)], struct ts_error *err)
{
	int code = make_locked(h, path, err);

	for (int i = 1; i < UNNAMED_MAX && (code == -EWOULDBLOCK || code == -ENOENT); i++)
		code = make_locked(h, path, err);
	return code;
}

/*
 * The name may be taken: by a killed recorder with the same process number, by one in another
 * container, or by another user.
 */
static int name_root(struct memory_segments *h, const char *unnamed, struct ts_error *err)
{
	char number[16] = "";

	for (unsigned int i = 1; i <= ROOTS_MAX; i++) {
		if (asprintf(&h->root, TS_MEMORY_STORE_PARENT "/" TS_MEMORY_STORE_PREFIX "%u.%d%s",
			     getuid(), getpid(), number) < 0) {
			h->root = NULL;
			return ts_error_sys(err, ENOMEM, "cannot record");
		}
		if (renameat2(AT_FDCWD, unnamed, AT_FDCWD, h->root, RENAME_NOREPLACE) == 0)
			return 0;
		ts_error_sys(err, errno, "cannot make %s", h->root);
		if (err->code != EEXIST)
			return -err->code;
		free(h->root);
		h->root = NULL;
		snprintf(number, sizeof(number), "-%u", next_number(i));
	}
	return ts_error_hint(
		err, "directories of killed recorders have these names: see tstream rescue");
}

static int make_root(struct memory_segments *h, struct ts_error *err)
{
	char unnamed[sizeof(UNNAMED)];
	int code = make_unnamed(h, unnamed, err);

	if (code < 0)
		return code;
	code = name_root(h, unnamed, err);
	if (code < 0) {
		rmdir(unnamed);
		close(h->root_fd);
		h->root_fd = -1;
	}
	return code;
}

int memory_segments_open(struct memory_segments *h, const struct record_options *o,
			 struct ts_notes *notes, struct ts_error *err)
{
	int code;

	if (!h->is_on)
		return 0;
	if ((code = find_room(h, o, notes, err)) < 0 || (code = open_parent(h, o->output, err)) < 0)
		return code;
	h->saved.max_files = o->switch_max_files;
	h->saved.max_bytes = o->keep_bytes;
	h->saved.is_list = true;
	if ((code = make_root(h, err)) < 0)
		return code;
	if (asprintf(&h->path, "%s/" TS_MEMORY_STORE_CAPTURE, h->root) < 0) {
		h->path = NULL;
		return ts_error_sys(err, ENOMEM, "cannot record");
	}
	return note_output(h, o->output, err);
}

/* --- saving --- */

/* Has the held segments merged, from segment `first` on; the items of `more` are parts, too. */
static int tell_merge(struct memory_segments *h, const struct rotation_kept *segments, size_t first,
		      const char *output, const struct rotation_kept *more, const char *last)
{
	const char **words = calloc(segments->nr + (more ? more->nr : 0) + 8, sizeof(*words));
	size_t nr = 0;
	int code;

	if (!words)
		return -ENOMEM;
	words[nr++] = "/proc/self/exe";
	words[nr++] = "merge";
	words[nr++] = "-q";
	words[nr++] = "-o";
	words[nr++] = output;
	words[nr++] = "--";
	for (size_t i = 0; more && i < more->nr; i++)
		words[nr++] = more->items[i].path;
	for (size_t i = first; i < segments->nr; i++)
		words[nr++] = segments->items[i].path;
	if (last)
		words[nr++] = last;
	code = program_runner_tell(&h->runner, words, nr);
	free(words);
	return code;
}

/* True if no file has this path and no snapshot in progress will have it. */
static bool is_free(const struct memory_segments *h, const char *path)
{
	struct stat st;

	for (unsigned int i = 0; i < h->runner.waiting; i++)
		if (!strcmp(h->savings[i].path, path))
			return false;
	return lstat(path, &st) < 0;
}

/* OUT.STAMP[-NAME][-N], the first path that is free. */
static char *free_path(const struct memory_segments *h, const char *output, const char *name)
{
	char stamp[CUT_STAMP_BYTES], number[16] = "";
	size_t len = strlen(output);
	struct timespec now;

	while (len > 1 && output[len - 1] == '/')
		len--;
	clock_gettime(CLOCK_REALTIME, &now);
	cut_stamp(stamp, now);
	for (unsigned int i = 1; i < 1000; i++) {
		char *path;

		if (asprintf(&path, "%.*s.%s%s%s%s", (int)len, output, stamp, *name ? "-" : "",
			     name, number) < 0)
			return NULL;
		if (is_free(h, path))
			return path;
		free(path);
		snprintf(number, sizeof(number), "-%u", i);
	}
	return NULL;
}

int memory_segments_check(const struct memory_segments *h, struct ts_error *err)
{
	if (h->runner.waiting < MEMORY_SEGMENTS_SAVINGS_MAX)
		return 0;
	return ts_error_set(err, EBUSY,
			    "a snapshot was asked for that was not taken: %d others are being "
			    "written",
			    MEMORY_SEGMENTS_SAVINGS_MAX);
}

int memory_segments_save(struct memory_segments *h, struct rotation_kept *segments,
			 uint64_t since_ns, const char *output, const char *name,
			 struct ts_error *err)
{
	struct memory_segments_saving saving = {.bytes = 0};
	size_t first = rotation_kept_since(segments, since_ns);

	if (!segments->nr) {
		h->has_failed = true;
		ts_error_set(err, EAGAIN, "cannot write a snapshot of %s: no segment is held in %s",
			     output, h->root);
		return ts_error_hint(err, "ask again when something was recorded");
	}
	if (first == segments->nr) /* the wall clock was set: the newest is in each snapshot */
		first--;
	saving.path = free_path(h, output, name);
	if (!saving.path || tell_merge(h, segments, first, saving.path, NULL, NULL) < 0) {
		free(saving.path);
		h->has_failed = true;
		return ts_error_set(err, EAGAIN, "cannot begin to write a snapshot of %s", output);
	}
	for (size_t i = first; i < segments->nr; i++)
		saving.bytes += segments->items[i].bytes;
	h->savings[h->runner.waiting - 1] = saving;
	segments->is_read = true;
	return 0;
}

const char *memory_segments_newest(const struct memory_segments *h)
{
	return h->runner.waiting ? h->savings[h->runner.waiting - 1].path : NULL;
}

/* Each snapshot ends a segment, so many snapshots make many small segments. */
static bool is_too_long(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == PROGRAM_RUNNER_TOO_LONG;
}

static const char *reason_of(int status)
{
	if (is_too_long(status))
		return ": more segments are held than one merge takes (ask for less with "
		       "--before, or hold less with -M)";
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
		       ? ": its process was killed, possibly at its deadline"
		       : "";
}

static void note_saved(struct memory_segments *h, const struct memory_segments_saving *s,
		       int status, struct on_snapshot *hook, struct ts_notes *notes)
{
	bool is_complete = WIFEXITED(status) && !WEXITSTATUS(status);

	if (h->tell)
		h->tell(h->whom, s->path, is_complete);
	if (!is_complete) {
		ts_notes_add(notes, "%s could not be written%s", s->path, reason_of(status));
		h->has_failed = true;
		return;
	}
	ts_notes_add(notes, "%s is complete", s->path);
	on_snapshot_tell(hook, s->path, notes);
	if (!rotation_kept_add(&h->saved, h->parent_fd, s->path, s->bytes, notes))
		h->has_failed = true; /* SIGUSR2 would not combine it */
}

static void collect_segments(struct memory_segments *h, bool waits, struct rotation_kept *segments,
			     struct on_snapshot *hook, struct ts_notes *notes)
{
	int status;

	while (h->is_on && program_runner_take(&h->runner, waits, &status)) {
		note_saved(h, &h->savings[0], status, hook, notes);
		free(h->savings[0].path);
		memmove(h->savings, h->savings + 1, h->runner.waiting * sizeof(h->savings[0]));
		h->savings[h->runner.waiting].path = NULL;
	}
	segments->is_read = h->runner.waiting > 0;
	if (!h->is_on || h->runner.fd >= 0 || h->is_mute)
		return;
	h->is_mute = h->has_failed = true;
	ts_notes_add(notes,
		     "the process that writes snapshots has died: no more can be written, and the "
		     "held segments stay in %s",
		     h->root);
}

void memory_segments_collect(struct memory_segments *h, struct rotation_kept *segments,
			     struct on_snapshot *hook, struct ts_notes *notes)
{
	collect_segments(h, false, segments, hook, notes);
}

/* --- the end --- */

static void remove_hold(struct memory_segments *h, struct rotation_kept *segments,
			struct ts_notes *notes)
{
	struct ts_error err;

	for (size_t i = 0; i < segments->nr; i++)
		if (ts_output_place_remove(h->root_fd, segments->items[i].name,
					   segments->items[i].path, &err) < 0)
			ts_notes_add(notes, "%s", err.text);
	if (ts_output_place_remove(h->root_fd, TS_MEMORY_STORE_CAPTURE, h->path, &err) < 0)
		ts_notes_add(notes, "%s", err.text);
}

static int hint_at_rescue(const struct memory_segments *h, int status, struct ts_error *err)
{
	if (is_too_long(status))
		return ts_error_hint(
			err,
			"they are more than the merge of a recorder takes: tstream rescue -o "
			"OUT %s; next time make fewer snapshots (of triggers, see "
			"--min-interval), or hold less with -M",
			h->root);
	return ts_error_hint(err, "%s: tstream rescue -o OUT %s",
			     h->is_mute ? "make a capture of them"
					: "make room, then make a capture of them",
			     h->root);
}

static int save_last(struct memory_segments *h, struct rotation_kept *segments, const char *path,
		     bool combines, struct ts_error *err)
{
	int status = -1;

	if (tell_merge(h, segments, 0, path, combines ? &h->saved : NULL, h->path) == 0 &&
	    program_runner_take(&h->runner, true, &status) && WIFEXITED(status) &&
	    !WEXITSTATUS(status))
		return 0;
	h->has_failed = true;
	ts_error_set(err, EIO, "cannot write the held segments to %s: they stay in %s", path,
		     h->root);
	return hint_at_rescue(h, status, err);
}

int memory_segments_finish(struct memory_segments *h, struct rotation_kept *segments,
			   const struct record_options *o, bool combines, struct on_snapshot *hook,
			   struct ts_notes *notes, struct ts_error *err)
{
	char kept[TS_DIR_KEPT_TEXT] = "";
	char *path;
	int code;

	if (!h->is_on)
		return 0;
	h->stays = true;
	collect_segments(h, true, segments, hook, notes);
	path = free_path(h, o->output, "");
	if (!path)
		return ts_error_sys(err, ENOMEM, "cannot write the held segments: they stay in %s",
				    h->root);
	code = save_last(h, segments, path, combines, err);
	if (!code && !o->timestamp_filename)
		code = ts_dir_rename(o->output, strrchr(path, '.'), kept, err);
	if (*kept)
		ts_notes_add(notes, "%s", kept);
	if (!code) {
		const char *shown = o->timestamp_filename ? path : o->output;

		ts_notes_add(notes, "%s is complete", shown);
		on_snapshot_tell(hook, shown, notes);
		remove_hold(h, segments, notes);
		h->stays = false;
	}
	free(path);
	return code;
}

/* True if the hold has nothing but the name of OUT. */
static bool is_empty(const struct memory_segments *h)
{
	const int fd = openat(h->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool empty = dir != NULL;

	while (empty && (entry = readdir(dir)) != NULL)
		empty = entry->d_name[0] == '.' || !strcmp(entry->d_name, TS_MEMORY_STORE_OUT);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return empty;
}

void memory_segments_close(struct memory_segments *h)
{
	if (!h->is_on)
		return;
	if (h->root_fd >= 0) {
		if (is_empty(h) &&
		    (!unlinkat(h->root_fd, TS_MEMORY_STORE_OUT, 0) || errno == ENOENT))
			rmdir(h->root);
		close(h->root_fd);
	}
	if (h->parent_fd >= 0)
		close(h->parent_fd);
	program_runner_finish(&h->runner);
	for (unsigned int i = 0; i < MEMORY_SEGMENTS_SAVINGS_MAX; i++)
		free(h->savings[i].path);
	rotation_kept_release(&h->saved);
	free(h->root);
	free(h->path);
	h->is_on = false;
}
