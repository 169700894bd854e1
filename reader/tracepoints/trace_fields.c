// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "common/base/escape_text.h"
#include "reader/tracepoints/trace_formats.h"
#include "reader/tracepoints/trace_value.h"

struct tracefields {
	struct trace_formats formats;
	struct trace_seq text; /* of the sample being printed */
	struct ts_bytes copy;  /* of its payload */
	struct symbols *syms;
	bool is_raw;
};

/* libtraceevent asks for the function that covers a kernel address. */
static char *name_of_function(void *arg, unsigned long long *addr, char **module)
{
	const int code = errno; /* put_text() asks for libtraceevent's own */
	struct tracefields *tf = arg;
	struct location at;

	symbols_resolve(tf->syms, TASK_PID_KERNEL, PERF_RECORD_MISC_KERNEL, *addr, 0, &at);
	errno = code;
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

	if (!tf) {
		ts_error_sys(err, ENOMEM, "cannot read the tracepoint formats of the capture");
		return NULL;
	}
	trace_seq_init(&tf->text);
	if (trace_formats_init(&tf->formats, header, err)) {
		trace_fields_free(tf);
		return NULL;
	}
	tf->syms = syms;
	if (syms)
		tep_set_function_resolver(tf->formats.tep, name_of_function, tf);
	return tf;
}

void trace_fields_free(struct tracefields *tf)
{
	if (!tf)
		return;
	trace_seq_destroy(&tf->text);
	trace_formats_release(&tf->formats);
	ts_bytes_release(&tf->copy);
	free(tf);
}

void trace_fields_set_raw(struct tracefields *tf, bool is_raw)
{
	tf->is_raw = is_raw;
}

/* --- what libtraceevent gets --- */

struct payload {
	const struct tep_event *event;
	const struct trace_format *look;
	const uint8_t *raw;
	uint32_t raw_size;
	uint32_t cpu;
	bool is_whole; /* all fields lie inside */
};

static bool are_inside(const struct tep_format_field *field, const uint8_t *raw, uint32_t raw_size)
{
	for (; field; field = field->next)
		if (!trace_value_is_inside(field, raw, raw_size))
			return false;
	return true;
}

/* False: nothing is known of the event. */
static bool find_event(const struct tracefields *tf, uint64_t config, struct payload *p)
{
	const struct trace_known *known = trace_formats_find(&tf->formats, config);

	p->event = known ? tep_find_event(tf->formats.tep, (int)config) : NULL;
	if (!p->event)
		return false;
	p->look = &known->look;
	p->is_whole = are_inside(p->event->format.common_fields, p->raw, p->raw_size) &&
		      are_inside(p->event->format.fields, p->raw, p->raw_size);
	return true;
}

/* Can libtraceevent make the text of it? */
static bool can_print(const struct payload *p)
{
	return p->is_whole && !(p->event->flags & TEP_EVENT_FL_FAILED) &&
	       trace_format_fits(p->look, p->raw, p->raw_size);
}

/*
 * A copy with zeros behind it, because libtraceevent may read there, too. It is of this event,
 * because libtraceevent prints what the sample says that it is. NULL: out of memory, and so is the
 * output.
 */
static void *copy_payload(struct tracefields *tf, const struct payload *p, struct ts_bytes *out)
{
	const uint16_t type = (uint16_t)p->event->id;

	ts_bytes_clear(&tf->copy);
	ts_bytes_put(&tf->copy, p->raw, p->raw_size);
	ts_bytes_zero(&tf->copy, trace_format_zeros(p->look, p->raw_size));
	out->failed |= ts_bytes_failed(&tf->copy);
	if (ts_bytes_failed(out))
		return NULL;
	memcpy(tf->copy.data, &type, sizeof(type));
	return tf->copy.data;
}

/* Appends the text that libtraceevent has made. */
static void put_printed(const struct tracefields *tf, struct ts_bytes *out)
{
	out->failed |= tf->text.state != TRACE_SEQ__GOOD;
	ts_bytes_put(out, tf->text.buffer, tf->text.len);
}

