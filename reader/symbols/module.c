// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/module.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/objects/debug_file.h"
#include "reader/objects/object_file.h"
#include "reader/objects/process_root.h"
#include "reader/symbols/jitdump.h"
#include "reader/symbols/module_parts.h"
#include "reader/symbols/perf_map.h"
#include "reader/symbols/symbol_ahead.h"

/* A module that is read takes so much beside its table: the places tried, and reasons. */
#define READ_BYTES 1024

void module_init(struct module *m, enum module_kind kind)
{
	*m = (struct module){.kind = kind};
	pthread_mutex_init(&m->lock, NULL);
	symbol_table_init(&m->table);
}

void module_release(struct module *m)
{
	if (m->unwind)
		unwind_module_release(m->unwind);
	if (m->jit_unwind)
		jit_unwind_release(m->jit_unwind);
	free(m->unwind);
	free(m->jit_unwind);
	m->unwind = NULL;
	m->jit_unwind = NULL;
	srcline_close(m->lines);
	jit_lines_close(m->jit_lines);
	m->lines = NULL;
	m->jit_lines = NULL;
	free(m->object);
	m->object = NULL;
	kept_error_release(&m->no_object);
	kept_error_release(&m->why_not);
	ts_bytes_release(&m->trail);
	symbol_table_release(&m->table);
}

/* Before libelf is used for a module: forgets its failures for others in this thread. */
static void forget_faults(void)
{
	elf_file_fault();
}

/* Afterwards. */
static void note_faults(struct module *m, const struct ts_error *err)
{
	symbol_fault_note(&m->fault, err->code);
	symbol_fault_note(&m->fault, elf_file_fault());
}

/* --- the object --- */

static int search_object(struct module *m, struct elf_file *ret, struct ts_error *err)
{
	const struct symbol_search search = module_search(m);
	char path[PATH_MAX];
	int rc = object_file_open(ret, path, &m->build_id, &search, err);

	if (rc)
		return rc;
	m->object = strdup(path);
	m->object_how = ret->how;
	if (m->object)
		return 0;
	elf_file_close(ret);
	return ts_error_sys(err, ENOMEM, "cannot use symbols of %s", path);
}

/* Searches the object once. */
static int find_object(struct module *m, struct elf_file *ret, struct ts_error *err)
{
	int rc;

	if (m->no_object.code)
		return kept_error_get(&m->no_object, err);
	rc = search_object(m, ret, err);
	if (rc)
		kept_error_set(&m->no_object, err);
	return rc;
}

/* The vdso of another machine; *err has the reason why this machine's cannot be used. */
static int find_vdso_file(struct module *m, struct elf_file *ret, struct ts_error *err)
{
	const struct symbol_search search = module_search(m);
	char path[PATH_MAX];

	if (!object_file_open_archived(ret, path, &m->build_id, &search) &&
	    !object_file_open_cached(ret, path, &m->build_id, &search, "vdso"))
		return -err->code;
	m->object = strdup(path);
	if (!m->object)
		symbol_fault_note(&m->fault, ENOMEM);
	m->object_how = ret->how;
	*err = (struct ts_error){0};
	return 0;
}

/*
 * The file, or the memory, that has the code of the module, for the caller to close. With the lock
 * held.
 */
static int open_object(struct module *m, struct elf_file *ret, struct ts_error *err)
{
	if (m->object) {
		/* a process at that path may meanwhile run another file */
		int rc = elf_file_open(ret, m->object, &m->object_how, err);

		return rc ? rc : object_file_check(ret, m->object, &m->build_id, err);
	}
	if (m->kind == MODULE_VDSO)
		return module_open_vdso(m, ret, err) ? find_vdso_file(m, ret, err) : 0;
	if (m->kind != MODULE_FILE)
		return ts_error_set(err, ENOENT, "cannot read %s: there is no file",
				    m->name.long_name);
	return find_object(m, ret, err);
}

static int load_object(struct module *m, struct ts_error *err)
{
	const struct symbol_search search = module_search(m);
	struct elf_file object;
	int rc = open_object(m, &object, err);

	if (rc)
		return rc;
	rc = symbol_elf_load(&m->table, &object, m->object ? m->object : m->path, &search, err);
	elf_file_close(&object);
	return rc;
}

static int load_perf_map(struct module *m, struct ts_error *err)
{
	const struct symbol_search search = module_search(m);
	struct untrusted_file_place place;
	int rc = perf_map_load(&m->table, m->pid, &search, m->limits, &place, err);

	if (rc)
		return rc;
	m->object = strdup(place.path);
	if (!m->object)
		symbol_fault_note(&m->fault, ENOMEM);
	m->object_how = place.how;
	return 0;
}

struct harmless module_how_by_path(const struct module *m)
{
	char root[PROCESS_ROOT_BYTES];
	struct harmless how;

