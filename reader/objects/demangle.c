// SPDX-License-Identifier: Apache-2.0
/*
 * Parts of a mangled name refer to parts before them, so each ten letters can double what comes out:
 * 400 of them make a terabyte. Text is therefore taken as it comes, and the demangler, which cannot
 * be told to stop, is left by longjmp() where it is more than anybody reads. What it holds at
 * that moment, at most an identifier of Rust, is lost.
 */
#include "reader/objects/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"

/* Mangled names of a hostile file may nest without end; real ones are far shorter than this. */
#define LONGEST_NAME_BYTES  8192
#define LONGEST_PLAIN_BYTES (64u << 10) /* of text; who would be longer keeps its mangled name */

struct plain {
	struct ts_bytes text;
	jmp_buf too_long;
};

typedef int (*demangler)(const char *, int, demangle_callbackref, void *);

static void take(const char *part, size_t len, void *arg)
{
	struct plain *p = arg;

	if (len > LONGEST_PLAIN_BYTES - p->text.len)
		longjmp(p->too_long, 1);
	ts_bytes_put(&p->text, part, len);
}

static bool run(demangler demangle_it, const char *name, struct plain *p)
{
	ts_bytes_clear(&p->text);
	if (setjmp(p->too_long))
		return false;
	return demangle_it(name, DMGL_NO_OPTS, take, p) && !ts_bytes_failed(&p->text);
}

/* `suffix` is appended. */
static char *demangle_whole(const char *name, const char *suffix)
{
	struct plain p = {0};

	/* In the order of cplus_demangle(): older names of Rust look like C++. */
	if (run(rust_demangle_callback, name, &p) || run(cplus_demangle_v3_callback, name, &p)) {
		ts_bytes_put(&p.text, suffix, strlen(suffix) + 1);
		if (!ts_bytes_failed(&p.text))
			return (char *)p.text.data;
	}
	ts_bytes_release(&p.text);
	return NULL;
}

/* "_ZN...@plt": what stands behind the name itself is kept, as bfd_demangle() of perf does. */
static char *demangle_before(const char *name, const char *suffix)
{
	char *bare = strndup(name, (size_t)(suffix - name));
	char *whole = bare ? demangle_whole(bare, suffix) : NULL;

	free(bare);
	return whole;
}

char *demangle(const char *name)
{
	const char *suffix;

	if (name[0] != '_' || strnlen(name, LONGEST_NAME_BYTES) == LONGEST_NAME_BYTES)
		return NULL;
	suffix = strchr(name, '@');
	return suffix ? demangle_before(name, suffix) : demangle_whole(name, "");
}
