// SPDX-License-Identifier: Apache-2.0
#include "reader/archive/elf_slim.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIGN 8 /* of a section in the file; sections are read, not mapped */

struct slim {
	const struct elf_file *from;
	Elf *to;
	size_t nr;			   /* number of sections, including the null section */
	bool *is_kept;			   /* of each */
	uint64_t *from_offset, *to_offset; /* of the bytes of kept sections */
	uint64_t from_bytes;
	uint64_t end; /* end of the used part of the new file */
	int fault;    /* of elf_file_fault() */
};

/* --- which --- */

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

static bool is_needed(const char *name)
{
	static const char *const names[] = {
		".rela.plt",	".rel.plt",	  ".eh_frame",	    ".eh_frame_hdr",
		".debug_frame", ".gnu_debuglink", ".gnu_debugdata", NULL};

	return is_one_of(name, names);
}

/* Other DWARF sections describe variables and macros. */
static bool is_of_lines(const char *name)
{
	static const char *const names[] = {
		".debug_info",	   ".debug_abbrev",	 ".debug_line",	      ".debug_line_str",
		".debug_str",	   ".debug_str_offsets", ".debug_addr",	      ".debug_ranges",
		".debug_rnglists", ".debug_aranges",	 ".gnu_debugaltlink", NULL};

	return is_one_of(name, names);
}

static void choose_sections(struct slim *s, bool with_lines)
{
	const struct elf_file *from = s->from;
	GElf_Shdr hdr;

	s->is_kept[from->shstrndx] = true;
	for (size_t i = 1; i < s->nr; i++) {
		const char *name;

		if (!gelf_getshdr(elf_getscn(from->elf, i), &hdr))
			continue;
		name = elf_strptr(from->elf, from->shstrndx, hdr.sh_name);
		if (hdr.sh_type == SHT_SYMTAB || hdr.sh_type == SHT_DYNSYM) {
			s->is_kept[i] = true;
			if (hdr.sh_link < s->nr)
				s->is_kept[hdr.sh_link] = true;
		} else if (hdr.sh_type == SHT_NOTE) {
			s->is_kept[i] = true; /* the build-id */
		} else if (name && (is_needed(name) || (with_lines && is_of_lines(name)))) {
			s->is_kept[i] = true;
		}
	}
}

/* --- headers --- */

static bool copy_head(struct slim *s)
{
	GElf_Ehdr head;
	size_t nr = 0;
	GElf_Phdr ph;

	if (!gelf_getehdr(s->from->elf, &head) || head.e_shnum >= SHN_LORESERVE ||
	    head.e_phnum == PN_XNUM || elf_getphdrnum(s->from->elf, &nr) ||
	    !gelf_newehdr(s->to, gelf_getclass(s->from->elf)) || (nr && !gelf_newphdr(s->to, nr)))
		return false;
	s->end = gelf_fsize(s->to, ELF_T_EHDR, 1, EV_CURRENT) +
		 gelf_fsize(s->to, ELF_T_PHDR, nr, EV_CURRENT);
	head.e_phoff = nr ? gelf_fsize(s->to, ELF_T_EHDR, 1, EV_CURRENT) : 0;
	if (!gelf_update_ehdr(s->to, &head))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!gelf_getphdr(s->from->elf, (int)i, &ph) ||
		    !gelf_update_phdr(s->to, (int)i, &ph))
			return false;
	return true;
}

static uint64_t aligned(uint64_t at)
{
	return (at + ALIGN - 1) / ALIGN * ALIGN;
}

/*
 * Assigns the bytes of a kept section a place; false: the file does not have them, or they are too
 * many.
 */
static bool place_section(struct slim *s, size_t i, GElf_Shdr *hdr)
{
	if (hdr->sh_offset > s->from_bytes || hdr->sh_size > s->from_bytes - hdr->sh_offset ||
	    s->end + ALIGN + hdr->sh_size > s->from_bytes + ALIGN * (s->nr + 1))
		return false;
	s->from_offset[i] = hdr->sh_offset;
	s->to_offset[i] = hdr->sh_offset = aligned(s->end);
	s->end = hdr->sh_offset + hdr->sh_size;
	return true;
}

