// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_branch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PRIV_SAVE (1ULL << 18) /* PERF_SAMPLE_BRANCH_PRIV_SAVE, Linux 6.1 */

static const struct {
	const char *name;
	uint64_t bit;
} filters[] = {
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"priv", PRIV_SAVE},
	{"u", PERF_SAMPLE_BRANCH_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
};

#define NR_FILTERS (sizeof(filters) / sizeof(filters[0]))

static uint64_t bit_of(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_FILTERS; i++)
		if (strlen(filters[i].name) == len && !strncasecmp(filters[i].name, name, len))
			return filters[i].bit;
	return 0;
}

static int refuse_filter(const char *text, size_t len, struct ts_error *err)
{
	char all[256];
	size_t at = 0;

	for (size_t i = 0; i < NR_FILTERS; i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? "," : "",
				       filters[i].name);
	ts_error_set(err, EINVAL, "cannot use --branch-filter '%.*s': there is no such filter",
		     (int)len, text);
	return ts_error_hint(err, "the filters are %s", all);
}

int event_parse_branch(const char *text, uint64_t *ret, struct ts_error *err)
{
	uint64_t mask = 0;

	while (text) {
		size_t len = strcspn(text, ",");
		uint64_t bit = bit_of(text, len);

		if (!bit)
			return refuse_filter(text, len, err);
		mask |= bit;
		text = text[len] ? text + len + 1 : NULL;
	}
	*ret = mask & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL ? mask : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}
