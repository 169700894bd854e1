// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a jitdump file. Its records lie in the file, code does not wrap around, names end, and
 * the table has a function where it says that one is.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fdio.h"
#include "reader/jitdump.h"
#include "reader/own_file.h"
#include "tests/fuzz/fuzz.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static void read_records(const char *path, size_t size)
{
	struct jitdump_record record;
	struct ts_error err;
	struct jitdump d;
	uint64_t nr = 0;

	if (jitdump_open(&d, path, OWN_FILE_ANYBODY, &err))
		return;
	while (jitdump_next(&d, &record)) {
		check(++nr <= size);
		check(record.address + record.bytes >= record.address);
		if (record.is_move)
			continue;
		check(record.offset <= size && record.bytes <= size - record.offset);
		check(memchr(record.name, '\0', sizeof(record.name)) != NULL);
	}
	jitdump_close(&d);
}

static void read_table(const char *path)
{
	struct symbol_table t;
	struct ts_error err;

	symbol_table_init(&t);
	if (!jitdump_load(&t, path, &err))
		for (size_t i = 0; i < t.nr; i++)
			check(symbol_table_find(&t, t.items[i].sym.start) != NULL);
	symbol_table_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/tstream-fuzz.XXXXXX";
	int fd = mkstemp(path);

	check(fd >= 0 && !ts_write_all(fd, data, size));
	close(fd);
	read_records(path, size);
	read_table(path);
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

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	ts_bytes_u32(out, 0x4a695444);
	ts_bytes_u32(out, 1);
	ts_bytes_u32(out, 40);
	ts_bytes_zero(out, 28);
	for (uint32_t i = 0; i <= nr % 5; i++)
		put_load(out, i % 2 ? "Lmain;run(I)V" : "f", 16 * i, i);
	ts_bytes_u32(out, 1);
	ts_bytes_u32(out, 64);
	ts_bytes_zero(out, 56);
}
