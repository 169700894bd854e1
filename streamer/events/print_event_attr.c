// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/print_event_attr.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/bytes.h"

#define FLAGS_OFFSET 40 /* of the bit fields, for which there is no offsetof() */

/* Bits of the word at FLAGS_OFFSET, in the kernel's order. NULL: not printed as a bit. */
static const char *const flags[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	NULL, /* precise_ip, two bits */
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};

static const char *const sample_bits[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const char *const read_bits[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

static const char *const branch_bits[] = {
	"USER",	    "KERNEL",	 "HV",	      "ANY",	  "ANY_CALL",	"ANY_RETURN", "IND_CALL",
	"ABORT_TX", "IN_TX",	 "NO_TX",     "COND",	  "CALL_STACK", "IND_JUMP",   "CALL",
	"NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",
};

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static void print_field(const char *name, const char *value, FILE *out)
{
	fprintf(out, "  %-32s %s\n", name, value);
}

static void print_number(const char *name, uint64_t value, FILE *out)
{
	if (value)
		fprintf(out, "  %-32s %" PRIu64 "\n", name, value);
}

static void print_hex(const char *name, uint64_t value, FILE *out)
{
	if (value)
		fprintf(out, "  %-32s %#" PRIx64 "\n", name, value);
}

static void print_bits(const char *name, uint64_t value, const char *const *names, size_t nr,
		       FILE *out)
{
	struct ts_bytes text;

	ts_bytes_init(&text);
	for (size_t i = 0; i < nr; i++)
		if (value >> i & 1)
			ts_bytes_printf(&text, "%s%s", text.len ? "|" : "", names[i]);
	ts_bytes_zero(&text, 1);
	if (value && !ts_bytes_failed(&text))
		print_field(name, (const char *)text.data, out);
	ts_bytes_release(&text);
}

static void print_flags(const struct perf_event_attr *attr, FILE *out)
{
	uint64_t word;

	memcpy(&word, (const char *)attr + FLAGS_OFFSET, sizeof(word));
	for (size_t i = 0; i < NR(flags); i++) {
		if (flags[i])
			print_number(flags[i], word >> i & 1, out);
		else if (flags[i - 1])
			print_number("precise_ip", attr->precise_ip, out);
	}
}

void print_event_attr(const struct perf_event_attr *attr, FILE *out)
{
	static const char line[] = "------------------------------------------------------------";

	fprintf(out, "%s\nperf_event_attr:\n", line);
	print_number("type", attr->type, out);
	print_number("size", attr->size, out);
	print_hex("config", attr->config, out);
	print_number("{ sample_period, sample_freq }", attr->sample_period, out);
	print_bits("sample_type", attr->sample_type, sample_bits, NR(sample_bits), out);
	print_bits("read_format", attr->read_format, read_bits, NR(read_bits), out);
	print_flags(attr, out);
	print_number("{ wakeup_events, wakeup_watermark }", attr->wakeup_events, out);
	print_number("bp_type", attr->bp_type, out);
	print_hex("{ bp_addr, config1 }", attr->bp_addr, out);
	print_hex("{ bp_len, config2 }", attr->bp_len, out);
	print_bits("branch_sample_type", attr->branch_sample_type, branch_bits, NR(branch_bits),
		   out);
	print_hex("sample_regs_user", attr->sample_regs_user, out);
	print_number("sample_stack_user", attr->sample_stack_user, out);
	print_number("clockid", (uint32_t)attr->clockid, out);
	print_hex("sample_regs_intr", attr->sample_regs_intr, out);
	print_number("sample_max_stack", attr->sample_max_stack, out);
	fprintf(out, "%s\n", line);
}
