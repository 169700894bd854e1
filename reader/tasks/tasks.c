// SPDX-License-Identifier: Apache-2.0
/*
 * Applying a record: check that it is whole, advance the clock, let the function of its type change
 * the table. Nothing needs to be looked up later: a fork refers to its parent's maps of that
 * moment.
 */
#include "reader/tasks/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/min_max.h"
#include "common/perf/record_layout.h"
#include "common/perf/record_type.h"
#include "reader/tasks/task_table.h"

#define KERNEL_NAME "[kernel.kallsyms]"

/* --- records --- */

struct record {
	const void *at; /* all fixed fields of its type are there (record_layout.h) */
	uint32_t type;
	uint16_t misc, size;
	const char *name; /* the text behind the fixed fields, if the type has one */
};

static int apply_comm(struct tasks *t, const struct record *r)
{
	const struct ts_record_comm *comm = r->at;
	struct task_thread *thread = task_table_thread(t, comm->pid, comm->tid);
	uint32_t name, space;

	if (!thread || task_table_name(t, r->name, &name))
		return -ENOMEM;
	space = task_table_space(t, comm->pid);
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC && space != TASK_NO_SPACE)
		t->spaces[space].nr_execs++;
	return task_thread_rename(t, thread, name);
}

/*
 * The known name and maps of this tid belong to another thread. The end of that thread, or the fork
 * of its successor, was lost.
 */
static int forget_thread(struct tasks *t, struct task_thread *thread, uint32_t pid)
{
	thread->pid = pid;
	if (task_thread_begin(t, thread, TASK_NO_NAME))
		return -ENOMEM;
	return pid == thread->tid ? task_table_begin_life(t, pid, TASK_NO_SPACE) : 0;
}

static int apply_fork(struct tasks *t, const struct record *r)
{
	const struct ts_record_task *fork = r->at;
	uint32_t pid = fork->pid, ppid = fork->ppid, tid = fork->tid;
	struct task_thread *parent = task_table_thread(t, ppid, fork->ptid), *thread;
	bool copies = !(r->misc & PERF_RECORD_MISC_FORK_EXEC) && pid != ppid;
	uint32_t name;

	if (!parent || (parent->pid != ppid && forget_thread(t, parent, ppid)))
		return -ENOMEM;
	name = task_thread_name(parent);
	thread = task_table_thread(t, pid, tid);
	if (!thread)
		return -ENOMEM;
	thread->pid = pid;
	if (task_thread_begin(t, thread, name))
		return -ENOMEM;
	return pid == tid ? task_table_begin_life(
				    t, pid, copies ? task_table_space(t, ppid) : TASK_NO_SPACE)
			  : 0;
}

static bool is_guest(const struct record *r)
{
	uint16_t cpumode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER;
}

