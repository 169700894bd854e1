// SPDX-License-Identifier: Apache-2.0
/*
 * The first byte of the input tells what the rest is: an ELF file, or xz. An ELF file is copied to a
 * slim one, which opens and has its build-id; its sections are decompressed, and its tables for
 * unwinding are read. Of xz comes no more than is asked for. Seeds are programs of these tests, found
 * below abs_builddir.
 */
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "reader/archive/elf_slim.h"
#include "reader/cfi/unwind_module.h"
#include "reader/objects/mini_debug.h"
#include "tests/fuzz/fuzz.h"

#define EXPANDED_MAX (1u << 20)

static void check(int holds)
{
	if (!holds)
		abort();
}

static void read_unwinding(struct elf_file *object)
{
	struct unwind_module m = {0};

	unwind_module_load(&m, object);
	for (uint64_t offset = 0; offset < 0x8000; offset += 0x333)
		check(unwind_module_find(&m, offset) != NULL);
	unwind_module_release(&m);
}

static void make_slim(const struct elf_file *object, bool with_lines)
{
	const struct ts_build_id id = object->build_id;
	char path[] = "/tmp/tstream-fuzz.XXXXXX";
	int fd = mkstemp(path);
	struct ts_error err = {0};
	struct elf_file slim;

	check(fd >= 0);
	if (elf_slim(object, with_lines, fd, "slim", &err)) {
		check(err.code && err.text[0]);
	} else if (!elf_file_open(&slim, path, HARMLESS_OWN, &err)) {
		const struct ts_build_id its = slim.build_id;

		check(!id.len || !its.len || ts_build_id_equal(&id, &its));
		elf_file_close(&slim);
	}
	close(fd);
	unlink(path);
}

static void read_object(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/tstream-fuzz.XXXXXX";
	int fd = mkstemp(path);
	struct elf_file object;
	struct ts_error err;

	check(fd >= 0 && !ts_file_write_all(fd, data, size));
	close(fd);
	if (!elf_file_open(&object, path, HARMLESS_OWN, &err)) {
		make_slim(&object, false);
		make_slim(&object, true);
		if (elf_file_is_modest(&object))
			elf_file_unpack_zstd(&object);
		read_unwinding(&object);
		elf_file_close(&object);
	}
	unlink(path);
}

static void expand(const uint8_t *data, size_t size)
{
	struct ts_bytes out = {0};
	struct ts_error err = {0};

	if (mini_debug_expand(data, size, EXPANDED_MAX, "input", &out, &err))
		check(err.code && err.text[0]);
	else
		check(out.len <= EXPANDED_MAX);
	ts_bytes_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] % 4)
		read_object(data + 1, size - 1);
	else
		expand(data + 1, size - 1);
	return 0;
}

/* --- seeds --- */

#define NR_WAYS 4

/* A program of these tests, or a copy with compressed sections. */
static void make_program(uint32_t nr, struct ts_bytes *out)
{
	static const char *const ways[NR_WAYS] = {"none", "zlib", "zlib-gnu", "zstd"};
	const char *dir = getenv("abs_builddir");
	char path[] = "/tmp/tstream-fuzz.XXXXXX", command[8192];
	uint8_t block[4096];
	int fd = mkstemp(path);
	ssize_t got;

	check(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command),
		 "objcopy --compress-debug-sections=%s '%s/tests/programs/%s' %s 2>/dev/null",
		 ways[nr / 2], dir ? dir : ".", nr % 2 ? "inlined_calls" : "deep_calls", path);
	if (system(command))
		fprintf(stderr, "this fails: %s\n", command);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while ((got = read(fd, block, sizeof(block))) > 0)
		ts_bytes_put(out, block, (size_t)got);
	close(fd);
	unlink(path);
}

/* Each is made once. */
static void put_program(uint32_t nr, struct ts_bytes *out)
{
	static struct ts_bytes programs[2 * NR_WAYS];
	struct ts_bytes *program = &programs[nr % (2 * NR_WAYS)];

	if (!program->len)
		make_program(nr % (2 * NR_WAYS), program);
	ts_bytes_put(out, program->data, program->len);
}

static void put_xz(uint32_t nr, struct ts_bytes *out)
{
	static uint8_t plain[65536], packed[131072];
	size_t len = 0;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * nr >> 5);
	check(lzma_easy_buffer_encode(nr % 7, LZMA_CHECK_CRC32, NULL, plain, sizeof(plain), packed,
				      &len, sizeof(packed)) == LZMA_OK);
	ts_bytes_put(out, packed, len);
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	const uint8_t kind = nr % 4;

	ts_bytes_put(out, &kind, 1);
	if (kind)
		put_program(nr / 4, out);
	else
		put_xz(nr / 4, out);
}
