// SPDX-License-Identifier: Apache-2.0
#include "reader/print_script.h"

#include <string.h>

#include "reader/names.h"
#include "reader/text.h"

/* perf cuts callchains here when it prints them. */
#define MAX_FRAMES 127

enum script_field {
	FIELD_TID = 1u << 0,
	FIELD_CPU = 1u << 1,
	FIELD_TIME = 1u << 2,
	FIELD_PERIOD = 1u << 3,
	FIELD_TRACE = 1u << 4,
	FIELD_ADDR = 1u << 5,
	FIELD_IP = 1u << 6,
	FIELD_DATA_SRC = 1u << 7,
	FIELD_WEIGHT = 1u << 8,
	FIELD_PHYS_ADDR = 1u << 9,
};

#define FIELDS_ALL  (FIELD_TID | FIELD_CPU | FIELD_TIME)
#define FIELDS_HARD (FIELDS_ALL | FIELD_PERIOD | FIELD_IP)

static const uint32_t default_fields[SCRIPT_TYPES] = {
	[PERF_TYPE_HARDWARE] = FIELDS_HARD,
	[PERF_TYPE_SOFTWARE] = FIELDS_HARD,
	[PERF_TYPE_TRACEPOINT] = FIELDS_ALL | FIELD_TRACE,
	[PERF_TYPE_HW_CACHE] = FIELDS_HARD,
	[PERF_TYPE_RAW] =
		FIELDS_HARD | FIELD_ADDR | FIELD_DATA_SRC | FIELD_WEIGHT | FIELD_PHYS_ADDR,
	[PERF_TYPE_BREAKPOINT] = FIELDS_HARD,
};

static const struct {
	uint32_t field;
	uint64_t sample_type;
} field_needs[] = {
	{FIELD_TID, PERF_SAMPLE_TID},
	{FIELD_CPU, PERF_SAMPLE_CPU},
	{FIELD_TIME, PERF_SAMPLE_TIME},
	{FIELD_TRACE, PERF_SAMPLE_RAW},
	{FIELD_ADDR, PERF_SAMPLE_ADDR},
	{FIELD_IP, PERF_SAMPLE_IP},
	{FIELD_DATA_SRC, PERF_SAMPLE_DATA_SRC},
	{FIELD_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT},
	{FIELD_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR},
};

static unsigned int type_of(const struct ts_event *event)
{
	return event->attr.type < SCRIPT_TYPES ? event->attr.type : PERF_TYPE_RAW;
}

static uint32_t carried(const struct ts_event *event)
{
	uint32_t fields = default_fields[type_of(event)];

	for (size_t i = 0; i < sizeof(field_needs) / sizeof(field_needs[0]); i++)
		if (!(event->attr.sample_type & field_needs[i].sample_type))
			fields &= ~field_needs[i].field;
	return fields;
}

