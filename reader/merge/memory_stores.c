// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/memory_stores.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/base/regular.h"
#include "common/directory/directory.h"
#include "common/directory/memory_store.h"
#include "common/directory/output_place.h"
#include "common/directory/recorder.h"

#define START_S 10 /* so long a recorder may take until its hold has its name */

static bool is_part(const char *name)
{
	size_t len = strlen(TS_MEMORY_STORE_CAPTURE);

	return !strncmp(name, TS_MEMORY_STORE_CAPTURE, len) && (!name[len] || name[len] == '.');
}

/*
 * The running segment is the newest, except for segments after a cut; stamps are in the order of
 * time.
 */
static int rank(const char *name)
{
	if (!strcmp(name, TS_MEMORY_STORE_CAPTURE ".new"))
		return 2;
	return strcmp(name, TS_MEMORY_STORE_CAPTURE) ? 0 : 1;
}

static int by_age(const struct dirent **a, const struct dirent **b)
{
	int order = rank((*a)->d_name) - rank((*b)->d_name);

	return order ? order : strcmp((*a)->d_name, (*b)->d_name);
}

static int wants_part(const struct dirent *entry)
{
	return is_part(entry->d_name);
}

static uint64_t bytes_in(int dir_fd)
{
	const struct dirent *entry;
	DIR *dir = fdopendir(dir_fd);
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (entry = readdir(dir)) != NULL)
		if (!fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	if (dir)
		closedir(dir);
	else
		close(dir_fd);
	return bytes;
}

