// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/object_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "common/directory/symbols_folder.h"
#include "reader/objects/debug_server.h"
#include "reader/objects/process_root.h"

int object_file_check(struct elf_file *object, const char *path, const struct ts_build_id *expected,
		      struct ts_error *err)
{
	const struct ts_build_id id = elf_file_build_id(object);

	if (!expected->len || ts_build_id_equal(&id, expected))
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
	if (search->trail)
		ts_bytes_printf(search->trail, "%s\n", err.text);
	return false;
}

/*
 * Searches the root of a process that lives in a container. Here and below `why` is the reason why
 * no other file was found.
 */
static int try_process(struct elf_file *ret, char *ret_path, const struct ts_build_id *expected,
		       const struct symbol_search *search, struct ts_error *why)
{
	char root[PROCESS_ROOT_BYTES];
	struct harmless how;
	int rc;

	if (search->symfs || !expected->len || !process_root(search->pid, root) ||
	    snprintf(ret_path, PATH_MAX, "%s%s", root, search->path) >= PATH_MAX)
		return -why->code;
	if (search->trail)
		ts_bytes_printf(search->trail, "%s\n", why->text);
	how = harmless_below(root, ret_path);
	rc = try_path(ret, ret_path, &how, expected, why);
	if (rc)
		return rc;
	*why = (struct ts_error){0};
	return 0;
}

static int try_servers(struct elf_file *ret, char *ret_path, const struct ts_build_id *expected,
		       const struct symbol_search *search, struct ts_error *why)
{
	struct ts_error err;

	if (!search->server || !expected->len)
		return -why->code;
	if (search->trail)
		ts_bytes_printf(search->trail, "%s\n", why->text);
	if (debug_server_find(search->server, DEBUG_SERVER_EXECUTABLE, expected, ret_path,
			      search->trail))
		return -why->code;
	if (try_path(ret, ret_path, HARMLESS_OWN, expected, &err)) {
		*why = err;
		return -err.code;
	}
	*why = (struct ts_error){0};
	return 0;
}

int object_file_open(struct elf_file *ret, char *ret_path, const struct ts_build_id *expected,
		     const struct symbol_search *search, struct ts_error *err)
{
	const struct harmless how = harmless_below(search->symfs, search->path);
	int rc;

	if (object_file_open_archived(ret, ret_path, expected, search))
		return 0;
	rc = try_path(ret, search->path, &how, expected, err);
	if (rc && !try_process(ret, ret_path, expected, search, err))
		return 0;
	if (rc)
		return try_servers(ret, ret_path, expected, search, err);
	if (snprintf(ret_path, PATH_MAX, "%s", search->path) < PATH_MAX)
		return 0;
	elf_file_close(ret);
	return ts_error_sys(err, ENAMETOOLONG, "cannot use symbols of %s", search->path);
}
