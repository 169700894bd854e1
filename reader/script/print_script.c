// SPDX-License-Identifier: Apache-2.0
#include "reader/script/print_script.h"

#include "reader/runtime/text.h"
#include "reader/script/print_line_start.h"

#define FLAGS_WIDTH 24 /* width of a column that only decoded processor traces fill */

void script_printer_release(struct script_printer *p)
{
	places_release(&p->places);
}

static void put_blanks(struct ts_bytes *out, unsigned int nr)
{
	while (nr--)
		text_char(out, ' ');
}

static void put_event(struct script_printer *p, const struct ts_event *event, struct ts_bytes *out)
{
	text_name(out, event->name, p->style->name_width);
	text_put(out, ": ");
}

/* --- the data of memory accesses --- */

/*
 * The address of a page fault is in a map of the program; addresses of other events are plain
 * numbers.
 */
static bool is_page_fault(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void put_page_size(uint64_t bytes, struct ts_bytes *out)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	text_char(out, ' ');
	if (!bytes) {
		text_put(out, "N/A");
		return;
	}
	for (; !(bytes % 1024) && units[unit + 1]; unit++)
		bytes /= 1024;
	text_dec(out, bytes, 0, ' ');
	text_char(out, units[unit]);
}

static void put_access(struct script_printer *p, const struct ts_event *event, uint32_t fields,
		       uint16_t misc, const struct ts_sample *sample, struct ts_bytes *out)
{
	if (fields & FIELD_ADDR)
		places_put_addr(&p->places, fields, is_page_fault(&event->attr), misc, sample, out);
	if (fields & FIELD_DATA_SRC)
		text_hex(out, sample->data_src, 16);
	if (fields & FIELD_WEIGHT)
		text_dec(out, sample->weight, 16, ' ');
	if (fields & FIELD_INS_LAT)
		text_dec(out, sample->instruction_cycles, 16, ' ');
}

static void put_pages(uint32_t fields, const struct ts_sample *sample, struct ts_bytes *out)
{
	if (fields & FIELD_PHYS_ADDR)
		text_hex(out, sample->phys_addr, 16);
	if (fields & FIELD_DATA_PAGE_SIZE)
		put_page_size(sample->data_page_size, out);
	if (fields & FIELD_CODE_PAGE_SIZE)
		put_page_size(sample->code_page_size, out);
}

/* --- registers --- */

static const char *const register_names[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",	 "FLAGS", "CS",	 "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",	  "R14", "R15",
};

static void put_registers(uint64_t abi, uint64_t mask, const struct ts_words *words,
			  struct ts_bytes *out)
{
	uint64_t nr = 0;

	if (!words->data)
		return;
	text_put(out, " ABI:");
	text_dec(out, abi, 0, ' ');
	text_char(out, ' ');
	for (unsigned int bit = 0; bit < 64 && nr < words->nr; bit++) {
		bool is_known = bit < sizeof(register_names) / sizeof(register_names[0]);

		if (!(mask & 1ull << bit))
			continue;
		text_name(out, is_known ? register_names[bit] : "unknown", 5);
		text_put(out, ":0x");
		text_hex(out, ts_word(words, nr++), 0);
		text_char(out, ' ');
	}
}

/* --- one sample --- */

/* A payload takes longer than the rest of the line, so the text of equal payloads is made once. */
static void put_trace(struct script_printer *p, const struct ts_event *event,
		      const struct ts_sample *sample, struct ts_bytes *out)
{
	const struct text_key key = {.a = event->attr.config, .d = TEXT_TRACE};
	struct text_cache *texts = &p->places.texts;
	size_t start = out->len;

	if (!sample->raw || text_cache_put(texts, &key, sample->raw, sample->raw_size, out))
		return;
	if (trace_fields_print(p->fields, event->attr.config, sample->raw, sample->raw_size,
			       sample->sid.cpu, out) &&
	    !ts_bytes_failed(out))
		text_cache_add(texts, &key, sample->raw, sample->raw_size, out->data + start,
			       out->len - start);
}

static void put_place(struct script_printer *p, uint32_t fields, uint16_t misc,
		      const struct ts_sample *sample, struct ts_bytes *out)
{
	if (p->style->with_chains && sample->callchain.data) {
		text_char(out, '\n');
		places_put_chain(&p->places, fields, sample, out);
	} else {
		places_put_ip(&p->places, fields, misc, sample, out);
	}
}

void print_script_sample(struct script_printer *p, uint16_t misc, const struct ts_sample *sample,
			 struct ts_bytes *out)
{
	const struct ts_event *event = &p->header->events.items[sample->sid.event];
	uint32_t fields = p->style->types[script_type(event)].shown;

	if (!fields)
		return;
	print_line_start(p, event, PERF_RECORD_SAMPLE, misc, &sample->sid, &sample->sid, out);
	if (fields & FIELD_PERIOD) {
		text_dec(out, sample->period, 10, ' ');
		text_char(out, ' ');
	}
	if (fields & FIELD_EVENT)
		put_event(p, event, out);
	if (p->style->with_flags)
		put_blanks(out, FLAGS_WIDTH);
	if (fields & FIELD_TRACE)
		put_trace(p, event, sample, out);
	put_access(p, event, fields, misc, sample, out);
	if (fields & FIELD_IP)
		put_place(p, fields, misc, sample, out);
	if (fields & FIELD_IREGS)
		put_registers(sample->intr_abi, event->attr.sample_regs_intr, &sample->intr_regs,
			      out);
	if (fields & FIELD_UREGS)
		put_registers(sample->user_abi, event->attr.sample_regs_user, &sample->user_regs,
			      out);
	put_pages(fields, sample, out);
	text_char(out, '\n');
}
