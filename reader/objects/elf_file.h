/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file: an object that ran, or its separate debug file.
 *
 * Files are hostile: all reading goes through libelf's checks, and no file is mapped.
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

struct elf_growth {
	uint64_t packed, unpacked; /* bytes */
};

struct elf_file {
	int fd; /* -1: none */
	Elf *elf;
	size_t shstrndx;
	struct ts_build_id build_id;   /* len 0: it has none */
	struct ts_bytes image;	       /* the bytes of the file, if it owns them in memory */
	struct harmless how;	       /* how its path was opened */
	struct elf_unpacked *unpacked; /* bytes of sections that libelf cannot decompress */
	uint64_t bytes;		       /* of the file; 0: not known */
	struct elf_growth growth;      /* of sections that elf_file_unpack() decompressed */
};

struct elf_section {
	Elf_Scn *scn;
	GElf_Shdr hdr;
	Elf_Data *data; /* NULL: it has no bytes in the file (SHT_NOBITS) */
};

/*
 * Opens a file (harmless_open()). -errno, or -EINVAL if it is no ELF file, or nearly all holes; then
 * nothing is open.
 */
int elf_file_open(struct elf_file *f, const char *path, const struct harmless *how,
		  struct ts_error *err);
/* The same for a file in memory, which must outlive *f. `name` is for the message. */
int elf_file_open_image(struct elf_file *f, const void *image, size_t size, const char *name,
			struct ts_error *err);
/*
 * The same for a file in memory that *f owns and frees. It is freed also if the function fails;
 * `image` is empty afterwards.
 */
int elf_file_own_image(struct elf_file *f, struct ts_bytes *image, const char *name,
		       struct ts_error *err);
void elf_file_close(struct elf_file *f); /* idempotent */
/*
 * The reason of libelf's last failure in this thread, if it says nothing about the file: ENOMEM, EIO;
 * 0: there was no such failure. It is forgotten.
 */
int elf_file_fault(void);

/*
 * Is this the checksum (CRC-32, as of .gnu_debuglink) of the bytes of the file? Files of more than 1
 * GiB are not read.
 */
bool elf_file_has_checksum(const struct elf_file *f, uint32_t checksum);
/* The first section of this type and, unless NULL, this name. False: none, or it cannot be read. */
bool elf_file_section(const struct elf_file *f, GElf_Word type, const char *name,
		      struct elf_section *ret);
/*
 * Decompresses the data of a section of the file, if it is compressed. False: that fails, or the
 * file would grow to more than a sound one does.
 */
bool elf_file_unpack(struct elf_file *f, struct elf_section *section);
/*
 * Do its compressed sections grow to no more than those of a sound file? If not, the file is not for
 * libdw, which decompresses whatever it needs.
 */
bool elf_file_is_modest(const struct elf_file *f);
/*
 * Decompresses all sections of a modest file that are compressed with zstd, for libdw: libelf of elfutils before 0.190
 * does not. A section that cannot be decompressed stays as it is, and is missing for libdw.
 */
void elf_file_unpack_zstd(struct elf_file *f);
/* The address that the file gives to the code at a file offset. False: no code is there. */
bool elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *ret_vaddr);

#endif
