// SPDX-License-Identifier: Apache-2.0
/*
 * TRACING_DATA, as trace-cmd and perf write it (version 0.5, 0.6):
 *
 *	17 08 44 "tracing" version\0  u8 big-endian  u8 long size  u32 page size
 *	"header_page\0" u64 len text  "header_event\0" u64 len text
 *	u32 n  n x { u64 len text }				formats of ftrace itself
 *	u32 n  n x { system\0 u32 m  m x { u64 len text } }	formats of the events
 *	u32 len kallsyms  u32 len printk formats  [u64 len saved cmdlines]
 */
#include "reader/tracepoints/trace_formats.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "reader/tracepoints/trace_part.h"

/* More than any kernel has; a count beyond it is damage, not data. */
#define MAX_FORMATS 1000000u

static bool take_text(struct ts_cursor *c, const char **ret)
{
	const uint8_t *end = memchr(c->at, '\0', c->left);
	const uint8_t *text;

	if (!end || !ts_cursor_bytes(c, (size_t)(end - c->at) + 1, &text))
		return false;
	*ret = (const char *)text;
	return true;
}

/* A u64 length and that many bytes. */
static bool take_blob(struct ts_cursor *c, const uint8_t **ret, size_t *ret_len)
{
	uint64_t len;

	if (!ts_cursor_u64(c, &len) || len > c->left)
		return false;
	*ret_len = (size_t)len;
	return ts_cursor_bytes(c, (size_t)len, ret);
}

