/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small debug file that a stripped object carries: .gnu_debugdata, an ELF file compressed by xz
 * with a symbol table of the functions that .dynsym does not have.
 *
 * The section is hostile: the size of its result and the memory of the decoder have bounds.
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
 * Opens it, for the caller to close. False: the object has none, or it has no symbol table or
 * cannot be expanded; the trail then has the reason. `path` is the object's, for messages.
 */
bool mini_debug_open(struct elf_file *ret, const struct elf_file *object, const char *path,
		     const struct symbol_search *search);

/*
 * Appends the result of expanding `size` bytes of xz; `name` is for the message. -EFBIG: the result
 * has more than `most` bytes; -EINVAL: the bytes are damaged or cut off; -ENOMEM.
 */
int mini_debug_expand(const void *xz, size_t size, size_t most, const char *name,
		      struct ts_bytes *ret, struct ts_error *err);

#endif
