// SPDX-License-Identifier: Apache-2.0
/*
 * Two files may take part. `object` is the file that ran (segments, .dynsym, .plt). `source` has
 * the symbol table: a separate debug file, the small one inside the object, or the object itself.
 * The sections of a debug file have no bytes, so all questions about file offsets go to the object.
 */
#include "reader/symbols/symbol_elf.h"

#include <errno.h>
#include <limits.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/objects/debug_file.h"
#include "reader/objects/elf_file.h"
#include "reader/objects/mini_debug.h"

#define LONGEST_NAME_BYTES 65536
#define NAMES_SHARED	   16 /* a byte of the string table may be in so many names, on average */

struct names { /* a string table, copied to where its symbols are */
	char *text;
	size_t len;
	size_t left; /* bytes that all names together may still have */
};

static bool is_function_or_object(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

static bool is_label(const GElf_Sym *sym)
{
	int visibility = GELF_ST_VISIBILITY(sym->st_other);

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && visibility != STV_INTERNAL &&
	       visibility != STV_HIDDEN;
}

/* A label counts in sections of code or data, which have these names. */
static bool holds_labels(const struct elf_file *f, size_t section)
{
	const char *name;
	GElf_Shdr hdr;

	if (!gelf_getshdr(elf_getscn(f->elf, section), &hdr))
		return false;
	name = elf_strptr(f->elf, f->shstrndx, hdr.sh_name);
	return name && (strstr(name, "text") || strstr(name, "data"));
}

/* The section of a symbol, with a header whose file offset is true. */
static bool section_of(const struct elf_file *source, const struct elf_file *object,
		       const GElf_Sym *sym, GElf_Shdr *ret)
{
	if (!gelf_getshdr(elf_getscn(source->elf, sym->st_shndx), ret))
		return false;
	if (ret->sh_type == SHT_NOBITS && object && source != object)
		return gelf_getshdr(elf_getscn(object->elf, sym->st_shndx), ret) != NULL;
	return true;
}

static uint64_t file_offset_of(const struct elf_file *object, uint64_t vaddr, const GElf_Shdr *hdr)
{
	size_t nr = 0;
	GElf_Phdr ph;

	elf_getphdrnum(object->elf, &nr);
	for (size_t i = 0; i < nr && gelf_getphdr(object->elf, (int)i, &ph); i++) {
		uint64_t size = ts_max(ph.p_memsz, ph.p_filesz);

		if (ph.p_type == PT_LOAD && vaddr >= ph.p_vaddr && vaddr - ph.p_vaddr < size)
			return vaddr - ph.p_vaddr + ph.p_offset;
	}
	return vaddr - hdr->sh_addr + hdr->sh_offset;
}

/* NULL: none, or it is empty. */
static const Elf_Data *string_table(const struct elf_file *source, GElf_Word strings)
{
	Elf_Scn *scn = elf_getscn(source->elf, strings);
	const Elf_Data *data;
	GElf_Shdr hdr;

	if (!scn || !gelf_getshdr(scn, &hdr) || hdr.sh_type != SHT_STRTAB ||
	    hdr.sh_flags & SHF_COMPRESSED)
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

/*
 * Copies the table as a whole. A symbol has an offset into it, and any number of names may share
 * their last bytes. Copies of single names could then need far more memory than the file, and
 * checking them far more time.
 */
static struct names copy_names(struct symbol_table *t, const struct elf_file *source,
			       GElf_Word strings)
{
	const Elf_Data *data = string_table(source, strings);
	struct names names = {0};

	if (!data)
		return names;
	names.text = symbol_table_room(t, data->d_size + 1);
	t->failed |= !names.text;
	if (!names.text)
		return names;
	names.len = data->d_size;
	names.left = NAMES_SHARED * names.len + LONGEST_NAME_BYTES;
	memcpy(names.text, data->d_buf, names.len);
	names.text[names.len] = '\0';
	return names;
}

/* object NULL: symbols keep their addresses. */
static void add_symbol(struct symbol_table *t, const struct elf_file *source,
		       const struct elf_file *object, struct names *names, const GElf_Sym *sym)
{
	bool label = is_label(sym);
	size_t len, most = ts_min((size_t)LONGEST_NAME_BYTES, names->left);
	uint64_t start;
	GElf_Shdr hdr;

	if (!sym->st_name || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE ||
	    (!label && !is_function_or_object(sym)))
		return;
	if (!section_of(source, object, sym, &hdr) || !(hdr.sh_flags & SHF_ALLOC) ||
	    (label && !holds_labels(source, sym->st_shndx)))
		return;
	len = sym->st_name < names->len ? strnlen(names->text + sym->st_name, most) : most;
	if (len == most)
		return;
	names->left -= len;
	start = object ? file_offset_of(object, sym->st_value, &hdr) : sym->st_value;
	symbol_table_add_placed(
		t, start, sym->st_size, start - sym->st_value + hdr.sh_addr + hdr.sh_size,
		GELF_ST_BIND(sym->st_info), GELF_ST_TYPE(sym->st_info), names->text + sym->st_name);
}

static size_t nr_symbols(const struct elf_file *source, const struct elf_section *symtab)
{
	return symtab->data->d_size / gelf_fsize(source->elf, ELF_T_SYM, 1, EV_CURRENT);
}

static void add_symbols(struct symbol_table *t, const struct elf_file *source,
			const struct elf_file *object, const struct elf_section *symtab)
{
	size_t nr = nr_symbols(source, symtab);
	struct names names = copy_names(t, source, symtab->hdr.sh_link);
	GElf_Sym sym;

	for (size_t i = 0; names.len && i < nr && gelf_getsym(symtab->data, (int)i, &sym); i++)
		add_symbol(t, source, object, &names, &sym);
}

/* The relocations that fill the PLT's slots, in the order of the slots. */
static bool find_plt_relocations(const struct elf_file *object, struct elf_section *ret)
{
	return elf_file_section(object, SHT_RELA, ".rela.plt", ret) ||
	       elf_file_section(object, SHT_REL, ".rel.plt", ret);
}

static uint64_t plt_symbol_index(const struct elf_section *rel, size_t i)
{
	GElf_Rela rela;
	GElf_Rel plain;

	if (rel->hdr.sh_type == SHT_RELA)
		return gelf_getrela(rel->data, (int)i, &rela) ? GELF_R_SYM(rela.r_info) : 0;
	return gelf_getrel(rel->data, (int)i, &plain) ? GELF_R_SYM(plain.r_info) : 0;
}

static void add_plt_symbol(struct symbol_table *plt, const struct elf_file *object,
			   const struct elf_section *dynsym, uint64_t index, uint64_t start,
			   uint64_t size)
{
	char name[LONGEST_NAME_BYTES / 16];
	const char *target = "";
	GElf_Sym sym;
	int len;

	if (index <= INT32_MAX && gelf_getsym(dynsym->data, (int)index, &sym))
		target = elf_strptr(object->elf, dynsym->hdr.sh_link, sym.st_name);
	len = snprintf(name, sizeof(name), "%s@plt", target ? target : "");
	if (len > 0 && (size_t)len < sizeof(name))
		symbol_table_add(plt, start, size, UINT64_MAX, STB_GLOBAL, STT_FUNC, name,
				 (size_t)len);
}

/* Only its place matters, so a PLT without its bytes suffices. */
static bool find_plt(const struct elf_file *object, struct elf_section *ret)
{
	return elf_file_section(object, SHT_PROGBITS, ".plt", ret) ||
	       elf_file_section(object, SHT_NOBITS, ".plt", ret);
}

/* Slot 0 of the PLT is the resolver's; slot n + 1 belongs to relocation n. */
static void add_plt(struct symbol_table *t, const struct elf_file *object)
{
	struct elf_section rel, plt, dynsym;
	struct symbol_table slots;
	uint64_t size;
	size_t nr;

	if (!find_plt_relocations(object, &rel) || !rel.hdr.sh_entsize || !find_plt(object, &plt) ||
	    !elf_file_section(object, SHT_DYNSYM, NULL, &dynsym))
		return;
	size = plt.hdr.sh_entsize;
	nr = rel.hdr.sh_size / rel.hdr.sh_entsize;
	if (!size || nr > plt.hdr.sh_size / size)
		return;
	symbol_table_init(&slots);
	slots.suffix = t->suffix;
	slots.limits = t->limits;
	for (size_t i = 0; i < nr; i++)
		add_plt_symbol(&slots, object, &dynsym, plt_symbol_index(&rel, i),
			       plt.hdr.sh_offset + (i + 1) * size, size);
	symbol_table_merge(t, &slots);
	symbol_table_release(&slots);
}

/* The file with the symbol table: the object, its debug file, or the small one that it carries. */
struct source {
	struct elf_file other; /* if it is not the object */
	const struct elf_file *file;
	struct elf_section symtab;
	const char *section, *path; /* for messages */
	char other_path[PATH_MAX];
};

static bool has_symtab(struct source *s, const struct elf_file *file, const char *section,
		       const char *path)
{
	s->file = file;
	s->section = section;
	s->path = path;
	return elf_file_section(file, SHT_SYMTAB, NULL, &s->symtab);
}

static bool find_source(struct source *s, const struct elf_file *object, const char *path,
			const struct symbol_search *search)
{
	s->other.fd = -1;
	if (has_symtab(s, object, ".symtab", path))
		return true;
	symbol_search_note_elf(search);
	if (debug_file_open(&s->other, s->other_path, object, search))
		return has_symtab(s, &s->other, ".symtab", s->other_path);
	if (mini_debug_open(&s->other, object, path, search))
		return has_symtab(s, &s->other, ".gnu_debugdata", path);
	s->file = object;
	s->section = ".dynsym";
	return elf_file_section(object, SHT_DYNSYM, NULL, &s->symtab);
}

static void add_source(struct symbol_table *t, const struct source *s,
		       const struct elf_file *object, const struct symbol_search *search)
{
	const bool is_mini = s->file->image.data;
	struct elf_section dynsym;

	t->is_symtab = !strcmp(s->section, ".symtab");
	add_symbols(t, s->file, object, &s->symtab);
	/* A small debug file does not repeat the symbols of .dynsym. */
	if (is_mini && elf_file_section(object, SHT_DYNSYM, NULL, &dynsym))
		add_symbols(t, object, object, &dynsym);
	symbol_table_finish(t, false);
	if (search->trail && !t->failed)
		ts_bytes_printf(search->trail, "%zu symbols from %s%s of %s\n", t->nr, s->section,
				is_mini ? " and .dynsym" : "", s->path);
	if (t->nr)
		add_plt(t, object);
}

static int check(const struct symbol_table *t, const char *path, struct ts_error *err)
{
	if (!t->failed)
		return 0;
	return symbol_table_lack(t) == MEMORY_REFUSED
		       ? symbol_limits_refuse(path, err)
		       : ts_error_sys(err, ENOMEM, "cannot read symbols of %s", path);
}

int symbol_elf_load(struct symbol_table *t, const struct elf_file *object, const char *path,
		    const struct symbol_search *search, struct ts_error *err)
{
	struct source source = {0};

	if (!find_source(&source, object, path, search))
		return ts_error_set(err, ENOENT, "cannot read symbols of %s: it has none", path);
	add_source(t, &source, object, search);
	elf_file_close(&source.other);
	return check(t, path, err);
}

/* --- the kernel --- */

static uint64_t address_of(const struct elf_file *source, const struct elf_section *symtab,
			   const char *name)
{
	const Elf_Data *strings = string_table(source, symtab->hdr.sh_link);
	const size_t nr = strings ? nr_symbols(source, symtab) : 0, bytes = strlen(name) + 1;
	GElf_Sym sym;

	for (size_t i = 0; i < nr && gelf_getsym(symtab->data, (int)i, &sym); i++)
		if (sym.st_name < strings->d_size && strings->d_size - sym.st_name >= bytes &&
		    !memcmp((const char *)strings->d_buf + sym.st_name, name, bytes))
			return sym.st_value;
	return 0;
}

static void drop_below(struct symbol_table *t, uint64_t least)
{
	size_t nr_kept = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (t->items[i].sym.start >= least)
			t->items[nr_kept++] = t->items[i];
	t->nr = nr_kept;
}

static int load_kernel(struct symbol_table *t, const struct elf_file *f, const char *path,
		       const struct ts_build_id *expected, const char *reference,
		       uint64_t *ret_reference, struct ts_error *err)
{
	struct elf_section symtab;

	if (expected->len && !ts_build_id_equal(&f->build_id, expected))
		return ts_error_set(
			err, ESTALE,
			"cannot use symbols of %s: its build-id is not that of the recorded kernel",
			path);
	if (!elf_file_section(f, SHT_SYMTAB, NULL, &symtab))
		return ts_error_set(err, ENOENT, "cannot read symbols of %s: it has none", path);
	*ret_reference = address_of(f, &symtab, reference);
	add_symbols(t, f, NULL, &symtab);
	drop_below(t, *ret_reference);
	symbol_table_finish(t, false);
	if (check(t, path, err))
		return -err->code;
	t->kernel_end = t->nr ? t->reach[t->nr - 1] : 0;
	return 0;
}

int symbol_elf_load_kernel(struct symbol_table *t, const char *path,
			   const struct ts_build_id *expected, const char *reference,
			   uint64_t *ret_reference, struct ts_error *err)
{
	struct elf_file f;
	int rc = elf_file_open(&f, path, HARMLESS_OWN, err);

	if (rc)
		return rc;
	rc = load_kernel(t, &f, path, expected, reference, ret_reference, err);
	elf_file_close(&f);
	return rc;
}
