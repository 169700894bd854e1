// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_names.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <string.h>

#define HW(which) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##which
#define SW(which) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##which

#define SW_CGROUP_SWITCHES 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, not in headers before 5.13 */

const struct event_symbol event_symbols[] = {
	{"cpu-cycles", "cycles", HW(CPU_CYCLES)},
	{"instructions", NULL, HW(INSTRUCTIONS)},
	{"cache-references", NULL, HW(CACHE_REFERENCES)},
	{"cache-misses", NULL, HW(CACHE_MISSES)},
	{"branch-instructions", "branches", HW(BRANCH_INSTRUCTIONS)},
	{"branch-misses", NULL, HW(BRANCH_MISSES)},
	{"bus-cycles", NULL, HW(BUS_CYCLES)},
	{"stalled-cycles-frontend", "idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", "idle-cycles-backend", HW(STALLED_CYCLES_BACKEND)},
	{"ref-cycles", NULL, HW(REF_CPU_CYCLES)},
	{"cpu-clock", NULL, SW(CPU_CLOCK)},
	{"task-clock", NULL, SW(TASK_CLOCK)},
	{"page-faults", "faults", SW(PAGE_FAULTS)},
	{"context-switches", "cs", SW(CONTEXT_SWITCHES)},
	{"cpu-migrations", "migrations", SW(CPU_MIGRATIONS)},
	{"minor-faults", NULL, SW(PAGE_FAULTS_MIN)},
	{"major-faults", NULL, SW(PAGE_FAULTS_MAJ)},
	{"alignment-faults", NULL, SW(ALIGNMENT_FAULTS)},
	{"emulation-faults", NULL, SW(EMULATION_FAULTS)},
	{"dummy", NULL, SW(DUMMY)},
	{"bpf-output", NULL, SW(BPF_OUTPUT)},
	{"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES},
	{NULL, NULL, 0, 0},
};

struct spelling {
	const char *word;
	unsigned int value;
};

static const struct spelling caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"l1-d", PERF_COUNT_HW_CACHE_L1D},
	{"l1d", PERF_COUNT_HW_CACHE_L1D},	{"L1-data", PERF_COUNT_HW_CACHE_L1D},
	{"L1-icache", PERF_COUNT_HW_CACHE_L1I}, {"l1-i", PERF_COUNT_HW_CACHE_L1I},
	{"l1i", PERF_COUNT_HW_CACHE_L1I},	{"L1-instruction", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},	{"L2", PERF_COUNT_HW_CACHE_LL},
	{"dTLB", PERF_COUNT_HW_CACHE_DTLB},	{"d-tlb", PERF_COUNT_HW_CACHE_DTLB},
	{"Data-TLB", PERF_COUNT_HW_CACHE_DTLB}, {"iTLB", PERF_COUNT_HW_CACHE_ITLB},
	{"i-tlb", PERF_COUNT_HW_CACHE_ITLB},	{"Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB},
	{"branches", PERF_COUNT_HW_CACHE_BPU},	{"branch", PERF_COUNT_HW_CACHE_BPU},
	{"bpu", PERF_COUNT_HW_CACHE_BPU},	{"btb", PERF_COUNT_HW_CACHE_BPU},
	{"bpc", PERF_COUNT_HW_CACHE_BPU},	{"node", PERF_COUNT_HW_CACHE_NODE},
};

static const struct spelling operations[] = {
	{"loads", PERF_COUNT_HW_CACHE_OP_READ},
	{"load", PERF_COUNT_HW_CACHE_OP_READ},
	{"read", PERF_COUNT_HW_CACHE_OP_READ},
	{"stores", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"store", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"write", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH},
};

static const struct spelling results[] = {
	{"refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"access", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
	{"misses", PERF_COUNT_HW_CACHE_RESULT_MISS},
	{"miss", PERF_COUNT_HW_CACHE_RESULT_MISS},
};

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static bool is_same_letter(char a, char b)
{
	a = a == '_' ? '-' : (char)tolower((unsigned char)a);
	b = b == '_' ? '-' : (char)tolower((unsigned char)b);
	return a == b;
}

bool event_name_resembles(const char *meant, const char *name)
{
	size_t len = strlen(name), full = strlen(meant);

	if (len < 3 || len > full || full - len > 2)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_same_letter(meant[i], name[i]))
			return false;
	return true;
}

const struct event_symbol *event_symbol_find(const char *name)
{
	for (const struct event_symbol *s = event_symbols; s->name; s++)
		if (!strcmp(s->name, name) || (s->alias && !strcmp(s->alias, name)))
			return s;
	return NULL;
}

/*
 * Finds the longest spelling that *at begins with and that ends at '-' or at the end of the name.
 * Moves *at behind both.
 */
static bool take_name(const struct spelling *table, size_t nr, const char **at, unsigned int *ret)
{
	const struct spelling *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(table[i].word);

		if (len > best_len && !strncmp(*at, table[i].word, len) &&
		    (!(*at)[len] || (*at)[len] == '-')) {
			best = &table[i];
			best_len = len;
		}
	}
	if (!best)
		return false;
	*at += best_len + ((*at)[best_len] == '-');
	*ret = best->value;
	return true;
}

bool event_cache_find(const char *name, uint64_t *ret_config)
{
	unsigned int cache, operation = PERF_COUNT_HW_CACHE_OP_READ;
	unsigned int result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	bool has_operation = false, has_result = false;
	const char *at = name;

	if (!*name || name[strlen(name) - 1] == '-' || !take_name(caches, NR(caches), &at, &cache))
		return false;
	while (*at) {
		if (!has_operation && take_name(operations, NR(operations), &at, &operation))
			has_operation = true;
		else if (!has_result && take_name(results, NR(results), &at, &result))
			has_result = true;
		else
			return false;
	}
	*ret_config = cache | operation << 8 | result << 16;
	return true;
}