/* Adds the capture `name`, unless it is none: a segment after a cut may not be readable yet. */
static int add_part(struct memory_store *h, const char *name, struct ts_error *err)
{
	int fd;

	if (ts_output_place_look(h->fd, name, NULL) != TS_STANDS_CAPTURE_DIR)
		return 0;
	fd = openat(h->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		h->bytes += bytes_in(fd);
	if (asprintf(&h->parts[h->nr_parts], "%s/%s", h->path, name) < 0)
		return ts_error_sys(err, ENOMEM, "cannot read %s", h->path);
	h->nr_parts++;
	return 0;
}

static int find_parts(struct memory_store *h, struct ts_error *err)
{
	struct dirent **entries;
	int nr = scandirat(h->fd, ".", &entries, wants_part, by_age), code = 0;

	if (nr < 0)
		return ts_error_sys(err, errno, "cannot read %s", h->path);
	h->parts = calloc((size_t)nr + 1, sizeof(*h->parts));
	if (!h->parts)
		code = ts_error_sys(err, ENOMEM, "cannot read %s", h->path);
	for (int i = 0; i < nr; i++) {
		if (!code)
			code = add_part(h, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	return code;
}

/* Reads one line with an absolute path; any other text is ignored. */
static char *read_output(int dir_fd)
{
	int fd = ts_regular_open(dir_fd, TS_MEMORY_STORE_OUT);
	char text[PATH_MAX + 1], *end;
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0 || text[0] != '/')
		return NULL;
	text[len] = '\0';
	end = strchr(text, '\n');
	if (!end)
		return NULL;
	*end = '\0';
	return strdup(text);
}

/*
 * A recorder that was killed at its start left nothing else than the name. No path that goes on from
 * there: PARENT/PREFIXx/../../tmp is somewhere else.
 */
static bool has_name_of_hold(const char *path)
{
	const char *start = TS_MEMORY_STORE_PARENT "/" TS_MEMORY_STORE_PREFIX;

	return !strncmp(path, start, strlen(start)) && !strchr(path + strlen(start), '/');
}

static int wants_other(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
	       strcmp(entry->d_name, TS_MEMORY_STORE_OUT) &&
	       strcmp(entry->d_name, "tmp-" TS_MEMORY_STORE_OUT);
}

/* Refuses a store in which there is something besides the files that it has itself. */
static int check_others(const struct memory_store *h, struct ts_error *err)
{
	struct dirent **entries;
	int nr = scandirat(h->fd, ".", &entries, wants_other, alphasort);

	if (nr < 0)
		return ts_error_sys(err, errno, "cannot read %s", h->path);
	if (nr > 0) {
		ts_error_set(err, EEXIST, "cannot remove %s: %s in it is not a capture", h->path,
			     entries[0]->d_name);
		ts_error_hint(err, "look at it, then remove %s by hand", h->path);
	}
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	return nr ? -EEXIST : 0;
}

/* PARENT/.PREFIXxxxxxx: its recorder has not named it yet, or was killed before. */
static bool is_unnamed(const char *path)
{
	const char *start = TS_MEMORY_STORE_PARENT "/" TS_MEMORY_STORE_UNNAMED;
	const size_t len = strlen(start);

	return !strncmp(path, start, len) && strlen(path + len) == strlen(TS_MEMORY_STORE_RANDOM) &&
	       !strchr(path + len, '/');
}

/*
 * Locks a store that is to be removed: a failure, -errno, does not tell if a recorder has it. One
 * that is only read must not look alive to others.
 */
static int find_recorder(struct memory_store *h, bool removes, struct ts_error *err)
{
	h->is_alive = removes ? flock(h->fd, LOCK_EX | LOCK_NB) < 0 : ts_recorder_holds(h->fd);
	if (!removes || !h->is_alive || errno == EWOULDBLOCK)
		return 0;
	return ts_error_sys(err, errno, "cannot rescue %s: it cannot be locked", h->path);
}

/*
 * Its recorder makes it, locks it and names it at once. Meanwhile not even a lock is tried: it could
 * get in the way of the recorder's. A time that lies further ahead is of a clock that was set back, so
 * the hold is not new.
 */
static int find_unnamed(struct memory_store *h, const struct stat *st, bool removes,
			struct ts_error *err)
{
	const bool is_young = llabs((long long)(time(NULL) - st->st_mtime)) < START_S;

	if (!is_young && find_recorder(h, removes, err) < 0)
		return -err->code;
	if (!is_young && !h->is_alive)
		return check_others(h, err);
	ts_error_set(err, EBUSY, "cannot rescue %s: its recorder may be starting", h->path);
	return ts_error_hint(err, "try again in %d seconds", START_S);
}

int memory_store_open(struct memory_store *h, const char *path, bool removes, struct ts_error *err)
{
	struct stat st;

	*h = (struct memory_store){.path = strdup(path), .fd = -1};
	if (!h->path)
		return ts_error_sys(err, ENOMEM, "cannot read %s", path);
	h->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (h->fd < 0 || fstat(h->fd, &st) < 0)
		return ts_error_sys(err, errno, "cannot open %s", path);
	if (st.st_uid != geteuid())
		return ts_error_set(err, EACCES, "cannot rescue %s: it belongs to another user",
				    path);
	if (is_unnamed(path))
		return find_unnamed(h, &st, removes, err);
	if (find_recorder(h, removes, err) < 0)
		return -err->code;
	h->output = read_output(h->fd);
	if (find_parts(h, err) < 0)
		return -err->code;
	if (h->output || h->nr_parts || has_name_of_hold(path))
		return 0;
	ts_error_set(err, EINVAL, "cannot rescue %s: it is not the hold of a recorder", path);
	return ts_error_hint(err, "run 'tstream rescue' without a name to list the holds");
}

int memory_store_remove(struct memory_store *h, struct ts_error *err)
{
	int code;

	for (size_t i = 0; i < h->nr_parts; i++) {
		code = ts_output_place_remove(h->fd, ts_path_name(h->parts[i]), h->parts[i], err);
		if (code < 0)
			return code;
	}
	/* the segment at the start or after a cut that was not readable yet */
	ts_output_place_remove(h->fd, TS_MEMORY_STORE_CAPTURE ".new",
			       TS_MEMORY_STORE_CAPTURE ".new", &(struct ts_error){0});
	code = check_others(h, err);
	if (code < 0)
		return code;
	unlinkat(h->fd, TS_MEMORY_STORE_OUT, 0);
	unlinkat(h->fd, "tmp-" TS_MEMORY_STORE_OUT, 0);
	return rmdir(h->path) ? ts_error_sys(err, errno, "cannot remove %s", h->path) : 0;
}

void memory_store_close(struct memory_store *h)
{
	for (size_t i = 0; i < h->nr_parts; i++)
		free(h->parts[i]);
	free(h->parts);
	free(h->output);
	if (h->path && h->fd >= 0)
		close(h->fd);
	free(h->path);
	*h = (struct memory_store){.fd = -1};
}

static int wants_hold(const struct dirent *entry)
{
	char prefix[64];
	int len = snprintf(prefix, sizeof(prefix), TS_MEMORY_STORE_PREFIX "%u.", geteuid());

	return !strncmp(entry->d_name, prefix, (size_t)len) ||
	       !strncmp(entry->d_name, TS_MEMORY_STORE_UNNAMED, strlen(TS_MEMORY_STORE_UNNAMED));
}

int memory_stores_read(struct memory_stores *l, struct ts_error *err)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int nr = scandir(TS_MEMORY_STORE_PARENT, &entries, wants_hold, alphasort);

	*l = (struct memory_stores){0};
	if (nr < 0)
		return ts_error_sys(err, errno, "cannot read " TS_MEMORY_STORE_PARENT);
	l->items = calloc((size_t)nr + 1, sizeof(*l->items));
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), TS_MEMORY_STORE_PARENT "/%s", entries[i]->d_name);
		free(entries[i]);
		if (l->items && memory_store_open(&l->items[l->nr], path, false, err) == 0)
			l->nr++;
		else if (l->items)
			memory_store_close(&l->items[l->nr]);
	}
	free(entries);
	return l->items ? 0 : ts_error_sys(err, ENOMEM, "cannot list " TS_MEMORY_STORE_PARENT);
}

void memory_stores_release(struct memory_stores *l)
{
	for (size_t i = 0; i < l->nr; i++)
		memory_store_close(&l->items[i]);
	free(l->items);
	*l = (struct memory_stores){0};
}
