// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_term.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamer/events/event_attr.h"
#include "streamer/events/event_pmu.h"

struct applying { /* context for all terms */
	struct event *event;
	const char *pmu;
	const char *devices; /* the folder of PMUs; NULL: the machine's */
	const char *terms;   /* all terms, as typed */
	const char *text;    /* the event, as typed */
	struct ts_error *err;
};

struct general_term {
	const char *key;
	int (*apply)(const struct applying *a,
		     const char *value); /* NULL: a term of perf that we do not support */
	bool has_value;
};

int event_refuse(struct ts_error *err, int code, const char *text, const char *fmt, ...)
{
	char reason[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	return ts_error_set(err, code, "cannot record event '%s': %s", text, reason);
}

static int refuse_value(const struct applying *a, const char *key, const char *value)
{
	return event_refuse(a->err, EINVAL, a->text, "'%s' is not a valid value for the term %s",
			    value, key);
}

/* Parses a decimal number, or a hexadecimal one after 0x. */
static int number_of(const struct applying *a, const char *key, const char *value, uint64_t max,
		     uint64_t *ret)
{
	char *end;

	if (*value < '0' || *value > '9')
		return refuse_value(a, key, value);
	errno = 0;
	*ret = strtoull(value, &end, strncmp(value, "0x", 2) ? 10 : 16);
	if (errno || *end || *ret > max)
		return refuse_value(a, key, value);
	return 0;
}

static int apply_config(const struct applying *a, const char *value)
{
	uint64_t number;
	int rc = number_of(a, "config", value, UINT64_MAX, &number);

	if (!rc)
		a->event->attr.config = number;
	return rc;
}

static int apply_config1(const struct applying *a, const char *value)
{
	uint64_t number;
	int rc = number_of(a, "config1", value, UINT64_MAX, &number);

	if (!rc)
		a->event->attr.config1 = number;
	return rc;
}

static int apply_config2(const struct applying *a, const char *value)
{
	uint64_t number;
	int rc = number_of(a, "config2", value, UINT64_MAX, &number);

	if (!rc)
		a->event->attr.config2 = number;
	return rc;
}

static int apply_name(const struct applying *a, const char *value)
{
	char *name = strdup(value);

	if (!name)
		return ts_error_sys(a->err, ENOMEM, "cannot record event '%s'", a->text);
	free(a->event->name);
	a->event->name = name;
	return 0;
}

static int refuse_period_and_freq(const struct applying *a)
{
	return event_refuse(a->err, EINVAL, a->text, "it has both a period and a frequency");
}

static int apply_period(const struct applying *a, const char *value)
{
	int rc = number_of(a, "period", value, INT64_MAX, &a->event->period);

	if (!rc && !a->event->period)
		return refuse_value(a, "period", value);
	return !rc && a->event->freq ? refuse_period_and_freq(a) : rc;
}

static int apply_freq(const struct applying *a, const char *value)
{
	int rc = number_of(a, "freq", value, INT64_MAX, &a->event->freq);

	if (!rc && !a->event->freq)
		return refuse_value(a, "freq", value);
	return !rc && a->event->period ? refuse_period_and_freq(a) : rc;
}

static int apply_callgraph(const struct applying *a, const char *value)
{
	if (!strcmp(value, "no")) {
		a->event->callgraph = EVENT_CALLGRAPH_NONE;
		return 0;
	}
	if (strcmp(value, "fp") && strcmp(value, "dwarf"))
		return refuse_value(a, "call-graph (fp, dwarf, no)", value);
	a->event->callgraph = *value == 'f' ? EVENT_CALLGRAPH_FP : EVENT_CALLGRAPH_DWARF;
	return 0;
}

static int apply_stack_size(const struct applying *a, const char *value)
{
	uint64_t bytes;
	int rc = number_of(a, "stack-size", value, EVENT_DWARF_STACK_MAX, &bytes);

	if (!rc && !bytes)
		return refuse_value(a, "stack-size", value);
	if (!rc)
		a->event->stack_bytes = (bytes + 7) & ~7ULL;
	return rc;
}

static int apply_max_stack(const struct applying *a, const char *value)
{
	uint64_t entries;
	int rc = number_of(a, "max-stack", value, UINT16_MAX, &entries);

	if (!rc)
		a->event->max_stack = entries;
	return rc;
}

static int apply_inherit(const struct applying *a, const char *value)
{
	(void)value;
	a->event->no_inherit = false;
	return 0;
}

static int apply_no_inherit(const struct applying *a, const char *value)
{
	(void)value;
	a->event->no_inherit = true;
	return 0;
}

static int apply_overwrite(const struct applying *a, const char *value)
{
	(void)value;
	a->event->overwrite = true;
	a->event->no_overwrite = false;
	return 0;
}

static int apply_no_overwrite(const struct applying *a, const char *value)
{
	(void)value;
	a->event->overwrite = false;
	a->event->no_overwrite = true;
	return 0;
}

static int apply_map(const struct applying *a, const char *value)
{
	const struct perf_event_attr *attr = &a->event->attr;
	char *path;

	if (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_BPF_OUTPUT)
		return event_refuse(a->err, EINVAL, a->text,
				    "only bpf-output events can go into a map");
	path = strdup(value);
	if (!path)
		return ts_error_sys(a->err, ENOMEM, "cannot record event '%s'", a->text);
	free(a->event->map);
	a->event->map = path;
	return 0;
}

static const struct general_term general_terms[] = {
	{"config", apply_config, true},
	{"config1", apply_config1, true},
	{"config2", apply_config2, true},
	{"name", apply_name, true},
	{"period", apply_period, true},
	{"freq", apply_freq, true},
	{"call-graph", apply_callgraph, true},
	{"stack-size", apply_stack_size, true},
	{"max-stack", apply_max_stack, true},
	{"inherit", apply_inherit, false},
	{"no-inherit", apply_no_inherit, false},
	{"time", NULL, true},
	{"branch_type", NULL, true},
	{"overwrite", apply_overwrite, false},
	{"no-overwrite", apply_no_overwrite, false},
	{"map", apply_map, true},
	{"nr", NULL, true},
	{"driver-config", NULL, true},
	{"percore", NULL, false},
	{"metric-id", NULL, true},
	{"aux-output", NULL, false},
	{"aux-sample-size", NULL, true},
};

static const struct general_term *find_general(const char *key)
{
	for (size_t i = 0; i < sizeof(general_terms) / sizeof(general_terms[0]); i++)
		if (!strcmp(general_terms[i].key, key))
			return &general_terms[i];
	return NULL;
}

static int apply_general(const struct applying *a, const struct general_term *term,
			 const char *value)
{
	if (!term->apply)
		return event_refuse(a->err, EINVAL, a->text, "the term %s is not supported",
				    term->key);
	if (term->has_value && (!value || !*value))
		return event_refuse(a->err, EINVAL, a->text, "the term %s needs a value",
				    term->key);
	if (!term->has_value && value)
		return event_refuse(a->err, EINVAL, a->text, "the term %s takes no value",
				    term->key);
	return term->apply(a, value);
}

static int apply_list(const struct applying *a, char *terms, bool is_alias);

/*
 * Applies a term that only the PMU's own description has: a format, or a named event. If a named
 * event leaves a value open ("core=?"), the typed terms must give it.
 */
static int apply_pmu(const struct applying *a, const char *key, const char *value, bool is_alias)
{
	char alias[PMU_TEXT];
	uint64_t number = 1;
	int rc;

	if (!value && !is_alias && event_pmu_alias(a->devices, a->pmu, key, alias))
		return apply_list(a, alias, true);
	if (is_alias && value && !strcmp(value, "?")) {
		if (!strstr(a->terms, key))
			return event_refuse(a->err, EINVAL, a->text, "it needs a value for '%s'",
					    key);
		return 0;
	}
	rc = value ? number_of(a, key, value, UINT64_MAX, &number) : 0;
	if (rc)
		return rc;
	rc = event_pmu_put_value(a->devices, a->pmu, key, number, &a->event->attr);
	if (rc == -ENOENT)
		event_refuse(a->err, EINVAL, a->text, "the PMU %s has no term or event '%s'",
			     a->pmu, key);
	else if (rc == -ERANGE)
		event_refuse(a->err, EINVAL, a->text, "'%s' has more bits than the term %s", value,
			     key);
	else if (rc)
		event_refuse(a->err, EINVAL, a->text,
			     "the PMU %s describes the term %s in a way that is not supported",
			     a->pmu, key);
	return rc ? -EINVAL : 0;
}

/* "r1a2" alone sets the config word. */
static bool apply_raw(const struct applying *a, const char *key)
{
	char *end;
	uint64_t config;

	if (key[0] != 'r' || !key[1])
		return false;
	config = strtoull(key + 1, &end, 16);
	if (*end)
		return false;
	a->event->attr.config = config;
	return true;
}

static int apply_one(const struct applying *a, char *term, bool is_alias)
{
	const struct general_term *general;
	char *value = strchr(term, '=');

	if (value)
		*value++ = '\0';
	general = find_general(term);
	if (general)
		return apply_general(a, general, value);
	if (a->pmu && !value && apply_raw(a, term))
		return 0;
	if (a->pmu)
		return apply_pmu(a, term, value, is_alias);
	event_refuse(a->err, EINVAL, a->text, "there is no term '%s'", term);
	return ts_error_hint(a->err, "terms are period, freq, name, call-graph, stack-size, "
				     "max-stack, config, config1, config2, inherit, no-inherit, "
				     "overwrite, no-overwrite");
}

/*
 * Cuts the next term off *rest. A comma between single quotes does not end it. Quotes are removed.
 */
static char *next_term(char **rest)
{
	char *term = *rest, *to = term, *from = term;
	bool quoted = false;

	if (!term)
		return NULL;
	for (; *from && (quoted || *from != ','); from++) {
		if (*from == '\'')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return term;
}

static int apply_list(const struct applying *a, char *terms, bool is_alias)
{
	char *rest = terms, *term;
	int rc = 0;

	while (!rc && (term = next_term(&rest))) {
		if (*term)
			rc = apply_one(a, term, is_alias);
		else if (rest) /* "a,,b"; perf allows a trailing comma */
			rc = event_refuse(a->err, EINVAL, a->text, "it has an empty term");
	}
	return rc;
}

int event_apply_terms(struct event *event, const char *terms, const char *pmu,
		      const struct event_roots *roots, const char *text, struct ts_error *err)
{
	struct applying a = {.event = event,
			     .pmu = pmu,
			     .devices = roots ? roots->pmus : NULL,
			     .terms = terms,
			     .text = text,
			     .err = err};
	char *copy = strdup(terms);
	int rc;

	if (!copy)
		return ts_error_sys(err, ENOMEM, "cannot record event '%s'", text);
	rc = apply_list(&a, copy, false);
	free(copy);
	return rc;
}
