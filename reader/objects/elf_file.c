// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/elf_file.h"

#include <elfutils/libdwelf.h>
#include <endian.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/base/min_max.h"
#include "common/base/regular.h"

#define CHECKED_MAX (1 << 30) /* bytes of a file whose checksum is made */
/* A file may grow to so many bytes in any case, beyond by this factor: DWARF grows by 20 at most. */
#define FREE_RATIO_MAX (16u << 20)
#define RATIO_MAX      128
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif
#define BLOCK_BYTES    65536 /* read at once for it */
#define GNU_HEAD_BYTES 12 /* of a section .zdebug: "ZLIB", and its size when unpacked, big-endian */

struct elf_unpacked {
	struct elf_unpacked *next;
	char data[];
};

void elf_file_close(struct elf_file *f)
{
	struct elf_unpacked *next;

	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	ts_bytes_release(&f->image);
	for (; f->unpacked; f->unpacked = next) {
		next = f->unpacked->next;
		free(f->unpacked);
	}
	*f = (struct elf_file){.fd = -1};
}

/* The numbers are libelf's own, the texts are not. */
int elf_file_fault(void)
{
	const int number = elf_errno();
	const char *text = number ? elf_errmsg(number) : "";

	if (!strcmp(text, "out of memory"))
		return ENOMEM;
	return !strcmp(text, "cannot read data from file") ||
			       !strcmp(text, "invalid file descriptor")
		       ? EIO
		       : 0;
}

/* gelf_getshdr() replaces the reason by one of its own. */
static bool can_read_header(const struct elf_file *f, Elf_Scn *scn)
{
	return gelf_getclass(f->elf) == ELFCLASS64 ? elf64_getshdr(scn) != NULL
						   : elf32_getshdr(scn) != NULL;
}

/* libdw goes on to the next note where one cannot be read. */
static bool can_read_notes(const struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr hdr;

	while ((scn = elf_nextscn(f->elf, scn)))
		if (!can_read_header(f, scn) || !gelf_getshdr(scn, &hdr) ||
		    (hdr.sh_type == SHT_NOTE && !elf_getdata(scn, NULL)))
			return false;
	return true;
}

static void read_build_id(struct elf_file *f)
{
	const void *bytes = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(f->elf, &bytes);

	if (len <= 0 || (size_t)len > sizeof(f->build_id.bytes))
		return;
	memcpy(f->build_id.bytes, bytes, (size_t)len);
	f->build_id.len = (uint8_t)len;
}

static int check_elf(struct elf_file *f, const char *path, struct ts_error *err)
{
	const bool is_elf =
		f->elf && elf_kind(f->elf) == ELF_K_ELF && !elf_getshdrstrndx(f->elf, &f->shstrndx);
	const int fault = is_elf && can_read_notes(f) ? 0 : elf_file_fault();

	if (is_elf && !fault) {
		read_build_id(f);
		return 0;
	}
	elf_file_close(f);
	return fault ? ts_error_sys(err, fault, "cannot read %s", path)
		     : ts_error_set(err, EINVAL, "cannot read %s: not an ELF file", path);
}

/*
 * Holes grow as compressed data does. Some filesystems do not tell what a file takes, or tell what it
 * takes when compressed.
 */
static bool is_dense(const struct stat *st)
{
	return !st->st_blocks || st->st_size <= FREE_RATIO_MAX ||
	       st->st_size / RATIO_MAX <= (off_t)st->st_blocks * 512;
}

int elf_file_open(struct elf_file *f, const char *path, const struct harmless *how,
		  struct ts_error *err)
{
	struct stat st;

	*f = (struct elf_file){.fd = -1, .how = *how};
	elf_version(EV_CURRENT);
	f->fd = harmless_open(path, how);
	if (f->fd == -TS_REGULAR_OTHER)
		return ts_error_set(err, EINVAL, "cannot read symbols of %s: not a regular file",
				    path);
	if (f->fd < 0)
		return ts_error_set(err, -f->fd, "cannot open %s for its symbols: %s", path,
				    ts_regular_reason(-f->fd));
	if (!fstat(f->fd, &st))
		f->bytes = (uint64_t)st.st_size;
	if (f->bytes && !is_dense(&st)) {
		elf_file_close(f);
		return ts_error_set(err, EINVAL, "cannot read %s: nearly all of it is holes", path);
	}
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	return check_elf(f, path, err);
}

bool elf_file_has_checksum(const struct elf_file *f, uint32_t checksum)
{
	uint8_t block[BLOCK_BYTES];
	uint32_t sum = 0;
	off_t at = 0;
	ssize_t got;

	while ((got = pread(f->fd, block, sizeof(block), at)) > 0 && at <= CHECKED_MAX) {
		sum = lzma_crc32(block, (size_t)got, sum);
		at += got;
	}
	return !got && sum == checksum;
}

bool elf_file_section(const struct elf_file *f, GElf_Word type, const char *name,
		      struct elf_section *ret)
{
	struct elf_section s = {0};
	const char *its_name;

	while ((s.scn = elf_nextscn(f->elf, s.scn))) {
		if (!gelf_getshdr(s.scn, &s.hdr) || s.hdr.sh_type != type)
			continue;
		its_name = elf_strptr(f->elf, f->shstrndx, s.hdr.sh_name);
		if (name && (!its_name || strcmp(its_name, name)))
			continue;
		s.data = type == SHT_NOBITS ? NULL : elf_getdata(s.scn, NULL);
		*ret = s;
		return type == SHT_NOBITS || s.data;
	}
	return false;
}

/* --- compressed sections --- */

/*
 * Counts a section. False: with it, all that were counted grow to more than those of a sound file.
 * Sections may overlap or claim any size, so no more counts as packed than the file has.
 */
