// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/debug_file.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/directory/symbols_folder.h"
#include "reader/objects/build_id_cache.h"
#include "reader/objects/debug_server.h"
#include "reader/objects/process_root.h"

#define DEBUG_ROOT "/usr/lib/debug"

struct wanted {
	struct elf_file *ret;
	char *path; /* the path that is tried, PATH_MAX bytes */
	struct ts_build_id id;
	const struct symbol_search *search;
	bool is_alt;	   /* a file of dwz: it has only DWARF */
	uint32_t checksum; /* of the whole file, if there is no build-id (id.len 0) */
};

static void note_sentence(const struct wanted *w, const char *sentence)
{
	if (w->search->trail)
		ts_bytes_printf(w->search->trail, "%s\n", sentence);
}

static bool refuse_file(const struct wanted *w, const char *why)
{
	symbol_search_note_elf(w->search);
	elf_file_close(w->ret);
	if (w->search->trail)
		ts_bytes_printf(w->search->trail, "cannot use %s: %s\n", w->path, why);
	return false;
}

static const char *root_of(const struct wanted *w)
{
	return w->search->symfs ? w->search->symfs : "";
}

/* Is w->path the file? */
static bool try_how(const struct wanted *w, const struct harmless *how)
{
	struct elf_section section;
	struct ts_error err;

	if (elf_file_open(w->ret, w->path, how, &err)) {
		symbol_search_note(w->search, &err);
		return false;
	}
	if (!w->id.len && !elf_file_has_checksum(w->ret, w->checksum))
		return refuse_file(w, "its checksum is not that in .gnu_debuglink of the object");
	if (w->id.len && !ts_build_id_equal(&w->ret->build_id, &w->id))
		return refuse_file(w, "its build-id is not that of the object");
	if (!w->is_alt && !elf_file_section(w->ret, SHT_SYMTAB, NULL, &section))
		return refuse_file(w, "it has no symbol table");
	if (w->is_alt && !elf_file_section(w->ret, SHT_PROGBITS, ".debug_info", &section))
		return refuse_file(w, "it has no DWARF");
	return true;
}

/* The same for a path that begins with the root. */
static bool try_path(const struct wanted *w)
{
	const struct harmless how = harmless_below(root_of(w), w->path);

	return try_how(w, &how);
}

static bool try_archive(const struct wanted *w)
{
	char name[TS_SYMBOLS_NAME];
	struct harmless how;

	if (!w->search->archive)
		return false;
	how = harmless_archived(w->search->archive);
	return snprintf(w->path, PATH_MAX, "%s/%s", w->search->archive,
			ts_symbols_name(name, &w->id, TS_SYMBOLS_DEBUG)) < PATH_MAX &&
	       try_how(w, &how);
}

static bool try_build_id(const struct wanted *w)
{
	char id[BUILD_ID_CACHE_TEXT];
	struct harmless how;

	build_id_cache_text(&w->id, id);
	if (snprintf(w->path, PATH_MAX, "%s" DEBUG_ROOT "/.build-id/%s.debug", root_of(w), id) <
		    PATH_MAX &&
	    try_path(w))
		return true;
	return build_id_cache_path(w->path, &how, &w->id, "debug", w->search) && try_how(w, &how);
}

/* The name in .gnu_debuglink, which must be a name without a folder; NULL: none. */
static const char *linked_name(const struct elf_section *link)
{
	const char *name = link->data ? link->data->d_buf : NULL;

	if (!name || !memchr(name, '\0', link->data->d_size) || !*name || strchr(name, '/'))
		return NULL;
	return name;
}

static bool try_link(const struct wanted *w, const struct elf_file *object, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const int len = slash ? (int)(slash - path) : 0;
	const size_t nr_root = strlen(root_of(w));
	struct elf_section link;
	const char *name;

	if (!slash || strlen(path) >= PATH_MAX ||
	    !elf_file_section(object, SHT_PROGBITS, ".gnu_debuglink", &link))
		return false;
	name = linked_name(&link);
	if (!name)
		return false;
	if (snprintf(w->path, PATH_MAX, "%.*s/%s", len, path, name) < PATH_MAX &&
	    strcmp(w->path, path) != 0 && try_path(w))
		return true;
	if (snprintf(w->path, PATH_MAX, "%.*s/.debug/%s", len, path, name) < PATH_MAX &&
	    try_path(w))
		return true;
	return (size_t)len >= nr_root &&
	       snprintf(w->path, PATH_MAX, "%s" DEBUG_ROOT "%.*s/%s", root_of(w),
			len - (int)nr_root, path + nr_root, name) < PATH_MAX &&
	       try_path(w);
}

