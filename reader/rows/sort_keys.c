// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/sort_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/spelling.h"

#define BETWEEN	    "{}, " /* the names of a list */
#define LETTERS_MIN 3	   /* least letters of an abbreviated key */

struct key_name {
	const char *name;
	enum table_key key; /* TABLE_TAG: a column of the tags */
	enum sample_tag_kind kind;
	uint64_t sample_type; /* bits that samples need for the key */
};

static const struct key_name key_names[] = {
	{"comm", TABLE_COMM, 0, 0},
	{"pid", TABLE_PID, 0, 0},
	{"tid", TABLE_TID, 0, 0},
	{"dso", TABLE_DSO, 0, 0},
	{"parent", TABLE_PARENT, 0, 0},
	{"sym", TABLE_SYM, 0, 0},
	{"symbol", TABLE_SYM, 0, 0},
	{"srcline", TABLE_SRCLINE, 0, 0},
	{"srcfile", TABLE_SRCFILE, 0, 0},
	{"cpu", TABLE_TAG, SAMPLE_TAG_CPU, 0},
	{"socket", TABLE_TAG, SAMPLE_TAG_SOCKET, 0},
	{"node", TABLE_TAG, SAMPLE_TAG_NODE, 0},
	{"time", TABLE_TAG, SAMPLE_TAG_TIME, PERF_SAMPLE_TIME},
	{"cgroup", TABLE_TAG, SAMPLE_TAG_CGROUP, PERF_SAMPLE_CGROUP},
	{"event", TABLE_TAG, SAMPLE_TAG_EVENT, 0},
	{"host", TABLE_TAG, SAMPLE_TAG_HOST, 0},
	{"trace", TABLE_TAG, SAMPLE_TAG_TRACE, PERF_SAMPLE_RAW},
	{"overhead", TABLE_OVERHEAD, 0, 0},
	{"overhead_children", TABLE_CHILDREN, 0, 0},
	{"overhead_sys", TABLE_SYS, 0, 0},
	{"overhead_us", TABLE_USER, 0, 0},
	{"overhead_guest_sys", TABLE_GUEST_SYS, 0, 0},
	{"overhead_guest_us", TABLE_GUEST_USER, 0, 0},
	{"sample", TABLE_SAMPLES, 0, 0},
	{"period", TABLE_PERIOD, 0, 0},
};
#define NR_NAMES (sizeof(key_names) / sizeof(*key_names))

/* Keys of perf that do not exist here, by the data that they need, and the reason. */
static const struct {
	const char *names, *why;
} refused[] = {
	{" weight local_weight mem snoop tlb locked blocked dcacheline symbol_daddr dso_daddr "
	 "phys_daddr data_page_size symbol_iaddr addr ins_lat local_ins_lat p_stage_cyc "
	 "local_p_stage_cyc transaction code_page_size ",
	 "data of memory accesses is not supported as a key"},
	{" dso_from dso_to symbol_from symbol_to mispredict abort in_tx cycles srcline_from "
	 "srcline_to ipc_lbr ipc_null addr_from addr_to ",
	 "branch stacks are not read"},
	{" cgroup_id ", "namespaces are not a key; cgroup is a key"},
	{" dso_size symbol_size ", "sizes are not keys; dso and sym are keys"},
};

struct reading {
	struct sort_keys *keys;
	const struct ts_header *header;
	struct tracefields *fields; /* NULL: not needed so far */
	bool to_columns;	    /* otherwise names are read into the order */
	size_t nr_marks;  /* marks between keys, outside of braces, at which a level begins */
	size_t last_mark; /* nr_marks before the last key */
	struct ts_error *err;
};

/* --- names --- */

static const char *why_refused(const char *word)
{
	char padded[80];

	snprintf(padded, sizeof(padded), " %s ", word);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (strlen(word) < sizeof(padded) - 2 && strstr(refused[i].names, padded))
			return refused[i].why;
	return NULL;
}

/* Finds a key by its whole name, or, as perf does, by a beginning that only one key has. */
static const struct key_name *find_name(const char *word)
{
	const struct key_name *found = NULL;
	size_t len = strlen(word), nr = 0;

	for (size_t i = 0; i < NR_NAMES; i++) {
		if (!strcmp(key_names[i].name, word))
			return &key_names[i];
		if (strncmp(key_names[i].name, word, len) != 0)
			continue;
		found = &key_names[i];
		nr++;
	}
	return len >= LETTERS_MIN && nr == 1 ? found : NULL;
}

