// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/object_file.h"
#include "reader/symbols/symbol_elf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"

static const struct symbol_search no_search;

/* The loader's mappings of this program: translates one of our addresses into the file's offset. */
struct place {
	uintptr_t addr;
	uint64_t offset;
};

static int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *place = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && place->addr >= start &&
		    place->addr < start + ph->p_memsz) {
			place->offset = place->addr - start + ph->p_offset;
			return 1;
		}
	}
	return 0;
}

/* The path of this program; a path through /proc is not opened. */
static const char *own_path(void)
{
	static char path[PATH_MAX];

	cr_assert_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	return path;
}

/* Opens the object at `path` and reads its symbols. */
static int load(struct symbol_table *t, const char *path, const struct ts_build_id *expected,
		struct ts_error *err)
{
	const struct symbol_search search = {.path = path};
	struct elf_file object;
	char found[PATH_MAX];
	int rc = object_file_open(&object, found, expected, &search, err);

	if (rc)
		return rc;
	cr_expect_str_eq(found, path);
	rc = symbol_elf_load(t, &object, found, &no_search, err);
	elf_file_close(&object);
	return rc;
}

__attribute__((noinline, used)) int function_of_this_test(int x);
int function_of_this_test(int x)
{
	return x * 3 + 1;
}

Test(symbol_elf, names_a_function_of_this_program_by_its_file_offset)
{
	struct place place = {.addr = (uintptr_t)function_of_this_test};
	struct ts_build_id any = {0};
	const struct symbol *sym;
	struct symbol_table t;
	struct ts_error err;

	symbol_table_init(&t);
	cr_assert_eq(load(&t, own_path(), &any, &err), 0, "%s", err.text);
	cr_assert_eq(dl_iterate_phdr(find_offset, &place), 1);
	sym = symbol_table_find(&t, place.offset);
	cr_assert_not_null(sym);
	cr_assert_str_eq(sym->name, "function_of_this_test");
	cr_assert_eq(sym->start, place.offset);
	symbol_table_release(&t);
}

#define NR_MADE	     2000
#define STRINGS_MADE 60000

/* An object whose symbols are named by ever more of the same string. */
struct made_object {
	Elf64_Ehdr head;
	Elf64_Shdr sections[4]; /* none, .text, .symtab, .strtab, which names sections, too */
	Elf64_Sym symbols[NR_MADE];
	char strings[STRINGS_MADE];
};

static void make_object(struct made_object *o)
{
	static const unsigned char ident[] = {ELFMAG0,	  ELFMAG1,     ELFMAG2,	  ELFMAG3,
					      ELFCLASS64, ELFDATA2LSB, EV_CURRENT};

	memset(o, 0, sizeof(*o));
	memcpy(o->head.e_ident, ident, sizeof(ident));
	o->head.e_type = ET_DYN;
	o->head.e_machine = EM_X86_64;
	o->head.e_version = EV_CURRENT;
	o->head.e_ehsize = sizeof(o->head);
	o->head.e_shoff = offsetof(struct made_object, sections);
	o->head.e_shentsize = sizeof(Elf64_Shdr);
	o->head.e_shnum = 4;
	o->head.e_shstrndx = 3;
	o->sections[1] = (Elf64_Shdr){
		.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_size = NR_MADE};
	o->sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
				      .sh_offset = offsetof(struct made_object, symbols),
				      .sh_size = sizeof(o->symbols),
				      .sh_link = 3,
				      .sh_entsize = sizeof(Elf64_Sym)};
	o->sections[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct made_object, strings),
				      .sh_size = sizeof(o->strings)};
	memset(o->strings + 1, 'a', sizeof(o->strings) - 2);
	for (size_t i = 1; i < NR_MADE; i++)
		o->symbols[i] = (Elf64_Sym){.st_name = (Elf64_Word)i,
					    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					    .st_shndx = 1,
					    .st_value = i,
					    .st_size = 1};
}

Test(symbol_elf, takes_no_more_memory_for_names_than_the_file_has)
{
	static struct made_object object;
	struct symbol_table t;
	struct elf_file file;
	struct ts_error err;
	size_t bytes = 0;

	make_object(&object);
	symbol_table_init(&t);
	cr_assert_eq(elf_file_open_image(&file, &object, sizeof(object), "object", &err), 0);
	cr_assert_eq(symbol_elf_load(&t, &file, "object", &no_search, &err), 0, "%s", err.text);
	elf_file_close(&file);
	for (const struct symbol_slab *s = t.slabs; s; s = s->next)
		bytes += s->used;
	cr_expect_gt(t.nr, 0);
	cr_expect_lt(t.nr, 100);
	cr_expect_leq(bytes, sizeof(object.strings) + 1);
	symbol_table_release(&t);
}

Test(symbol_elf, refuses_a_file_with_another_build_id)
{
	struct ts_build_id other = {.bytes = {1, 2, 3}, .len = 20};
	struct symbol_table t;
	struct ts_error err;

	symbol_table_init(&t);
	cr_assert_eq(load(&t, own_path(), &other, &err), -ESTALE);
	cr_assert_eq(t.nr, 0);
	symbol_table_release(&t);
}

Test(symbol_elf, refuses_what_is_no_regular_elf_file)
{
	struct ts_build_id any = {0};
	struct symbol_table t;
	struct ts_error err;

	symbol_table_init(&t);
	cr_assert_eq(load(&t, "/dev/null", &any, &err), -EINVAL);
	cr_assert_eq(load(&t, "/etc/passwd", &any, &err), -EINVAL);
	cr_assert_eq(load(&t, "/proc/self/status", &any, &err), -TS_REGULAR_KERNEL);
	cr_assert_eq(load(&t, "/nowhere", &any, &err), -ENOENT);
	symbol_table_release(&t);
}

/* Cuts and flips bytes of a real file: any result but a crash or an endless loop is fine. */
Test(symbol_elf, survives_damaged_files, .timeout = 60)
{
	char path[] = "/tmp/tstream-elf-XXXXXX";
	int in = open("/proc/self/exe", O_RDONLY), out = mkstemp(path);
	struct ts_build_id any = {0};
	struct ts_error err;
	struct stat st;
	uint8_t *image;

	cr_assert(in >= 0 && out >= 0 && !fstat(in, &st));
	image = malloc((size_t)st.st_size);
	cr_assert_eq(read(in, image, (size_t)st.st_size), st.st_size);
	srandom(1);
	for (int round = 0; round < 200; round++) {
		size_t len = (size_t)st.st_size, at;
		struct symbol_table t;
		uint8_t saved;

		at = round % 2 ? (size_t)random() % 64 : len - 1 - (size_t)random() % 4096;
		saved = image[at];
		image[at] ^= (uint8_t)(1 + random() % 255);
		if (round % 5 == 0)
			len = (size_t)random() % len;
		cr_assert_eq(ftruncate(out, 0), 0);
		cr_assert_eq(pwrite(out, image, len, 0), (ssize_t)len);
		symbol_table_init(&t);
		load(&t, path, &any, &err);
		symbol_table_find(&t, 0x1234);
		symbol_table_release(&t);
		image[at] = saved;
	}
	free(image);
	unlink(path);
}
