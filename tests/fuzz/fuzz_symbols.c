// SPDX-License-Identifier: Apache-2.0
/*
 * The first byte of the input tells what the rest is: an ELF file, kallsyms, or the perf-PID.map of
 * a JIT compiler. A lookup at the start of a symbol finds one that covers that address and has a
 * name; symbols are in order. If an input ends the program, its file stays in /tmp.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "reader/symbols/symbol_elf.h"
#include "reader/symbols/symbol_text.h"
#include "tests/fuzz/fuzz.h"

enum kind {
	KIND_ELF,
	KIND_KALLSYMS,
	KIND_PERF_MAP,
	NR_KINDS,
};

static void check(int holds)
{
	if (!holds)
		abort();
}

static int load_map(struct symbol_table *t, const char *path, struct ts_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	check(fd >= 0);
	rc = symbol_text_perf_map(t, fd, path, NULL, err);
	close(fd);
	return rc;
}

static int load_text(struct symbol_table *t, int kind, const uint8_t *data, size_t size,
		     struct ts_error *err)
{
	char path[] = "/tmp/tstream-fuzz.XXXXXX";
	int fd = mkstemp(path), rc;
	uint64_t reference;

	check(fd >= 0 && !ts_file_write_all(fd, data, size));
	close(fd);
	rc = kind == KIND_KALLSYMS
		     ? symbol_text_kallsyms(t, path, HARMLESS_OWN, NULL, "_text", &reference, err)
		     : load_map(t, path, err);
	unlink(path);
	return rc;
}

static int load(struct symbol_table *t, int kind, const uint8_t *data, size_t size,
		struct ts_error *err)
{
	const struct symbol_search search = {0};
	struct elf_file object;
	int rc;

	if (kind != KIND_ELF)
		return load_text(t, kind, data, size, err);
	rc = elf_file_open_image(&object, data, size, "object", err);
	if (rc)
		return rc;
	rc = symbol_elf_load(t, &object, "object", &search, err);
	elf_file_close(&object);
	return rc;
}

static void look_up(struct symbol_table *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		uint64_t start = t->items[i].sym.start;
		const struct symbol *found = symbol_table_find(t, start);

		check(!i || t->items[i - 1].sym.start <= start);
		check(found && found->name && found->start <= start);
		check(found->start == start || found->end > start);
		symbol_table_find(t, t->items[i].sym.end - 1);
		symbol_table_find(t, t->items[i].sym.end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_error err = {0};
	struct symbol_table table;

	if (!size)
		return 0;
	symbol_table_init(&table);
	if (load(&table, data[0] % NR_KINDS, data + 1, size - 1, &err))
		check(err.code && err.text[0]);
	else
		look_up(&table);
	symbol_table_release(&table);
	return 0;
}

/* --- seeds --- */

#define NAMES "\0name\0name_too\0_ZN1a1bEv\0_Z1fI1pIiiEEvv\0"

static const char section_names[] =
	"\0.text\0.symtab\0.strtab\0.dynsym\0.plt\0.rela.plt\0.note.gnu.build-id\0";

enum section {
	SECTION_NULL,
	SECTION_TEXT,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_DYNSYM,
	SECTION_PLT,
	SECTION_RELA_PLT,
	SECTION_NOTE,
	NR_SECTIONS,
};

static uint32_t name_at(const char *names, size_t len, const char *name)
{
	return (uint32_t)((const char *)memmem(names, len, name, strlen(name) + 1) - names);
}

/* Appends what a section holds, at a multiple of 8 behind `begin`, and says where it is. */
static void put_section(struct ts_bytes *out, size_t begin, Elf64_Shdr *hdr, const void *data,
			size_t len)
{
	ts_bytes_zero(out, -(out->len - begin) & 7);
	hdr->sh_offset = out->len - begin;
	hdr->sh_size = len;
	ts_bytes_put(out, data, len);
}

static void put_symbols(struct ts_bytes *out, size_t begin, Elf64_Shdr *hdr, uint32_t nr)
{
	static const char names[] = NAMES;
	static const uint8_t types[] = {STT_FUNC, STT_OBJECT, STT_NOTYPE, STT_GNU_IFUNC};
	Elf64_Sym symbols[16] = {0};

	for (uint32_t i = 1; i < 16; i++) {
		const char *name = (i + nr) % 4 == 0   ? "name"
				   : (i + nr) % 4 == 1 ? "name_too"
				   : (i + nr) % 4 == 2 ? "_ZN1a1bEv"
						       : "_Z1fI1pIiiEEvv";

		symbols[i] = (Elf64_Sym){
			.st_name = name_at(names, sizeof(names), name),
			.st_info = ELF64_ST_INFO(i % 3, types[(i + nr) % 4]),
			.st_shndx = SECTION_TEXT,
			.st_value = 0x1000 + (nr + i) % 7 * 16,
			.st_size = i % 3 * 8,
		};
	}
	*hdr = (Elf64_Shdr){
		.sh_flags = SHF_ALLOC, .sh_link = SECTION_STRTAB, .sh_entsize = sizeof(*symbols)};
	put_section(out, begin, hdr, symbols, sizeof(symbols));
}