static bool take_magic(struct trace_formats *f, struct ts_cursor *c)
{
	static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	const uint8_t *found, *flags;
	const char *version;
	uint32_t page_size;

	if (!ts_cursor_bytes(c, sizeof(magic), &found) || memcmp(found, magic, sizeof(magic)) ||
	    !take_text(c, &version) || !ts_cursor_bytes(c, 2, &flags) ||
	    !ts_cursor_u32(c, &page_size) || flags[0] || (flags[1] != 4 && flags[1] != 8))
		return false;
	tep_set_file_bigendian(f->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(f->tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, flags[1]);
	tep_set_page_size(f->tep, (int)page_size);
	return true;
}

/* The formats of ftrace's own files: not needed for samples. */
static bool skip_header_files(struct ts_cursor *c)
{
	const uint8_t *text;
	const char *name;
	size_t len;

	return take_text(c, &name) && !strcmp(name, "header_page") && take_blob(c, &text, &len) &&
	       take_text(c, &name) && !strcmp(name, "header_event") && take_blob(c, &text, &len);
}

const struct trace_known *trace_formats_find(const struct trace_formats *f, uint64_t id)
{
	struct hash_walk walk = hash_walk(&f->of_id, (uint32_t)id);
	uint32_t position;

	while (hash_walk_next(&f->of_id, &walk, &position))
		if (f->items[position].look.id == id)
			return &f->items[position];
	return NULL;
}

static bool add_known(struct trace_formats *f, const struct trace_known *known)
{
	if (f->nr == f->cap) {
		uint32_t cap = f->cap ? 2 * f->cap : 64;
		void *grown = realloc(f->items, cap * sizeof(*f->items));

		if (!grown)
			return false;
		f->items = grown;
		f->cap = cap;
	}
	if (hash_index_add(&f->of_id, known->look.id, f->nr))
		return false;
	f->items[f->nr++] = *known;
	return true;
}

/*
 * Appends the part behind "print fmt:". libtraceevent 1.7 takes a tab for the end of a quoted text,
 * so it gets "\t" for it.
 */
static void put_print_format(struct ts_bytes *out, const char *text, size_t len)
{
	char quote = '\0';

	for (size_t i = 0; i < len; i++) {
		if (quote && text[i] == '\\' && i + 1 < len)
			ts_bytes_put(out, &text[i++], 1);
		else if (text[i] == quote || (!quote && strchr("\"'", text[i])))
			quote ^= text[i];
		if (quote && text[i] == '\t')
			ts_bytes_put(out, "\\t", 2);
		else
			ts_bytes_put(out, &text[i], 1);
	}
}

static bool is_parsed(struct tep_handle *tep, uint64_t id)
{
	const struct tep_event *event = tep_find_event(tep, (int)id);

	return event && !(event->flags & TEP_EVENT_FL_FAILED);
}

/* Can the format be parsed if that is tried once more? */
static bool is_parsed_again(const struct trace_formats *f, const struct ts_bytes *text,
			    const char *system, uint64_t id)
{
	struct tep_handle *tep = tep_alloc();
	bool is_it;

	if (!tep)
		return true;
	tep_set_long_size(tep, tep_get_long_size(f->tep));
	tep_parse_event(tep, (const char *)text->data, text->len, system);
	is_it = is_parsed(tep, id);
	tep_free(tep);
	return is_it;
}

/*
 * False: memory is out. Then libtraceevent calls the format unsound, or keeps a part of it, and only
 * errno tells. If an operand is missing, it replaces ENOMEM by EINVAL.
 */
static bool parse_event(const struct trace_formats *f, const struct ts_bytes *text,
			const char *system, uint64_t id)
{
	int code;

	errno = 0;
	tep_parse_event(f->tep, (const char *)text->data, text->len, system);
	code = errno;
	if (code == EINVAL && !is_parsed(f->tep, id) && is_parsed_again(f, text, system, id))
		code = ENOMEM;
	return code != ENOMEM;
}

/*
 * Leaves out formats that are not sound: their samples show no fields, the others are unaffected.
 * If only the text to print is not sound, libtraceevent does not get it.
 */
static bool take_format(struct trace_formats *f, const char *text, size_t len, const char *system)
{
	struct trace_known known = {.text = text, .len = len};
	struct ts_bytes *to = &f->scratch;

	if (!trace_format_look(text, len, &known.look) || trace_formats_find(f, known.look.id))
		return true;
	if (!add_known(f, &known)) {
		to->failed = true;
		return false;
	}
	ts_bytes_clear(to);
	ts_bytes_put(to, text, known.look.head_bytes);
	if (known.look.is_printable)
		put_print_format(to, text + known.look.head_bytes, len - known.look.head_bytes);
	to->failed |= !ts_bytes_failed(to) && !parse_event(f, to, system, known.look.id);
	return !ts_bytes_failed(to);
}

static bool take_formats(struct trace_formats *f, struct ts_cursor *c, const char *system)
{
	const uint8_t *text;
	uint32_t nr;
	size_t len;

	if (!ts_cursor_u32(c, &nr) || nr > MAX_FORMATS)
		return false;
	while (nr--)
		if (!take_blob(c, &text, &len) || !take_format(f, (const char *)text, len, system))
			return false;
	return true;
}

static bool take_systems(struct trace_formats *f, struct ts_cursor *c)
{
	const char *system;
	uint32_t nr;

	if (!ts_cursor_u32(c, &nr) || nr > MAX_FORMATS)
		return false;
	while (nr--)
		if (!take_text(c, &system) || !take_formats(f, c, system))
			return false;
	return true;
}

/*
 * Appends the lines "ADDRESS : text" of a list of formats. Other lines make
 * tep_parse_printk_formats() read beyond their end, so they are left out.
 */
static void put_sound_lines(struct ts_bytes *out, const char *text, size_t len)
{
	const char *end = text + strnlen(text, len);

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *next = newline ? newline : end;
		const char *colon = memchr(text, ':', (size_t)(next - text));

		if (colon && colon > text && next - colon > 2) {
			ts_bytes_put(out, text, (size_t)(next - text));
			ts_bytes_put(out, "\n", 1);
		}
		text = next + (newline != NULL);
	}
}

/* Only printk formats matter here: kernel symbols come from `syms`, names of tasks from the
 * side-band. */
