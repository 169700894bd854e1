// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/base/path.h"
#include "common/base/regular.h"
#include "common/directory/directory.h"
#include "common/directory/recorder.h"
#include "common/directory/symbols_folder.h"
#include "reader/capture/account.h"
#include "reader/capture/piped.h"

static const char *const default_paths[] = {"tstream.data", "perf.data"};

static int no_memory(struct ts_error *err, const char *path)
{
	return ts_error_set(err, ENOMEM, "cannot open capture %s: out of memory", path);
}

static bool stands_beside(const char *path, const char *suffix)
{
	struct stat st;
	char *beside;
	bool stands;

	if (asprintf(&beside, "%s%s", path, suffix) < 0)
		return false;
	stands = !stat(beside, &st);
	free(beside);
	return stands;
}

/*
 * Names what a recording may have left beside the path: the previous capture, and one that never
 * began.
 */
static int refuse_missing(const char *path, int code, struct ts_error *err)
{
	ts_error_sys(err, code, "cannot open capture %s", path);
	if (code != ENOENT)
		return -code;
	if (stands_beside(path, ".old"))
		return ts_error_hint(err, "the previous capture still exists: give -i %s.old",
				     path);
	if (stands_beside(path, ".new"))
		return ts_error_hint(err, "%s.new belongs to a recording that has not begun", path);
	return ts_error_hint(err, "give -i the path that was given to record -o");
}

/* The most frequent reason is a capture that root recorded. */
static void hint_owner(const char *path, struct ts_error *err)
{
	const struct passwd *owner;
	struct stat st;

	if (stat(path, &st) || st.st_uid == geteuid())
		return;
	owner = getpwuid(st.st_uid);
	if (owner)
		ts_error_hint(err,
			      "it belongs to %s: read it as %s, or change its owner with chown",
			      owner->pw_name, owner->pw_name);
	else
		ts_error_hint(err,
			      "it belongs to user %u: read it as that user, or change its owner "
			      "with chown",
			      (unsigned int)st.st_uid);
}

static int hint_name(struct ts_error *err)
{
	return ts_error_hint(err, "give -i the path that was given to record -o");
}

static int refuse_directory(const char *path, struct ts_error *err)
{
	ts_error_set(err, ENOENT, "cannot read %s: it is not a capture (no file 'data' in it)",
		     path);
	return hint_name(err);
}

int capture_find_usual(const char **ret_path, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof(default_paths) / sizeof(*default_paths); i++) {
		if (access(default_paths[i], F_OK))
			continue;
		*ret_path = default_paths[i];
		return 0;
	}
	ts_error_set(err, ENOENT,
		     "cannot open capture: no tstream.data or perf.data in this directory");
	return ts_error_hint(err, "name one with -i PATH");
}

/* The path to open, and whether it is a directory. */
static int find_path(const char *given, const char **ret_path, bool *ret_is_dir,
		     struct ts_error *err)
{
	struct stat st;
	int rc = given ? 0 : capture_find_usual(&given, err);

	if (rc)
		return rc;
	*ret_path = given;
	*ret_is_dir = false;
	if (!strcmp(given, PIPED_PATH))
		return 0;
	if (stat(given, &st))
		return refuse_missing(given, errno, err);
	*ret_is_dir = S_ISDIR(st.st_mode);
	return 0;
}

int capture_reserve_streams(struct capture *c, size_t nr_more)
{
	const size_t nr = c->nr_streams + nr_more, cap = ts_max(nr, 2 * c->cap_streams);
	struct capture_stream *streams;

	if (nr <= c->cap_streams)
		return 0;
	streams = reallocarray(c->streams, cap, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	c->streams = streams;
	c->cap_streams = cap;
	return 0;
}

/* Takes ownership of path and map. */
static int keep_stream(struct capture *c, char *path, struct map *map, struct ts_error *err)
{
	if (!path || capture_reserve_streams(c, 1)) {
		map_close(map);
		free(path);
		return no_memory(err, c->path);
	}
	c->streams[c->nr_streams++] =
		(struct capture_stream){.path = path, .map = *map, .begin = 0, .end = map->len};
	return 0;
}

static int add_file(struct capture *c, const char *path, struct ts_error *err)
{
	struct map map;
	int rc = strcmp(path, PIPED_PATH) ? map_open(&map, path, err) : piped_open(&map, err);

	return rc ? rc : keep_stream(c, strdup(path), &map, err);
}

static char *join_path(const char *dir, const char *name)
{
	size_t len = strlen(dir);
	char *path;

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return asprintf(&path, "%.*s/%s", (int)len, dir, name) < 0 ? NULL : path;
}

/* Adds a copy of a name to a list. */
static int add_name(const struct capture *c, char ***list, size_t *nr, const char *name,
		    struct ts_error *err)
{
	char **names = reallocarray(*list, *nr + 1, sizeof(*names));

	if (!names)
		return no_memory(err, c->path);
	*list = names;
	names[*nr] = strdup(name);
	if (!names[*nr])
		return no_memory(err, c->path);
	(*nr)++;
	return 0;
}

static int add_link(struct capture *c, const char *name, struct ts_error *err)
{
	return add_name(c, &c->links, &c->nr_links, name, err);
}

static int add_stray(struct capture *c, const char *name, struct ts_error *err)
{
	return add_name(c, &c->strays, &c->nr_strays, name, err);
}

const char *capture_tell_strays(const struct capture *c, char text[CAPTURE_STRAYS_TEXT])
{
	if (c->nr_strays == 1)
		snprintf(text, CAPTURE_STRAYS_TEXT,
			 "%s/%s was left alone: it is no stream of this capture", c->path,
			 c->strays[0]);
	else
		snprintf(text, CAPTURE_STRAYS_TEXT,
			 "%zu files of %s were left alone, such as %s: they are no streams of it",
			 c->nr_strays, c->path, c->nr_strays ? c->strays[0] : "");
	return c->nr_strays ? text : NULL;
}

bool capture_has_link(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->nr_links; i++)
		if (!strcmp(c->links[i], name))
			return true;
	return false;
}