static int refuse_unknown(const char *word, bool is_column, struct ts_error *err)
{
	struct ts_spelling near = {.word = word};
	const char *found;

	for (size_t i = 0; i < NR_NAMES; i++)
		ts_spelling_try(&near, key_names[i].name);
	ts_spelling_try(&near, "trace_fields");
	found = ts_spelling_found(&near);
	ts_error_set(
		err, EINVAL,
		"cannot %s '%s': it is not a %s, and no tracepoint of the capture has such a field",
		is_column ? "show" : "sort by", word, is_column ? "column" : "sort key");
	if (found)
		return ts_error_hint(err, "did you mean '%s'?", found);
	return ts_error_hint(err, "the %s are %s" SORT_KEYS_LIST ", and fields of tracepoints",
			     is_column ? "columns" : "keys",
			     is_column ? "overhead, overhead_children, overhead_sys, overhead_us, "
					 "sample, period, "
				       : "");
}

int sort_keys_check(const char *text, struct ts_error *err)
{
	const char *why = NULL;
	char *copy = strdup(text), *rest = NULL, *word;
	int rc = 0, nr = 0;

	if (!copy)
		return ts_error_sys(err, ENOMEM, "cannot sort by '%s'", text);
	for (word = strtok_r(copy + (*copy == '+'), BETWEEN, &rest); word && !rc;
	     word = strtok_r(NULL, BETWEEN, &rest), nr++) {
		why = why_refused(word);
		if (!why)
			continue;
		rc = ts_error_set(err, EINVAL, "cannot sort by '%s': %s", word, why);
		ts_error_hint(err, "perf report can sort the same capture by it");
	}
	if (!nr)
		rc = ts_error_set(err, EINVAL, "cannot sort by '%s': it names no key", text);
	free(copy);
	return rc;
}

/* --- keys --- */

bool sort_keys_has(const struct sort_keys *k, enum table_key key)
{
	for (size_t i = 0; i < k->nr; i++)
		if (k->keys[i] == key)
			return true;
	return false;
}

bool sort_keys_has_tag(const struct sort_keys *k, enum sample_tag_kind kind)
{
	for (size_t i = 0; i < k->tags.nr; i++)
		if (k->tags.columns[i].kind == kind)
			return true;
	return false;
}

static bool is_same(const struct sample_tag_column *a, const struct sample_tag_column *b)
{
	return a->kind == b->kind && a->event == b->event &&
	       (a->kind != SAMPLE_TAG_FIELD ||
		(!strcmp(a->name, b->name) && a->is_raw == b->is_raw));
}

static bool has_column(const enum table_key *columns, size_t nr, enum table_key column)
{
	for (size_t i = 0; i < nr; i++)
		if (columns[i] == column)
			return true;
	return false;
}

/* Adds a key on the level of the key before it, unless a mark stands between them. */
static void add_key(struct reading *r, enum table_key key)
{
	struct sort_keys *k = r->keys;

	if (k->nr)
		k->levels[k->nr] = (uint8_t)(k->levels[k->nr - 1] + (r->nr_marks != r->last_mark));
	r->last_mark = r->nr_marks;
	k->keys[k->nr++] = key;
}

static void add_order(struct reading *r, enum table_key column)
{
	struct sort_keys *k = r->keys;

	if (!has_column(k->order, k->nr_order, column))
		k->order[k->nr_order++] = column;
	if (column < TABLE_NR_KEYS && !sort_keys_has(k, column))
		add_key(r, column);
}

static void add_output(struct sort_keys *k, enum table_key column)
{
	if (!has_column(k->columns, k->nr_columns, column))
		k->columns[k->nr_columns++] = column;
}

static void add_read_column(struct reading *r, enum table_key column)
{
	if (r->to_columns)
		add_output(r->keys, column);
	else
		add_order(r, column);
}

static int add_column(struct reading *r, const struct sample_tag_column *column)
{
	struct sort_keys *k = r->keys;

	for (size_t i = 0; i < k->tags.nr; i++) {
		if (!is_same(&k->tags.columns[i], column))
			continue;
		add_read_column(r, TABLE_TAG + (enum table_key)i);
		return 0;
	}
	if (k->tags.nr == TAGS_MAX) {
		ts_error_set(r->err, EINVAL, "cannot sort by more than %d keys at once", TAGS_MAX);
		return ts_error_hint(r->err, "name the fields that matter: EVENT.FIELD");
	}
	k->tags.columns[k->tags.nr++] = *column;
	add_read_column(r, TABLE_TAG + (enum table_key)k->tags.nr - 1);
	return 0;
}

