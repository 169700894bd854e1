// SPDX-License-Identifier: Apache-2.0
#include "common/base/perf_options.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/log.h"
#include "common/base/units.h"

#define KEY_FIRST 0x1000 /* of those without a letter: behind the parent's */

static int key_of(const struct ts_perf_options *p, size_t i)
{
	return p->table[i].letter ? p->table[i].letter : KEY_FIRST + (int)i;
}

/* -S (--snapshot), or --group. */
static const char *words_of(const struct ts_perf_option *o, char *buf, size_t len)
{
	if (o->letter)
		snprintf(buf, len, "-%c (--%s)", o->letter, o->name);
	else
		snprintf(buf, len, "--%s", o->name);
	return buf;
}

static int check_value(const struct ts_perf_option *o, const char *text, struct ts_error *err)
{
	uint64_t n;

	if ((o->value == TS_NUMBER && ts_parse_u64(text, &n) < 0) ||
	    (o->value == TS_SIZE && ts_parse_size(text, &n) < 0))
		return ts_error_set(err, EINVAL, "cannot use --%s '%s': it must be a %s", o->name,
				    text, o->value == TS_SIZE ? "size" : "number");
	return 0;
}

static error_t take(const struct ts_perf_option *o, const char *value,
		    const struct ts_perf_options_input *in)
{
	char words[64];

	words_of(o, words, sizeof(words));
	if (o->fate == TS_NOT_HERE) {
		ts_error_set(in->err, EINVAL, "cannot use %s: %s", words, o->why);
		if (o->instead)
			ts_error_hint(in->err, "%s", o->instead);
		return EINVAL;
	}
	if (check_value(o, value, in->err) < 0)
		return EINVAL;
	if (o->why)
		ts_notes_add(in->notes, "%s changes nothing: %s", words, o->why);
	return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	const struct ts_perf_options_input *in = state->input;

	for (size_t i = 0; in && i < in->options->nr; i++)
		if (key == key_of(in->options, i))
			return take(&in->options->table[i], value, in);
	return ARGP_ERR_UNKNOWN;
}

void ts_perf_options_init(struct ts_perf_options *p, const struct ts_perf_option *table, size_t nr)
{
	assert(nr <= TS_PERF_OPTIONS_MAX);
	*p = (struct ts_perf_options){.table = table, .nr = nr};
	for (size_t i = 0; i < nr; i++) {
		p->options[i].name = table[i].name;
		p->options[i].key = key_of(p, i);
		p->options[i].arg = table[i].value == TS_NO_VALUE ? NULL : "VALUE";
		p->options[i].flags = OPTION_HIDDEN;
		if (table[i].value == TS_MAYBE_VALUE)
			p->options[i].flags |= OPTION_ARG_OPTIONAL;
	}
	p->argp.options = p->options;
	p->argp.parser = parse;
	p->children[0].argp = &p->argp;
}

int ts_perf_options_settle(struct ts_notes *notes, const struct ts_error *err)
{
	if (err->code)
		ts_log_error(err);
	for (size_t i = 0; !err->code && i < notes->nr; i++)
		ts_note("%s", notes->items[i]);
	ts_notes_release(notes);
	return err->code ? 2 : 0;
}