/* Searches the root of a process that lives in a container. */
static bool try_process(const struct wanted *w, const struct elf_file *object)
{
	char root[PROCESS_ROOT_BYTES], path[PATH_MAX];
	struct symbol_search search = *w->search;
	struct wanted there = *w;

	if (search.symfs || !search.path || !process_root(search.pid, root) ||
	    snprintf(path, sizeof(path), "%s%s", root, search.path) >= (int)sizeof(path))
		return false;
	search.symfs = root;
	there.search = &search;
	return try_build_id(&there) || try_link(&there, object, path);
}

static bool try_servers(const struct wanted *w)
{
	return w->search->server &&
	       !debug_server_find(w->search->server, DEBUG_SERVER_DEBUGINFO, &w->id, w->path,
				  w->search->trail) &&
	       try_how(w, HARMLESS_OWN);
}

bool debug_file_open(struct elf_file *ret, char *ret_path, const struct elf_file *object,
		     const struct symbol_search *search)
{
	struct wanted w = {.ret = ret, .path = ret_path, .id = object->build_id, .search = search};
	GElf_Word checksum;

	if (w.id.len < 2) {
		if (dwelf_elf_gnu_debuglink(object->elf, &checksum)) {
			w.id.len = 0;
			w.checksum = checksum;
			return try_link(&w, object, search->path);
		}
		note_sentence(&w, "no debug file is looked for: the object has neither a build-id "
				  "nor a .gnu_debuglink to know it by");
		return false;
	}
	return try_archive(&w) || try_build_id(&w) || try_link(&w, object, search->path) ||
	       try_process(&w, object) || try_servers(&w);
}

/* --- the file with DWARF of several files --- */

/* .gnu_debugaltlink: a name, and behind its NUL a build-id. */
static const char *alt_name(const struct elf_section *link, struct ts_build_id *ret_id)
{
	const char *name = link->data ? link->data->d_buf : NULL;
	const char *nul = name ? memchr(name, '\0', link->data->d_size) : NULL;
	size_t id_bytes;

	if (!nul || nul == name)
		return NULL;
	id_bytes = link->data->d_size - (size_t)(nul + 1 - name);
	if (id_bytes < 2 || id_bytes > TS_BUILD_ID_MAX)
		return NULL;
	*ret_id = (struct ts_build_id){.len = (uint8_t)id_bytes};
	memcpy(ret_id->bytes, nul + 1, id_bytes);
	return name;
}

/*
 * The name begins at the root, or beside the file that names it; that file's path was opened in the
 * same way.
 */
static bool try_name(const struct wanted *w, const char *name, const char *path,
		     const struct harmless *how)
{
	const char *slash = strrchr(path, '/');
	const int len = slash ? (int)(slash - path) : 0;

	if (*name == '/')
		return snprintf(w->path, PATH_MAX, "%s%s", root_of(w), name) < PATH_MAX &&
		       try_path(w);
	return slash && len < PATH_MAX &&
	       snprintf(w->path, PATH_MAX, "%.*s/%s", len, path, name) < PATH_MAX &&
	       try_how(w, how);
}

bool debug_file_open_alt(struct elf_file *ret, char *ret_path, const struct elf_file *source,
			 const char *path, const struct symbol_search *search)
{
	struct wanted w = {.ret = ret, .path = ret_path, .search = search, .is_alt = true};
	struct elf_section link;
	const char *name;

	if (!elf_file_section(source, SHT_PROGBITS, ".gnu_debugaltlink", &link))
		return false;
	name = alt_name(&link, &w.id);
	return name && (try_archive(&w) || try_build_id(&w) ||
			try_name(&w, name, path, &source->how) || try_servers(&w));
}
