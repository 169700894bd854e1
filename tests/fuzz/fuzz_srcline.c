// SPDX-License-Identifier: Apache-2.0
/*
 * The input is an ELF file with DWARF: what stands at its file offsets is asked for. Seeds are programs of these tests, found
 * below abs_builddir, also with sections that are compressed with zstd.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/objects/srcline.h"
#include "tests/fuzz/fuzz.h"

#define CODE  4096 /* the file offset where the code of a small program begins */
#define ASKED 4096 /* bytes of it */

static void look(struct srcline *s)
{
	for (uint64_t offset = CODE; offset < CODE + ASKED; offset += 3) {
		const struct srcline_place *place = srcline_find(s, offset);

		if (!place)
			continue;
		if (!place->nr || place->nr > SRCLINE_DEPTH || place->offset != offset)
			abort();
		for (size_t i = 0; i + 1 < place->nr; i++)
			if (!place->frames[i].function)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct srcline_files files = {.debug.fd = -1, .other.fd = -1};
	struct ts_bytes image = {0};
	struct srcline *lines;
	struct ts_error err;

	ts_bytes_put(&image, data, size);
	if (ts_bytes_failed(&image) || elf_file_own_image(&files.object, &image, "input", &err))
		return 0;
	lines = srcline_open(&files, &err);
	if (lines)
		look(lines);
	srcline_close(lines);
	return 0;
}

static int pack_sections(const char *path, const char *to)
{
	char command[8192];

	snprintf(command, sizeof(command),
		 "objcopy --compress-debug-sections=zstd '%s' '%s' 2>/dev/null", path, to);
	return !system(command);
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	const char *dir = getenv("abs_builddir");
	uint8_t block[4096];
	char path[4096];
	char packed[] = "/tmp/tstream-fuzz.XXXXXX";
	int fd = nr / 2 % 2 ? mkstemp(packed) : -1;
	FILE *f;
	size_t got;

	snprintf(path, sizeof(path), "%s/tests/programs/%s", dir ? dir : ".",
		 nr % 2 ? "inlined_calls" : "deep_calls");
	f = fopen(fd >= 0 && pack_sections(path, packed) ? packed : path, "re");
	if (fd >= 0) {
		close(fd);
		unlink(packed);
	}
	if (!f) {
		perror(path);
		abort();
	}
	while ((got = fread(block, 1, sizeof(block), f)))
		ts_bytes_put(out, block, got);
	fclose(f);
}
