// SPDX-License-Identifier: Apache-2.0
/*
 * Address -> map (tasks) -> module -> symbol. Every task_dso gets a module at the beginning. A
 * process with executable anonymous memory gets one when this memory is first met. All kernel maps
 * that are not a symbol of their own share the kernel's table, because kallsyms holds the kernel
 * and its modules.
 */
#include "reader/symbols/symbol.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/units.h"
#include "reader/runtime/memory_limit.h"
#include "reader/symbols/jitdump.h"
#include "reader/symbols/symbol_parts.h"

#define MODULES_FREE_BYTES (1u << 20) /* always allowed */
#define REASON_BYTES	   512 /* why a module was not read, as a sentence and in its trail */

/* --- faults --- */

void symbols_note_fault(struct symbols *syms, int code)
{
	int kept = 0;

	symbol_fault_note(&kept, code);
	if (kept)
		atomic_store_explicit(&syms->fault, kept, memory_order_relaxed);
}

static int refuse_result(int code, const char *path, struct ts_error *err)
{
	if (code == MEMORY_REFUSED) {
		ts_error_set(err, code,
			     "cannot read all symbols of %s: they need more memory than is left",
			     path);
		return ts_error_hint(err,
				     "names are missing in the result: give more with --mem-limit");
	}
	ts_error_sys(err, code, "cannot read all symbols of %s", path);
	return ts_error_hint(err, code == EMFILE
					  ? "allow more open files: 'ulimit -n'"
					  : "names, lines or callers are missing in the result");
}

static int check_module(struct module *m, void *user)
{
	const int code = module_fault(m);

	return code ? refuse_result(code, m->name.long_name, user) : 0;
}

/* --- names --- */

static const char *intern_text(struct symbols *syms, const char *text)
{
	uint32_t number = name_table_intern(&syms->strings, text);

	if (number != NAME_TABLE_NONE)
		return syms->strings.items[number];
	symbols_note_fault(syms, ENOMEM);
	return "[out of memory]";
}

static bool is_main_kernel(const struct task_dso *dso)
{
	return dso->is_kernel && !strncmp(dso->path, RECORDED_KERNEL, strlen(RECORDED_KERNEL));
}