/*
 * Adds a file of the directory. A file that is not regular is passed over, as perf does; a link is
 * noted.
 */
static int add_part(struct capture *c, const char *name, struct ts_error *err)
{
	struct map map;
	int rc = map_open_in(&map, c->path, name, err);

	if (rc == -TS_REGULAR_LINK)
		return add_link(c, name, err);
	if (rc)
		return rc == -TS_REGULAR_OTHER ? 0 : rc;
	return keep_stream(c, join_path(c->path, name), &map, err);
}

static bool is_stream(const char *name)
{
	return !strncmp(name, "data.", 5) && name[5] && !name[5 + strspn(name + 5, "0123456789")];
}

static int begins_as_stream(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "data.", 5);
}

struct listing { /* of a directory: what begins as a stream, by number */
	struct dirent **entries;
	int nr;
	struct account note; /* its streams; none: the note is not to be believed */
};

static int by_name(const void *a, const void *b)
{
	const struct account_stream *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool is_noted(const struct account *a, const char *name)
{
	struct account_stream key;

	if (!is_stream(name) || strlen(name) >= sizeof(key.name))
		return false;
	strcpy(key.name, name);
	return bsearch(&key, a->streams, a->nr_streams, sizeof(key), by_name) != NULL;
}

/* A note that names a stream which is missing may be damaged: then numbers decide. */
static int read_names(struct listing *l, const struct capture *c)
{
	size_t nr_found = 0;
	int rc = account_read_streams(&l->note, c);

	if (l->note.nr_streams)
		qsort(l->note.streams, l->note.nr_streams, sizeof(*l->note.streams), by_name);
	for (int i = 0; i < l->nr; i++)
		nr_found += l->note.nr_streams && is_noted(&l->note, l->entries[i]->d_name);
	if (nr_found != l->note.nr_streams)
		account_release(&l->note);
	return rc;
}

static int add_entry(struct capture *c, const struct listing *l, const char *name,
		     struct ts_error *err)
{
	if (l->note.nr_streams ? is_noted(&l->note, name) : is_stream(name))
		return add_part(c, name, err);
	return add_stray(c, name, err);
}

/* Adds data.N, by number. */
static int add_streams(struct capture *c, struct ts_error *err)
{
	struct listing l = {.nr = scandir(c->path, &l.entries, begins_as_stream, versionsort)};
	int rc;

	if (l.nr < 0)
		return ts_error_sys(err, errno, "cannot list capture %s", c->path);
	rc = read_names(&l, c);
	if (rc)
		ts_error_sys(err, -rc, "cannot read %s/%s", c->path, TS_DIR_INFO);
	for (int i = 0; i < l.nr; i++) {
		if (!rc)
			rc = add_entry(c, &l, l.entries[i]->d_name, err);
		free(l.entries[i]);
	}
	free(l.entries);
	account_release(&l.note);
	return rc;
}

static int add_data(struct capture *c, struct ts_error *err)
{
	struct map map;
	int rc = map_open_in(&map, c->path, TS_DIR_DATA, err);

	return rc ? rc : keep_stream(c, join_path(c->path, TS_DIR_DATA), &map, err);
}

/*
 * Is this the file `data` of a directory with streams? That file has names and maps, but no
 * samples.
 */
static bool is_part_of_directory(const char *path)
{
	return !strcmp(ts_path_name(path), "data") && stands_beside(path, ".0");
}

/* A single file of a directory has no header: names the directory. */
static void hint_directory(const char *path, struct ts_error *err)
{
	const char *what = is_stream(ts_path_name(path))	      ? "a stream"
			   : !strcmp(ts_path_name(path), TS_DIR_INFO) ? "a part"
								      : NULL;
	char *folder = what ? ts_path_folder(path) : NULL;

	if (folder && stands_beside(folder, "/data"))
		ts_error_hint(err, "it is %s of the capture %s: give the path of that capture",
			      what, folder);
	free(folder);
}

/* For a file that is no capture, names a capture near by. */
static void hint_file(const struct capture *c, struct ts_error *err)
{
	const struct map *map = &c->streams[0].map;

	hint_directory(c->path, err);
	if (!*err->hint && (map->len < 4 || memcmp(map->data, "PERF", 4) != 0))
		hint_name(err);
}

int capture_parse(struct capture *c, struct ts_error *err)
{
	struct capture_stream *s = &c->streams[0];
	int rc = ts_header_parse(s->map.data, s->map.len, s->path, &c->header, err);

	if (rc && c->kind == CAPTURE_FILE)
		hint_file(c, err);
	if (rc)
		return rc;
	s->begin = c->header.data_offset;
	s->end = s->begin + c->header.data_size;
	if (s->end > s->map.len || s->begin > s->end)
		s->end = s->begin = s->map.len;
	return 0;
}

/* Finds the folder of symbols in the capture. */
static int find_archive(struct capture *c, int dir_fd, struct ts_error *err)
{
	struct stat st;

	if (fstatat(dir_fd, TS_SYMBOLS_FOLDER, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0
				       : ts_error_sys(err, errno, "cannot read %s/%s", c->path,
						      TS_SYMBOLS_FOLDER);
	if (S_ISLNK(st.st_mode))
		return add_link(c, TS_SYMBOLS_FOLDER, err);
	if (!S_ISDIR(st.st_mode))
		return 0;
	c->archive = join_path(c->path, TS_SYMBOLS_FOLDER);
	return c->archive ? 0 : no_memory(err, c->path);
}

/* Finds the other files: folder of symbols, tstream.json. */
static int find_others(struct capture *c, struct ts_error *err)
{
	const int dir_fd = open(c->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int rc;

	if (dir_fd < 0)
		return ts_error_sys(err, errno, "cannot open capture %s", c->path);
	rc = find_archive(c, dir_fd, err);
	if (!rc && !fstatat(dir_fd, TS_DIR_INFO, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		rc = add_link(c, TS_DIR_INFO, err);
	close(dir_fd);
	return rc;
}

static int map_directory(struct capture *c, struct ts_error *err)
{
	int rc = add_data(c, err);

	if (rc == -ENOENT)
		rc = refuse_directory(c->path, err);
	if (!rc)
		rc = add_streams(c, err);
	return rc ? rc : find_others(c, err);
}

static int map_files(struct capture *c, const char *path, bool is_dir, struct ts_error *err)
{
	int rc, is_held;

	/*
	 * Read the clock before the files: if the recording ends meanwhile, less of it is used than
	 * its account tells.
	 */
	c->opened_ns = ts_clock_ns(CLOCK_REALTIME);
	is_held = is_dir ? ts_recorder_look(AT_FDCWD, path) : 0;
	if (is_held < 0)
		return ts_error_sys(err, -is_held, "cannot open capture %s", path);
	c->is_running = is_held;
	c->path = strdup(path);
	c->kind = is_dir ? CAPTURE_DIRECTORY : CAPTURE_FILE;
	if (!c->path)
		rc = no_memory(err, path);
	else
		rc = is_dir ? map_directory(c, err) : add_file(c, path, err);
	if (rc == -EACCES)
		hint_owner(path, err);
	if (rc)
		capture_close(c);
	return rc;
}

int capture_map(struct capture *c, const char *path, struct ts_error *err)
{
	bool is_dir = false;
	char *folder = NULL;
	int rc;

	*c = (struct capture){0};
	rc = find_path(path, &path, &is_dir, err);
	if (rc)
		return rc;
	if (!is_dir && is_part_of_directory(path)) {
		folder = ts_path_folder(path);
		if (!folder)
			return no_memory(err, path);
		is_dir = true;
	}
	rc = map_files(c, folder ? folder : path, is_dir, err);
	free(folder);
	return rc;
}

int capture_open(struct capture *c, const char *path, struct ts_error *err)
{
	int rc = capture_map(c, path, err);

	if (rc)
		return rc;
	rc = capture_parse(c, err);
	if (rc)
		capture_close(c);
	return rc;
}

void capture_close(struct capture *c)
{
	ts_header_release(&c->header);
	for (size_t i = 0; i < c->nr_streams; i++) {
		map_close(&c->streams[i].map);
		free(c->streams[i].path);
	}
	free(c->streams);
	for (size_t i = 0; i < c->nr_links; i++)
		free(c->links[i]);
	free(c->links);
	for (size_t i = 0; i < c->nr_strays; i++)
		free(c->strays[i]);
	free(c->strays);
	free(c->archive);
	free(c->path);
	*c = (struct capture){0};
}
