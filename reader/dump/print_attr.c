// SPDX-License-Identifier: Apache-2.0
#include "reader/dump/print_attr.h"

#include <inttypes.h>
#include <stdbool.h>

#include "reader/runtime/text.h"

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_types[] = {
	{PERF_SAMPLE_IP, "IP"},
	{PERF_SAMPLE_TID, "TID"},
	{PERF_SAMPLE_TIME, "TIME"},
	{PERF_SAMPLE_ADDR, "ADDR"},
	{PERF_SAMPLE_READ, "READ"},
	{PERF_SAMPLE_CALLCHAIN, "CALLCHAIN"},
	{PERF_SAMPLE_ID, "ID"},
	{PERF_SAMPLE_CPU, "CPU"},
	{PERF_SAMPLE_PERIOD, "PERIOD"},
	{PERF_SAMPLE_STREAM_ID, "STREAM_ID"},
	{PERF_SAMPLE_RAW, "RAW"},
	{PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{PERF_SAMPLE_REGS_USER, "REGS_USER"},
	{PERF_SAMPLE_STACK_USER, "STACK_USER"},
	{PERF_SAMPLE_IDENTIFIER, "IDENTIFIER"},
	{PERF_SAMPLE_REGS_INTR, "REGS_INTR"},
	{PERF_SAMPLE_DATA_SRC, "DATA_SRC"},
	{PERF_SAMPLE_WEIGHT, "WEIGHT"},
	{PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{PERF_SAMPLE_AUX, "AUX"},
	{PERF_SAMPLE_CGROUP, "CGROUP"},
	{PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
	{0, NULL},
};

static const struct bit_name read_formats[] = {
	{PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED"},
	{PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING"},
	{PERF_FORMAT_ID, "ID"},
	{PERF_FORMAT_GROUP, "GROUP"},
	{PERF_FORMAT_LOST, "LOST"},
	{0, NULL},
};

static const struct bit_name branch_types[] = {
	{PERF_SAMPLE_BRANCH_USER, "USER"},
	{PERF_SAMPLE_BRANCH_KERNEL, "KERNEL"},
	{PERF_SAMPLE_BRANCH_HV, "HV"},
	{PERF_SAMPLE_BRANCH_ANY, "ANY"},
	{PERF_SAMPLE_BRANCH_ANY_CALL, "ANY_CALL"},
	{PERF_SAMPLE_BRANCH_ANY_RETURN, "ANY_RETURN"},
	{PERF_SAMPLE_BRANCH_IND_CALL, "IND_CALL"},
	{PERF_SAMPLE_BRANCH_ABORT_TX, "ABORT_TX"},
	{PERF_SAMPLE_BRANCH_IN_TX, "IN_TX"},
	{PERF_SAMPLE_BRANCH_NO_TX, "NO_TX"},
	{PERF_SAMPLE_BRANCH_COND, "COND"},
	{PERF_SAMPLE_BRANCH_CALL_STACK, "CALL_STACK"},
	{PERF_SAMPLE_BRANCH_IND_JUMP, "IND_JUMP"},
	{PERF_SAMPLE_BRANCH_CALL, "CALL"},
	{PERF_SAMPLE_BRANCH_NO_FLAGS, "NO_FLAGS"},
	{PERF_SAMPLE_BRANCH_NO_CYCLES, "NO_CYCLES"},
	{PERF_SAMPLE_BRANCH_TYPE_SAVE, "TYPE_SAVE"},
	{PERF_SAMPLE_BRANCH_HW_INDEX, "HW_INDEX"},
	{0, NULL},
};

static void put_number(struct ts_bytes *out, const char *name, uint64_t value)
{
	if (value)
		ts_bytes_printf(out, ", %s = %" PRIu64, name, value);
}

static void put_hex(struct ts_bytes *out, const char *name, uint64_t value)
{
	if (value)
		ts_bytes_printf(out, ", %s = %#" PRIx64, name, value);
}

static void put_bits(struct ts_bytes *out, const char *name, uint64_t value,
		     const struct bit_name *bits)
{
	bool is_first = true;

	if (!value)
		return;
	ts_bytes_printf(out, ", %s = ", name);
	for (; bits->name; bits++) {
		if (!(value & bits->bit))
			continue;
		ts_bytes_printf(out, "%s%s", is_first ? "" : "|", bits->name);
		is_first = false;
	}
}

static void put_flags(const struct perf_event_attr *a, struct ts_bytes *out)
{
	put_number(out, "disabled", a->disabled);
	put_number(out, "inherit", a->inherit);
	put_number(out, "pinned", a->pinned);
	put_number(out, "exclusive", a->exclusive);
	put_number(out, "exclude_user", a->exclude_user);
	put_number(out, "exclude_kernel", a->exclude_kernel);
	put_number(out, "exclude_hv", a->exclude_hv);
	put_number(out, "exclude_idle", a->exclude_idle);
	put_number(out, "mmap", a->mmap);
	put_number(out, "comm", a->comm);
	put_number(out, "freq", a->freq);
	put_number(out, "inherit_stat", a->inherit_stat);
	put_number(out, "enable_on_exec", a->enable_on_exec);
	put_number(out, "task", a->task);
	put_number(out, "watermark", a->watermark);
	put_number(out, "precise_ip", a->precise_ip);
	put_number(out, "mmap_data", a->mmap_data);
	put_number(out, "sample_id_all", a->sample_id_all);
	put_number(out, "exclude_host", a->exclude_host);
	put_number(out, "exclude_guest", a->exclude_guest);
	put_number(out, "exclude_callchain_kernel", a->exclude_callchain_kernel);
	put_number(out, "exclude_callchain_user", a->exclude_callchain_user);
	put_number(out, "mmap2", a->mmap2);
	put_number(out, "comm_exec", a->comm_exec);
	put_number(out, "use_clockid", a->use_clockid);
	put_number(out, "context_switch", a->context_switch);
	put_number(out, "write_backward", a->write_backward);
	put_number(out, "namespaces", a->namespaces);
	put_number(out, "ksymbol", a->ksymbol);
	put_number(out, "bpf_event", a->bpf_event);
	put_number(out, "aux_output", a->aux_output);
	put_number(out, "cgroup", a->cgroup);
	put_number(out, "text_poke", a->text_poke);
	put_number(out, "build_id", a->build_id);
	put_number(out, "inherit_thread", a->inherit_thread);
	put_number(out, "remove_on_exec", a->remove_on_exec);
	put_number(out, "sigtrap", a->sigtrap);
}

void print_attr(const struct perf_event_attr *a, struct ts_bytes *out)
{
	put_number(out, "type", a->type);
	put_number(out, "size", a->size);
	put_hex(out, "config", a->config);
	put_number(out, "{ sample_period, sample_freq }", a->sample_period);
	put_bits(out, "sample_type", a->sample_type, sample_types);
	put_bits(out, "read_format", a->read_format, read_formats);
	put_flags(a, out);
	put_number(out, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
	put_number(out, "bp_type", a->bp_type);
	put_hex(out, "{ bp_addr, config1 }", a->bp_addr);
	put_hex(out, "{ bp_len, config2 }", a->bp_len);
	put_bits(out, "branch_sample_type", a->branch_sample_type, branch_types);
	put_hex(out, "sample_regs_user", a->sample_regs_user);
	put_number(out, "sample_stack_user", a->sample_stack_user);
	if (a->clockid)
		ts_bytes_printf(out, ", clockid = %d", a->clockid);
	put_hex(out, "sample_regs_intr", a->sample_regs_intr);
	put_number(out, "aux_watermark", a->aux_watermark);
	put_number(out, "sample_max_stack", a->sample_max_stack);
	put_number(out, "aux_sample_size", a->aux_sample_size);
	put_number(out, "sig_data", a->sig_data);
}
