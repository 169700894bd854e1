// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a jitdump file. Its records lie in the file, code does not wrap around, names end, the
 * table has a function where it says that one is, and rules and lines are found or not.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "reader/objects/untrusted_file.h"
#include "reader/symbols/jit_lines.h"
#include "reader/symbols/jit_unwind.h"
#include "reader/symbols/jitdump.h"
#include "tests/fuzz/fuzz.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_part(const struct jitdump_part *part, size_t size)
{
	check(part->at <= size && part->bytes <= size - part->at);
}

static void read_records(const char *path, size_t size)
{
	struct jitdump_record record;
	struct ts_error err;
	struct jitdump d;
	uint64_t nr = 0;

	if (jitdump_open(&d, path, UNTRUSTED_FILE_ANYBODY, HARMLESS_OWN, &err))
		return;
	while (jitdump_next(&d, &record)) {
		check(++nr <= size);
		check(record.address + record.bytes >= record.address);
		if (record.is_move)
			continue;
		check(record.offset <= size && record.bytes <= size - record.offset);
		check_part(&record.lines, size);
		check_part(&record.unwinding, size);
		check(memchr(record.name, '\0', sizeof(record.name)) != NULL);
	}
	jitdump_close(&d);
}

static void read_table(const char *path)
{
	struct symbol_table t;
	struct ts_error err;

	symbol_table_init(&t);
	if (!jitdump_load(&t, path, HARMLESS_OWN, &err))
		for (size_t i = 0; i < t.nr; i++)
			check(symbol_table_find(&t, t.items[i].sym.start) != NULL);
	symbol_table_release(&t);
}

static void read_unwinding(const char *path, size_t size)
{
	struct jit_unwind u = {0};

	jit_unwind_load(&u, path, HARMLESS_OWN);
	for (uint64_t at = 0; at <= size; at++)
		check(jit_unwind_find(&u, at)->how <= UNWIND_ASK);
	check(jit_unwind_find(&u, UINT64_MAX)->how == UNWIND_UNKNOWN);
	jit_unwind_release(&u);
}

static void read_lines(const char *path, size_t size)
{
	int fault = 0;
	struct jit_lines *l = jit_lines_open(path, HARMLESS_OWN, &fault);

	for (uint64_t at = 0; l && at <= size; at++) {
		const struct srcline_place *place = jit_lines_find(l, at);

		check(!place || (place->nr == 1 && strlen(place->frames[0].file) < size));
	}
	jit_lines_close(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/tstream-fuzz.XXXXXX";
	int fd = mkstemp(path);

	check(fd >= 0 && !ts_file_write_all(fd, data, size));
	close(fd);
	read_records(path, size);
	read_table(path);
	read_unwinding(path, size);
	read_lines(path, size);
	unlink(path);
	return 0;
}

static void put_load(struct ts_bytes *out, const char *name, uint32_t bytes, uint64_t index)
{
	ts_bytes_u32(out, 0);
	ts_bytes_u32(out, 56 + (uint32_t)strlen(name) + 1 + bytes);
	ts_bytes_u64(out, 100 + index);
	ts_bytes_zero(out, 16);
	ts_bytes_u64(out, 0x7f0000000000);
	ts_bytes_u64(out, bytes);
	ts_bytes_u64(out, index);
	ts_bytes_put(out, name, strlen(name) + 1);
	ts_bytes_zero(out, bytes);
}

static void put_lines(struct ts_bytes *out)
{
	ts_bytes_u32(out, 2);
	ts_bytes_u32(out, 32 + 2 * 16 + 4 + 2);
	ts_bytes_zero(out, 16);
	ts_bytes_u64(out, 2);
	for (uint32_t i = 0; i < 2; i++) {
		ts_bytes_u64(out, 0x7f0000000000 + 8 * i);
		ts_bytes_u64(out, 10 + i);
		ts_bytes_put(out, i ? "\xff" : "a.c", i ? 2 : 4);
	}
}

/* .eh_frame of a function of 16 bytes, without .eh_frame_hdr. */
static void put_unwinding(struct ts_bytes *out)
{
	static const uint8_t frames[] = {
		20, 0, 0,    0, 0, 0,	 0,  0,	 1,    'z', 'R', 0, 1, 0x78, 16,   1,	 0x1b, 12,
		7,  8, 0x90, 1, 0, 0,	 20, 0,	 0,    0,   28,	 0, 0, 0,    0xd0, 0xff, 0xff, 0xff,
		16, 0, 0,    0, 0, 0x41, 14, 16, 0x86, 2,   0,	 0, 0, 0,    0,	   0};

	ts_bytes_u32(out, 4);
	ts_bytes_u32(out, 40 + sizeof(frames));
	ts_bytes_zero(out, 8);
	ts_bytes_u64(out, sizeof(frames));
	ts_bytes_zero(out, 16);
	ts_bytes_put(out, frames, sizeof(frames));
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	ts_bytes_u32(out, 0x4a695444);
	ts_bytes_u32(out, 1);
	ts_bytes_u32(out, 40);
	ts_bytes_zero(out, 28);
	for (uint32_t i = 0; i <= nr % 5; i++) {
		if (i % 2)
			put_lines(out);
		if (i % 2 || nr % 3)
			put_unwinding(out);
		put_load(out, i % 2 ? "Lmain;run(I)V" : "f", 16 * i, i);
	}
	ts_bytes_u32(out, 1);
	ts_bytes_u32(out, 64);
	ts_bytes_zero(out, 56);
}