	snprintf(root, sizeof(root), "/proc/%u/root/", process_root_thread(m->pid));
	if (m->archive && harmless_below(m->archive, m->path).own)
		return harmless_archived(m->archive);
	how = harmless_below(m->symfs, m->path);
	if (!how.own)
		how = harmless_below(root, m->path);
	how.links = HARMLESS_NO_LINK_END;
	return how;
}

static void load_jitdump(struct module *m, struct ts_error *err)
{
	const struct harmless how = module_how_by_path(m);

	if (!jitdump_load(&m->table, m->path, &how, err))
		ts_bytes_printf(&m->trail, "%zu symbols from %s\n", m->table.nr, m->path);
}

/* The name is that of the record. */
static void load_ksymbol(struct module *m, struct ts_error *err)
{
	struct symbol_table *t = &m->table;

	symbol_table_add(t, 0, UINT64_MAX, UINT64_MAX, STB_GLOBAL, STT_FUNC, m->path,
			 strlen(m->path));
	symbol_table_finish(t, false);
	if (t->failed && symbol_table_lack(t) == MEMORY_REFUSED)
		symbol_limits_refuse(m->path, err);
	else if (t->failed)
		ts_error_sys(err, ENOMEM, "cannot make room for %s", m->path);
}

static void read_symbols(struct module *m, struct ts_error *err)
{
	m->table.limits = m->limits;
	switch (m->kind) {
	case MODULE_FILE:
	case MODULE_VDSO:
		load_object(m, err);
		break;
	case MODULE_KERNEL:
		module_load_kernel(m, err);
		break;
	case MODULE_JIT:
		load_perf_map(m, err);
		break;
	case MODULE_JITDUMP:
		load_jitdump(m, err);
		break;
	case MODULE_KSYMBOL:
		load_ksymbol(m, err);
		break;
	case MODULE_NONE:
		break;
	}
	if (m->table.failed)
		symbol_table_clear(&m->table);
}

static void load_module(struct module *m, struct ts_error *err)
{
	if (m->kind == MODULE_NONE)
		return;
	if (symbol_limits_take(m->limits, READ_BYTES))
		read_symbols(m, err);
	else
		symbol_limits_refuse(m->path, err);
	if (err->code)
		ts_bytes_printf(&m->trail, "%s\n", err->text);
}

static void load_and_note(struct module *m)
{
	struct ts_error err = {0};

	forget_faults();
	load_module(m, &err);
	kept_error_set(&m->why_not, &err);
	note_faults(m, &err);
}

