/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwinding information of a module: its segments of code, its .eh_frame and its .debug_frame.
 *
 * Threads: one thread loads it; then any number of threads may ask.
 */
#ifndef TS_READER_CFI_UNWIND_MODULE_H
#define TS_READER_CFI_UNWIND_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/cfi/cfi.h"
#include "reader/cfi/unwind_section.h"
#include "reader/objects/elf_file.h"

#define UNWIND_SEGMENTS 16 /* of code; linkers make one or two */

struct unwind_module {
	struct cfi_segment segments[UNWIND_SEGMENTS];
	size_t nr_segments;
	struct unwind_section eh, debug; /* the first is asked first */
};

/*
 * A module of another machine than x86-64 has no rules. Accepts a zeroed struct, which must not
 * move afterwards.
 */
void unwind_module_load(struct unwind_module *m, struct elf_file *object);
void unwind_module_release(struct unwind_module *m); /* idempotent */

/* The rule of a file offset; never NULL. */
const struct unwind_rule *unwind_module_find(struct unwind_module *m, uint64_t addr);
/* Are rules missing for want of memory? */
bool unwind_module_lacks_memory(const struct unwind_module *m);
/* False: no code is there. Else *ret_vaddr is the address that the file gives to this offset. */
bool unwind_module_vaddr(const struct unwind_module *m, uint64_t addr, uint64_t *ret_vaddr);

#endif
