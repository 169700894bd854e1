/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small debug file that a stripped object carries: .gnu_debugdata, an ELF file compressed by xz
 * with a symbol table of the functions that .dynsym does not have.
 *
 * The section is hostile: what it expands to, and what the decoder takes for that, has a bound.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_OBJECTS_MINI_DEBUG_H
#define TS_READER_OBJECTS_MINI_DEBUG_H

#include <stdbool.h>

#include "common/base/bytes.h"
#include "reader/objects/elf_file.h"
#include "reader/objects/symbol_places.h"

/*
 * Opens it, for the caller to close. False: the object has none, or it has no symbol table or cannot
 * be expanded, which the trail then says. `path` is the object's, for that.
 */
bool mini_debug_open(struct elf_file *ret, const struct elf_file *object, const char *path,
		     const struct symbol_search *search);

/*
 * Appends what `size` bytes of xz expand to; name is for the sentence. -EFBIG: that is more than
 * `most` bytes; -EINVAL: they are damaged or cut off; -ENOMEM.
 */
int mini_debug_expand(const void *xz, size_t size, size_t most, const char *name,
		      struct ts_bytes *ret, struct ts_error *err);

#endif