static bool copy_section(struct slim *s, size_t i)
{
	Elf_Scn *scn = elf_newscn(s->to);
	GElf_Shdr hdr;

	/* Without memory libelf 0.188 returns a section that it crashes with. */
	s->fault = elf_file_fault();
	if (!scn || s->fault || !gelf_getshdr(elf_getscn(s->from->elf, i), &hdr))
		return false;
	if (hdr.sh_type == SHT_NOBITS || hdr.sh_type == SHT_NULL)
		s->is_kept[i] = false;
	else if (!s->is_kept[i])
		hdr.sh_type = SHT_NOBITS;
	else if (!place_section(s, i, &hdr))
		return false;
	return gelf_update_shdr(scn, &hdr);
}

/* Puts the section headers behind everything else. */
static bool end_head(struct slim *s)
{
	GElf_Ehdr head;

	if (!gelf_getehdr(s->to, &head))
		return false;
	head.e_shoff = aligned(s->end);
	return gelf_update_ehdr(s->to, &head);
}

/* --- bytes --- */

static int copy_bytes(int to, uint64_t to_offset, int from, uint64_t from_offset, uint64_t len)
{
	off_t at = (off_t)from_offset;

	if (lseek(to, (off_t)to_offset, SEEK_SET) < 0)
		return -errno;
	while (len) {
		ssize_t got = sendfile(to, from, &at, len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EINVAL; /* the file was cut meanwhile */
		len -= (uint64_t)got;
	}
	return 0;
}

static int copy_sections(const struct slim *s, int fd)
{
	GElf_Shdr hdr;
	int rc = 0;

	for (size_t i = 1; !rc && i < s->nr; i++)
		if (s->is_kept[i] && gelf_getshdr(elf_getscn(s->to, i), &hdr))
			rc = copy_bytes(fd, s->to_offset[i], s->from->fd, s->from_offset[i],
					hdr.sh_size);
	return rc;
}

/* --- the whole --- */

/* fault: as of elf_file_fault() */
static int refuse_sections(const char *name, int fault, struct ts_error *err)
{
	return fault ? ts_error_sys(err, fault, "cannot write %s", name)
		     : ts_error_set(err, EINVAL, "cannot write %s: its sections are damaged", name);
}

static int place_headers(struct slim *s, bool with_lines, const char *name, struct ts_error *err)
{
	bool is_sound;

	elf_file_fault(); /* forgets former ones */
	is_sound = copy_head(s);

	elf_flagelf(s->to, ELF_C_SET, ELF_F_LAYOUT);
	choose_sections(s, with_lines);
	for (size_t i = 1; is_sound && i < s->nr; i++)
		is_sound = copy_section(s, i);
	if (!is_sound || !end_head(s))
		return refuse_sections(name, s->fault ? s->fault : elf_file_fault(), err);
	if (elf_update(s->to, ELF_C_WRITE) < 0)
		return ts_error_set(err, EIO, "cannot write %s: %s", name, elf_errmsg(-1));
	return 0;
}

static int write_slim(struct slim *s, bool with_lines, int fd, const char *name,
		      struct ts_error *err)
{
	int rc = place_headers(s, with_lines, name, err);

	if (rc)
		return rc;
	rc = copy_sections(s, fd);
	return rc ? ts_error_sys(err, -rc, "cannot write %s", name) : 0;
}

int elf_slim(const struct elf_file *from, bool with_lines, int fd, const char *name,
	     struct ts_error *err)
{
	struct slim s = {.from = from};
	struct stat st;
	int rc;

	if (fstat(from->fd, &st))
		return ts_error_sys(err, errno, "cannot write %s", name);
	if (elf_getshdrnum(from->elf, &s.nr) || s.nr <= from->shstrndx)
		return refuse_sections(name, 0, err);
	s.from_bytes = (uint64_t)st.st_size;
	s.is_kept = calloc(s.nr, sizeof(*s.is_kept));
	s.from_offset = calloc(2 * s.nr, sizeof(*s.from_offset));
	s.to = elf_begin(fd, ELF_C_WRITE, NULL);
	if (s.is_kept && s.from_offset && s.to) {
		s.to_offset = s.from_offset + s.nr;
		rc = write_slim(&s, with_lines, fd, name, err);
	} else {
		rc = ts_error_sys(err, ENOMEM, "cannot write %s", name);
	}
	elf_end(s.to);
	free(s.from_offset);
	free(s.is_kept);
	return rc;
}
