// SPDX-License-Identifier: Apache-2.0
/*
 * The input is the format of a tracepoint up to its NUL, and behind that a sample's payload. For
 * every input the payload is printed, and from outside of it nothing but zeros.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/tracepoints/trace_fields.h"
#include "reader/tracepoints/trace_format.h"
#include "tests/fuzz/fuzz.h"

#define FIELDS 6

static void put_blob(struct ts_bytes *b, const void *data, size_t len)
{
	ts_bytes_u64(b, len);
	ts_bytes_put(b, data, len);
}

/* TRACING_DATA with that one format. */
static void put_tracing_data(struct ts_bytes *b, const uint8_t *format, size_t len)
{
	ts_bytes_put(b, "\x17\x08\x44tracing0.6\0\0\x8\0\x10\0\0", 10 + 4 + 2 + 4);
	ts_bytes_put(b, "header_page", 12);
	put_blob(b, "", 0);
	ts_bytes_put(b, "header_event", 13);
	put_blob(b, "", 0);
	ts_bytes_u32(b, 0);
	ts_bytes_u32(b, 1);
	ts_bytes_put(b, "sys", 4);
	ts_bytes_u32(b, 1);
	put_blob(b, format, len);
	ts_bytes_u32(b, 0);
	ts_bytes_u32(b, 0);
	ts_bytes_u64(b, 0);
}

static void print_all(struct tracefields *tf, uint32_t id, const uint8_t *raw, uint32_t raw_size)
{
	struct ts_bytes out = {0};
	const char *name;

	for (size_t i = 0; (name = trace_fields_name(tf, id, i)); i++) {
		trace_fields_width(tf, id, name);
		trace_fields_print_field(tf, id, name, true, raw, raw_size, &out);
		trace_fields_print_field(tf, id, name, false, raw, raw_size, &out);
	}
	trace_fields_print(tf, id, raw, raw_size, 0, &out);
	trace_fields_set_raw(tf, true);
	trace_fields_print(tf, id, raw, raw_size, 0, &out);
	ts_bytes_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	const uint8_t *raw = data + len + (end != NULL);
	uint32_t raw_size = (uint32_t)(data + size - raw);
	struct ts_header header = {.nr_bad_features = 0};
	struct ts_bytes tracing_data = {0};
	struct trace_format format;
	struct tracefields *tf;
	struct ts_error err;

	if (raw_size > UINT16_MAX)
		raw_size = UINT16_MAX;
	put_tracing_data(&tracing_data, data, len);
	header.features[TS_FEAT_TRACING_DATA].data = tracing_data.data;
	header.features[TS_FEAT_TRACING_DATA].size = tracing_data.len;
	tf = trace_fields_new(&header, NULL, &err);
	if (tf && trace_format_look((const char *)data, len, &format))
		print_all(tf, format.id, raw, raw_size);
	trace_fields_free(tf);
	ts_bytes_release(&tracing_data);
	return 0;
}

/* --- inputs: formats as the kernel might write them --- */

struct chance {
	uint32_t state;
};

static uint32_t below(struct chance *c, uint32_t n)
{
	c->state = c->state * 1664525u + 1013904223u;
	return (c->state >> 16) % n;
}

#define PICK(c, texts) ((texts)[below(c, sizeof(texts) / sizeof((texts)[0]))])

static void put_constant(struct chance *c, struct ts_bytes *out)
{
	static const char *const constants[] = {
		"0",	"1",	   "(1 << 3)",		 "0x80000000UL", "-9ULL", "'a'",
		"NAME", "(1 | 2)", "((unsigned long)4)", "~(u8)1",	 "4 / 2", "sizeof(u64)"};

	ts_bytes_printf(out, "%s", PICK(c, constants));
}

static void put_names(struct chance *c, struct ts_bytes *out)
{
	for (uint32_t i = below(c, 4); i < 4; i++) {
		ts_bytes_printf(out, ", { ");
		put_constant(c, out);
		ts_bytes_printf(out, ", %s }", below(c, 9) ? "\"name\" \"s\"" : "((void *)0)");
	}
	ts_bytes_printf(out, ")");
}