static bool add_section(struct elf_growth *g, uint64_t file_bytes, uint64_t packed, uint64_t bytes)
{
	g->packed = ts_min(file_bytes, g->packed + ts_min(file_bytes, packed));
	g->unpacked += ts_min(UINT64_MAX - g->unpacked, bytes);
	return g->unpacked <= FREE_RATIO_MAX + RATIO_MAX * g->packed;
}

/* The bytes that libelf would make of a section; 0: it is not compressed. */
static uint64_t unpacked_bytes(const struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *hdr)
{
	const char *name = elf_strptr(f->elf, f->shstrndx, hdr->sh_name);
	const Elf_Data *raw;
	GElf_Chdr packed;
	uint64_t bytes;

	if (hdr->sh_type == SHT_NOBITS)
		return 0;
	if (hdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &packed) ? packed.ch_size : 0;
	if (!name || strncmp(name, ".zdebug", 7) != 0)
		return 0;
	raw = elf_rawdata(scn, NULL);
	if (!raw || !raw->d_buf || raw->d_size < GNU_HEAD_BYTES ||
	    memcmp(raw->d_buf, "ZLIB", 4) != 0)
		return 0;
	memcpy(&bytes, (const char *)raw->d_buf + 4, sizeof(bytes));
	return be64toh(bytes);
}

bool elf_file_is_modest(const struct elf_file *f)
{
	struct elf_growth all = {0};
	bool is_modest = true;
	Elf_Scn *scn = NULL;
	GElf_Shdr hdr;
	uint64_t bytes;

	while ((scn = elf_nextscn(f->elf, scn))) {
		bytes = gelf_getshdr(scn, &hdr) ? unpacked_bytes(f, scn, &hdr) : 0;
		if (bytes)
			is_modest = add_section(&all, f->bytes, hdr.sh_size, bytes);
	}
	return is_modest;
}

/* Decompresses a section into memory of the file; NULL: that fails. */
static void *expand_zstd(struct elf_file *f, Elf_Scn *scn, uint64_t bytes)
{
	const size_t head = gelf_fsize(f->elf, ELF_T_CHDR, 1, EV_CURRENT);
	const Elf_Data *raw = elf_rawdata(scn, NULL);
	const uint64_t packed = raw && raw->d_buf && raw->d_size > head ? raw->d_size - head : 0;
	struct elf_unpacked *to;

	if (!packed)
		return NULL;
	to = malloc(sizeof(*to) + bytes);
	if (!to)
		return NULL;
	if (ZSTD_decompress(to->data, bytes, (const char *)raw->d_buf + head, packed) != bytes) {
		free(to);
		return NULL;
	}
	to->next = f->unpacked;
	f->unpacked = to;
	return to->data;
}

/* Gives the section its decompressed bytes, as elf_compress() of libelf does. */
static bool unpack_zstd(struct elf_file *f, Elf_Scn *scn, const GElf_Chdr *packed)
{
	void *bytes = expand_zstd(f, scn, packed->ch_size);
	Elf_Data *data = bytes ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr hdr;

	if (!data || !gelf_getshdr(scn, &hdr))
		return false;
	hdr.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	hdr.sh_size = packed->ch_size;
	hdr.sh_addralign = packed->ch_addralign;
	if (!gelf_update_shdr(scn, &hdr))
		return false;
	data->d_buf = bytes;
	data->d_size = packed->ch_size;
	data->d_align = packed->ch_addralign;
	data->d_type = ELF_T_BYTE;
	return true;
}

bool elf_file_unpack(struct elf_file *f, struct elf_section *section)
{
	GElf_Chdr packed;

	if (!(section->hdr.sh_flags & SHF_COMPRESSED))
		return true;
	if (!gelf_getchdr(section->scn, &packed) ||
	    !add_section(&f->growth, f->bytes, section->hdr.sh_size, packed.ch_size))
		return false;
	if (packed.ch_type == ELFCOMPRESS_ZSTD ? !unpack_zstd(f, section->scn, &packed)
					       : elf_compress(section->scn, 0, 0) < 0)
		return false;
	if (!gelf_getshdr(section->scn, &section->hdr))
		return false;
	section->data = elf_getdata(section->scn, NULL);
	return section->data;
}

void elf_file_unpack_zstd(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Chdr packed;
	GElf_Shdr hdr;

	while ((scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &hdr) && hdr.sh_flags & SHF_COMPRESSED &&
		    hdr.sh_type != SHT_NOBITS && gelf_getchdr(scn, &packed) &&
		    packed.ch_type == ELFCOMPRESS_ZSTD)
			unpack_zstd(f, scn, &packed);
}

int elf_file_open_image(struct elf_file *f, const void *image, size_t size, const char *name,
			struct ts_error *err)
{
	*f = (struct elf_file){.fd = -1, .bytes = size};
	elf_version(EV_CURRENT);
	f->elf = elf_memory((char *)image, size);
	return check_elf(f, name, err);
}

bool elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *ret_vaddr)
{
	size_t nr = 0;
	GElf_Phdr ph;

	elf_getphdrnum(f->elf, &nr);
	for (size_t i = 0; i < nr && gelf_getphdr(f->elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || offset < ph.p_offset ||
		    offset - ph.p_offset >= ph.p_filesz)
			continue;
		*ret_vaddr = offset - ph.p_offset + ph.p_vaddr;
		return true;
	}
	return false;
}

int elf_file_own_image(struct elf_file *f, struct ts_bytes *image, const char *name,
		       struct ts_error *err)
{
	int rc = elf_file_open_image(f, image->data, image->len, name, err);

	if (rc)
		ts_bytes_release(image);
	else
		f->image = *image;
	*image = (struct ts_bytes){0};
	return rc;
}
