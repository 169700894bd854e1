// SPDX-License-Identifier: Apache-2.0
/*
 * Parts of a mangled name refer to parts before them, so each ten letters can double the result:
 * 400 of them make a terabyte. The demangler therefore hands over its text in pieces. It cannot be
 * told to stop, so longjmp() leaves it when the text gets too long to be read. The memory that it
 * holds at that moment, at most an identifier of Rust, is lost.
 */
#include "reader/objects/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"

/* Mangled names of a hostile file may nest without end; real names are far shorter than this. */
#define LONGEST_NAME_BYTES  8192
#define LONGEST_PLAIN_BYTES (64u << 10) /* of text; longer names stay mangled */

struct plain {
	struct ts_bytes text;
	jmp_buf too_long;
};

typedef int (*demangler)(const char *, int, demangle_callbackref, void *);

static void take_part(const char *part, size_t len, void *arg)
{
	struct plain *p = arg;

	if (len > LONGEST_PLAIN_BYTES - p->text.len)
		longjmp(p->too_long, 1);
	ts_bytes_put(&p->text, part, len);
}

static bool run_demangler(demangler demangle_it, const char *name, struct plain *p)
{
	ts_bytes_clear(&p->text);
	if (setjmp(p->too_long))
		return false;
	return demangle_it(name, DMGL_NO_OPTS, take_part, p) && !ts_bytes_failed(&p->text);
}

/* Demangles a name and appends `suffix`. */
static char *demangle_whole(const char *name, const char *suffix)
{
	struct plain p = {0};

	/* In the order of cplus_demangle(): older names of Rust look like C++. */
	if (run_demangler(rust_demangle_callback, name, &p) ||
	    run_demangler(cplus_demangle_v3_callback, name, &p)) {
		ts_bytes_put(&p.text, suffix, strlen(suffix) + 1);
		if (!ts_bytes_failed(&p.text))
			return (char *)p.text.data;
	}
	ts_bytes_release(&p.text);
	return NULL;
}

/* "_ZN...@plt": the part behind the mangled name is kept, as bfd_demangle() in perf does. */
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
