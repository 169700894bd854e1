/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file that is read: an object that ran, or its separate debug file.
 *
 * Files are hostile: everything goes through libelf's checks, nothing is mapped.
 *
 * Threads: each file belongs to one thread at a time.
 */
#ifndef TS_READER_OBJECTS_ELF_FILE_H
#define TS_READER_OBJECTS_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/build_id.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/objects/harmless.h"

struct elf_file {
	int fd; /* -1: none */
	Elf *elf;
	size_t shstrndx;
	struct ts_bytes image; /* the file itself, where it lies in memory that is its own */
	struct harmless how;   /* it was opened by its path */
};

struct elf_section {
	Elf_Scn *scn;
	GElf_Shdr hdr;
	Elf_Data *data; /* NULL: it takes no room in the file (SHT_NOBITS) */
};

/* Opens a file (harmless_open()). -errno, or -EINVAL when it is no ELF file; then nothing is open. */
int elf_file_open(struct elf_file *f, const char *path, const struct harmless *how,
		  struct ts_error *err);
/* The same of one in memory, which outlives it; `name` is for the sentence. */
int elf_file_open_image(struct elf_file *f, const void *image, size_t size, const char *name,
			struct ts_error *err);
/* The same of one in memory that it takes and frees, also where it fails; `image` is empty then. */
int elf_file_own_image(struct elf_file *f, struct ts_bytes *image, const char *name,
		       struct ts_error *err);
void elf_file_close(struct elf_file *f); /* idempotent */

struct ts_build_id elf_file_build_id(const struct elf_file *f); /* len 0: it has none */
/* The first section of this type and, unless NULL, name; false: there is none, or it cannot be read. */
bool elf_file_section(const struct elf_file *f, GElf_Word type, const char *name,
		      struct elf_section *ret);
/* Makes the data of a section plain, if it is compressed; false: it cannot be, or is larger than 1 GiB then. */
bool elf_file_unpack(struct elf_section *section);
/* The address that the file gives to code at an offset of it; false: no code is there. */
bool elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *ret_vaddr);

#endif
