// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/pprof_mappings.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "reader/symbols/symbol.h"

/* Captures of several hosts may have other builds of a file under the same path. */
static void take_build_id(struct pprof_mapping *to, const struct module_name *module)
{
	struct ts_build_id id;

	if (to->has_several || !symbols_build_id(module, &id))
		return;
	to->has_several = to->build_id.len && !ts_build_id_equal(&to->build_id, &id);
	to->build_id = to->has_several ? (struct ts_build_id){0} : id;
}

static void take_build_ids(struct pprof_mappings *m, const struct frame_looks *looks,
			   const struct aggregate *a)
{
	const struct module_name *last = NULL;

	for (uint32_t i = 0; i < a->frames.nr; i++) {
		const struct module_name *module = a->frames.items[i].module;
		const uint32_t number = m->objects.of_look[looks->of_frame[i]];

		if (number && module != last)
			take_build_id(&m->items[number - 1], module);
		last = module;
	}
}

int pprof_mappings_init(struct pprof_mappings *m, const struct frame_looks *looks,
			const struct aggregate *a)
{
	*m = (struct pprof_mappings){0};
	if (look_objects_init(&m->objects, looks, a->memory))
		return -ENOMEM;
	m->items = memory_new(a->memory, (size_t)m->objects.names.nr + 1, sizeof(*m->items));
	if (!m->items)
		return -ENOMEM;
	take_build_ids(m, looks, a);
	return 0;
}

void pprof_mappings_count(struct pprof_mappings *m, const struct stack_paths *paths, size_t path)
{
	const struct stack_path *p = &paths->items[path];
	const uint32_t *looks = paths->numbers + p->first;

	for (uint32_t i = 0; i < p->nr; i++) {
		const uint32_t number = m->objects.of_look[looks[i]];
		struct pprof_mapping *mapping;

		if (!number)
			continue;
		mapping = &m->items[number - 1];
		if (mapping->last_path == path + 1)
			continue;
		mapping->last_path = path + 1;
		mapping->nr_samples += p->weight[STACK_NEW].nr_samples;
	}
}

/* "libc.so", "libc.so.6", "libc.so_2": the names that pprof takes for libraries. */
static bool is_library(const char *path)
{
	for (const char *at = path; (at = strstr(at, ".so")); at += strlen(".so")) {
		const char *end = at + strlen(".so");

		if (!*end || ((*end == '.' || *end == '_') && isdigit((unsigned char)end[1])))
			return true;
	}
	return false;
}

static bool is_program(const char *path)
{
	return path[0] == '/' && path[1] != '/' && !is_library(path);
}

uint32_t pprof_mappings_program(const struct pprof_mappings *m)
{
	uint64_t most = 0;
	uint32_t program = 0;

	for (uint32_t i = 0; i < m->objects.names.nr; i++)
		if (m->items[i].nr_samples > most && is_program(m->objects.names.items[i])) {
			most = m->items[i].nr_samples;
			program = i + 1;
		}
	return program;
}

void pprof_mappings_release(struct pprof_mappings *m)
{
	look_objects_release(&m->objects);
	memory_free(m->items);
	*m = (struct pprof_mappings){0};
}