static int add_named(struct reading *r, const struct key_name *name)
{
	const struct ts_events *events = &r->header->events;
	bool is_there = !name->sample_type;

	if (name->key != TABLE_TAG) {
		add_read_column(r, name->key);
		if (!sort_keys_has(r->keys, TABLE_SRCLINE) ||
		    !sort_keys_has(r->keys, TABLE_SRCFILE))
			return 0;
		ts_error_set(r->err, EINVAL, "cannot sort by srcline and by srcfile at once");
		return ts_error_hint(r->err, "sort by srcline: it shows the file, too");
	}
	for (size_t i = 0; i < events->nr; i++)
		is_there |= events->items[i].attr.sample_type & name->sample_type;
	if (!is_there) {
		ts_error_set(r->err, EINVAL, "cannot sort by %s: no sample of the capture has it",
			     name->name);
		return ts_error_hint(r->err, "record %s",
				     name->kind == SAMPLE_TAG_CGROUP ? "with --all-cgroups"
				     : name->kind == SAMPLE_TAG_TIME ? "with -T"
								     : "tracepoints");
	}
	return add_column(r, &(struct sample_tag_column){.kind = name->kind});
}

/* --- fields --- */

static bool is_tracepoint(const struct reading *r, uint32_t event)
{
	return r->header->events.items[event].attr.type == PERF_TYPE_TRACEPOINT;
}

/* Returns 1 if the field was added or was there already, 0 if the event has no such field. */
static int add_field(struct reading *r, uint32_t event, const char *field, bool is_raw)
{
	uint64_t config = r->header->events.items[event].attr.config;
	struct sample_tag_column column = {
		.kind = SAMPLE_TAG_FIELD, .event = event, .is_raw = is_raw};
	uint32_t name;
	int rc;

	column.width = trace_fields_width(r->fields, config, field);
	if (!column.width)
		return 0;
	name = name_table_intern(&r->keys->fields, field);
	if (name == NAME_TABLE_NONE)
		return ts_error_sys(r->err, ENOMEM, "cannot sort by %s", field);
	column.name = r->keys->fields.items[name];
	rc = add_column(r, &column);
	return rc ? rc : 1;
}

static int add_fields(struct reading *r, uint32_t event, bool is_raw)
{
	uint64_t config = r->header->events.items[event].attr.config;
	const char *field;
	int rc = 1;

	for (size_t i = 0; rc > 0 && (field = trace_fields_name(r->fields, config, i)); i++)
		rc = add_field(r, event, field, is_raw);
	return rc;
}

/*
 * Finds an event as perf does: by %number, by its name, or by a part of the name that has no ':'
 * and that no other event has.
 */
static uint32_t find_event(const struct reading *r, const char *name)
{
	const struct ts_events *events = &r->header->events;
	bool is_whole = strchr(name, ':');
	uint32_t found = TS_NO_EVENT;

	if (*name == '%') {
		unsigned long number = strtoul(name + 1, NULL, 10);

		return number && number <= events->nr ? (uint32_t)number - 1 : TS_NO_EVENT;
	}
	for (uint32_t i = 0; i < events->nr; i++) {
		if (!strcmp(events->items[i].name, name))
			return i;
		if (is_whole || !strstr(events->items[i].name, name))
			continue;
		if (found != TS_NO_EVENT)
			return TS_NO_EVENT;
		found = i;
	}
	return found;
}

static int add_of_event(struct reading *r, const char *event_name, const char *field, bool is_raw)
{
	uint32_t event = find_event(r, event_name);
	int rc;

	if (event == TS_NO_EVENT || !is_tracepoint(r, event))
		return ts_error_set(r->err, EINVAL,
				    "cannot sort by '%s.%s': '%s' matches no tracepoint of the "
				    "capture, or several",
				    event_name, field, event_name);
	rc = !strcmp(field, "*") ? add_fields(r, event, is_raw)
				 : add_field(r, event, field, is_raw);
	if (!rc)
		return ts_error_set(r->err, EINVAL, "cannot sort by '%s.%s': %s has no such field",
				    event_name, field, r->header->events.items[event].name);
	return rc;
}

static int add_of_all(struct reading *r, const char *field, bool is_raw)
{
	bool is_all = !strcmp(field, "trace_fields");
	int rc = 0, nr = 0;

	for (uint32_t i = 0; rc >= 0 && i < r->header->events.nr; i++) {
		if (!is_tracepoint(r, i))
			continue;
		rc = is_all ? add_fields(r, i, is_raw) : add_field(r, i, field, is_raw);
		nr += rc > 0;
	}
	if (rc < 0)
		return rc;
	return nr ? 1 : refuse_unknown(field, r->to_columns, r->err);
}

