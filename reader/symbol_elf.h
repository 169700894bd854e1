/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols out of ELF files: .symtab of the object or of its separate debug file, else .dynsym with
 * what .gnu_debugdata adds to it, and the PLT.
 *
 * Addresses become file offsets (p_vaddr to p_offset of the segment that covers them), which is
 * what a map's pgoff counts in. Files are hostile: everything goes through libelf's checks, nothing
 * is mapped.
 *
 * Threads: each call works on its own table.
 */
#ifndef TS_READER_SYMBOL_ELF_H
#define TS_READER_SYMBOL_ELF_H

#include "common/build_id.h"
#include "common/error.h"
#include "reader/symbol_places.h"
#include "reader/symbol_table.h"

/*
 * Fills and finishes the table from the file at `path`. -ESTALE: its build-id is another one
 * (expected->len 0: nothing is compared).
 */
int symbol_elf_load(struct symbol_table *t, const char *path, const struct ts_build_id *expected,
		    const struct symbol_search *search, struct ts_error *err);

/* The same for an ELF image in memory (the vdso). */
int symbol_elf_load_image(struct symbol_table *t, const void *image, size_t size,
			  const struct ts_build_id *expected, const struct symbol_search *search,
			  struct ts_error *err);

#endif
