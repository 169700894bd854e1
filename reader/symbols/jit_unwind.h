/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How code of a jitdump file is unwound: by the .eh_frame that the file has of a function.
 *
 * It speaks of addresses as if it lay behind the code, at the next multiple of 8, as `perf inject --jit`
 * lays it. So code is taken to lie where it stands in the file, and what is found is a file offset, as
 * everywhere where a module is asked. A function's information is read when an address of it is asked for.
 *
 * Threads: loaded by one thread; any number of threads may ask then.
 */
#ifndef TS_READER_SYMBOLS_JIT_UNWIND_H
#define TS_READER_SYMBOLS_JIT_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/cfi/unwind_section.h"
#include "reader/objects/harmless.h"

struct jit_unwind_code {
	struct cfi_segment code;		  /* vaddr = offset */
	uint64_t at, bytes;			  /* of its information in `info` */
	_Atomic(struct unwind_section *) section; /* NULL: not asked for */
};

struct jit_unwind {
	struct jit_unwind_code *items; /* by offset of the code */
	size_t nr, cap;
	struct ts_bytes info;
};

/* Of a file that jitdump_find() found; where it cannot be read, or without memory, nothing more is known. */
void jit_unwind_load(struct jit_unwind *u, const char *path, const struct harmless *how);
void jit_unwind_release(struct jit_unwind *u); /* accepts a zeroed one; idempotent */

/* The rule of a file offset; never NULL. */
const struct unwind_rule *jit_unwind_find(const struct jit_unwind *u, uint64_t offset);

#endif
