/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of ELF files: .symtab of the object or of its separate debug file, else .dynsym together
 * with the symbols of .gnu_debugdata, and the PLT.
 *
 * Addresses become file offsets (p_vaddr to p_offset of the segment that covers them), because a
 * map's pgoff is one. Addresses of the kernel stay as they are. Files are hostile: all reading goes
 * through libelf's checks, and no file is mapped.
 *
 * Threads: each call works on its own table.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_ELF_H
#define TS_READER_SYMBOLS_SYMBOL_ELF_H

#include "common/base/build_id.h"
#include "common/base/error.h"
#include "reader/objects/elf_file.h"
#include "reader/objects/symbol_places.h"
#include "reader/symbols/symbol_table.h"

/*
 * Fills and finishes the table from an object, which lies at `path`, and from the files that belong
 * to it.
 */
int symbol_elf_load(struct symbol_table *t, const struct elf_file *object, const char *path,
		    const struct symbol_search *search, struct ts_error *err);

/*
 * The same from the ELF file of a kernel, by the addresses that it was linked for. -ESTALE: its
 * build-id is not the expected one (expected->len 0: any is accepted).
 *
 * *ret_reference is the address of the symbol called `reference`; 0: not found. Symbols below it
 * have no place in memory (the variables of a CPU) and are left out.
 */
int symbol_elf_load_kernel(struct symbol_table *t, const char *path,
			   const struct ts_build_id *expected, const char *reference,
			   uint64_t *ret_reference, struct ts_error *err);

#endif
