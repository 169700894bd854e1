/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies an ELF file with only the sections for names, unwinding and, if wanted, source lines.
 *
 * Headers are unchanged, so addresses and file offsets keep their meaning. A section that is left
 * out takes no room (SHT_NOBITS). It keeps its old offset, which is not an offset in the new file.
 *
 * Threads: no state besides the files.
 */
#ifndef TS_READER_ARCHIVE_ELF_SLIM_H
#define TS_READER_ARCHIVE_ELF_SLIM_H

#include <stdbool.h>

#include "common/base/error.h"
#include "reader/objects/elf_file.h"

/*
 * Writes the copy to fd, an empty file that messages call `name`. Returns 0 or -errno; -EINVAL:
 * sections of `from` reach beyond its end.
 */
int elf_slim(const struct elf_file *from, bool with_lines, int fd, const char *name,
	     struct ts_error *err);

#endif
