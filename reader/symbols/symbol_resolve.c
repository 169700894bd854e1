// SPDX-License-Identifier: Apache-2.0
/* An address of a process, or of the kernel, at a time: its module, symbol, lines and object. */
#include <stddef.h>
#include <sys/mman.h>

#include "reader/symbols/symbol_parts.h"

#define FORKS_MAX 4 /* forks between a process and one whose perf-map is searched */

static void resolve_kernel(struct symbols *syms, const struct task_map *map, uint64_t addr,
			   struct location *ret)
{
	struct module *m = syms->modules[map->dso];

	ret->map = map;
	ret->module = &m->name;
	ret->addr = addr;
	if (m->kind == MODULE_KSYMBOL) {
		ret->addr = addr - map->start;
		ret->sym = module_find(m, ret->addr);
		return;
	}
	if (!syms->kernel)
		return;
	ret->sym = module_find(syms->kernel, addr);
	ret->addr = addr + syms->kernel->moved; /* known since its symbols were read */
}

/* Fills *ret if a module knows the address; false: it does not, or there is no module. */
static bool is_known_to(struct module *m, uint64_t addr, struct location *ret)
{
	const struct symbol *sym = m ? module_find(m, addr) : NULL;

	if (sym)
		*ret = (struct location){ret->map, &m->name, sym, addr, ret->level};
	return sym;
}

/*
 * Code in memory: a JIT compiler told of it, perhaps before the process was forked, or a file was
 * copied there; false: nothing is known.
 */
static bool resolve_memory(struct symbols *syms, const struct task_map *map, uint32_t pid,
			   uint64_t addr, uint64_t time_ns, struct location *ret)
{
	const struct task_map *from;
	bool is_used = false; /* by a JIT compiler */

	for (uint32_t i = 0, owner = pid; i <= FORKS_MAX && owner != TASK_PID_KERNEL; i++) {
		struct module *jit = symbols_jit_of(syms, owner);

		if (is_known_to(jit, addr, ret))
			return true;
		is_used |= jit && module_has_in(jit, map->start, map->end);
		owner = tasks_forked_from(syms->tasks, pid, map, time_ns, i + 1);
	}
	if (is_used)
		return false;
	from = tasks_copied_from(syms->tasks, pid, map, addr, time_ns);
	return from &&
	       is_known_to(symbols_copy_of(syms, from->dso), addr - from->start + from->pgoff, ret);
}

static void resolve_user(struct symbols *syms, const struct task_map *map, uint32_t pid,
			 uint64_t addr, uint64_t time_ns, struct location *ret)
{
	struct module *m = syms->modules[map->dso];

	ret->map = map;
	if (map->is_memory && map->prot & PROT_EXEC &&
	    resolve_memory(syms, map, pid, addr, time_ns, ret))
		return;
	ret->addr = addr - map->start + map->pgoff;
	if (m->kind == MODULE_NONE) {
		ret->addr = addr;
		if (symbols_is_memory_code(m->path, map))
			m = symbols_jit_of(syms, pid);
		if (!m)
			return;
	}
	ret->module = &m->name;
	ret->sym = m->kind == MODULE_NONE ? NULL : module_find(m, ret->addr);
}

static const struct task_map *kernel_map_of(struct symbols *syms, uint64_t addr, uint64_t time_ns)
{
	const struct task_map *map = tasks_map(syms->tasks, TASK_PID_KERNEL, addr, time_ns);

	if (!map && syms->kernel && module_reaches(syms->kernel, addr))
		map = &syms->kernel_map;
	return map;
}

void symbols_resolve(struct symbols *syms, uint32_t pid, uint16_t cpumode, uint64_t addr,
		     uint64_t time_ns, struct location *ret)
{
	const struct task_map *map;

	*ret = (struct location){.addr = addr, .level = 'H'};
	if (cpumode == PERF_RECORD_MISC_KERNEL) {
		ret->level = 'k';
		map = kernel_map_of(syms, addr, time_ns);
		if (map)
			resolve_kernel(syms, map, addr, ret);
	} else if (cpumode == PERF_RECORD_MISC_USER) {
		ret->level = '.';
		map = tasks_map(syms->tasks, pid, addr, time_ns);
		if (map)
			resolve_user(syms, map, pid, addr, time_ns, ret);
	}
}

const struct module *symbols_kernel(const struct symbols *syms)
{
	return syms->kernel;
}

/* --- code --- */

void symbols_code_at(struct symbols *syms, uint32_t pid, uint64_t addr, uint64_t time_ns,
		     struct code_span *ret)
{
	struct task_range range;
	const struct task_map *map = tasks_map_around(syms->tasks, pid, addr, time_ns, &range);

	*ret = (struct code_span){.start = range.start, .end = range.end};
	if (!map || map->is_kernel)
		return;
	ret->module = syms->modules[map->dso];
	ret->shift = map->pgoff - map->start;
	ret->is_shared = ret->module->kind != MODULE_NONE && !map->is_memory;
}

/* --- source lines --- */

/* A location has the name of its module, which is a part of it. */
static struct module *module_of(const struct module_name *name)
{
	char *at = (char *)(uintptr_t)name;

	return (struct module *)(void *)(at - offsetof(struct module, name));
}

bool symbols_are_unreadable(const struct module_name *name)
{
	const struct module *m = symbols_asked(module_of(name));

	return m && m->why_not.code;
}

bool symbols_build_id(const struct module_name *name, struct ts_build_id *ret)
{
	*ret = module_of(name)->build_id;
	return ret->len;
}

const struct srcline_place *symbols_lines(const struct location *at)
{
	return at->module ? module_lines(module_of(at->module), at->addr) : NULL;
}

bool symbols_are_of_symtab(const struct location *at)
{
	return at->sym && module_of(at->module)->table.is_symtab;
}

struct line_names *symbols_line_names(struct symbols *syms)
{
	return &syms->lines;
}

struct inlined *symbols_inlined(struct symbols *syms)
{
	return &syms->inlined;
}

/* --- unwinding --- */

bool symbols_open_object(struct symbols *syms, uint32_t pid, uint64_t addr, uint64_t time_ns,
			 struct symbols_object *ret)
{
	struct code_span code;
	uint64_t vaddr;

	symbols_code_at(syms, pid, addr, time_ns, &code);
	ret->fd = code.module ? module_open_object(code.module, addr + code.shift, &vaddr) : -1;
	if (ret->fd < 0)
		return false;
	ret->bias = addr - vaddr;
	return true;
}