static const char *after_last_slash(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "/lib/modules/.../snd-hda.ko.xz" -> "[snd_hda]"; NULL: it is no file of a module. */
static const char *kernel_module_name(struct symbols *syms, const char *path)
{
	const char *base = after_last_slash(path), *ext = strstr(base, ".ko");
	char name[256];
	int len;

	if (!ext || (ext[3] && ext[3] != '.') || (size_t)(ext - base) > sizeof(name) - 3)
		return NULL;
	len = snprintf(name, sizeof(name), "[%.*s]", (int)(ext - base), base);
	for (int i = 0; i < len; i++)
		if (name[i] == '-')
			name[i] = '_';
	return intern_text(syms, name);
}

static struct module_name name_of(struct symbols *syms, const struct task_dso *dso)
{
	const char *base = after_last_slash(dso->path), *module;

	if (is_main_kernel(dso))
		return (struct module_name){RECORDED_KERNEL, RECORDED_KERNEL};
	module = dso->is_kernel ? kernel_module_name(syms, dso->path) : NULL;
	return (struct module_name){module ? module : intern_text(syms, base), dso->path};
}

/* --- modules --- */

static bool is_anonymous(const char *path)
{
	return !strcmp(path, "//anon") || !strncmp(path, "/dev/zero", 9) ||
	       !strncmp(path, "/anon_hugepage", 14);
}

/* Memory that has a name but no file behind it. */
static bool is_special(const char *path)
{
	return !strncmp(path, "[stack", 6) || !strncmp(path, "[heap]", 6) ||
	       !strncmp(path, "/SYSV", 5);
}

bool symbols_is_memory_code(const char *path, const struct task_map *map)
{
	bool anonymous = is_anonymous(path) || (map->flags & MAP_HUGETLB);

	return (anonymous || is_special(path)) && (map->prot & PROT_EXEC);
}

static void print_generated(uint32_t pid, char buf[SYMBOLS_FILE_MAX])
{
	snprintf(buf, SYMBOLS_FILE_MAX, "/tmp/perf-%u.map", pid);
}

const char *symbols_file_of(const char *path, const struct task_map *map, uint32_t pid,
			    char buf[SYMBOLS_FILE_MAX])
{
	if (!symbols_is_memory_code(path, map))
		return path;
	print_generated(pid, buf);
	return buf;
}

static enum module_kind kind_of(const struct task_dso *dso)
{
	if (dso->is_kernel)
		return dso->path[0] == '[' || dso->path[0] == '/' ? MODULE_KERNEL : MODULE_KSYMBOL;
	if (!strcmp(dso->path, "[vdso]"))
		return MODULE_VDSO;
	if (is_anonymous(dso->path) || is_special(dso->path) || dso->path[0] != '/')
		return MODULE_NONE;
	return jitdump_is_name(dso->path) ? MODULE_JITDUMP : MODULE_FILE;
}

static struct ts_build_id build_id_of(const struct symbols *syms, const struct task_dso *dso)
{
	struct ts_build_id id = {.len = dso->build_id_bytes};

	if (id.len)
		memcpy(id.bytes, dso->build_id, sizeof(id.bytes));
	else if (!recorded_ids_find(&syms->recorded_ids,
				    is_main_kernel(dso) ? RECORDED_KERNEL : dso->path, &id))
		id = (struct ts_build_id){0};
	return id;
}

/*
 * The reference address for symbols from another source; the running kernel is where it was
 * recorded.
 */
static void put_reference(const struct symbols *syms, struct module *kernel)
{
	const struct task_map *map = tasks_kernel_map(syms->tasks, syms->kernel_map.dso);

	kernel->recorded_reference = map ? map->pgoff : 0;
	if (syms->places.kallsyms || syms->places.vmlinux || syms->archive)
		kernel->reference = kernel->recorded_reference;
}

static void place_module(struct symbols *syms, struct module *m, const struct task_dso *dso)
{
	const char *path = dso->path;
	const char *symfs = syms->places.symfs;
	char below[PATH_MAX];

	m->path = path;
	m->kallsyms = syms->places.kallsyms;
	m->vmlinux = syms->places.vmlinux;
	m->server = syms->places.server;
	m->limits = &syms->limits;
	m->archive = syms->archive;
	m->cache = syms->places.cache;
	m->pid = dso->pid;
	if (m == syms->kernel)
		put_reference(syms, m);
	m->symfs = symfs;
	if (m->kind != MODULE_FILE || !symfs)
		return;
	if (snprintf(below, sizeof(below), "%s%s", symfs, path) < (int)sizeof(below))
		m->path = intern_text(syms, below);
}

static void add_module(struct symbols *syms, uint32_t index)
{
	const struct task_dso *dso = tasks_dso(syms->tasks, index);
	struct module *m = syms->modules[index];

	module_init(m, kind_of(dso));
	m->name = name_of(syms, dso);
	m->build_id = build_id_of(syms, dso);
	if (is_main_kernel(dso) && !syms->kernel) {
		syms->kernel = m;
		syms->kernel_map =
			(struct task_map){.dso = index, .end = UINT64_MAX, .is_kernel = true};
		m->reference_name = dso->path + strlen(RECORDED_KERNEL);
	}
	place_module(syms, m, dso);
}

static void release_module(struct module *m)
{
	module_release(m);
	free(m);
}

/* Modules are in no block, and a capture may name any number of files. */
static int check_memory(const struct symbols *syms, size_t nr, struct ts_error *err)
{
	const uint64_t bytes = nr * (uint64_t)(sizeof(struct module) + REASON_BYTES);
	char size[TS_UNITS_TEXT];

	if (bytes < MODULES_FREE_BYTES || memory_has_room(tasks_memory(syms->tasks), bytes))
		return 0;
	ts_error_set(err, EFBIG, "cannot read %zu mapped files: they need %s of memory", nr,
		     ts_units_format_size(size, bytes));
	return ts_error_hint(err, "give more with --mem-limit");
}

int symbols_extend(struct symbols *syms, struct ts_error *err)
{
	const size_t nr = tasks_nr_dsos(syms->tasks);
	struct module **modules = reallocarray(syms->modules, nr + 1, sizeof(struct module *));
	struct module **copies = reallocarray(syms->copies, nr + 1, sizeof(struct module *));

	int rc;

	if (modules)
		syms->modules = modules;
	if (copies)
		syms->copies = copies;
	if (!modules || !copies)
		return ts_error_sys(err, ENOMEM, "cannot make room for %zu modules", nr);
	rc = check_memory(syms, nr - syms->nr_modules, err);
	if (rc)
		return rc;
	for (; syms->nr_modules < nr; syms->nr_modules++) {
		copies[syms->nr_modules] = NULL;
		modules[syms->nr_modules] = calloc(1, sizeof(struct module));
		if (!modules[syms->nr_modules])
			return ts_error_sys(err, ENOMEM, "cannot make room for a module");
		add_module(syms, (uint32_t)syms->nr_modules);
	}
	return 0;
}

struct symbols *symbols_new(const struct tasks *tasks, const struct ts_header *header,
			    struct ts_error *err)
{
	struct symbols *syms = calloc(1, sizeof(*syms));

	if (!syms) {
		ts_error_sys(err, ENOMEM, "cannot make room for symbols");
		return NULL;
	}
	syms->tasks = tasks;
	pthread_mutex_init(&syms->lock, NULL);
	line_names_init(&syms->lines);
	inlined_init(&syms->inlined);
	if (recorded_ids_init(&syms->recorded_ids, header))
		ts_error_sys(err, ENOMEM, "cannot make room for build-ids");
	else if (!symbols_extend(syms, err))
		return syms;
	symbols_free(syms);
	return NULL;
}

void symbols_use_places(struct symbols *syms, const struct symbol_places *places,
			const char *archive)
{
	if (places)
		syms->places = *places;
	syms->archive = archive;
	syms->lines.with_paths = syms->places.with_source_paths;
	for (size_t i = 0; i < syms->nr_modules; i++)
		place_module(syms, syms->modules[i], tasks_dso(syms->tasks, (uint32_t)i));
}

void symbols_use_limits(struct symbols *syms, struct memory *memory,
			const struct progress *progress)
{
	symbol_limits_init(&syms->limits, memory, progress);
}

const struct module *symbols_asked(const struct module *m)
{
	return atomic_load_explicit(&m->is_loaded, memory_order_acquire) ? m : NULL;
}

int symbols_check_kernel(const struct symbols *syms, struct ts_error *err)
{
	const struct module *m = syms->kernel ? symbols_asked(syms->kernel) : NULL;

	return m && (m->kallsyms || m->vmlinux) ? kept_error_get(&m->why_not, err) : 0;
}

struct debug_server_count symbols_server_count(const struct symbols *syms)
{
	return syms->places.server ? debug_server_count(syms->places.server)
				   : (struct debug_server_count){0};
}

static int each_module(const struct symbols *syms, symbols_visit visit, void *user)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < syms->nr_modules; i++) {
		rc = visit(syms->modules[i], user);
		if (!rc && syms->copies[i])
			rc = visit(syms->copies[i], user);
	}
	for (struct jit_module *jit = syms->newest_jit; !rc && jit; jit = jit->older)
		rc = visit(&jit->module, user);
	return rc;
}

