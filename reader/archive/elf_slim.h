/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file with only those sections that names, unwinding and, where wanted, source lines are read from.
 *
 * Headers stay as they are, so that addresses and file offsets mean what they meant; a section that is left
 * out takes no room (SHT_NOBITS) and keeps its offset, which is then none of this file.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_ARCHIVE_ELF_SLIM_H
#define TS_READER_ARCHIVE_ELF_SLIM_H

#include <stdbool.h>

#include "common/base/error.h"
#include "reader/objects/elf_file.h"

/* Writes it to fd, an empty file called `name` in sentences. -EINVAL: the sections of `from` claim more than it has. */
int elf_slim(const struct elf_file *from, bool with_lines, int fd, const char *name,
	     struct ts_error *err);

#endif
