// SPDX-License-Identifier: Apache-2.0
/* The symbols of the kernel and its modules: kallsyms of the capture, of the machine or of perf's cache, or a vmlinux. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "common/directory/symbols_folder.h"
#include "reader/objects/build_id_cache.h"
#include "reader/symbols/module_parts.h"
#include "reader/symbols/symbol_ahead.h"

static const char *reference_name(const struct module *m)
{
	return m->reference_name ? m->reference_name : "";
}

/*
 * `reference` is the address, in the symbols, of the symbol that the capture has at m->reference;
 * 0: they lack it.
 */
static void note_moved(struct module *m, uint64_t reference)
{
	if (!m->reference || !reference)
		return;
	m->moved = reference - m->reference;
	if (m->moved)
		ts_bytes_printf(&m->trail,
				"%s was at 0x%" PRIx64 ", the symbols have it at 0x%" PRIx64 "\n",
				reference_name(m), m->reference, reference);
}

static int load_kallsyms(struct module *m, const char *path, const struct harmless *how,
			 struct symbol_limits *limits, struct ts_error *err)
{
	uint64_t reference = 0;
	int ret = symbol_text_kallsyms(&m->table, path, how, limits, reference_name(m), &reference,
				       err);

	if (ret)
		return ret;
	ts_bytes_printf(&m->trail, "%zu symbols from %s\n", m->table.nr, path);
	note_moved(m, reference);
	return 0;
}

static int load_vmlinux(struct module *m, struct ts_error *err)
{
	uint64_t reference = 0;
	int rc = symbol_elf_load_kernel(&m->table, m->vmlinux, &m->build_id, reference_name(m),
					&reference, err);

	if (rc)
		return rc;
	ts_bytes_printf(&m->trail, "%zu symbols from .symtab of %s\n", m->table.nr, m->vmlinux);
	if (!m->build_id.len)
		ts_bytes_printf(
			&m->trail,
			"the kernel's build-id is not recorded: the file is taken as it is\n");
	if (!m->reference || !reference)
		ts_bytes_printf(&m->trail, "nothing tells where the kernel was loaded: its "
					   "addresses are taken as they are\n");
	note_moved(m, reference);
	return 0;
}

static int load_archived_kernel(struct module *m)
{
	const struct symbol_search search = module_search(m);
	char name[TS_SYMBOLS_NAME], path[PATH_MAX];
	struct harmless how;
	struct ts_error err;
	int rc;

	if (!m->archive || !m->build_id.len ||
	    snprintf(path, sizeof(path), "%s/%s", m->archive,
		     ts_symbols_name(name, &m->build_id, TS_SYMBOLS_KALLSYMS)) >= (int)sizeof(path))
		return -ENOENT;
	how = harmless_archived(m->archive);
	rc = load_kallsyms(m, path, &how, m->limits, &err);
	if (rc)
		symbol_search_note(&search, &err);
	return rc;
}

static int load_cached_kernel(struct module *m, struct ts_error *err)
{
	const struct symbol_search search = module_search(m);
	char path[PATH_MAX];
	struct harmless how;
	struct ts_error why;

	if (!build_id_cache_path(path, &how, &m->build_id, "kallsyms", &search))
		return -err->code;
	m->reference = m->recorded_reference;
	if (load_kallsyms(m, path, &how, m->limits, &why)) {
		symbol_search_note(&search, &why);
		return -err->code;
	}
	*err = (struct ts_error){0};
	return 0;
}

int module_load_kernel(struct module *m, struct ts_error *err)
{
	struct ts_build_id running;
	int ret;

	if (m->kallsyms)
		return load_kallsyms(m, m->kallsyms, HARMLESS_OWN, m->limits, err);
	if (m->vmlinux)
		return load_vmlinux(m, err);
	if (!load_archived_kernel(m))
		return 0;
	ts_build_id_of_notes_file(MODULE_KERNEL_NOTES, &running);
	if (m->build_id.len && !ts_build_id_equal(&running, &m->build_id)) {
		ts_error_set(err, ESTALE,
			     "cannot use " MODULE_KALLSYMS ": the capture is of another kernel");
		return load_cached_kernel(m, err);
	}
	if (m->ahead && !m->reference && symbol_ahead_take(m->ahead, &m->table, &ret, err)) {
		if (!ret)
			ts_bytes_printf(&m->trail, "%zu symbols from " MODULE_KALLSYMS "\n",
					m->table.nr);
		return ret;
	}
	return load_kallsyms(m, MODULE_KALLSYMS, HARMLESS_OWN, NULL, err);
}
