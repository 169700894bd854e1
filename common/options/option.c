// SPDX-License-Identifier: Apache-2.0
#include "common/options/option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"

static bool is_end(const struct ts_option *row)
{
	return !row->name && !row->letter && row->kind != TS_OPTION_PART;
}

static size_t count_rows(const struct ts_option *table)
{
	size_t nr = 0;

	for (; !is_end(table); table++)
		nr += table->kind == TS_OPTION_PART ? count_rows(table->part) : 1;
	return nr;
}

/* Returns the place for the next row. */
static struct ts_option_place *list_rows(struct ts_option_place *to, const struct ts_option *table,
					 char *options)
{
	const struct ts_option *of = table;

	for (; !is_end(table); table++) {
		if (table->kind == TS_OPTION_PART) {
			to = list_rows(to, table->part, options ? options + table->at : NULL);
			continue;
		}
		if (table->kind != TS_OPTION_ALIAS)
			of = table;
		*to++ = (struct ts_option_place){.row = table, .of = of, .options = options};
	}
	return to;
}

struct ts_option_place *ts_options_list(const struct ts_option *table, void *options,
					size_t *ret_nr)
{
	size_t nr = count_rows(table);
	struct ts_option_place *places = calloc(nr + 1, sizeof(*places));

	if (!places)
		return NULL;
	list_rows(places, table, options);
	*ret_nr = nr;
	return places;
}

bool ts_option_takes_value(const struct ts_option *row)
{
	return row->value;
}

bool ts_option_needs_value(const struct ts_option *row)
{
	return row->value && row->value[0] != '[';
}

const char *ts_option_names(const struct ts_option *row, char buf[TS_OPTION_NAMES])
{
	const char *value = row->value ? row->value : "";
	bool is_optional = row->value && !ts_option_needs_value(row);
	int len = (int)strlen(value);

	snprintf(buf, TS_OPTION_NAMES, "%.*s%.*s%s%s%s%.*s%s", row->letter ? 2 : 0,
		 (char[]){'-', row->letter, '\0'}, row->letter && row->name ? 2 : 0, ", ",
		 row->name ? "--" : "", row->name ? row->name : "",
		 is_optional ? (row->name ? "[=" : "[") : (len ? " " : ""),
		 is_optional ? len - 2 : len, is_optional ? value + 1 : value,
		 is_optional ? "]" : "");
	return buf;
}

static int take_number(const struct ts_option *row, const char *value, uint64_t *ret,
		       struct ts_error *err)
{
	uint64_t most = row->most ? row->most : INT64_MAX, nr;

	if (ts_units_parse_u64(value, &nr) < 0 || nr < row->least || nr > most)
		return ts_error_set(err, EINVAL,
				    "cannot use --%s '%s': it must be a number from %" PRIu64
				    " to %" PRIu64,
				    row->name, value, row->least, most);
	*ret = nr;
	return 0;
}

static int take_time(const struct ts_option *row, const char *value, uint64_t *ret_ns,
		     struct ts_error *err)
{
	uint64_t most = row->most ? row->most : INT64_MAX, ns;

	if (ts_units_parse_time(value, 0, &ns) < 0 || ns < row->least || ns > most)
		return ts_error_set(err, EINVAL, "cannot use --%s '%s': %s", row->name, value,
				    row->why);
	*ret_ns = ns;
	return 0;
}

/* "-S (--snapshot)", or "--group". */
static const char *words_of(const struct ts_option *row, char buf[TS_OPTION_NAMES])
{
	if (row->letter && row->name)
		snprintf(buf, TS_OPTION_NAMES, "-%c (--%s)", row->letter, row->name);
	else if (row->letter)
		snprintf(buf, TS_OPTION_NAMES, "-%c", row->letter);
	else
		snprintf(buf, TS_OPTION_NAMES, "--%s", row->name);
	return buf;
}

static int take_noted(const struct ts_option *row, const char *value, struct ts_notes *notes,
		      struct ts_error *err)
{
	char words[TS_OPTION_NAMES];
	uint64_t nr;
	bool is_size = row->value && !strcmp(row->value, "SIZE");
	bool is_number = row->value && !strcmp(row->value, "N");

	if ((is_number && ts_units_parse_u64(value, &nr) < 0) ||
	    (is_size && ts_units_parse_size(value, &nr) < 0))
		return ts_error_set(err, EINVAL, "cannot use --%s '%s': it must be a %s", row->name,
				    value, is_size ? "size" : "number");
	if (row->why)
		ts_notes_add(notes, "%s changes nothing: %s", words_of(row, words), row->why);
	return 0;
}

static int refuse_value(const struct ts_option *row, struct ts_error *err)
{
	char words[TS_OPTION_NAMES];

	ts_error_set(err, EINVAL, "cannot use %s: %s", words_of(row, words), row->why);
	return row->instead ? ts_error_hint(err, "%s", row->instead) : -EINVAL;
}

bool ts_option_is_shown(const struct ts_option *row)
{
	return !row->is_hidden && row->kind != TS_OPTION_NOTED && row->kind != TS_OPTION_REFUSED;
}

int ts_option_take(const struct ts_option_place *place, const char *value, struct ts_notes *notes,
		   struct ts_error *err)
{
	const struct ts_option *row = place->of;
	void *at = (char *)place->options + row->at;

	switch (row->kind) {
	case TS_OPTION_FLAG:
	case TS_OPTION_NO_FLAG:
		*(bool *)at = row->kind == TS_OPTION_FLAG;
		return 0;
	case TS_OPTION_TEXT:
		*(const char **)at = value;
		return 0;
	case TS_OPTION_CHOICE:
		memcpy(at, &(unsigned int){(unsigned int)row->sets}, sizeof(unsigned int));
		return 0;
	case TS_OPTION_BITS:
		*(uint64_t *)at |= row->sets;
		return 0;
	case TS_OPTION_NUMBER:
		return take_number(row, value, at, err);
	case TS_OPTION_TIME:
		return take_time(row, value, at, err);
	case TS_OPTION_READ:
		return row->read(place->options, value, err);
	case TS_OPTION_NOTED:
		return take_noted(row, value, notes, err);
	case TS_OPTION_REFUSED:
		return refuse_value(row, err);
	case TS_OPTION_NOTHING:
	case TS_OPTION_ALIAS:
	case TS_OPTION_PART:
		break;
	}
	return 0;
}
