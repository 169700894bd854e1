// SPDX-License-Identifier: Apache-2.0
/*
 * A lookup takes the last life of the process that had begun by then. In this life it takes the
 * newest map by then that covers the address. If there is none, it asks the parent with the limit
 * of the fork, and so on.
 */
#include "reader/tasks/task_table.h"

#include <sys/mman.h>

#include "reader/tasks/timed_versions.h"

/* --- lookup --- */

/* The number of versions that are not younger than time_ns. */
static uint32_t comm_limit(const struct task_thread *thread, uint64_t time_ns)
{
	return timed_versions_until(thread->comms, sizeof(thread->comms[0]),
				    offsetof(struct task_comm, time_ns), thread->nr, time_ns);
}

static uint32_t life_limit(const struct task_process *process, uint64_t time_ns)
{
	return timed_versions_until(process->lives, sizeof(process->lives[0]),
				    offsetof(struct task_life, begin_ns), process->nr, time_ns);
}

static const char *name_text(const struct tasks *t, uint32_t name)
{
	return name == TASK_NO_NAME ? NULL : t->names[name];
}

const char *tasks_comm(const struct tasks *t, uint32_t tid, uint64_t time_ns)
{
	const struct task_thread *thread = task_table_find_thread(t, tid);
	uint32_t limit = thread ? comm_limit(thread, time_ns) : 0;

	return limit ? name_text(t, thread->comms[limit - 1].name) : NULL;
}

/* How often the tid had got another thread by its version `limit`. */
static uint32_t births_until(const struct task_thread *thread, uint32_t limit)
{
	return limit ? thread->comms[limit - 1].births : 0;
}

