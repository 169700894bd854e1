// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_text.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/kallsyms_line.h"
#include "common/base/regular.h"

#define BLOCK_BYTES    (1u << 20)  /* read at once */
#define LINE_MAX_BYTES (64u << 10) /* longer ones are left out */
#define FILE_MAX_BYTES (1u << 30)
#define SYMBOLS_MAX    (1u << 22)
#define BLANKS	       " \t\r" /* between the parts of a line of a perf-map, and around it */

/* A file of lines, read into the memory of a table. */
struct text {
	struct symbol_table *t;
	struct symbol_limits *limits;
	int fd;
	void (*add)(struct text *x, char *line,
		    size_t len); /* takes a line that stays; its newline is a NUL */
	uint64_t nr_bytes;	 /* bytes that were read */
	bool is_in_long;	 /* the next bytes belong to a line that is left out */
	/* kallsyms */
	const char *reference;
	uint64_t reference_addr;
	bool is_hidden; /* a symbol has address 0 */
};

/* Reads a hexadecimal number and the blanks behind it; returns where the rest starts, NULL if there
 * is none. */
static const char *take_hex(const char *at, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)*at))
		return NULL;
	*ret = strtoull(at, &end, 16);
	return end + strspn(end, BLANKS);
}

static bool is_named(const struct ts_kallsyms_line *l, const char *name)
{
	return l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

static void add_kallsym(struct text *x, char *line, size_t len)
{
	struct ts_kallsyms_line l;
	uint8_t binding = STB_WEAK;
	bool is_function;
	int type;

	if (!ts_kallsyms_parse(line, len, &l))
		return;
	if (!l.addr)
		x->is_hidden = true;
	if (!l.addr)
		return;
	type = toupper((unsigned char)l.type);
	if (is_named(&l, x->reference))
		x->reference_addr = l.addr;
	if (!type || !strchr("TWDB", type))
		return;
	is_function = type == 'T' || type == 'W';
	if (type != 'W')
		binding = isupper((unsigned char)l.type) ? STB_GLOBAL : STB_LOCAL;
	/*
	 * The name includes the module: the table ends the kernel's last symbol before a module's
	 * first.
	 */
	symbol_table_add_placed(x->t, l.addr, 0, UINT64_MAX, binding,
				is_function ? STT_FUNC : STT_OBJECT, line + (l.name - line));
}

static void add_jitted(struct text *x, char *line, size_t len)
{
	uint64_t start, size;
	const char *at = take_hex(line + strspn(line, BLANKS), &start);

	while (len && strchr(BLANKS, line[len - 1]))
		line[--len] = '\0';
	if (at && (at = take_hex(at, &size)) && *at && start < UINT64_MAX)
		symbol_table_add_placed(x->t, start, size, UINT64_MAX, STB_GLOBAL, STT_FUNC,
					line + (at - line));
}

/* --- lines --- */

/* Adds the whole lines of a block; returns the bytes of the incomplete line at its end. */
static size_t add_lines(struct text *x, char *block, size_t len)
{
	char *line = block, *end = block + len, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		*newline = '\0';
		if (!x->is_in_long && newline - line <= LINE_MAX_BYTES)
			x->add(x, line, (size_t)(newline - line));
		x->is_in_long = false;
		line = newline + 1;
	}
	if (end - line <= LINE_MAX_BYTES && !x->is_in_long)
		return (size_t)(end - line);
	x->is_in_long = true;
	return 0;
}

static bool is_stopped(const struct text *x)
{
	return x->limits && progress_is_stopped(x->limits->progress);
}

/* Reads until the block is full; /proc gives a page at a time. */
static ssize_t read_block(struct text *x, char *to, size_t len)
{
	size_t filled = 0;

	while (filled < len) {
		ssize_t got;

		if (is_stopped(x))
			return -EINTR;
		got = read(x->fd, to + filled, len - filled);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			break;
		filled += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)filled;
}

/*
 * Reads block by block into the table's own memory, where the names stay. A block without names is
 * used again. An incomplete line at the end of a block is moved to the front of the next one.
 */