static void put_text(struct tracefields *tf, const struct payload *p, struct ts_bytes *out)
{
	struct tep_record record = {
		.cpu = (int)p->cpu, .size = (int)p->raw_size, .data = copy_payload(tf, p, out)};

	if (!record.data)
		return;
	trace_seq_reset(&tf->text);
	errno = 0;
	tep_print_event(tf->formats.tep, &tf->text, &record, "%s", TEP_PRINT_INFO);
	out->failed |= errno == ENOMEM; /* libtraceevent leaves out what it has no memory for */
	put_printed(tf, out);
}

/* --- fields --- */

/* A number is printed as the text has it, if it stands there anywhere. */
static void put_shown(struct tracefields *tf, const struct payload *p,
		      struct tep_format_field *field, struct ts_bytes *out)
{
	void *copy;

	if (field->flags & TEP_FIELD_IS_ARRAY || !can_print(p)) {
		trace_value_put(field, p->raw, out);
		return;
	}
	copy = copy_payload(tf, p, out);
	if (!copy)
		return;
	trace_seq_reset(&tf->text);
	tep_print_field(&tf->text, copy, field);
	put_printed(tf, out);
}

static void put_fields(const struct payload *p, struct ts_bytes *out)
{
	for (const struct tep_format_field *f = p->event->format.fields; f; f = f->next) {
		ts_bytes_printf(out, " %s=", f->name);
		if (trace_value_is_inside(f, p->raw, p->raw_size))
			trace_value_put(f, p->raw, out);
		else
			ts_bytes_put(out, "?", 1);
	}
}

/* Texts that programs write into the trace have lines. */
static void make_harmless(struct ts_bytes *out, size_t start)
{
	if (!ts_bytes_failed(out) && out->len > start)
		ts_escape_text((char *)out->data + start, out->len - start, "\n\t");
}

bool trace_fields_print(struct tracefields *tf, uint64_t config, const uint8_t *raw,
			uint32_t raw_size, uint32_t cpu, struct ts_bytes *out)
{
	struct payload p = {.raw = raw, .raw_size = raw_size, .cpu = cpu};
	size_t start = out->len;

	if (!find_event(tf, config, &p))
		return false;
	if (!p.is_whole)
		ts_bytes_printf(out, "[TOO SHORT]");
	else if (!tf->is_raw && p.event->flags & TEP_EVENT_FL_FAILED)
		ts_bytes_printf(out, "[FAILED TO PARSE]");
	if (tf->is_raw || !can_print(&p))
		put_fields(&p, out);
	else
		put_text(tf, &p, out);
	make_harmless(out, start);
	return true;
}

static struct tep_format_field *find_field(const struct tracefields *tf, uint64_t config,
					   const char *name)
{
	struct tep_event *event = tep_find_event(tf->formats.tep, (int)config);

	return event ? tep_find_any_field(event, name) : NULL;
}

const char *trace_fields_name(const struct tracefields *tf, uint64_t config, size_t index)
{
	struct tep_event *event = tep_find_event(tf->formats.tep, (int)config);
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

/* As the text of the event shows the field; false: it does not. */
static bool put_part(struct tracefields *tf, uint64_t config, const char *name, struct payload *p,
		     struct ts_bytes *out)
{
	const uint32_t part = trace_formats_part(&tf->formats, config, name);
	size_t start = out->len;

	out->failed |= trace_formats_failed(&tf->formats);
	if (!part || !find_event(tf, part, p) || !can_print(p))
		return false;
	put_text(tf, p, out);
	make_harmless(out, start);
	return true;
}

bool trace_fields_print_field(struct tracefields *tf, uint64_t config, const char *name,
			      bool is_raw, const uint8_t *raw, uint32_t raw_size,
			      struct ts_bytes *out)
{
	struct payload p = {.raw = raw, .raw_size = raw_size};
	size_t start = out->len;
	struct tep_format_field *field;

	is_raw |= tf->is_raw;
	if (!is_raw && put_part(tf, config, name, &p, out))
		return true;
	field = find_event(tf, config, &p) ? find_field(tf, config, name) : NULL;
	if (!field || !trace_value_is_inside(field, raw, raw_size))
		return false;
	if (is_raw)
		trace_value_put(field, raw, out);
	else
		put_shown(tf, &p, field, out);
	make_harmless(out, start);
	return true;
}
