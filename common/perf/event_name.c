// SPDX-License-Identifier: Apache-2.0
#include "common/perf/event_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software_names[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};

static const struct {
	const char *name;
	uint8_t ops; /* the operations that can be counted: bit 0 loads, 1 stores, 2 prefetches */
} caches[] = {
	{"L1-dcache", 7}, {"L1-icache", 5}, {"LLC", 7},	 {"dTLB", 7},
	{"iTLB", 1},	  {"branch", 1},    {"node", 7},
};

static const char *const cache_ops[][2] = {
	/* accesses, misses */
	{"loads", "load-misses"},
	{"stores", "store-misses"},
	{"prefetches", "prefetch-misses"},
};

#define NR_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_of(const char *const *names, size_t nr, uint64_t config,
			   const char *unknown)
{
	return config < nr ? names[config] : unknown;
}

static void cache_name(uint64_t config, char *buf, size_t len)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= NR_OF(caches))
		snprintf(buf, len, "unknown-ext-hardware-cache-type");
	else if (op >= NR_OF(cache_ops))
		snprintf(buf, len, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		snprintf(buf, len, "unknown-ext-hardware-cache-result");
	else if (!(caches[cache].ops >> op & 1))
		snprintf(buf, len, "invalid-cache");
	else
		snprintf(buf, len, "%s-%s", caches[cache].name, cache_ops[op][result]);
}

static void breakpoint_name(const struct perf_event_attr *attr, char *buf, size_t len)
{
	snprintf(buf, len, "mem:0x%llx:%s%s%s", (unsigned long long)attr->bp_addr,
		 attr->bp_type & 1 ? "r" : "", attr->bp_type & 2 ? "w" : "",
		 attr->bp_type & 4 ? "x" : "");
}

/*
 * perf's modifiers: :k :u :h if another level is excluded, p for precision, H G if they differ from
 * the default.
 */
static void add_modifiers(const struct perf_event_attr *attr, char *buf, size_t len)
{
	bool levels = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool guest_is_default = levels || attr->precise_ip;
	char mods[16];
	size_t n = 0;

	if (levels && !attr->exclude_kernel)
		mods[n++] = 'k';
	if (levels && !attr->exclude_user)
		mods[n++] = 'u';
	if (levels && !attr->exclude_hv)
		mods[n++] = 'h';
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		mods[n++] = 'p';
	if (attr->exclude_host || attr->exclude_guest == guest_is_default) {
		if (!attr->exclude_host)
			mods[n++] = 'H';
		if (!attr->exclude_guest)
			mods[n++] = 'G';
	}
	mods[n] = '\0';
	if (n && strlen(buf) < len)
		snprintf(buf + strlen(buf), len - strlen(buf), ":%s", mods);
}

void ts_event_name(const struct perf_event_attr *attr, char *buf, size_t len)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		snprintf(buf, len, "%s",
			 name_of(hardware_names, NR_OF(hardware_names), attr->config,
				 "unknown-hardware"));
		break;
	case PERF_TYPE_SOFTWARE:
		snprintf(buf, len, "%s",
			 name_of(software_names, NR_OF(software_names), attr->config,
				 "unknown-software"));
		break;
	case PERF_TYPE_HW_CACHE:
		cache_name(attr->config, buf, len);
		break;
	case PERF_TYPE_RAW:
		snprintf(buf, len, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERF_TYPE_BREAKPOINT:
		breakpoint_name(attr, buf, len);
		break;
	case PERF_TYPE_TRACEPOINT:
		snprintf(buf, len, "unknown tracepoint");
		return;
	default:
		snprintf(buf, len, "unknown attr type: %u", attr->type);
		return;
	}
	add_modifiers(attr, buf, len);
}
