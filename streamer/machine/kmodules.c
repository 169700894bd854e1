// SPDX-License-Identifier: Apache-2.0
/*
 * /proc/modules lists the loaded modules. modules.dep, which depmod writes, has one line for each
 * module of this kernel with the path of its file. File names may have '-' where the kernel writes
 * '_', and may end in .gz, .xz or .zst.
 */
#include "streamer/machine/kmodules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/base/text_file.h"

#define NAME_BYTES 256 /* MODULE_NAME_LEN is 64 - sizeof(long) */

bool kmodules_parse_line(const char *line, size_t len, size_t *ret_name_len, uint64_t *ret_bytes,
			 uint64_t *ret_start)
{
	char text[4096];
	unsigned long long bytes, start;
	int name_len = 0;

	if (len >= sizeof(text))
		return false;
	memcpy(text, line, len);
	text[len] = '\0';
	/* name size references dependants state address */
	if (sscanf(text, "%*s%n %llu %*s %*s %*s %llx", &name_len, &bytes, &start) != 2)
		return false;
	*ret_name_len = (size_t)name_len;
	*ret_bytes = bytes;
	*ret_start = start;
	return true;
}

bool kmodules_parse_dep(const char *line, size_t len, char *name, size_t size, size_t *ret_path_len)
{
	const char *colon = memchr(line, ':', len);
	const char *from = line, *end;

	if (!colon)
		return false;
	for (const char *at = line; at < colon; at++)
		if (*at == '/')
			from = at + 1;
	end = memmem(from, (size_t)(colon - from), ".ko", 3);
	if (!end || end == from || (size_t)(end - from) >= size)
		return false;
	for (; from < end; from++)
		*name++ = *from == '-' ? '_' : *from;
	*name = '\0';
	*ret_path_len = (size_t)(colon - line);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kmodule *)a)->name, ((const struct kmodule *)b)->name);
}

/* Adds a module; its path is "[name]" until modules.dep gives another one. */
static int add_module(struct kmodules *m, const char *name, size_t name_len, uint64_t bytes,
		      uint64_t start)
{
	struct kmodule *items = m->items, *item;

	if ((m->nr & (m->nr - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
		items = reallocarray(m->items, m->nr ? m->nr * 2 : 1, sizeof(*items));
		if (!items)
			return -ENOMEM;
		m->items = items;
	}
	item = &items[m->nr];
	*item = (struct kmodule){.name = strndup(name, name_len), .start = start, .bytes = bytes};
	if (!item->name || asprintf(&item->path, "[%s]", item->name) < 0) {
		free(item->name);
		return -ENOMEM;
	}
	m->nr++;
	return 0;
}

static int add_loaded(struct kmodules *m, struct ts_text_file *file)
{
	uint64_t bytes, start;
	const char *line;
	size_t len, name_len;

	while (ts_text_file_next(file, &line, &len) > 0)
		if (kmodules_parse_line(line, len, &name_len, &bytes, &start) &&
		    add_module(m, line, name_len, bytes, start))
			return -ENOMEM;
	if (m->nr)
		qsort(m->items, m->nr, sizeof(*m->items), by_name);
	return 0;
}

static int add_paths(struct kmodules *m, struct ts_text_file *file, const char *folder)
{
	char name[NAME_BYTES];
	const char *line;
	size_t len, path_len;

	while (m->nr && ts_text_file_next(file, &line, &len) > 0) {
		struct kmodule key = {.name = name}, *found;
		char *path;

		if (!kmodules_parse_dep(line, len, name, sizeof(name), &path_len))
			continue;
		found = bsearch(&key, m->items, m->nr, sizeof(key), by_name);
		if (!found)
			continue;
		if (asprintf(&path, "%s/%.*s", folder, (int)path_len, line) < 0)
			return -ENOMEM;
		free(found->path);
		found->path = path;
	}
	return 0;
}

int kmodules_load(struct kmodules *ret, const char *loaded, const char *folder,
		  struct ts_error *err)
{
	struct ts_text_file *file = malloc(sizeof(*file));
	char dep[4096];
	int failed = file ? 0 : -ENOMEM;

	*ret = (struct kmodules){0};
	snprintf(dep, sizeof(dep), "%s/modules.dep", folder);
	if (!failed && !ts_text_file_open(file, AT_FDCWD, loaded)) {
		failed = add_loaded(ret, file);
		ts_text_file_close(file);
	}
	if (!failed && ret->nr && !ts_text_file_open(file, AT_FDCWD, dep)) {
		failed = add_paths(ret, file, folder);
		ts_text_file_close(file);
	}
	free(file);
	if (!failed)
		return 0;
	kmodules_release(ret);
	return ts_error_set(err, ENOMEM, "cannot list kernel modules: out of memory");
}

int kmodules_load_running(struct kmodules *ret, struct ts_error *err)
{
	char folder[sizeof(((struct utsname *)0)->release) + 16];
	struct utsname uts;

	if (uname(&uts))
		return ts_error_sys(err, errno, "cannot read the release of the kernel");
	snprintf(folder, sizeof(folder), "/lib/modules/%s", uts.release);
	return kmodules_load(ret, "/proc/modules", folder, err);
}

void kmodules_release(struct kmodules *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		free(m->items[i].name);
		free(m->items[i].path);
	}
	free(m->items);
	*m = (struct kmodules){0};
}
