// SPDX-License-Identifier: Apache-2.0
/*
 * Parts of a mangled name refer to parts before them, so each ten letters can double the result:
 * 400 of them make a terabyte. The demangler therefore hands over its text in pieces. It cannot be
 * told to stop, so longjmp() leaves it when the text gets too long to be read. The memory that it
 * holds at that moment, at most an identifier of Rust, is lost.
 */
#include "reader/objects/demangle.h"

#include <errno.h>
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

/* --- older names of Rust --- */

/*
 * libiberty knows the escapes of ASCII. It leaves the rest of an identifier as it is behind the
 * escape of another letter: "Gr$uf6$$udf$e$GT$::mal" for "Größe>::mal". That rest has no "::".
 */
static const struct {
	const char *name;
	char letter;
} escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
	       {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};

#define LETTERS_END 0x110000u

/* Is it a letter that text may have? Control characters and surrogates are not. */
static bool is_letter(unsigned long value)
{
	return value >= 0xa0 ? value < 0xd800 || (value >= 0xe000 && value < LETTERS_END)
			     : value >= ' ' && value < 0x7f;
}

static size_t put_utf8(uint8_t *to, unsigned long value)
{
	const size_t more = value < 0x80 ? 0 : value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
	static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};

	to[0] = (uint8_t)(heads[more] | value >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		to[i] = (uint8_t)(0x80 | (value >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* The letter between two '$' of which `at` is the first; 0: it is no escape. */
static unsigned long escaped_letter(const char *at, const char *end)
{
	const size_t len = (size_t)(end - at - 1);
	unsigned long value;
	char *stop;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
		if (strlen(escapes[i].name) == len && !memcmp(at + 1, escapes[i].name, len))
			return (unsigned char)escapes[i].letter;
	if (len < 2 || at[1] != 'u' || strspn(at + 2, "0123456789abcdef") != len - 1)
		return 0;
	value = strtoul(at + 2, &stop, 16);
	return stop == end && is_letter(value) ? value : 0;
}

/* Replaces what libiberty has left; the text never grows. Its NUL is not counted in len. */
static void decode_rest(struct ts_bytes *text)
{
	const char *at = (const char *)text->data, *end = at + text->len;
	uint8_t *to = text->data;

	while (at < end) {
		const char *close = *at == '$' ? strchr(at + 1, '$') : NULL;
		const unsigned long letter = close ? escaped_letter(at, close) : 0;

		if (letter) {
			to += put_utf8(to, letter);
			at = close + 1;
		} else if (at[0] == '.' && at[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			at += 2;
		} else {
			*to++ = (uint8_t)*at++;
		}
	}
	text->len = (size_t)(to - text->data);
}

static bool demangle_rust(const char *name, struct plain *p)
{
	if (!run_demangler(rust_demangle_callback, name, p))
		return false;
	ts_bytes_put(&p->text, "", 1);
	if (ts_bytes_failed(&p->text))
		return false;
	p->text.len--;
	if (!strncmp(name, "_ZN", 3) && strstr((const char *)p->text.data, "$u"))
		decode_rest(&p->text);
	return true;
}

/* --- all names --- */

/* Demangles a name and appends `suffix`. */
static char *demangle_whole(const char *name, const char *suffix)
{
	struct plain p = {0};

	/* In the order of cplus_demangle(): older names of Rust look like C++. */
	if (demangle_rust(name, &p) || run_demangler(cplus_demangle_v3_callback, name, &p)) {
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

	errno = 0;
	if (name[0] != '_' || strnlen(name, LONGEST_NAME_BYTES) == LONGEST_NAME_BYTES)
		return NULL;
	suffix = strchr(name, '@');
	return suffix ? demangle_before(name, suffix) : demangle_whole(name, "");
}
