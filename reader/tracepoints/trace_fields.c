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
#include "reader/tracepoints/trace_fields.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "common/base/escape_text.h"
#include "reader/tasks/hash_index.h"
#include "reader/tracepoints/trace_format.h"

/* More than any kernel has; a count beyond it is damage, not data. */
#define MAX_FORMATS 1000000u

struct tracefields {
	struct tep_handle *tep;
	struct trace_seq text;	      /* of the sample being printed */
	struct trace_format *formats; /* those that tep has */
	uint32_t nr_formats, cap_formats;
	struct hash_index format_of_id;
	struct symbols *syms;
	bool is_raw;
	struct ts_bytes scratch; /* a NUL-terminated copy for parsers that want one */
};

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

static bool take_magic(struct tracefields *tf, struct ts_cursor *c)
{
	static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	const uint8_t *found, *flags;
	const char *version;
	uint32_t page_size;

	if (!ts_cursor_bytes(c, sizeof(magic), &found) || memcmp(found, magic, sizeof(magic)) ||
	    !take_text(c, &version) || !ts_cursor_bytes(c, 2, &flags) ||
	    !ts_cursor_u32(c, &page_size) || flags[0] || (flags[1] != 4 && flags[1] != 8))
		return false;
	tep_set_file_bigendian(tf->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tf->tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(tf->tep, flags[1]);
	tep_set_page_size(tf->tep, (int)page_size);
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

static const struct trace_format *find_format(const struct tracefields *tf, uint64_t id)
{
	struct hash_walk walk = hash_walk(&tf->format_of_id, (uint32_t)id);
	uint32_t position;

	while (hash_walk_next(&tf->format_of_id, &walk, &position))
		if (tf->formats[position].id == id)
			return &tf->formats[position];
	return NULL;
}

static bool add_format(struct tracefields *tf, const struct trace_format *format)
{
	if (tf->nr_formats == tf->cap_formats) {
		uint32_t cap = tf->cap_formats ? 2 * tf->cap_formats : 64;
		void *grown = realloc(tf->formats, cap * sizeof(*tf->formats));

		if (!grown)
			return false;
		tf->formats = grown;
		tf->cap_formats = cap;
	}
	if (hash_index_add(&tf->format_of_id, format->id, tf->nr_formats))
		return false;
	tf->formats[tf->nr_formats++] = *format;
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

/*
 * Leaves out formats that are not sound: their samples show no fields, the others are unaffected.
 * If only the text to print is not sound, libtraceevent does not get it, and prints the fields.
 */
static bool take_format(struct tracefields *tf, const char *text, size_t len, const char *system)
{
	struct ts_bytes *to = &tf->scratch;
	struct trace_format format;

	if (!trace_format_look(text, len, &format) || find_format(tf, format.id))
		return true;
	if (!add_format(tf, &format))
		return false;
	ts_bytes_clear(to);
	ts_bytes_put(to, text, format.head_bytes);
	if (format.is_printable)
		put_print_format(to, text + format.head_bytes, len - format.head_bytes);
	if (ts_bytes_failed(to))
		return false;
	tep_parse_event(tf->tep, (const char *)to->data, to->len, system);
	return true;
}

static bool take_formats(struct tracefields *tf, struct ts_cursor *c, const char *system)
{
	const uint8_t *text;
	uint32_t nr;
	size_t len;

	if (!ts_cursor_u32(c, &nr) || nr > MAX_FORMATS)
		return false;
	while (nr--)
		if (!take_blob(c, &text, &len) || !take_format(tf, (const char *)text, len, system))
			return false;
	return true;
}

static bool take_systems(struct tracefields *tf, struct ts_cursor *c)
{
	const char *system;
	uint32_t nr;

	if (!ts_cursor_u32(c, &nr) || nr > MAX_FORMATS)
		return false;
	while (nr--)
		if (!take_text(c, &system) || !take_formats(tf, c, system))
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
static bool take_printk_formats(struct tracefields *tf, struct ts_cursor *c)
{
	const uint8_t *text;
	uint32_t len;

	if (!ts_cursor_u32(c, &len) || !ts_cursor_bytes(c, len, &text) || !ts_cursor_u32(c, &len) ||
	    !ts_cursor_bytes(c, len, &text))
		return false;
	ts_bytes_clear(&tf->scratch);
	put_sound_lines(&tf->scratch, (const char *)text, len);
	ts_bytes_zero(&tf->scratch, 1);
	if (ts_bytes_failed(&tf->scratch))
		return false;
	tep_parse_printk_formats(tf->tep, (const char *)tf->scratch.data);
	return true;
}

static bool take_tracing_data(struct tracefields *tf, struct ts_cursor *c)
{
	return take_magic(tf, c) && skip_header_files(c) && take_formats(tf, c, "ftrace") &&
	       take_systems(tf, c) && take_printk_formats(tf, c);
}

/*
 * libtraceevent's parser keeps numbers of the format in a buffer that all its handles share. Two
 * threads that parse at once would get each other's flags.
 */
static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER;

static int parse_formats(struct tracefields *tf, const struct ts_header *header,
			 struct ts_error *err)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_TRACING_DATA);
	bool is_sound;

	if (!c.at)
		return 0;
	pthread_mutex_lock(&parser);
	is_sound = take_tracing_data(tf, &c);
	pthread_mutex_unlock(&parser);
	if (is_sound)
		return 0;
	return ts_error_set(err, EINVAL,
			    "cannot read the tracepoint formats of the capture: "
			    "the TRACING_DATA section is damaged");
}

/* libtraceevent asks for the function that covers a kernel address. */
static char *name_of_function(void *arg, unsigned long long *addr, char **module)
{
	struct tracefields *tf = arg;
	struct location at;

	symbols_resolve(tf->syms, TASK_PID_KERNEL, PERF_RECORD_MISC_KERNEL, *addr, 0, &at);
	if (!at.sym)
		return NULL;
	*module = NULL;
	*addr -= at.addr - at.sym->start;
	return (char *)at.sym->name;
}

struct tracefields *trace_fields_new(const struct ts_header *header, struct symbols *syms,
				     struct ts_error *err)
{
	struct tracefields *tf = calloc(1, sizeof(*tf));

	if (tf)
		tf->tep = tep_alloc();
	if (!tf || !tf->tep) {
		free(tf);
		ts_error_sys(err, ENOMEM, "cannot read the tracepoint formats of the capture");
		return NULL;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	trace_seq_init(&tf->text);
	tf->syms = syms;
	if (syms)
		tep_set_function_resolver(tf->tep, name_of_function, tf);
	if (parse_formats(tf, header, err)) {
		trace_fields_free(tf);
		return NULL;
	}
	return tf;
}

void trace_fields_free(struct tracefields *tf)
{
	if (!tf)
		return;
	trace_seq_destroy(&tf->text);
	tep_free(tf->tep);
	free(tf->formats);
	hash_index_release(&tf->format_of_id);
	ts_bytes_release(&tf->scratch);
	free(tf);
}

void trace_fields_set_raw(struct tracefields *tf, bool is_raw)
{
	tf->is_raw = is_raw;
}

/*
 * Do the bytes of the field, and the bytes that they point to, lie inside the payload?
 * libtraceevent does not check.
 */
static bool is_inside(const struct tep_format_field *field, const uint8_t *raw, uint32_t raw_size)
{
	uint64_t end, place;

	if (field->offset < 0 || field->size < 0)
		return false;
	end = (uint64_t)field->offset + (uint64_t)field->size;
	if (end > raw_size)
		return false;
	if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
		return true;
	if (field->size < 4)
		return false;
	place = ts_record_load_u32(raw + field->offset);
	return (place & 0xffff) + (place >> 16) +
		       (field->flags & TEP_FIELD_IS_RELATIVE ? end : 0) <=
	       raw_size;
}

static bool are_inside(const struct tep_format_field *field, const uint8_t *raw, uint32_t raw_size)
{
	for (; field; field = field->next)
		if (!is_inside(field, raw, raw_size))
			return false;
	return true;
}

/* A copy with zeros behind it, because libtraceevent may read there, too. NULL: out of memory. */
static void *with_zeros_behind(struct tracefields *tf, const uint8_t *raw, uint32_t raw_size,
			       size_t zeros)
{
	ts_bytes_clear(&tf->scratch);
	ts_bytes_put(&tf->scratch, raw, raw_size);
	ts_bytes_zero(&tf->scratch, zeros);
	return ts_bytes_failed(&tf->scratch) ? NULL : tf->scratch.data;
}

bool trace_fields_print(struct tracefields *tf, uint64_t config, const uint8_t *raw,
			uint32_t raw_size, uint32_t cpu, struct ts_bytes *out)
{
	struct tep_event *event = tep_find_event(tf->tep, (int)config);
	const struct trace_format *format = find_format(tf, config);
	struct tep_record record = {.cpu = (int)cpu, .size = (int)raw_size};
	char *to;

	if (!event || !format || !are_inside(event->format.common_fields, raw, raw_size) ||
	    !are_inside(event->format.fields, raw, raw_size))
		return false;
	record.data = with_zeros_behind(tf, raw, raw_size, trace_format_zeros(format, raw_size));
	if (!record.data)
		return false;
	trace_seq_reset(&tf->text);
	if (tf->is_raw || !trace_format_fits(format, raw, raw_size))
		tep_print_fields(&tf->text, record.data, (int)raw_size, event);
	else
		tep_print_event(tf->tep, &tf->text, &record, "%s", TEP_PRINT_INFO);
	to = ts_bytes_reserve(out, tf->text.len);
	if (!to)
		return true;
	memcpy(to, tf->text.buffer, tf->text.len);
	/* texts that programs write into the trace have lines */
	ts_escape_text(to, tf->text.len, "\n\t");
	out->len += tf->text.len;
	return true;
}

/* --- single fields --- */

static struct tep_format_field *find_field(const struct tracefields *tf, uint64_t config,
					   const char *name)
{
	struct tep_event *event = tep_find_event(tf->tep, (int)config);

	return event ? tep_find_any_field(event, name) : NULL;
}

const char *trace_fields_name(const struct tracefields *tf, uint64_t config, size_t index)
{
	struct tep_event *event = tep_find_event(tf->tep, (int)config);
	const struct tep_format_field *field = event ? event->format.fields : NULL;

	while (field && index--)
		field = field->next;
	return field ? field->name : NULL;
}

unsigned int trace_fields_width(const struct tracefields *tf, uint64_t config, const char *name)
{
	const struct tep_format_field *field = find_field(tf, config, name);

	if (!field || field->size < 0 || field->size > UINT16_MAX) /* no payload is larger */
		return 0;
	return field->flags & TEP_FIELD_IS_STRING ? (unsigned int)field->size
						  : 2 * (unsigned int)field->size + 2;
}

bool trace_fields_print_field(struct tracefields *tf, uint64_t config, const char *name,
			      const uint8_t *raw, uint32_t raw_size, struct ts_bytes *out)
{
	struct tep_format_field *field = find_field(tf, config, name);
	void *copy;

	if (!field || !is_inside(field, raw, raw_size))
		return false;
	copy = with_zeros_behind(tf, raw, raw_size, sizeof(uint64_t));
	if (!copy)
		return false;
	trace_seq_reset(&tf->text);
	tep_print_field(&tf->text, copy, field);
	ts_bytes_put(out, tf->text.buffer, tf->text.len);
	return true;
}