static void put_expression(struct chance *c, struct ts_bytes *out, unsigned int depth)
{
	static const char *const values[] = {"REC->f0",	     "REC->f1", "REC->f2", "REC->f3[2]",
					     "REC->f4",	     "7",	"0x10UL",  "\"text\"",
					     "REC->nothing", "(HZ)"};
	static const char *const calls[] = {
		"__get_str(f4)",
		"__get_rel_str(f5)",
		"__get_dynamic_array_len(f4)",
		"__get_bitmask(f4)",
		"__get_cpumask(f4)",
		"__get_rel_bitmask(f5)",
		"__get_str(f0)",
		"__print_hex(__get_dynamic_array(f4), REC->f0)",
		"__print_hex(REC->f3, 6)",
		"__print_hex_str(__get_rel_dynamic_array(f5), __get_rel_dynamic_array_len(f5))",
		"__print_array(__get_dynamic_array(f4), __get_dynamic_array_len(f4) / sizeof(u32), "
		"sizeof(u32))",
		"__print_array(REC->f3, REC->f1, 8)",
		"unknown(REC->f0)",
		"__builtin_expect(!!(REC->f0), 0)"};
	static const char *const operators[] = {
		"+",  "-",  "*",  "&",	"|", "^",  "<<",    ">>",
		"&&", "||", "==", "!=", "<", ">=", "/ 3 +", "% sizeof(u32) -"};

	switch (depth < 5 ? below(c, 9) : below(c, 2)) {
	case 0:
		ts_bytes_printf(out, "%s", PICK(c, values));
		break;
	case 1:
		ts_bytes_printf(out, "%s", PICK(c, calls));
		break;
	case 2:
		ts_bytes_printf(out, "__print_flags(");
		put_expression(c, out, depth + 1);
		ts_bytes_printf(out, ", \"|\"");
		put_names(c, out);
		break;
	case 3:
		ts_bytes_printf(out, "__print_symbolic(");
		put_expression(c, out, depth + 1);
		put_names(c, out);
		break;
	case 4:
		put_expression(c, out, depth + 1);
		ts_bytes_printf(out, " ? ");
		put_expression(c, out, depth + 1);
		ts_bytes_printf(out, " : ");
		put_expression(c, out, depth + 1);
		break;
	case 5:
		ts_bytes_printf(out, below(c, 2) ? "(unsigned long)" : "!");
		put_expression(c, out, depth + 1);
		break;
	case 6:
		ts_bytes_printf(out, "(");
		put_expression(c, out, depth + 1);
		ts_bytes_printf(out, ")");
		break;
	default:
		put_expression(c, out, depth + 1);
		ts_bytes_printf(out, " %s ", PICK(c, operators));
		put_expression(c, out, depth + 1);
	}
}

static void put_fields(struct chance *c, struct ts_bytes *out)
{
	static const char *const types[FIELDS] = {
		"int f0",   "unsigned long f1",	    "char f2[16]",
		"u8 f3[6]", "__data_loc char[] f4", "__rel_loc u32[] f5"};
	static const uint32_t sizes[FIELDS] = {4, 8, 16, 6, 4, 4};
	uint32_t offset = 8;

	ts_bytes_printf(out,
			"name: event\nID: %u\nformat:\n\tfield:unsigned short common_type;"
			"\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;"
			"\tsize:4;\tsigned:1;\n\n",
			1 + below(c, 3000));
	for (uint32_t i = 0; i < FIELDS; i++) {
		ts_bytes_printf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", types[i],
				offset, sizes[i], below(c, 2));
		offset += sizes[i];
	}
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	static const char *const conversions[] = {"%d",	  "%llx", "%s",	    "%p",    "%pS",
						  "%pI4", "%pU",  "%.*s",   "%*pbl", "%08lx",
						  "%c",	  "%-8s", "%pISpc", "%pM"};
	struct chance c = {nr};
	uint32_t nr_arguments = 1 + below(&c, 5);

	put_fields(&c, out);
	ts_bytes_printf(out, "\nprint fmt: \"a=%%%% ");
	for (uint32_t i = 0; i < nr_arguments; i++)
		ts_bytes_printf(out, "f%u=%s ", below(&c, FIELDS), PICK(&c, conversions));
	ts_bytes_printf(out, "\"");
	for (uint32_t i = 0; i < nr_arguments + below(&c, 2); i++) {
		ts_bytes_printf(out, ", ");
		put_expression(&c, out, 0);
	}
	ts_bytes_printf(out, "\n");
	ts_bytes_zero(out, 1);
	for (uint32_t i = below(&c, 64); i < 80; i++)
		ts_bytes_zero(out, 1);
	for (uint32_t i = 0; i < 8; i++)
		out->data[out->len - 1 - below(&c, 16)] = (uint8_t)below(&c, 256);
}