/* [EVENT.]FIELD[/raw] */
static int add_dynamic(struct reading *r, char *word)
{
	char *option = strchr(word, '/'), *dot;
	int rc;

	if (option)
		*option++ = '\0';
	if (option && strcmp(option, "raw") != 0)
		return ts_error_set(r->err, EINVAL,
				    "cannot sort by '%s/%s': only /raw can follow a field", word,
				    option);
	if (!r->fields)
		r->fields = trace_fields_new(r->header, NULL, r->err);
	if (!r->fields)
		return -r->err->code;
	dot = strchr(word, '.');
	if (dot)
		*dot++ = '\0';
	rc = dot ? add_of_event(r, word, dot, option) : add_of_all(r, word, option);
	return rc < 0 ? rc : 0;
}

/* --- the list --- */

static int read_word(struct reading *r, char *word)
{
	const struct key_name *name = *word ? find_name(word) : NULL;

	return name ? add_named(r, name) : *word ? add_dynamic(r, word) : 0;
}

/* As in perf, every mark begins a level, except marks inside braces. */
static int read_list(struct reading *r, const char *text)
{
	char *copy = strdup(text), mark = ',';
	int rc = copy ? 0 : ts_error_sys(r->err, ENOMEM, "cannot sort by '%s'", text);
	bool is_inside = false;

	for (char *word = copy, *end; !rc && mark; word = end + 1) {
		r->nr_marks += !is_inside;
		end = word + strcspn(word, BETWEEN);
		is_inside = mark == '{' || (is_inside && mark != '}');
		mark = *end;
		*end = '\0';
		rc = read_word(r, word);
	}
	free(copy);
	return rc;
}

/* Does the list replace the default? A list behind '+' is added to it. */
static bool is_alone(const char *text)
{
	return text && *text != '+';
}

static void put_default_columns(struct sort_keys *k, const struct sort_plan *plan)
{
	if (plan->has_children)
		add_output(k, TABLE_CHILDREN);
	add_output(k, TABLE_OVERHEAD);
	if (plan->show_modes) {
		add_output(k, TABLE_SYS);
		add_output(k, TABLE_USER);
	}
	if (plan->show_samples)
		add_output(k, TABLE_SAMPLES);
	if (plan->show_period)
		add_output(k, TABLE_PERIOD);
}

static int read_sort(struct reading *r, const struct sort_plan *plan)
{
	int rc = 0;

	if (!is_alone(plan->fields)) {
		if (plan->has_children)
			add_order(r, TABLE_CHILDREN);
		add_order(r, TABLE_OVERHEAD);
	}
	/* A list of fields that replaces the default names the keys, too. */
	if (!is_alone(plan->sort) && (plan->sort || !is_alone(plan->fields)))
		rc = read_list(r, SORT_KEYS_DEFAULT);
	if (!rc && plan->sort)
		rc = read_list(r, plan->sort + (*plan->sort == '+'));
	if (!rc && plan->has_parent)
		rc = read_list(r, "parent");
	return rc;
}

/* Is the order the default one? Then rows are not compared column by column. */
static bool is_plain(const struct sort_keys *k, const struct sort_plan *plan)
{
	for (size_t i = plan->has_children ? 2 : 1; i < k->nr_order; i++)
		if (k->order[i] >= TABLE_NR_KEYS)
			return false;
	return !is_alone(plan->fields);
}

/* Adds the key host on the level of the thread, without a column. */
static int add_host(struct reading *r)
{
	struct sort_keys *k = r->keys;
	size_t nr = k->nr, thread = 0;
	int rc;

	while (k->keys[thread] != TABLE_PID && k->keys[thread] != TABLE_TID)
		thread++;
	r->to_columns = false;
	rc = add_column(r, &(struct sample_tag_column){.kind = SAMPLE_TAG_HOST});
	if (k->nr > nr)
		k->levels[nr] = k->levels[thread];
	return rc;
}

int sort_keys_read(struct sort_keys *k, const struct sort_plan *plan,
		   const struct ts_header *header, struct ts_error *err)
{
	struct reading r = {.keys = k, .header = header, .err = err};
	int rc;

	*k = (struct sort_keys){.tags.quantum_ns = 1};
	rc = read_sort(&r, plan);
	k->is_plain = is_plain(k, plan);
	if (!is_alone(plan->fields))
		put_default_columns(k, plan);
	r.to_columns = true;
	if (!rc && plan->fields)
		rc = read_list(&r, plan->fields + (*plan->fields == '+'));
	for (size_t i = 0; i < k->nr_order; i++)
		add_output(k, k->order[i]);
	for (size_t i = 0; i < k->nr_columns; i++)
		add_order(&r, k->columns[i]);
	if (!rc && plan->has_several &&
	    (sort_keys_has(k, TABLE_PID) || sort_keys_has(k, TABLE_TID)))
		rc = add_host(&r);
	trace_fields_free(r.fields);
	return rc;
}

void sort_keys_release(struct sort_keys *k)
{
	name_table_release(&k->fields);
	*k = (struct sort_keys){0};
}