struct visit {
	symbols_visit *visit;
	void *user;
};

static int visit_asked(struct module *m, void *user)
{
	const struct visit *v = user;

	return symbols_asked(m) ? (*v->visit)(m, v->user) : 0;
}

int symbols_each_asked(const struct symbols *syms, symbols_visit visit, void *user)
{
	struct visit v = {&visit, user};

	return each_module(syms, visit_asked, &v);
}

int symbols_check(const struct symbols *syms, struct ts_error *err)
{
	int code = atomic_load_explicit(&syms->fault, memory_order_relaxed);

	if (syms->lines.lacks_memory || syms->inlined.lacks_memory)
		code = ENOMEM;
	return code ? refuse_result(code, "the capture", err)
		    : each_module(syms, check_module, err);
}

void symbols_use_ahead(struct symbols *syms, struct symbol_ahead *ahead)
{
	if (syms->kernel)
		syms->kernel->ahead = ahead;
}

static void free_jit(void *jit)
{
	module_release(&((struct jit_module *)jit)->module);
	free(jit);
}

void symbols_free(struct symbols *syms)
{
	if (!syms)
		return;
	for (size_t i = 0; i < syms->nr_modules; i++) {
		release_module(syms->modules[i]);
		if (syms->copies[i])
			release_module(syms->copies[i]);
	}
	tdestroy(syms->jits, free_jit);
	name_table_release(&syms->strings);
	recorded_ids_release(&syms->recorded_ids);
	free(syms->modules);
	free(syms->copies);
	line_names_release(&syms->lines);
	inlined_release(&syms->inlined);
	free(syms);
}

