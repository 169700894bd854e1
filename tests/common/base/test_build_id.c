// SPDX-License-Identifier: Apache-2.0
#include "common/base/build_id.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t id_bytes[20] = {1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10,
				     11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

/* Appends a note to `at`; returns its end. */
static uint8_t *put_note(uint8_t *at, const char *name, uint32_t type, const void *desc,
			 uint32_t len)
{
	Elf32_Nhdr note = {.n_namesz = (uint32_t)strlen(name) + 1, .n_descsz = len, .n_type = type};

	memcpy(at, &note, sizeof(note));
	memcpy(at + sizeof(note), name, note.n_namesz);
	at += sizeof(note) + ((note.n_namesz + 3) & ~3u);
	memcpy(at, desc, len);
	return at + ((len + 3) & ~3u);
}

/* An ELF file, 32 or 64 bit, with two note segments; the second holds the build-id. */
static size_t make_elf(uint8_t *image, bool is_64)
{
	uint8_t *first = image + 512, *second = image + 640, *end;
	size_t len;

	memset(image, 0, 1024);
	end = put_note(first, "Linux", 1, "version", 8);
	len = (size_t)(put_note(second, "GNU", NT_GNU_BUILD_ID, id_bytes, 20) - second);
	if (is_64) {
		Elf64_Ehdr *h = (Elf64_Ehdr *)image;
		Elf64_Phdr *p = (Elf64_Phdr *)(image + sizeof(*h));

		h->e_phoff = sizeof(*h);
		h->e_phentsize = sizeof(*p);
		h->e_phnum = 3;
		p[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = 1024};
		p[1] = (Elf64_Phdr){
			.p_type = PT_NOTE, .p_offset = 512, .p_filesz = (size_t)(end - first)};
		p[2] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = 640, .p_filesz = len};
	} else {
		Elf32_Ehdr *h = (Elf32_Ehdr *)image;
		Elf32_Phdr *p = (Elf32_Phdr *)(image + sizeof(*h));

		h->e_phoff = sizeof(*h);
		h->e_phentsize = sizeof(*p);
		h->e_phnum = 2;
		p[0] = (Elf32_Phdr){
			.p_type = PT_NOTE, .p_offset = 512, .p_filesz = (uint32_t)(end - first)};
		p[1] = (Elf32_Phdr){.p_type = PT_NOTE, .p_offset = 640, .p_filesz = (uint32_t)len};
	}
	memcpy(image, ELFMAG, SELFMAG);
	image[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
	image[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	return 1024;
}

static void expect_id(const struct ts_build_id *id)
{
	cr_assert_eq(id->len, 20);
	cr_assert_eq(memcmp(id->bytes, id_bytes, 20), 0);
}

Test(build_id, is_found_in_images_of_both_classes)
{
	_Alignas(8) uint8_t image[1024];
	struct ts_build_id id;

	cr_assert(ts_build_id_of_image(image, make_elf(image, true), &id));
	expect_id(&id);
	cr_assert(ts_build_id_of_image(image, make_elf(image, false), &id));
	expect_id(&id);
}

Test(build_id, is_found_in_a_file)
{
	_Alignas(8) uint8_t image[1024];
	size_t len = make_elf(image, true);
	int fd = memfd_create("elf", 0);
	struct ts_build_id id;

	cr_assert_eq(write(fd, image, len), (ssize_t)len);
	cr_assert(ts_build_id_of_fd(fd, &id));
	expect_id(&id);
	close(fd);
}

Test(build_id, of_a_file_that_cannot_be_read_is_not_known)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ts_build_id id;

	cr_expect_eq(ts_build_id_of_fd(fd, &id), -EISDIR);
	cr_expect_eq(id.len, 0);
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	cr_expect_eq(ts_build_id_of_fd(fd, &id), 0);
	close(fd);
}

Test(build_id, of_every_cut_file_is_found_whole_or_not_at_all)
{
	_Alignas(8) uint8_t image[1024];
	size_t whole = make_elf(image, true);
	struct ts_build_id id;

	for (size_t len = 0; len < whole; len++)
		if (ts_build_id_of_image(image, len, &id))
			expect_id(&id);
	cr_assert_not(ts_build_id_of_image(image, 640 + 16, &id));
	cr_assert_eq(id.len, 0);
}

Test(build_id, is_not_taken_from_lying_headers)
{
	_Alignas(8) uint8_t image[1024];
	struct ts_build_id id;
	Elf64_Ehdr *h = (Elf64_Ehdr *)image;
	Elf64_Phdr *p = (Elf64_Phdr *)(image + sizeof(*h));

	make_elf(image, true);
	p[2].p_offset = UINT64_MAX - 8;
	cr_assert_not(ts_build_id_of_image(image, sizeof(image), &id));
	make_elf(image, true);
	h->e_phoff = UINT64_MAX - 8;
	cr_assert_not(ts_build_id_of_image(image, sizeof(image), &id));
	make_elf(image, true);
	h->e_phentsize = 8;
	cr_assert_not(ts_build_id_of_image(image, sizeof(image), &id));
	make_elf(image, true);
	memset(image + 640, 0xff, 12); /* sizes of the note */
	cr_assert_not(ts_build_id_of_image(image, sizeof(image), &id));
}

Test(build_id, is_found_behind_other_notes)
{
	uint8_t notes[256];
	uint8_t *end = put_note(notes, "Xen", 7, "abc", 3);
	struct ts_build_id id;

	end = put_note(end, "GNU", NT_GNU_BUILD_ID + 1, id_bytes, 20);
	end = put_note(end, "GNU", NT_GNU_BUILD_ID, id_bytes, 20);
	cr_assert(ts_build_id_of_notes(notes, (size_t)(end - notes), &id));
	expect_id(&id);
}

Test(build_id, longer_than_records_hold_is_none)
{
	uint8_t notes[256], long_id[32] = {1};
	uint8_t *end = put_note(notes, "GNU", NT_GNU_BUILD_ID, long_id, sizeof(long_id));
	struct ts_build_id id;

	cr_assert_not(ts_build_id_of_notes(notes, (size_t)(end - notes), &id));
}

Test(build_id, cache_tells_files_of_equal_number_on_two_devices_apart)
{
	struct ts_build_id_cache cache = {0};
	struct ts_build_id none = {0}, one = {.len = 20};

	cr_assert_null(ts_build_id_cache_find(&cache, 8, 1, 7));
	ts_build_id_cache_add(&cache, 8, 1, 7, &one);
	ts_build_id_cache_add(&cache, 8, 2, 7, &none);
	cr_assert_eq(ts_build_id_cache_find(&cache, 8, 1, 7)->len, 20);
	cr_assert_eq(ts_build_id_cache_find(&cache, 8, 2, 7)->len, 0);
	cr_assert_null(ts_build_id_cache_find(&cache, 8, 3, 7));
	ts_build_id_cache_release(&cache);
}

Test(build_id, cache_grows)
{
	struct ts_build_id_cache cache = {0};
	struct ts_build_id id = {0};

	for (uint64_t ino = 1; ino <= 5000; ino++) {
		id.len = (uint8_t)(ino % 21);
		ts_build_id_cache_add(&cache, 0, 1, ino, &id);
	}
	for (uint64_t ino = 1; ino <= 5000; ino++)
		cr_assert_eq(ts_build_id_cache_find(&cache, 0, 1, ino)->len, ino % 21);
	cr_assert_null(ts_build_id_cache_find(&cache, 0, 1, 5001));
	ts_build_id_cache_release(&cache);
}