static bool has_callchain(const struct ts_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

/* The first event of a type decides its columns; callchains add the address to tracepoints. */
void script_style_init(struct script_style *style, const struct ts_header *header)
{
	bool seen[SCRIPT_TYPES] = {false}, trace_chains = false;

	*style = (struct script_style){0};
	for (size_t i = 0; i < header->events.nr; i++) {
		const struct ts_event *event = &header->events.items[i];
		unsigned int type = type_of(event);
		size_t width = strlen(event->name);

		if (!seen[type])
			style->fields[type] = carried(event);
		seen[type] = true;
		style->has_callchains |= has_callchain(event);
		trace_chains |= type == PERF_TYPE_TRACEPOINT && has_callchain(event);
		if (width > style->name_width)
			style->name_width = (unsigned int)width;
	}
	if (trace_chains)
		style->fields[PERF_TYPE_TRACEPOINT] |= FIELD_IP;
}

static void print_comm(struct script_printer *p, const struct ts_sample_id *sid, unsigned int width,
		       struct ts_bytes *out)
{
	const char *comm = ts_tasks_comm(p->tasks, sid->tid, sid->time_ns);
	char buf[UNNAMED_MAX];

	text_name(out, comm ? comm : names_unnamed(sid->tid, buf), width);
	text_char(out, ' ');
}

/* "%12s" of seconds and microseconds. */
static void print_time(uint64_t ns, struct ts_bytes *out)
{
	uint64_t micros = ns / 1000;

	text_dec(out, micros / 1000000, 5, ' ');
	text_char(out, '.');
	text_dec(out, micros % 1000000, 6, '0');
	text_put(out, ": ");
}

static void print_tid(uint32_t tid, struct ts_bytes *out)
{
	if (tid == UINT32_MAX)
		text_put(out, "   -1");
	else
		text_dec(out, tid, 5, ' ');
	text_char(out, ' ');
}

static void print_start(struct script_printer *p, uint32_t fields, bool chains,
			const struct ts_sample_id *sid, struct ts_bytes *out)
{
	print_comm(p, sid, chains ? 0 : 16, out);
	if (fields & FIELD_TID)
		print_tid(sid->tid, out);
	if (fields & FIELD_CPU) {
		text_char(out, '[');
		text_dec(out, sid->cpu, 3, '0');
		text_put(out, "] ");
	}
	if (fields & FIELD_TIME)
		print_time(sid->time_ns, out);
}

static void print_symbol(const struct location *at, struct ts_bytes *out)
{
	if (at->sym) {
		text_name(out, at->sym->name, 0);
		text_put(out, "+0x");
		text_hex(out, at->addr - at->sym->start, 0);
	} else {
		text_put(out, "[unknown]");
	}
	text_put(out, " (");
	text_name(out, at->module ? at->module->long_name : "[unknown]", 0);
	text_char(out, ')');
}

static void print_frame(const struct location *at, uint64_t ip, struct ts_bytes *out)
{
	text_char(out, '\t');
	text_hex(out, at->map && at->level != 'k' ? at->addr : ip, 16);
	text_char(out, ' ');
	print_symbol(at, out);
	text_char(out, '\n');
}

/* The mode that a context marker opens; false: a marker that is unknown, the chain is damaged. */
static bool mode_of_marker(uint64_t marker, uint16_t *mode)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		*mode = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*mode = PERF_RECORD_MISC_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*mode = PERF_RECORD_MISC_USER;
		return true;
	default:
		return false;
	}
}

static void print_callchain(struct script_printer *p, const struct ts_sample *sample,
			    struct ts_bytes *out)
{
	size_t start = out->len;
	uint16_t mode = PERF_RECORD_MISC_USER;
	unsigned int frames = 0;
	struct location at;

	for (uint64_t i = 0; i < sample->callchain.nr && frames < MAX_FRAMES; i++) {
		uint64_t ip = ts_word(&sample->callchain, i);

		if (ip >= PERF_CONTEXT_MAX) {
			if (mode_of_marker(ip, &mode))
				continue;
			out->len = start;
			return;
		}
		symbols_resolve(p->syms, sample->sid.pid, mode, ip, sample->sid.time_ns, &at);
		print_frame(&at, ip, out);
		frames++;
	}
}

static void print_ip(struct script_printer *p, uint16_t misc, const struct ts_sample *sample,
		     struct ts_bytes *out)
{
	struct location at;

	symbols_resolve(p->syms, sample->sid.pid, misc & PERF_RECORD_MISC_CPUMODE_MASK, sample->ip,
			sample->sid.time_ns, &at);
	text_char(out, ' ');
	text_hex(out, sample->ip, 16);
	text_char(out, ' ');
	print_symbol(&at, out);
}

void script_print_sample(struct script_printer *p, uint16_t misc, const struct ts_sample *sample,
			 struct ts_bytes *out)
{
	const struct ts_event *event = &p->header->events.items[sample->sid.event];
	uint32_t fields = p->style->fields[type_of(event)];
	bool chains = (fields & FIELD_IP) && has_callchain(event);

	print_start(p, fields, chains, &sample->sid, out);
	if (fields & FIELD_PERIOD) {
		text_dec(out, sample->period, 10, ' ');
		text_char(out, ' ');
	}
	text_name(out, event->name, p->style->name_width);
	text_put(out, ": ");
	if ((fields & FIELD_TRACE) && sample->raw)
		tracefields_print(p->fields, event->attr.config, sample->raw, sample->raw_size,
				  sample->sid.cpu, out);
	if (fields & FIELD_ADDR)
		text_hex(out, sample->addr, 16);
	if (fields & FIELD_DATA_SRC)
		text_hex(out, sample->data_src, 16);
	if (fields & FIELD_WEIGHT)
		text_dec(out, sample->weight, 16, ' ');
	if (chains && sample->callchain.data) {
		text_char(out, '\n');
		print_callchain(p, sample, out);
	} else if (fields & FIELD_IP) {
		print_ip(p, misc, sample, out);
	}
	if (fields & FIELD_PHYS_ADDR)
		text_hex(out, sample->phys_addr, 16);
	text_char(out, '\n');
}