static int by_pid(const void *a, const void *b)
{
	const struct jit_module *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* A module that a lookup makes, as zeros, or what has one. NULL: there is no room, which is noted. */
static void *room_for_module(struct symbols *syms, size_t bytes)
{
	const bool may_take = symbol_limits_take(&syms->limits, bytes + REASON_BYTES);
	void *room = may_take ? calloc(1, bytes) : NULL;

	if (!room)
		symbols_note_fault(syms, may_take ? ENOMEM : MEMORY_REFUSED);
	return room;
}

static struct module *new_jit(struct symbols *syms, uint32_t pid)
{
	struct jit_module *jit = room_for_module(syms, sizeof(*jit));
	char text[SYMBOLS_FILE_MAX];

	if (!jit)
		return NULL;
	jit->pid = pid;
	if (!tsearch(jit, &syms->jits, by_pid)) {
		symbols_note_fault(syms, ENOMEM);
		free(jit);
		return NULL;
	}
	jit->older = syms->newest_jit;
	syms->newest_jit = jit;
	module_init(&jit->module, MODULE_JIT);
	jit->module.pid = pid;
	jit->module.symfs = syms->places.symfs;
	jit->module.archive = syms->archive;
	jit->module.limits = &syms->limits;
	print_generated(pid, text);
	jit->module.path = jit->module.name.long_name = intern_text(syms, text);
	snprintf(text, sizeof(text), "[JIT] tid %u", pid);
	jit->module.name.short_name = intern_text(syms, text);
	return &jit->module;
}

struct module *symbols_jit_of(struct symbols *syms, uint32_t pid)
{
	const struct jit_module wanted = {.pid = pid};
	struct jit_module **found;
	struct module *m;

	pthread_mutex_lock(&syms->lock);
	found = tfind(&wanted, &syms->jits, by_pid);
	m = found ? &(*found)->module : new_jit(syms, pid);
	pthread_mutex_unlock(&syms->lock);
	return m;
}

bool symbols_may_be_of_one_process(const struct tasks *tasks)
{
	for (size_t i = 0; i < tasks_nr_dsos(tasks); i++) {
		const struct task_dso *dso = tasks_dso(tasks, (uint32_t)i);

		if (dso->is_kernel || !strcmp(dso->path, "[vdso]"))
			continue;
		if (dso->path[0] != '/' || !strncmp(dso->path, "//", 2) ||
		    !strncmp(dso->path, "/dev/zero", 9) || !strncmp(dso->path, "/SYSV", 5) ||
		    !strncmp(dso->path, "/anon_hugepage", 14))
			return true;
	}
	return false;
}

/* --- copied code --- */

static struct module *new_copy(struct symbols *syms, uint32_t dso)
{
	struct module *m = room_for_module(syms, sizeof(*m));

	if (!m)
		return NULL;
	module_init(m, MODULE_FILE);
	m->name = syms->modules[dso]->name;
	m->build_id = syms->modules[dso]->build_id;
	m->table.suffix = SYMBOLS_COPIED;
	place_module(syms, m, tasks_dso(syms->tasks, dso));
	return m;
}

struct module *symbols_copy_of(struct symbols *syms, uint32_t dso)
{
	struct module *m;

	if (syms->modules[dso]->kind != MODULE_FILE)
		return NULL;
	pthread_mutex_lock(&syms->lock);
	if (!syms->copies[dso])
		syms->copies[dso] = new_copy(syms, dso);
	m = syms->copies[dso];
	pthread_mutex_unlock(&syms->lock);
	return m;
}