/* The number of versions up to the end of the life to which version `limit` belongs. */
static uint32_t life_end(const struct task_thread *thread, uint32_t limit)
{
	uint32_t low = limit, high = thread->nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (thread->comms[mid].births == births_until(thread, limit))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *tasks_first_comm(const struct tasks *t, uint32_t tid, uint64_t time_ns)
{
	const struct task_thread *thread = task_table_find_thread(t, tid);
	uint32_t limit = thread ? comm_limit(thread, time_ns) : 0;
	const struct task_comm *next = thread ? thread->comms + limit : NULL;

	return thread && limit < thread->nr && next->births == births_until(thread, limit)
		       ? name_text(t, next->name)
		       : NULL;
}

const char *tasks_last_comm(const struct tasks *t, uint32_t tid, uint64_t time_ns)
{
	const struct task_thread *thread = task_table_find_thread(t, tid);
	uint32_t limit = thread ? comm_limit(thread, time_ns) : 0;

	if (thread)
		limit = life_end(thread, limit);
	return limit ? name_text(t, thread->comms[limit - 1].name) : NULL;
}

static const struct task_map *map_at(const struct address_space *s, uint32_t index)
{
	return index == ADDRESS_SPACE_NONE ? NULL : &s->maps[index];
}

static const struct task_map *find_newest(const struct address_space *s, uint64_t addr,
					  uint32_t limit, struct task_range *range)
{
	return map_at(s, range ? address_space_find_around(s, addr, limit, range)
			       : address_space_find(s, addr, limit));
}

static const struct task_map *take_indexed(const struct tasks *t, uint32_t number, uint32_t *space)
{
	const struct fork_map *found = &t->forks.maps[number];

	*space = found->space;
	return &t->spaces[found->space].maps.maps[found->map];
}

/*
 * The rest of task_table_find_map() for a deep space, which has found `map` (or NULL, or memory) so
 * far: the index answers for all its parents.
 */
static const struct task_map *find_inherited(const struct tasks *t, uint32_t deep,
					     const struct task_map *map, uint32_t *space,
					     uint64_t addr, struct task_range *range)
{
	const struct fork_found found =
		fork_index_find(&t->forks, t->spaces[deep].position, addr, range);
	const struct task_map *before;
	uint32_t before_space;

	if (!map && found.newest != FORK_INDEX_NONE)
		map = take_indexed(t, found.newest, space);
	if (!map || !map->is_memory || found.before == FORK_INDEX_NONE)
		return map;
	before = take_indexed(t, found.before, &before_space);
	if (!before->is_made)
		return map;
	*space = before_space;
	return before;
}

/*
 * A map of memory is only the answer if what was mapped there before is no code that was made:
 * memory that grows or becomes executable has a new map, and its code stays.
 */
const struct task_map *task_table_find_map(const struct tasks *t, uint32_t *space, uint32_t limit,
					   uint64_t addr, struct task_range *range)
{
	const struct task_map *map = NULL, *before = NULL;

	for (uint32_t at = *space; at != TASK_NO_SPACE && !before; at = t->spaces[at].parent) {
		const struct address_space *s = &t->spaces[at].maps;
		const struct task_map *newest = find_newest(s, addr, limit, range);

		if (!map && newest)
			*space = at;
		map = map ? map : newest;
		before = map && map->is_memory
				 ? map_at(s, address_space_find_before(s, addr, limit))
				 : map;
		if (before && before->is_made) {
			*space = at;
			return before;
		}
		if (!before && t->spaces[at].depth > FORK_DEPTH_MAX)
			return find_inherited(t, at, map, space, addr, range);
		limit = t->spaces[at].parent_limit;
	}
	return map;
}

static const struct task_map *find_map(const struct tasks *t, uint32_t space, uint32_t limit,
				       uint64_t addr)
{
	return task_table_find_map(t, &space, limit, addr, NULL);
}

static const struct task_map *kernel_map(const struct tasks *t, uint64_t addr, uint64_t time_ns)
{
	const struct task_map *map;
	uint32_t limit;

	limit = address_space_limit(&t->spaces[TASK_KERNEL_SPACE].maps, time_ns);
	map = find_map(t, TASK_KERNEL_SPACE, limit, addr);
	if (map)
		return map;
	limit = address_space_limit(&t->spaces[TASK_KSYMBOL_SPACE].maps, time_ns);
	map = find_map(t, TASK_KSYMBOL_SPACE, limit, addr);
	return map && map->dso != ADDRESS_SPACE_HOLE ? map : NULL;
}

/* The space of a process at a time; TASK_NO_SPACE: none. */
static uint32_t space_of(const struct tasks *t, uint32_t pid, uint64_t time_ns)
{
	const struct task_process *process = task_table_find_process(t, pid);
	uint32_t life = process ? life_limit(process, time_ns) : 0;

	return life ? process->lives[life - 1].space : TASK_NO_SPACE;
}

/* *space becomes the space to which the map was added. */
static const struct task_map *find_map_in(const struct tasks *t, uint32_t *space, uint64_t addr,
					  uint64_t time_ns)
{
	const uint32_t limit = address_space_limit(&t->spaces[*space].maps, time_ns);

	return task_table_find_map(t, space, limit, addr, NULL);
}

const struct task_map *tasks_map(const struct tasks *t, uint32_t pid, uint64_t addr,
				 uint64_t time_ns)
{
	uint32_t space;

	if (pid == TASK_PID_KERNEL)
		return kernel_map(t, addr, time_ns);
	space = space_of(t, pid, time_ns);
	if (space == TASK_NO_SPACE)
		return NULL;
	return find_map_in(t, &space, addr, time_ns);
}

/* Has the process, or one that it was forked from, made code in the memory of the map? */
static bool has_made_code(const struct tasks *t, uint32_t space, uint32_t last,
			  const struct task_map *map)
{
	for (uint32_t i = 0; i < TASK_FORKS_MAX; i++, space = t->spaces[space].parent) {
		const struct task_space *s = &t->spaces[space];

		if (s->made_start < map->end && map->start < s->made_end)
			return true;
		if (space == last)
			return false;
	}
	return true; /* not known after so many forks */
}

const struct task_map *tasks_copied_from(const struct tasks *t, uint32_t pid,
					 const struct task_map *map, uint64_t addr,
					 uint64_t time_ns)
{
	const uint32_t first = space_of(t, pid, time_ns);
	uint32_t space = first;
	const struct address_space *s;
	const struct task_map *from;

	if (!map->is_memory || t->dsos[map->dso].build_id_bytes || space == TASK_NO_SPACE ||
	    find_map_in(t, &space, addr, time_ns) != map || has_made_code(t, first, space, map))
		return NULL;
	s = &t->spaces[space].maps;
	from = map_at(s, address_space_find_before(s, addr, (uint32_t)(map - s->maps)));
	return from && !from->is_made && from->prot & PROT_EXEC &&
			       from->nr_execs == map->nr_execs && from->start <= map->start &&
			       map->end <= from->end
		       ? from
		       : NULL;
}

static bool is_of(const struct address_space *s, const struct task_map *map)
{
	return (uintptr_t)map - (uintptr_t)s->maps < s->nr * sizeof(*map);
}

uint32_t tasks_forked_from(const struct tasks *t, uint32_t pid, const struct task_map *map,
			   uint64_t time_ns, uint32_t nth)
{
	uint32_t space = space_of(t, pid, time_ns);

	for (; space != TASK_NO_SPACE && nth; nth--) {
		if (map->nr_execs != t->spaces[space].fork_execs ||
		    is_of(&t->spaces[space].maps, map))
			return TASK_PID_KERNEL;
		space = t->spaces[space].forked_from;
	}
	return space == TASK_NO_SPACE ? TASK_PID_KERNEL : t->spaces[space].pid;
}

const struct task_map *tasks_map_around(const struct tasks *t, uint32_t pid, uint64_t addr,
					uint64_t time_ns, struct task_range *ret)
{
	uint32_t space = space_of(t, pid, time_ns);

	*ret = (struct task_range){0, UINT64_MAX};
	if (space == TASK_NO_SPACE)
		return NULL;
	return task_table_find_map(t, &space, address_space_limit(&t->spaces[space].maps, time_ns),
				   addr, ret);
}

/* --- moments --- */

static void narrow_moment(struct task_moment *m, uint64_t from_ns, uint64_t until_ns)
{
	if (from_ns > m->from_ns)
		m->from_ns = from_ns;
	if (until_ns < m->until_ns)
		m->until_ns = until_ns;
}

static void narrow_to_comm(const struct tasks *t, uint32_t tid, uint64_t time_ns,
			   struct task_moment *m)
{
	const struct task_thread *thread = task_table_find_thread(t, tid);
	uint32_t limit = thread ? comm_limit(thread, time_ns) : 0;

	if (limit) {
		m->comm = name_text(t, thread->comms[limit - 1].name);
		narrow_moment(m, thread->comms[limit - 1].time_ns, UINT64_MAX);
	}
	if (thread && limit < thread->nr)
		narrow_moment(m, 0, thread->comms[limit].time_ns);
}

/* Narrows to the time during which the space keeps its first maps; returns their number. */
static uint32_t narrow_to_maps(const struct address_space *s, uint64_t time_ns,
			       struct task_moment *m)
{
	uint32_t limit = address_space_limit(s, time_ns);

	if (limit)
		narrow_moment(m, s->maps[limit - 1].time_ns, UINT64_MAX);
	if (limit < s->nr)
		narrow_moment(m, 0, s->maps[limit].time_ns);
	return limit;
}

/*
 * The identity is the same for a fork that has not mapped anything yet and for its parent at that
 * time.
 */
static uint64_t identity_of(const struct tasks *t, uint32_t space, uint32_t limit)
{
	while (!limit && space != TASK_NO_SPACE) {
		limit = t->spaces[space].parent_limit;
		space = t->spaces[space].parent;
	}
	return space == TASK_NO_SPACE ? 0 : (uint64_t)space << 31 | limit;
}

static void narrow_to_process(const struct tasks *t, uint32_t pid, uint64_t time_ns,
			      struct task_moment *m)
{
	const struct task_process *process = task_table_find_process(t, pid);
	uint32_t life = process ? life_limit(process, time_ns) : 0, space;

	if (process && life < process->nr)
		narrow_moment(m, 0, process->lives[life].begin_ns);
	if (!life)
		return;
	narrow_moment(m, process->lives[life - 1].begin_ns, UINT64_MAX);
	space = process->lives[life - 1].space;
	m->space = identity_of(t, space, narrow_to_maps(&t->spaces[space].maps, time_ns, m));
}

void tasks_moment(const struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns,
		  struct task_moment *ret)
{
	uint64_t kernel, ksymbols;

	*ret = (struct task_moment){.until_ns = UINT64_MAX};
	if (pid != TASK_PID_KERNEL) {
		narrow_to_comm(t, tid, time_ns, ret);
		narrow_to_process(t, pid, time_ns, ret);
		return;
	}
	kernel = narrow_to_maps(&t->spaces[TASK_KERNEL_SPACE].maps, time_ns, ret);
	ksymbols = narrow_to_maps(&t->spaces[TASK_KSYMBOL_SPACE].maps, time_ns, ret);
	if (kernel || ksymbols)
		ret->space = 1ULL << 63 | kernel << 31 | ksymbols;
}

size_t tasks_nr_threads(const struct tasks *t)
{
	return t->nr_threads - 1; /* the idle thread is there from the beginning */
}

bool tasks_has_thread(const struct tasks *t, uint32_t tid)
{
	return task_table_find_thread(t, tid);
}

bool tasks_has_process(const struct tasks *t, uint32_t pid)
{
	for (uint32_t i = 0; i < t->nr_threads; i++)
		if (t->threads[i].pid == pid)
			return true;
	return false;
}

size_t tasks_nr_names(const struct tasks *t)
{
	return t->nr_names;
}

const char *tasks_name(const struct tasks *t, size_t i)
{
	return t->names[i];
}

size_t tasks_nr_dsos(const struct tasks *t)
{
	return t->nr_dsos;
}

const struct task_dso *tasks_dso(const struct tasks *t, uint32_t dso)
{
	return &t->dsos[dso];
}

const struct task_map *tasks_kernel_map(const struct tasks *t, uint32_t dso)
{
	const struct address_space *s = &t->spaces[TASK_KERNEL_SPACE].maps;

	for (uint32_t i = 0; i < s->nr; i++)
		if (s->maps[i].dso == dso)
			return &s->maps[i];
	return NULL;
}
