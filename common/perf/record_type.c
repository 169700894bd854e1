// SPDX-License-Identifier: Apache-2.0
#include "common/perf/record_type.h"

#include <linux/perf_event.h>

#include "common/perf/perf_layout.h"
#include "common/perf/record_layout.h"

/* The fixed fields of a record whose struct is in record_layout.h. */
#define FIXED(type) (sizeof(struct ts_record_##type) - sizeof(struct perf_event_header))

static const struct record_type {
	const char *name;
	uint8_t fixed_bytes; /* of the fixed fields behind the header, kernel types only */
	bool is_exact;	     /* it has no other fields */
} record_types[] = {
	[PERF_RECORD_MMAP] = {"MMAP", FIXED(mmap)},
	[PERF_RECORD_LOST] = {"LOST", 16, true},
	[PERF_RECORD_COMM] = {"COMM", FIXED(comm)},
	[PERF_RECORD_EXIT] = {"EXIT", FIXED(task), true},
	[PERF_RECORD_THROTTLE] = {"THROTTLE", 24, true},
	[PERF_RECORD_UNTHROTTLE] = {"UNTHROTTLE", 24, true},
	[PERF_RECORD_FORK] = {"FORK", FIXED(task), true},
	[PERF_RECORD_READ] = {"READ", 16},
	[PERF_RECORD_SAMPLE] = {"SAMPLE", 0},
	[PERF_RECORD_MMAP2] = {"MMAP2", FIXED(mmap2)},
	[PERF_RECORD_AUX] = {"AUX", 24, true},
	[PERF_RECORD_ITRACE_START] = {"ITRACE_START", 8, true},
	[PERF_RECORD_LOST_SAMPLES] = {"LOST_SAMPLES", 8, true},
	[PERF_RECORD_SWITCH] = {"SWITCH", 0, true},
	[PERF_RECORD_SWITCH_CPU_WIDE] = {"SWITCH_CPU_WIDE", 8, true},
	[PERF_RECORD_NAMESPACES] = {"NAMESPACES", 16},
	[PERF_RECORD_KSYMBOL] = {"KSYMBOL", FIXED(ksymbol)},
	[PERF_RECORD_BPF_EVENT] = {"BPF_EVENT", FIXED(bpf)},
	[PERF_RECORD_CGROUP] = {"CGROUP", 8},
	[PERF_RECORD_TEXT_POKE] = {"TEXT_POKE", 12},
	[21] = {"AUX_OUTPUT_HW_ID", 8, true},
	[22] = {"CALLCHAIN_DEFERRED", 16},
	[TS_RECORD_HEADER_ATTR] = {"ATTR", 0},
	[TS_RECORD_EVENT_TYPE] = {"EVENT_TYPE", 0},
	[TS_RECORD_TRACING_DATA] = {"TRACING_DATA", 0},
	[TS_RECORD_BUILD_ID] = {"BUILD_ID", 0},
	[TS_RECORD_FINISHED_ROUND] = {"FINISHED_ROUND", 0},
	[TS_RECORD_ID_INDEX] = {"ID_INDEX", 0},
	[TS_RECORD_AUXTRACE_INFO] = {"AUXTRACE_INFO", 0},
	[TS_RECORD_AUXTRACE] = {"AUXTRACE", 0},
	[TS_RECORD_AUXTRACE_ERROR] = {"AUXTRACE_ERROR", 0},
	[TS_RECORD_THREAD_MAP] = {"THREAD_MAP", 0},
	[TS_RECORD_CPU_MAP] = {"CPU_MAP", 0},
	[TS_RECORD_STAT_CONFIG] = {"STAT_CONFIG", 0},
	[TS_RECORD_STAT] = {"STAT", 0},
	[TS_RECORD_STAT_ROUND] = {"STAT_ROUND", 0},
	[TS_RECORD_EVENT_UPDATE] = {"EVENT_UPDATE", 0},
	[TS_RECORD_TIME_CONV] = {"TIME_CONV", 0},
	[TS_RECORD_FEATURE] = {"FEATURE", 0},
	[TS_RECORD_COMPRESSED] = {"COMPRESSED", 0},
	[TS_RECORD_FINISHED_INIT] = {"FINISHED_INIT", 0},
	[TS_RECORD_COMPRESSED2] = {"COMPRESSED2", 0},
	[TS_RECORD_BPF_METADATA] = {"BPF_METADATA", 0},
	[TS_RECORD_SCHEDSTAT_CPU] = {"SCHEDSTAT_CPU", 0},
	[TS_RECORD_SCHEDSTAT_DOMAIN] = {"SCHEDSTAT_DOMAIN", 0},
};

const char *ts_record_type_name(uint32_t type)
{
	return type < sizeof(record_types) / sizeof(record_types[0]) ? record_types[type].name
								     : NULL;
}

size_t ts_record_type_fixed_bytes(uint32_t type)
{
	size_t header = sizeof(struct perf_event_header);

	if (type >= sizeof(record_types) / sizeof(record_types[0]))
		return header;
	return header + record_types[type].fixed_bytes;
}

bool ts_record_type_is_exact(uint32_t type)
{
	return type < sizeof(record_types) / sizeof(record_types[0]) && record_types[type].is_exact;
}