static void put_sections(struct ts_bytes *out, size_t begin, Elf64_Shdr *hdrs, uint32_t nr)
{
	static const uint8_t code[128], note[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\1\2\3\4";
	const Elf64_Rela relocations[] = {{0, ELF64_R_INFO(1, 7), 0}, {8, ELF64_R_INFO(2, 7), 0}};

	hdrs[SECTION_TEXT] =
		(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x1000};
	put_section(out, begin, &hdrs[SECTION_TEXT], code, sizeof(code));
	put_symbols(out, begin, &hdrs[SECTION_SYMTAB], nr);
	hdrs[SECTION_SYMTAB].sh_type = nr % 2 ? SHT_SYMTAB : SHT_NULL;
	put_section(out, begin, &hdrs[SECTION_STRTAB], NAMES, sizeof(NAMES));
	hdrs[SECTION_STRTAB].sh_type = SHT_STRTAB;
	put_symbols(out, begin, &hdrs[SECTION_DYNSYM], nr + 1);
	hdrs[SECTION_DYNSYM].sh_type = SHT_DYNSYM;
	hdrs[SECTION_PLT] =
		(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_entsize = 16};
	put_section(out, begin, &hdrs[SECTION_PLT], code, 48);
	hdrs[SECTION_RELA_PLT] =
		(Elf64_Shdr){.sh_type = SHT_RELA, .sh_entsize = sizeof(*relocations)};
	put_section(out, begin, &hdrs[SECTION_RELA_PLT], relocations, sizeof(relocations));
	hdrs[SECTION_NOTE] = (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_addralign = 4};
	put_section(out, begin, &hdrs[SECTION_NOTE], note, sizeof(note) - 1);
}

/* Header, one segment, sections, and the table of sections, whose names stand in the last. */
static void put_elf(uint32_t nr, struct ts_bytes *out)
{
	static const char *const names[NR_SECTIONS] = {
		"",	   ".text", ".symtab",	 ".strtab",
		".dynsym", ".plt",  ".rela.plt", ".note.gnu.build-id"};
	Elf64_Shdr hdrs[NR_SECTIONS + 1] = {0};
	Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NR_SECTIONS + 1,
		.e_shstrndx = NR_SECTIONS,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_offset = 0x80, .p_memsz = 128};
	size_t begin = out->len;

	ts_bytes_put(out, &head, sizeof(head));
	ts_bytes_put(out, &segment, sizeof(segment));
	put_sections(out, begin, hdrs, nr);
	for (unsigned int i = 0; i < NR_SECTIONS; i++)
		hdrs[i].sh_name = name_at(section_names, sizeof(section_names), names[i]);
	hdrs[NR_SECTIONS].sh_type = SHT_STRTAB;
	put_section(out, begin, &hdrs[NR_SECTIONS], section_names, sizeof(section_names));
	ts_bytes_zero(out, -(out->len - begin) & 7);
	head.e_shoff = out->len - begin;
	memcpy(out->data + begin, &head, sizeof(head));
	ts_bytes_put(out, hdrs, sizeof(hdrs));
}

static void put_text(uint32_t nr, int kind, struct ts_bytes *out)
{
	for (uint32_t i = 0; i < 1 + nr % 50; i++) {
		if (kind == KIND_PERF_MAP)
			ts_bytes_printf(out, "%x %x jitted %u\n", 0x1000 + i * 32, nr % 64, i % 7);
		else
			ts_bytes_printf(out, "ffffffff81%06x %c %s_%u%s\n", i * 16 / (1 + nr % 3),
					"tTdDwWbBaA"[(i + nr) % 10], i ? "name" : "_text", i,
					i > 20 ? "\t[module]" : "");
	}
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	const uint8_t kind = nr % NR_KINDS;

	ts_bytes_put(out, &kind, 1);
	if (kind == KIND_ELF)
		put_elf(nr / NR_KINDS, out);
	else
		put_text(nr / NR_KINDS, kind, out);
}
