// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/object_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "common/directory/symbols_folder.h"
#include "reader/objects/build_id_cache.h"
#include "reader/objects/debug_server.h"
#include "reader/objects/process_file.h"
#include "reader/objects/process_root.h"

int object_file_check(struct elf_file *object, const char *path, const struct ts_build_id *expected,
		      struct ts_error *err)
{
	if (!expected->len || ts_build_id_equal(&object->build_id, expected))
		return 0;
	elf_file_close(object);
	return ts_error_set(err, ESTALE,
			    "cannot use symbols of %s: its build-id is not the recorded one", path);
}

static int try_path(struct elf_file *ret, const char *path, const struct harmless *how,
		    const struct ts_build_id *expected, struct ts_error *err)
{
	int rc = elf_file_open(ret, path, how, err);

	return rc ? rc : object_file_check(ret, path, expected, err);
}

bool object_file_open_archived(struct elf_file *ret, char *ret_path,
			       const struct ts_build_id *expected,
			       const struct symbol_search *search)
{
	char name[TS_SYMBOLS_NAME];
	struct harmless how;
	struct ts_error err;

	if (!search->archive || !expected->len ||
	    snprintf(ret_path, PATH_MAX, "%s/%s", search->archive,
		     ts_symbols_name(name, expected, TS_SYMBOLS_OBJECT)) >= PATH_MAX)
		return false;
	how = harmless_archived(search->archive);
	if (!try_path(ret, ret_path, &how, expected, &err))
		return true;
	symbol_search_note(search, &err);
	return false;
}

bool object_file_open_cached(struct elf_file *ret, char *ret_path,
			     const struct ts_build_id *expected, const struct symbol_search *search,
			     const char *file)
{
	struct harmless how;
	struct ts_error err;

	if (!build_id_cache_path(ret_path, &how, expected, file, search))
		return false;
	if (!try_path(ret, ret_path, &how, expected, &err))
		return true;
	symbol_search_note(search, &err);
	return false;
}

/* --- files that were recorded under a name that is theirs no longer --- */

struct wanted {
	struct elf_file *ret;
	char *ret_path; /* PATH_MAX bytes */
	const struct ts_build_id *id;
	const struct symbol_search *search;
};

/* Only the build-id tells that this file is the one; so another one leaves no line. */
static bool try_other(const struct wanted *w, const struct harmless *how)
{
	struct ts_error ignored;

	return !try_path(w->ret, w->ret_path, how, w->id, &ignored);
}

static bool try_undeleted(const struct wanted *w)
{
	const char *path = w->search->path;
	const size_t len = process_file_path_len(path);
	struct harmless how;

	if (!path[len] || snprintf(w->ret_path, PATH_MAX, "%.*s", (int)len, path) >= PATH_MAX)
		return false;
	how = harmless_below(w->search->symfs, w->ret_path);
	return try_other(w, &how);
}

/* Searches the root of a process that lives in a container. */
static bool try_root(const struct wanted *w)
{
	char root[PROCESS_ROOT_BYTES];
	struct harmless how;
	struct ts_error err;

	if (!process_root(w->search->pid, root) ||
	    snprintf(w->ret_path, PATH_MAX, "%s%s", root, w->search->path) >= PATH_MAX)
		return false;
	how = harmless_below(root, w->ret_path);
	if (!try_path(w->ret, w->ret_path, &how, w->id, &err))
		return true;
	symbol_search_note(w->search, &err);
	return false;
}

static bool try_mapped(const struct wanted *w)
{
	const struct symbol_search *search = w->search;

	return (process_file_program(search->pid, w->ret_path) &&
		try_other(w, &PROCESS_FILE_HOW)) ||
	       (process_file_mapped(search->pid, search->path, w->ret_path) &&
		try_other(w, &PROCESS_FILE_HOW));
}

static bool try_servers(const struct wanted *w)
{
	struct ts_error err;

	if (!w->search->server || debug_server_find(w->search->server, DEBUG_SERVER_EXECUTABLE,
						    w->id, w->ret_path, w->search->trail))
		return false;
	if (!try_path(w->ret, w->ret_path, HARMLESS_OWN, w->id, &err))
		return true;
	symbol_search_note(w->search, &err);
	return false;
}

int object_file_open(struct elf_file *ret, char *ret_path, const struct ts_build_id *expected,
		     const struct symbol_search *search, struct ts_error *err)
{
	const struct harmless how = harmless_below(search->symfs, search->path);
	const struct wanted w = {ret, ret_path, expected, search};
	int rc;

	if (object_file_open_archived(ret, ret_path, expected, search))
		return 0;
	rc = try_path(ret, search->path, &how, expected, err);
	if (rc && expected->len &&
	    (try_undeleted(&w) || (!search->symfs && (try_root(&w) || try_mapped(&w))) ||
	     object_file_open_cached(ret, ret_path, expected, search, "elf") || try_servers(&w))) {
		symbol_search_note(search, err);
		*err = (struct ts_error){0};
		return 0;
	}
	if (rc)
		return rc;
	if (snprintf(ret_path, PATH_MAX, "%s", search->path) < PATH_MAX)
		return 0;
	elf_file_close(ret);
	return ts_error_sys(err, ENAMETOOLONG, "cannot use symbols of %s", search->path);
}