/* Is it a map of the kernel? */
static bool is_kernel(const struct record *r)
{
	const struct ts_record_mmap *m = r->at;

	return (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
	       m->pid == TASK_PID_KERNEL;
}

/* The space that gets a map of this process; TASK_NO_SPACE: out of memory. */
static uint32_t space_for_map(struct tasks *t, uint32_t pid)
{
	uint32_t space = task_table_space(t, pid);

	if (space != TASK_NO_SPACE)
		return space;
	return task_table_begin_life(t, pid, TASK_NO_SPACE) ? TASK_NO_SPACE : t->nr_spaces - 1;
}

static int add_to_space(struct tasks *t, uint32_t space, struct task_map *map,
			const struct task_dso *dso)
{
	map->time_ns = t->now_ns;
	if (space != TASK_NO_SPACE)
		map->nr_execs = t->spaces[space].nr_execs & TASK_EXECS_MAX;
	if (space == TASK_NO_SPACE || task_table_dso(t, dso, &map->dso))
		return -ENOMEM;
	return address_space_add(&t->spaces[space].maps, map);
}

/* The names that the kernel and /proc give to memory. */
static bool is_memory(const char *name)
{
	static const char *const names[] = {"//anon", "[anon:", "/memfd:",   "/anon_hugepage",
					    "[heap",  "[stack", "/dev/zero", "/SYSV"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (name[0] == names[i][0] && name[1] == names[i][1] &&
		    !strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Adds a map to its space. The range may be anything. */
static int add_map(struct tasks *t, const struct record *r, struct task_map *map,
		   struct task_dso *dso)
{
	dso->path = r->name;
	dso->pid = ((const struct ts_record_mmap *)r->at)->pid;
	dso->is_kernel = map->is_kernel = is_kernel(r);
	if (map->is_kernel && !map->start && !map->end &&
	    !strncmp(r->name, KERNEL_NAME, strlen(KERNEL_NAME)))
		map->end = UINT64_MAX; /* addresses were hidden from the recorder */
	if (map->start >= map->end)
		return 0;
	map->is_memory = !map->is_kernel && (is_memory(r->name) || (map->flags & MAP_HUGETLB));
	return add_to_space(t, map->is_kernel ? TASK_KERNEL_SPACE : space_for_map(t, dso->pid), map,
			    dso);
}

static int apply_mmap(struct tasks *t, const struct record *r)
{
	const struct ts_record_mmap *m = r->at;
	struct task_map map = {
		.start = m->addr,
		.end = m->addr + m->len,
		.pgoff = m->pgoff,
		.prot = r->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC,
	};
	struct task_dso dso = {0};

	return is_guest(r) ? 0 : add_map(t, r, &map, &dso);
}

static int apply_mmap2(struct tasks *t, const struct record *r)
{
	const struct ts_record_mmap2 *m = r->at;
	struct task_map map = {
		.start = m->addr,
		.end = m->addr + m->len,
		.pgoff = m->pgoff,
		.prot = m->prot,
		.flags = m->flags,
	};
	struct task_dso dso = {0};

	if (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		dso.build_id_bytes = m->build_id_size;
		if (dso.build_id_bytes > sizeof(dso.build_id))
			return -EINVAL;
		memcpy(dso.build_id, m->build_id, dso.build_id_bytes);
	} else {
		map.inode = m->ino;
	}
	return is_guest(r) ? 0 : add_map(t, r, &map, &dso);
}

static int apply_ksymbol(struct tasks *t, const struct record *r)
{
	const struct ts_record_ksymbol *k = r->at;
	struct task_map map = {
		.start = k->addr,
		.end = k->addr + k->len,
		.time_ns = t->now_ns,
		.prot = PROT_EXEC,
		.dso = ADDRESS_SPACE_HOLE,
		.is_kernel = true,
	};
	struct task_dso dso = {.path = r->name, .is_kernel = true};
	bool is_end = k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;

	if (map.start >= map.end)
		return 0;
	if (!is_end && task_table_dso(t, &dso, &map.dso))
		return -ENOMEM;
	return address_space_add(&t->spaces[TASK_KSYMBOL_SPACE].maps, &map);
}

static int (*apply_of(uint32_t type))(struct tasks *, const struct record *)
{
	switch (type) {
	case PERF_RECORD_COMM:
		return apply_comm;
	case PERF_RECORD_FORK:
		return apply_fork;
	case PERF_RECORD_MMAP:
		return apply_mmap;
	case PERF_RECORD_MMAP2:
		return apply_mmap2;
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol;
	default:
		return NULL;
	}
}

/* Checks that the fixed fields and the text behind them are inside the record. */
static bool is_sound(struct record *r)
{
	size_t fixed = ts_record_type_fixed_bytes(r->type);

	if (r->size < fixed)
		return false;
	r->name = (const char *)r->at + fixed;
	return r->type == PERF_RECORD_FORK ||
	       memchr(r->name, '\0', ts_min(r->size - fixed, (size_t)TS_RECORD_NAME_MAX));
}

static void advance(struct tasks *t, uint64_t time_ns)
{
	if (time_ns > t->now_ns && time_ns != UINT64_MAX)
		t->now_ns = time_ns;
}

bool tasks_has_maps_of(const struct tasks *t, uint32_t pid, uint32_t from)
{
	uint32_t space = task_table_space(t, pid);
	const uint32_t execs = space == TASK_NO_SPACE ? 0 : t->spaces[space].nr_execs;

	for (uint32_t i = 0; i < TASK_FORKS_MAX && space != TASK_NO_SPACE; i++) {
		if (t->spaces[space].fork_execs != execs)
			return false;
		space = t->spaces[space].forked_from;
		if (space != TASK_NO_SPACE && t->spaces[space].pid == from)
			return true;
	}
	return false;
}

static void note_made(struct task_space *s, const struct task_map *map)
{
	if (!s->made_end || map->start < s->made_start)
		s->made_start = map->start;
	if (map->end > s->made_end)
		s->made_end = map->end;
}

int tasks_map_made(struct tasks *t, uint32_t pid, const char *path, const struct task_map *code)
{
	const struct task_dso dso = {.path = path, .pid = pid};
	struct task_map map = {.start = code->start,
			       .end = code->end,
			       .pgoff = code->pgoff,
			       .prot = PROT_READ | PROT_EXEC,
			       .flags = MAP_PRIVATE,
			       .is_made = true};

	uint32_t space = space_for_map(t, pid);

	advance(t, code->time_ns);
	if (map.start >= map.end)
		return 0;
	if (space != TASK_NO_SPACE)
		note_made(&t->spaces[space], &map);
	return add_to_space(t, space, &map, &dso);
}

int tasks_apply(struct tasks *t, const struct perf_event_header *hdr,
		const struct ts_sample_id *sid)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	int (*apply)(struct tasks *, const struct record *) = apply_of(h.type);
	struct record r = {(const void *)hdr, h.type, h.misc, h.size, NULL};

	if (!apply)
		return 0;
	if (!is_sound(&r))
		return -EINVAL;
	advance(t, sid->time_ns);
	return apply(t, &r);
}

/* --- life cycle --- */

/* The idle task of every CPU, which no record names. */
static int add_swapper(struct tasks *t)
{
	struct task_thread *idle = task_table_thread(t, 0, 0);
	uint32_t name;

	return !idle || task_table_name(t, "swapper", &name) || task_thread_rename(t, idle, name)
		       ? -ENOMEM
		       : 0;
}

struct tasks *tasks_new(struct memory *memory)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->memory = memory;
	if (task_table_add_space(t, TASK_NO_SPACE) || task_table_add_space(t, TASK_NO_SPACE) ||
	    add_swapper(t)) {
		tasks_free(t);
		return NULL;
	}
	return t;
}

struct memory *tasks_memory(const struct tasks *t)
{
	return t->memory;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nr_threads; i++)
		free(t->threads[i].comms);
	for (uint32_t i = 0; i < t->nr_processes; i++)
		free(t->processes[i].lives);
	for (uint32_t i = 0; i < t->nr_spaces; i++)
		address_space_release(&t->spaces[i].maps);
	for (uint32_t i = 0; i < t->nr_names; i++)
		free(t->names[i]);
	for (uint32_t i = 0; i < t->nr_dsos; i++)
		free((char *)t->dsos[i].path);
	free(t->threads);
	free(t->processes);
	free(t->spaces);
	free(t->names);
	free(t->dsos);
	hash_index_release(&t->thread_of_tid);
	hash_index_release(&t->process_of_pid);
	hash_index_release(&t->name_of_text);
	hash_index_release(&t->dso_of_path);
	fork_index_release(&t->forks);
	free(t);
}

int tasks_freeze(struct tasks *t, struct ts_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < t->nr_spaces; i++)
		rc = address_space_freeze(&t->spaces[i].maps, t->memory);
	fork_index_release(&t->forks);
	if (!rc && t->has_deep)
		rc = fork_index_make(&t->forks, t->memory, t->spaces, t->nr_spaces);
	return rc ? ts_error_sys(err, -rc, "cannot index the maps of the capture") : 0;
}
