// SPDX-License-Identifier: Apache-2.0
#include "reader/symbol_text.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/kallsyms_line.h"
#include "common/regular.h"

#define BLOCK_BYTES    (1u << 20) /* of kallsyms, read at once */
#define PERF_MAP_BYTES (1u << 30) /* of a perf-PID.map; more is not read */

/* Reads a hexadecimal number and the blanks behind it; returns where the rest starts, NULL if there
 * is none. */
static const char *take_hex(const char *at, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)*at))
		return NULL;
	*ret = strtoull(at, &end, 16);
	return end + strspn(end, " ");
}

static bool is_named(const struct ts_kallsyms_line *l, const char *name)
{
	return l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

/* The line stands in the table's memory and stays there, its newline a NUL. */
static void add_kallsym(struct symbol_table *t, char *line, size_t len, const char *reference,
			uint64_t *reference_addr)
{
	struct ts_kallsyms_line l;
	uint8_t binding = STB_WEAK;
	bool is_function;
	int type;

	if (!ts_kallsyms_parse(line, len, &l) || !l.addr)
		return;
	type = toupper((unsigned char)l.type);
	if (is_named(&l, reference))
		*reference_addr = l.addr;
	if (!type || !strchr("TWDB", type))
		return;
	is_function = type == 'T' || type == 'W';
	if (type != 'W')
		binding = isupper((unsigned char)l.type) ? STB_GLOBAL : STB_LOCAL;
	/* With the module: the table ends the kernel's last symbol before a module's first. */
	symbol_table_add_placed(t, l.addr, 0, UINT64_MAX, binding,
				is_function ? STT_FUNC : STT_OBJECT, line + (l.name - line));
}

static void add_jitted(struct symbol_table *t, const char *line, size_t len)
{
	uint64_t start, size;
	const char *at = take_hex(line, &start);

	if (!at || !(at = take_hex(at, &size)) || at >= line + len)
		return;
	symbol_table_add(t, start, size, UINT64_MAX, STB_GLOBAL, STT_FUNC, at,
			 (size_t)(line + len - at));
}

static size_t without_newline(char *line, ssize_t len)
{
	if (len && line[len - 1] == '\n')
		line[--len] = '\0';
	return strlen(line);
}

/* Adds the whole lines of a block; returns the bytes of the line that it ends in. */
static size_t add_lines(struct symbol_table *t, char *block, size_t len, const char *reference,
			uint64_t *reference_addr)
{
	char *line = block, *end = block + len, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		*newline = '\0';
		add_kallsym(t, line, (size_t)(newline - line), reference, reference_addr);
		line = newline + 1;
	}
	return (size_t)(end - line);
}

static ssize_t read_block(int fd, char *to, size_t len)
{
	size_t filled = 0;

	while (filled < len) {
		ssize_t got = read(fd, to + filled, len - filled);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		filled += (size_t)got;
	}
	return (ssize_t)filled;
}

/*
 * Block by block into the table's own memory, where the names stay. A line that a block ends in is
 * moved to the front of the next; what fills a whole block is none of kallsyms and is dropped.
 */
static int read_kallsyms(struct symbol_table *t, int fd, const char *reference,
			 uint64_t *reference_addr)
{
	char *rest = NULL;
	size_t nr_rest = 0;
	ssize_t got;

	for (;;) {
		char *block = symbol_table_room(t, BLOCK_BYTES);
		size_t len;

		if (!block)
			return -ENOMEM;
		if (nr_rest == BLOCK_BYTES - 1)
			nr_rest = 0;
		if (nr_rest)
			memcpy(block, rest, nr_rest);
		got = read_block(fd, block + nr_rest, BLOCK_BYTES - 1 - nr_rest);
		len = nr_rest + (got > 0 ? (size_t)got : 0);
		if (got <= 0 && len)
			block[len++] = '\n';
		nr_rest = add_lines(t, block, len, reference, reference_addr);
		rest = block + len - nr_rest;
		if (got <= 0)
			return (int)got;
	}
}

int symbol_text_kallsyms(struct symbol_table *t, const char *path, const struct harmless *how,
			 const char *reference, uint64_t *ret_reference, struct ts_error *err)
{
	const int fd = harmless_open(path, how);
	uint64_t found = 0;
	int rc;

	if (fd < 0)
		return ts_error_set(err, -fd, "cannot open %s for kernel symbols: %s", path,
				    ts_regular_reason(-fd));
	rc = read_kallsyms(t, fd, reference, &found);
	close(fd);
	if (rc)
		return ts_error_sys(err, -rc, "cannot read %s", path);
	if (!t->nr) {
		ts_error_set(err, EACCES,
			     "cannot read kernel symbols from %s: addresses are hidden", path);
		return ts_error_hint(err, "run as root, or set kernel.kptr_restrict to 0");
	}
	symbol_table_finish(t, true);
	*ret_reference = found;
	return t->failed ? ts_error_sys(err, ENOMEM, "cannot read %s", path) : 0;
}

int symbol_text_perf_map(struct symbol_table *t, FILE *file)
{
	char *line = NULL;
	size_t cap = 0, nr_read = 0;
	ssize_t len;

	while (nr_read < PERF_MAP_BYTES && (len = getline(&line, &cap, file)) >= 0) {
		add_jitted(t, line, without_newline(line, len));
		nr_read += (size_t)len;
	}
	free(line);
	symbol_table_finish(t, false);
	return t->failed ? -ENOMEM : 0;
}
