/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the files module*.c alone.
 *
 * Threads: under the lock of the module.
 */
#ifndef TS_READER_SYMBOLS_MODULE_PARTS_H
#define TS_READER_SYMBOLS_MODULE_PARTS_H

#include "reader/symbols/module.h"

/* Where to look for the files of a module. Failures go into its trail. */
static inline struct symbol_search module_search(struct module *m)
{
	return (struct symbol_search){.path = m->path,
				      .symfs = m->symfs,
				      .cache = m->cache,
				      .archive = m->archive,
				      .server = m->server,
				      .pid = m->pid,
				      .trail = &m->trail,
				      .fault = &m->fault};
}

/* Fills the table of the kernel. 0 or -errno. */
int module_load_kernel(struct module *m, struct ts_error *err);
/*
 * Opens the vdso of this process, for the caller to close. -ENOENT: it has none. -ESTALE: it is not
 * the recorded one. -errno.
 */
int module_open_vdso(const struct module *m, struct elf_file *ret, struct ts_error *err);
/* The vdso of this process as a file in memory: a descriptor, for the caller to close; or -1 and errno. */
int module_vdso_copy(void);

#endif