static void load_once(struct module *m)
{
	if (atomic_load_explicit(&m->is_loaded, memory_order_acquire))
		return;
	pthread_mutex_lock(&m->lock);
	if (!atomic_load_explicit(&m->is_loaded, memory_order_relaxed)) {
		atomic_store_explicit(&m->is_loading, true, memory_order_relaxed);
		load_and_note(m);
		/* Pairs with the acquire above: a thread that sees the flag sees the table. */
		atomic_store_explicit(&m->is_loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&m->lock);
}

bool module_would_wait(const struct module *m)
{
	if (atomic_load_explicit(&m->is_loaded, memory_order_relaxed))
		return false;
	return atomic_load_explicit(&m->is_loading, memory_order_relaxed) ||
	       (m->ahead && atomic_load_explicit(&m->ahead->is_reading, memory_order_relaxed));
}

const struct symbol *module_find(struct module *m, uint64_t addr)
{
	load_once(m);
	return symbol_table_find(&m->table, addr + m->moved);
}

bool module_has_in(const struct module *m, uint64_t start, uint64_t end)
{
	return symbol_table_has_in(&m->table, start, end);
}

/* --- unwinding --- */

static void load_unwind_of_dump(struct module *m)
{
	const struct harmless how = module_how_by_path(m);

	m->jit_unwind = calloc(1, sizeof(*m->jit_unwind));
	if (m->jit_unwind)
		jit_unwind_load(m->jit_unwind, m->path, &how);
	else
		symbol_fault_note(&m->fault, ENOMEM);
}

static void load_unwind_of_object(struct module *m, struct elf_file *object)
{
	m->unwind = calloc(1, sizeof(*m->unwind));
	if (m->unwind)
		unwind_module_load(m->unwind, object);
	else
		symbol_fault_note(&m->fault, ENOMEM);
}

static void load_unwind(struct module *m)
{
	struct ts_error err = {0};
	struct elf_file object;

	if (m->kind == MODULE_JITDUMP)
		load_unwind_of_dump(m);
	forget_faults();
	if (!open_object(m, &object, &err)) {
		load_unwind_of_object(m, &object);
		elf_file_close(&object);
	}
	note_faults(m, &err);
}

static void load_unwind_once(struct module *m)
{
	/* As in load_once(). */
	if (atomic_load_explicit(&m->is_unwind_loaded, memory_order_acquire))
		return;
	pthread_mutex_lock(&m->lock);
	if (!atomic_load_explicit(&m->is_unwind_loaded, memory_order_relaxed)) {
		load_unwind(m);
		atomic_store_explicit(&m->is_unwind_loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&m->lock);
}

const struct unwind_rule *module_unwind_rule(struct module *m, uint64_t addr)
{
	static const struct unwind_rule unknown = {.how = UNWIND_UNKNOWN};

	load_unwind_once(m);
	if (m->jit_unwind)
		return jit_unwind_find(m->jit_unwind, addr);
	return m->unwind ? unwind_module_find(m->unwind, addr) : &unknown;
}

int module_open_object(struct module *m, uint64_t addr, uint64_t *ret_vaddr)
{
	struct ts_error err = {0};
	struct elf_file object;
	int fd = -1;

	load_unwind_once(m);
	if (!m->unwind || !unwind_module_vaddr(m->unwind, addr, ret_vaddr))
		return -1;
	pthread_mutex_lock(&m->lock);
	forget_faults();
	if (!open_object(m, &object, &err)) {
		if (elf_file_is_modest(&object)) {
			fd = object.fd >= 0 ? dup(object.fd) : module_vdso_copy();
			err.code = fd < 0 ? errno : 0;
		}
		elf_file_close(&object);
	}
	note_faults(m, &err);
	pthread_mutex_unlock(&m->lock);
	return fd;
}

/* --- source lines --- */

/* The lines of the object itself or of its debug file. */
static struct srcline *lines_of(struct module *m, const char *archive, struct ts_error *err)
{
	struct symbol_search search = module_search(m);
	struct srcline_files f = {.debug.fd = -1, .other.fd = -1};
	char path[PATH_MAX], debug_path[PATH_MAX], other_path[PATH_MAX];
	struct elf_section info;
	struct srcline *lines;
	bool is_split;

	search.archive = archive;
	search.trail = NULL;
	if (object_file_open(&f.object, path, &m->build_id, &search, err))
		return NULL;
	is_split = !elf_file_section(&f.object, SHT_PROGBITS, ".debug_info", &info);
	symbol_search_note_elf(&search);
	is_split = is_split && debug_file_open(&f.debug, debug_path, &f.object, &search);
	debug_file_open_alt(&f.other, other_path, is_split ? &f.debug : &f.object,
			    is_split ? debug_path : path, &search);
	lines = srcline_open(&f, err);
	if (lines)
		ts_bytes_printf(&m->trail, "source lines from %s\n", is_split ? debug_path : path);
	return lines;
}

static struct jit_lines *lines_of_dump(struct module *m)
{
	const struct harmless how = module_how_by_path(m);

	return jit_lines_open(m->path, &how, &m->fault);
}

/* Files in the archive are often without source lines. */
static void open_lines(struct module *m)
{
	struct ts_error err = {0};

	if (m->kind == MODULE_JITDUMP)
		m->jit_lines = lines_of_dump(m);
	if (m->kind != MODULE_FILE)
		return;
	m->lines = lines_of(m, m->archive, &err);
	note_faults(m, &err);
	if (!m->lines && m->archive) {
		m->lines = lines_of(m, NULL, &err);
		note_faults(m, &err);
	}
	if (!m->lines && !m->no_object.code)
		ts_bytes_printf(&m->trail, "%s\n", err.text);
}

/* With the lock held. */
static void open_lines_once(struct module *m)
{
	if (m->are_lines_loaded)
		return;
	forget_faults();
	open_lines(m);
	m->are_lines_loaded = true;
}

void module_open_lines(struct module *m)
{
	pthread_mutex_lock(&m->lock);
	open_lines_once(m);
	pthread_mutex_unlock(&m->lock);
}

const struct srcline_place *module_lines(struct module *m, uint64_t addr)
{
	const struct srcline_place *place = NULL;

	pthread_mutex_lock(&m->lock);
	open_lines_once(m);
	if (m->lines)
		place = srcline_find(m->lines, addr);
	else if (m->jit_lines)
		place = jit_lines_find(m->jit_lines, addr);
	pthread_mutex_unlock(&m->lock);
	return place;
}

int module_fault(const struct module *m)
{
	const int of_lines = m->lines ? srcline_fault(m->lines) : 0;
	const int of_jit = m->jit_unwind ? jit_unwind_fault(m->jit_unwind) : 0;

	if (m->fault || of_lines || of_jit)
		return m->fault ? m->fault : of_lines ? of_lines : of_jit;
	if (m->table.lacks_memory)
		return symbol_table_lack(&m->table);
	return m->unwind && unwind_module_lacks_memory(m->unwind) ? ENOMEM : 0;
}

bool module_reaches(struct module *m, uint64_t addr)
{
	load_once(m);
	if (m->table.failed || !m->table.nr)
		return false;
	addr += m->moved;
	return addr >= m->table.items[0].sym.start && addr < m->table.kernel_end;
}
