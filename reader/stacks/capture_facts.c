// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/capture_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cpus.h"
#include "common/base/min_max.h"
#include "common/perf/record_type.h"
#include "reader/order/ordered.h"

/* --- CPUs --- */

static int32_t *unknowns(uint32_t nr)
{
	int32_t *items = malloc(((size_t)nr + 1) * sizeof(*items));

	for (uint32_t i = 0; items && i < nr; i++)
		items[i] = CAPTURE_FACTS_UNKNOWN;
	return items;
}

static bool skip_strings(struct ts_cursor *c)
{
	const char *text;
	uint32_t nr;

	if (!ts_cursor_u32(c, &nr))
		return false;
	while (nr--)
		if (!ts_cursor_string(c, &text))
			return false;
	return true;
}

/* CPU_TOPOLOGY: siblings of cores, of threads, then core and socket of each CPU. */
static int read_sockets(struct capture_facts *s)
{
	struct ts_cursor c = ts_header_feature_cursor(s->header, TS_FEAT_CPU_TOPOLOGY);
	uint32_t nr = s->header->nr_cpus_avail, core, socket;

	s->sockets = unknowns(nr < TS_CPUS_MAX ? nr : 0);
	if (!s->sockets)
		return -ENOMEM;
	if (nr >= TS_CPUS_MAX || !c.at || !skip_strings(&c) || !skip_strings(&c))
		return 0;
	for (; s->nr_sockets < nr && ts_cursor_u32(&c, &core) && ts_cursor_u32(&c, &socket);)
		s->sockets[s->nr_sockets++] = (int32_t)socket;
	return 0;
}

static int read_node(struct capture_facts *s, uint32_t node, const char *list, hwloc_bitmap_t set)
{
	struct ts_error ignored;
	unsigned int cpu;

	if (ts_cpus_parse(list, set, &ignored))
		return 0; /* a text that is no list names no CPU */
	hwloc_bitmap_foreach_begin(cpu, set) if (cpu < s->nr_nodes) s->nodes[cpu] = (int32_t)node;
	hwloc_bitmap_foreach_end();
	return 0;
}

/* NUMA_TOPOLOGY: for each node its number, its memory (total and free) and its CPUs. */
static int read_nodes(struct capture_facts *s)
{
	struct ts_cursor c = ts_header_feature_cursor(s->header, TS_FEAT_NUMA_TOPOLOGY);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	uint64_t total, unused;
	uint32_t nr, node;
	const char *list;

	s->nr_nodes = s->header->nr_cpus_avail < TS_CPUS_MAX ? s->header->nr_cpus_avail : 0;
	s->nodes = unknowns(s->nr_nodes);
	if (c.at && set && s->nodes && ts_cursor_u32(&c, &nr))
		while (nr-- && ts_cursor_u32(&c, &node) && ts_cursor_u64(&c, &total) &&
		       ts_cursor_u64(&c, &unused) && ts_cursor_string(&c, &list))
			read_node(s, node, list, set);
	hwloc_bitmap_free(set);
	return set && s->nodes ? 0 : -ENOMEM;
}

int32_t capture_facts_socket(const struct capture_facts *s, uint32_t cpu)
{
	return cpu < s->nr_sockets ? s->sockets[cpu] : CAPTURE_FACTS_UNKNOWN;
}

int32_t capture_facts_node(const struct capture_facts *s, uint32_t cpu)
{
	return cpu < s->nr_nodes ? s->nodes[cpu] : CAPTURE_FACTS_UNKNOWN;
}

/* --- cgroups --- */

/* A PERF_RECORD_CGROUP: header, u64 id, path with its NUL. */
static int add_cgroup(struct capture_facts *s, const struct perf_event_header *hdr)
{
	const uint8_t *at = (const uint8_t *)hdr;
	size_t size = ts_record_load_header(hdr).size,
	       cap = s->cap_cgroups ? 2 * s->cap_cgroups : 64;
	struct capture_facts_cgroup *items;
	char *path;

	if (size <= 16 || !memchr(at + 16, '\0', ts_min(size - 16, (size_t)TS_RECORD_NAME_MAX)))
		return 0;
	if (s->nr_cgroups == s->cap_cgroups) {
		items = realloc(s->cgroups, cap * sizeof(*items));
		if (!items)
			return -ENOMEM;
		s->cgroups = items;
		s->cap_cgroups = cap;
	}
	path = strdup((const char *)at + 16);
	if (!path)
		return -ENOMEM;
	s->cgroups[s->nr_cgroups++] =
		(struct capture_facts_cgroup){ts_record_load_u64(at + 8), path};
	return 0;
}

static int compare_cgroups(const void *a, const void *b)
{
	const struct capture_facts_cgroup *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int capture_facts_read_cgroups(struct capture_facts *s, const struct chunk_table *chunks,
			       struct ts_error *err)
{
	const struct ordered_window all = {.types = 1ull << PERF_RECORD_CGROUP,
					   .to_ns = UINT64_MAX};
	struct ordered *o = ordered_open(chunks, &all);
	struct ordered_record record;
	int rc = o ? 0 : -ENOMEM;

	while (!rc && (rc = ordered_next(o, &record)) > 0)
		rc = add_cgroup(s, record.hdr);
	ordered_close(o);
	if (s->nr_cgroups)
		qsort(s->cgroups, s->nr_cgroups, sizeof(*s->cgroups), compare_cgroups);
	return rc ? ts_error_sys(err, -rc, "cannot read the names of cgroups") : 0;
}

const char *capture_facts_cgroup(const struct capture_facts *s, uint64_t id)
{
	const struct capture_facts_cgroup wanted = {.id = id}, *found = NULL;

	if (!id)
		return "N/A";
	if (s->nr_cgroups)
		found = bsearch(&wanted, s->cgroups, s->nr_cgroups, sizeof(*found),
				compare_cgroups);
	return found ? found->path : "unknown";
}

/* --- the whole --- */

int capture_facts_open(struct capture_facts *s, const struct ts_header *header, const char *host,
		       struct ts_error *err)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_HOSTNAME);

	*s = (struct capture_facts){.header = header, .host = host};
	if (!host && (!c.at || !ts_cursor_string(&c, &s->host)))
		s->host = "unknown";
	if (!read_sockets(s) && !read_nodes(s))
		return 0;
	capture_facts_close(s);
	return ts_error_sys(err, ENOMEM, "cannot read the topology of the capture");
}

void capture_facts_close(struct capture_facts *s)
{
	for (size_t i = 0; i < s->nr_cgroups; i++)
		free(s->cgroups[i].path);
	free(s->cgroups);
	free(s->sockets);
	free(s->nodes);
	*s = (struct capture_facts){0};
}
