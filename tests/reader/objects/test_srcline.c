// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/srcline.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"

static volatile int sink;

static inline __attribute__((always_inline)) void inlined_work(int x)
{
	sink += x * 3; /* the line to be found */
}
enum { LINE_OF_WORK = __LINE__ - 2 };

__attribute__((noinline, used)) void function_of_this_test(int x);
void function_of_this_test(int x)
{
	inlined_work(x);
}
enum { LINE_OF_CALL = __LINE__ - 2 };

/* The file offset of an address of this program. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint64_t *addr = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && *addr - info->dlpi_addr - ph->p_vaddr < ph->p_memsz) {
			*addr = *addr - info->dlpi_addr - ph->p_vaddr + ph->p_offset;
			return 1;
		}
	}
	return 0;
}

static struct srcline *open_file(const char *path)
{
	struct srcline_files files = {.debug.fd = -1, .other.fd = -1};
	struct ts_error err;

	cr_assert_eq(elf_file_open(&files.object, path, HARMLESS_OWN, &err), 0, "%s", err.text);
	return srcline_open(&files, &err);
}

static bool is_line(const struct srcline_frame *frame, int line)
{
	return frame->file && !strcmp(ts_path_name(frame->file), "test_srcline.c") &&
	       frame->line == line;
}

Test(srcline, finds_what_was_inlined_and_where)
{
	struct srcline *s = open_file("/proc/self/exe");
	uint64_t first = (uintptr_t)function_of_this_test;
	const struct srcline_place *place;
	size_t nr_inlined = 0;

	if (!s)
		cr_skip("this program was built without DWARF");
	cr_assert_eq(dl_iterate_phdr(find_offset, &first), 1);
	for (uint64_t at = first; at < first + 32; at++) {
		place = srcline_find(s, at);
		if (!place || place->nr != 2)
			continue;
		nr_inlined++;
		cr_expect(is_line(&place->frames[0], LINE_OF_WORK), "%d", place->frames[0].line);
		cr_expect_str_eq(place->frames[0].function, "inlined_work");
		cr_expect(is_line(&place->frames[1], LINE_OF_CALL), "%d", place->frames[1].line);
		cr_expect_null(place->frames[1].function);
		cr_expect_eq(srcline_find(s, at), place, "what was found is remembered");
	}
	cr_expect_gt(nr_inlined, 0);
	cr_expect_null(srcline_find(s, UINT64_MAX));
	srcline_close(s);
}

/* A copy of this program that claims a part of its DWARF is in another file. */
static void copy_with_other_file(const char *folder)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd %s && mkfifo other && printf 'other\\0%%020d' 7 >link && "
		 "objcopy --add-section .gnu_debugaltlink=link /proc/%d/exe copy",
		 folder, getpid());
	cr_assert_eq(system(command), 0); /* NOLINT(cert-env33-c): a test's own command */
}

Test(srcline, opens_no_file_that_dwarf_names, .timeout = 120)
{
	char folder[] = "/tmp/test_srcline.XXXXXX", path[64];

	if (access("/usr/bin/objcopy", X_OK))
		cr_skip("there is no objcopy");
	cr_assert_not_null(mkdtemp(folder));
	copy_with_other_file(folder);
	snprintf(path, sizeof(path), "%s/copy", folder);
	cr_expect_null(open_file(path), "else it would wait for ever");
	for (const char *const *name = (const char *const[]){"copy", "link", "other", NULL}; *name;
	     name++) {
		snprintf(path, sizeof(path), "%s/%s", folder, *name);
		unlink(path);
	}
	rmdir(folder);
}

/* Makes a copy of this program whose DWARF is compressed with zstd; false: objcopy cannot. */
static bool pack_program(char path[32])
{
	char command[128];
	int fd;

	strcpy(path, "/tmp/tstream-srcline.XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	snprintf(command, sizeof(command),
		 "objcopy --compress-debug-sections=zstd /proc/%d/exe %s 2>/dev/null", getpid(),
		 path);
	return !system(command);
}

static void spoil_sections(const char *path)
{
	struct elf_file f;
	struct ts_error err;
	Elf_Scn *scn = NULL;
	GElf_Shdr hdr;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	cr_assert_eq(elf_file_open(&f, path, HARMLESS_OWN, &err), 0);
	while ((scn = elf_nextscn(f.elf, scn)))
		if (gelf_getshdr(scn, &hdr) && hdr.sh_flags & SHF_COMPRESSED)
			cr_assert_eq(pwrite(fd, "spoilt", 6, (off_t)(hdr.sh_offset + 40)), 6);
	elf_file_close(&f);
	close(fd);
}

Test(srcline, reads_sections_that_are_compressed_with_zstd)
{
	uint64_t first = (uintptr_t)function_of_this_test;
	const struct srcline_place *a, *b;
	struct srcline *whole = open_file("/proc/self/exe"), *packed;
	size_t nr = 0;
	char path[32];

	if (!whole || !pack_program(path))
		cr_skip("there is no DWARF, or objcopy knows no zstd");
	packed = open_file(path);
	cr_assert_not_null(packed);
	cr_assert_eq(dl_iterate_phdr(find_offset, &first), 1);
	for (uint64_t at = first; at < first + 32; at++) {
		a = srcline_find(whole, at);
		b = srcline_find(packed, at);
		cr_assert_eq(!a, !b);
		nr += a && a->nr == 2;
		for (size_t i = 0; a && i < a->nr; i++)
			cr_expect(a->nr == b->nr && a->frames[i].line == b->frames[i].line);
	}
	cr_assert(nr);
	srcline_close(packed);
	spoil_sections(path);
	srcline_close(open_file(path));
	srcline_close(whole);
	unlink(path);
}