static bool take_printk_formats(struct trace_formats *f, struct ts_cursor *c)
{
	const uint8_t *text;
	uint32_t len;

	if (!ts_cursor_u32(c, &len) || !ts_cursor_bytes(c, len, &text) || !ts_cursor_u32(c, &len) ||
	    !ts_cursor_bytes(c, len, &text))
		return false;
	ts_bytes_clear(&f->scratch);
	put_sound_lines(&f->scratch, (const char *)text, len);
	ts_bytes_zero(&f->scratch, 1);
	if (ts_bytes_failed(&f->scratch))
		return false;
	errno = 0;
	tep_parse_printk_formats(f->tep, (const char *)f->scratch.data);
	f->scratch.failed = errno == ENOMEM;
	return !f->scratch.failed;
}

static bool take_tracing_data(struct trace_formats *f, struct ts_cursor *c)
{
	return take_magic(f, c) && skip_header_files(c) && take_formats(f, c, "ftrace") &&
	       take_systems(f, c) && take_printk_formats(f, c);
}

/*
 * libtraceevent's parser keeps numbers of the format in a buffer that all its handles share. Two
 * threads that parse at once would get each other's flags.
 */
static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER;

int trace_formats_init(struct trace_formats *f, const struct ts_header *header,
		       struct ts_error *err)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_TRACING_DATA);
	bool is_sound;

	*f = (struct trace_formats){.tep = tep_alloc()};
	if (!f->tep)
		return ts_error_sys(err, ENOMEM,
				    "cannot read the tracepoint formats of the capture");
	tep_set_loglevel(TEP_LOG_NONE);
	if (!c.at)
		return 0;
	pthread_mutex_lock(&parser);
	is_sound = take_tracing_data(f, &c);
	pthread_mutex_unlock(&parser);
	if (is_sound)
		return 0;
	if (trace_formats_failed(f))
		return ts_error_sys(err, ENOMEM,
				    "cannot read the tracepoint formats of the capture");
	return ts_error_set(err, EINVAL,
			    "cannot read the tracepoint formats of the capture: "
			    "the TRACING_DATA section is damaged");
}

struct part {
	uint64_t config;
	const char *field;
	uint32_t id;	      /* 0: the text has no such part */
	struct ts_bytes text; /* its format */
};

void trace_formats_release(struct trace_formats *f)
{
	struct part *parts = (struct part *)f->parts.data;

	for (size_t i = 0; i < f->parts.len / sizeof(*parts); i++)
		ts_bytes_release(&parts[i].text);
	tep_free(f->tep);
	free(f->items);
	hash_index_release(&f->of_id);
	ts_bytes_release(&f->parts);
	ts_bytes_release(&f->scratch);
	*f = (struct trace_formats){0};
}

/* --- parts --- */

/* An id that no event has. */
static uint32_t free_id(const struct trace_formats *f)
{
	uint32_t id = UINT16_MAX;

	while (id && trace_formats_find(f, id))
		id--;
	return id;
}

static bool can_print(const struct trace_formats *f, uint32_t id)
{
	const struct trace_known *known = trace_formats_find(f, id);

	return known && known->look.is_printable && is_parsed(f->tep, id);
}

static void make_part(struct trace_formats *f, struct part *part)
{
	const struct trace_known *known = trace_formats_find(f, part->config);
	const uint32_t id = free_id(f);

	if (!known || !known->look.is_printable || !id ||
	    !trace_part_put(known->text, known->len, &known->look, part->field, id, &part->text))
		return;
	pthread_mutex_lock(&parser);
	take_format(f, (const char *)part->text.data, part->text.len, "part");
	pthread_mutex_unlock(&parser);
	part->id = can_print(f, id) ? id : 0;
}

uint32_t trace_formats_part(struct trace_formats *f, uint64_t config, const char *field)
{
	const struct part *parts = (const struct part *)f->parts.data;
	struct part part = {.config = config, .field = field};

	for (size_t i = 0; i < f->parts.len / sizeof(*parts); i++)
		if (parts[i].config == config && !strcmp(parts[i].field, field))
			return parts[i].id;
	if (ts_bytes_reserve(&f->parts, sizeof(part))) {
		make_part(f, &part);
		ts_bytes_put(&f->parts, &part, sizeof(part));
	}
	f->scratch.failed |= ts_bytes_failed(&part.text) || ts_bytes_failed(&f->parts);
	return part.id;
}