static int read_lines(struct text *x)
{
	char *block = NULL, *rest = NULL;
	size_t nr_rest = 0, nr_before, len;
	ssize_t got;

	for (;;) {
		if (!block)
			block = symbol_table_room(x->t, BLOCK_BYTES);
		if (!block || x->t->failed)
			return -symbol_table_lack(x->t);
		if (nr_rest)
			memmove(block, rest, nr_rest);
		got = read_block(x, block + nr_rest, BLOCK_BYTES - 1 - nr_rest);
		if (got < 0)
			return (int)got;
		len = nr_rest + (size_t)got;
		x->nr_bytes += (uint64_t)got;
		if (!got && len)
			block[len++] = '\n';
		nr_before = x->t->nr;
		nr_rest = add_lines(x, block, len);
		rest = block + len - nr_rest;
		if (!got)
			return 0;
		if (x->t->nr != nr_before)
			block = NULL;
		if (x->nr_bytes > FILE_MAX_BYTES || x->t->nr > SYMBOLS_MAX)
			return -EFBIG;
	}
}

static int refuse(int code, const char *path, struct ts_error *err)
{
	return code == MEMORY_REFUSED ? symbol_limits_refuse(path, err)
				      : ts_error_sys(err, code, "cannot read %s", path);
}

/* Refuses a file that is too large. If its size is known, no byte is read. */
static int read_all(struct text *x, const char *path, struct ts_error *err)
{
	struct stat st;
	int rc = 0;

	if (!fstat(x->fd, &st) && S_ISREG(st.st_mode) && st.st_size > FILE_MAX_BYTES)
		rc = -EFBIG;
	if (!rc)
		rc = read_lines(x);
	if (!rc && x->t->failed)
		rc = -symbol_table_lack(x->t);
	if (!rc)
		return 0;
	symbol_table_clear(x->t);
	if (rc == -EFBIG)
		return ts_error_set(err, EFBIG,
				    "cannot read %s: it has more than 1 GiB or 4 million symbols",
				    path);
	return refuse(-rc, path, err);
}

static int finish_text(struct text *x, bool is_kallsyms, const char *path, struct ts_error *err)
{
	int code;

	x->t->stop = x->limits && x->limits->progress ? &x->limits->progress->stop : NULL;
	if (is_kallsyms)
		symbol_table_finish(x->t, true);
	else
		symbol_table_finish_made(x->t);
	x->t->stop = NULL;
	if (!x->t->failed)
		return 0;
	code = is_stopped(x) ? EINTR : symbol_table_lack(x->t);
	symbol_table_clear(x->t);
	return refuse(code, path, err);
}

/* --- files --- */

static int refuse_empty(const struct text *x, const char *path, struct ts_error *err)
{
	if (!x->is_hidden)
		return ts_error_set(err, EINVAL,
				    "cannot read kernel symbols from %s: there are none in it",
				    path);
	ts_error_set(err, EACCES, "cannot read kernel symbols from %s: addresses are hidden", path);
	return ts_error_hint(err, "run as root, or set kernel.kptr_restrict to 0");
}

int symbol_text_kallsyms_fd(struct symbol_table *t, int fd, const char *path,
			    struct symbol_limits *limits, const char *reference,
			    uint64_t *ret_reference, struct ts_error *err)
{
	struct text x = {
		.t = t, .limits = limits, .fd = fd, .add = add_kallsym, .reference = reference};
	int rc;

	t->limits = limits;
	rc = read_all(&x, path, err);
	if (!rc)
		rc = t->nr ? finish_text(&x, true, path, err) : refuse_empty(&x, path, err);
	if (!rc)
		*ret_reference = x.reference_addr;
	return rc;
}

int symbol_text_kallsyms(struct symbol_table *t, const char *path, const struct harmless *how,
			 struct symbol_limits *limits, const char *reference,
			 uint64_t *ret_reference, struct ts_error *err)
{
	const int fd = harmless_open(path, how);
	int rc;

	if (fd < 0)
		return ts_error_set(err, -fd, "cannot open %s for kernel symbols: %s", path,
				    ts_regular_reason(-fd));
	rc = symbol_text_kallsyms_fd(t, fd, path, limits, reference, ret_reference, err);
	close(fd);
	return rc;
}

int symbol_text_perf_map(struct symbol_table *t, int fd, const char *path,
			 struct symbol_limits *limits, struct ts_error *err)
{
	struct text x = {.t = t, .limits = limits, .fd = fd, .add = add_jitted};
	int rc;

	t->limits = limits;
	rc = read_all(&x, path, err);
	return rc ? rc : finish_text(&x, false, path, err);
}
