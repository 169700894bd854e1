// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/callgraph_style.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_DEFAULT 0.5

/* In perf's order, which decides the meaning of an abbreviation. */
static const struct word {
	const char *name;
	enum { TYPE, ORDER, KEY, VALUE, REFUSED } kind;
	int means;
} words[] = {
	{"none", TYPE, CALLGRAPH_OFF},
	{"graph", TYPE, CALLGRAPH_GRAPH},
	{"flat", TYPE, CALLGRAPH_FLAT},
	{"fractal", TYPE, CALLGRAPH_FRACTAL},
	{"folded", TYPE, CALLGRAPH_FOLDED},
	{"caller", ORDER, CALLGRAPH_CALLER},
	{"callee", ORDER, CALLGRAPH_CALLEE},
	{"function", KEY, false},
	{"address", KEY, true},
	{"srcline", REFUSED, 0},
	{"branch", REFUSED, 0},
	{"percent", VALUE, CALLGRAPH_PERCENT},
	{"period", VALUE, CALLGRAPH_PERIOD},
	{"count", VALUE, CALLGRAPH_COUNT},
};

void callgraph_style_init(struct callgraph_style *style)
{
	*style = (struct callgraph_style){.min_share = PERCENT_DEFAULT / 100};
}

static const struct word *find_word(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i].name, text, strlen(text)))
			return &words[i];
	return NULL;
}

static int read_word(struct callgraph_style *style, const struct word *word, struct ts_error *err)
{
	switch (word->kind) {
	case TYPE:
		style->type = (enum callgraph_type)word->means;
		return 0;
	case ORDER:
		style->order = (enum callgraph_order)word->means;
		return 0;
	case KEY:
		style->by_address = word->means;
		return 0;
	case VALUE:
		style->value = (enum callgraph_value)word->means;
		return 0;
	default:
		return ts_error_set(err, EINVAL,
				    "cannot draw call graphs by %s: frames are distinguished by "
				    "function or by address",
				    word->name);
	}
}

/* Is it a word of record's -g or --call-graph, which tells how call chains are recorded? */
static bool is_of_record(const char *word)
{
	return !strcmp(word, "fp") || !strcmp(word, "dwarf") || !strcmp(word, "lbr");
}

static int refuse_word(const char *word, struct ts_error *err)
{
	if (is_of_record(word)) {
		ts_error_set(err, EINVAL,
			     "cannot draw call graphs as '%s': that is a way to record call chains",
			     word);
		return ts_error_hint(
			err, "give it to record as --call-graph=%s, and -g alone to report", word);
	}
	return ts_error_set(err, EINVAL,
			    "cannot draw call graphs as '%s': give graph, fractal, flat, folded or "
			    "none, caller or callee, function or address, percent, period or "
			    "count, a percentage, a number of branches",
			    word);
}

/* The first number is the least percentage, a later one the number of branches. */
static int read_number(struct callgraph_style *style, const char *text, bool is_first,
		       struct ts_error *err)
{
	unsigned long limit;
	double percent;
	char *end;

	if (text[0] < '0' || text[0] > '9') {
		if (text[0] != '.' || !is_first)
			return refuse_word(text, err);
	}
	errno = 0;
	if (is_first) {
		percent = strtod(text, &end);
		if (*end || !(percent >= 0 && percent <= 100))
			return refuse_word(text, err);
		style->min_share = percent / 100;
		return 0;
	}
	limit = strtoul(text, &end, 10);
	if (*end || errno || limit > UINT32_MAX)
		return refuse_word(text, err);
	style->print_limit = (uint32_t)limit;
	return 0;
}

int callgraph_style_read(struct callgraph_style *style, const char *text, struct ts_error *err)
{
	char *copy = strdup(text), *rest = NULL;
	bool is_first = true;
	int rc = copy ? 0 : ts_error_sys(err, ENOMEM, "cannot read how to draw call graphs");

	if (style->type == CALLGRAPH_OFF)
		style->type = CALLGRAPH_GRAPH;
	for (char *item = copy ? strtok_r(copy, ",", &rest) : NULL; item && !rc;
	     item = strtok_r(NULL, ",", &rest)) {
		const struct word *word = find_word(item);

		if (word) {
			rc = read_word(style, word, err);
			continue;
		}
		rc = read_number(style, item, is_first, err);
		is_first = false;
	}
	free(copy);
	return rc;
}
