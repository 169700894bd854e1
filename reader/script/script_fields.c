// SPDX-License-Identifier: Apache-2.0
#include "reader/script/script_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/spelling.h"

#define FIELDS_START (FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_EVENT)
#define FIELDS_PLACE (FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO)
#define FIELDS_COUNT (FIELDS_START | FIELDS_PLACE | FIELD_PERIOD)
#define FIELDS_RAW                                                                                 \
	(FIELDS_COUNT | FIELD_ADDR | FIELD_DATA_SRC | FIELD_WEIGHT | FIELD_PHYS_ADDR |             \
	 FIELD_DATA_PAGE_SIZE | FIELD_CODE_PAGE_SIZE | FIELD_INS_LAT)
#define FIELDS_OF_OTHERS (FIELD_TRACE | FIELD_BPF_OUTPUT)

#define ALL_TYPES SCRIPT_TYPES

static const struct {
	const char *prefix; /* before a list in -F; NULL: the type has none */
	const char *name;   /* in messages */
	uint32_t shown, invalid;
} types[SCRIPT_TYPES] = {
	[PERF_TYPE_HARDWARE] = {"hw", "hardware", FIELDS_COUNT, FIELDS_OF_OTHERS},
	[PERF_TYPE_SOFTWARE] = {"sw", "software", FIELDS_COUNT | FIELD_BPF_OUTPUT, FIELD_TRACE},
	[PERF_TYPE_TRACEPOINT] = {"trace", "tracepoint", FIELDS_START | FIELD_TRACE, 0},
	[PERF_TYPE_HW_CACHE] = {NULL, "hardware-cache", FIELDS_COUNT, FIELDS_OF_OTHERS},
	[PERF_TYPE_RAW] = {"raw", "raw", FIELDS_RAW, FIELDS_OF_OTHERS},
	[PERF_TYPE_BREAKPOINT] = {"break", "breakpoint", FIELDS_COUNT, FIELDS_OF_OTHERS},
	[SCRIPT_TYPE_OTHER] = {NULL, "other", FIELDS_COUNT, FIELDS_OF_OTHERS},
};

#define NO_CODE	 "instructions are not read from the programs"
#define NO_LINES "source lines are not looked up"

static const struct {
	const char *name;
	uint32_t field; /* 0: refused */
	const char *why;
} fields[] = {
	{"comm", FIELD_COMM, NULL},
	{"tid", FIELD_TID, NULL},
	{"pid", FIELD_PID, NULL},
	{"time", FIELD_TIME, NULL},
	{"cpu", FIELD_CPU, NULL},
	{"event", FIELD_EVENT, NULL},
	{"trace", FIELD_TRACE, NULL},
	{"ip", FIELD_IP, NULL},
	{"sym", FIELD_SYM, NULL},
	{"dso", FIELD_DSO, NULL},
	{"addr", FIELD_ADDR, NULL},
	{"symoff", FIELD_SYMOFF, NULL},
	{"period", FIELD_PERIOD, NULL},
	{"iregs", FIELD_IREGS, NULL},
	{"uregs", FIELD_UREGS, NULL},
	{"brstack", FIELD_BRSTACK, NULL},
	{"brstacksym", FIELD_BRSTACK, NULL},
	{"brstackoff", FIELD_BRSTACK, NULL},
	{"data_src", FIELD_DATA_SRC, NULL},
	{"weight", FIELD_WEIGHT, NULL},
	{"bpf-output", FIELD_BPF_OUTPUT, NULL},
	{"callindent", FIELD_EMPTY, NULL},
	{"synth", FIELD_EMPTY, NULL},
	{"ipc", FIELD_EMPTY, NULL},
	{"machine_pid", FIELD_EMPTY, NULL},
	{"vcpu", FIELD_EMPTY, NULL},
	{"phys_addr", FIELD_PHYS_ADDR, NULL},
	{"misc", FIELD_MISC, NULL},
	{"tod", FIELD_TOD, NULL},
	{"data_page_size", FIELD_DATA_PAGE_SIZE, NULL},
	{"code_page_size", FIELD_CODE_PAGE_SIZE, NULL},
	{"ins_lat", FIELD_INS_LAT, NULL},
	{"srcline", FIELD_SRCLINE, NULL},
	{"srccode", 0, NO_LINES},
	{"insn", 0, NO_CODE},
	{"insnlen", 0, NO_CODE},
	{"brstackinsn", 0, NO_CODE},
	{"brstackinsnlen", 0, NO_CODE},
	{"metric", 0, "metrics are not computed"},
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* The data that a field needs, in the words of the refusal, and the option that records it. */
static const struct {
	uint32_t field;
	uint64_t sample_type;
	const char *what;
	const char *option; /* NULL: there is none */
} needs[] = {
	{FIELD_IP, PERF_SAMPLE_IP, "address", NULL},
	{FIELD_ADDR, PERF_SAMPLE_ADDR, "data address", "-d"},
	{FIELD_DATA_SRC, PERF_SAMPLE_DATA_SRC, "source of the data", "-d"},
	{FIELD_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "weight", "-W"},
	{FIELD_TID, PERF_SAMPLE_TID, "thread", NULL},
	{FIELD_PID, PERF_SAMPLE_TID, "process", NULL},
	{FIELD_TIME, PERF_SAMPLE_TIME, "time", "-T"},
	{FIELD_CPU, PERF_SAMPLE_CPU, "CPU", "--sample-cpu"},
	{FIELD_IREGS, PERF_SAMPLE_REGS_INTR, "registers", "-I"},
	{FIELD_UREGS, PERF_SAMPLE_REGS_USER, "registers of the user", "--user-regs"},
	{FIELD_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "physical address", "--phys-data"},
	{FIELD_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "page size of the data",
	 "--data-page-size"},
	{FIELD_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "page size of the code",
	 "--code-page-size"},
	{FIELD_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "latency of the instruction", "-W"},
};

#define NR_NEEDS (sizeof(needs) / sizeof(needs[0]))

void script_fields_init(struct script_style *style)
{
	*style = (struct script_style){0};
	for (unsigned int i = 0; i < SCRIPT_TYPES; i++)
		style->types[i].shown = types[i].shown;
}

/* --- -F --- */

enum change { SET, ADD, REMOVE };

static void change_field(struct script_fields *f, uint32_t field, enum change change, bool of_all)
{
	if (change == REMOVE)
		f->shown &= ~field;
	else
		f->shown |= field;
	/* Later perf refuses only fields that were asked for all types. */
	if (of_all)
		f->wanted = change == REMOVE ? f->wanted & ~field : f->wanted | field;
	f->is_set = true;
	f->must_exist = false;
}

static int apply_to_type(struct script_style *style, unsigned int type, size_t i,
			 enum change change, struct ts_error *err)
{
	if (types[type].invalid & fields[i].field)
		return ts_error_set(err, EINVAL,
				    "cannot print the field %s of %s events: they have none",
				    fields[i].name, types[type].name);
	change_field(&style->types[type], fields[i].field, change, false);
	return 0;
}

static void apply_to_all(struct script_style *style, size_t i, enum change change)
{
	for (unsigned int type = 0; type < SCRIPT_TYPES; type++) {
		if (!(types[type].invalid & fields[i].field))
			change_field(&style->types[type], fields[i].field, change, true);
		else if (change != REMOVE)
			style->types[type].dismissed |= fields[i].field;
	}
}

static int refuse_word(const char *word, struct ts_error *err)
{
	struct ts_spelling near = {.word = word};

	for (size_t i = 0; i < NR_FIELDS; i++)
		if (fields[i].field)
			ts_spelling_try(&near, fields[i].name);
	if (!*word)
		return ts_error_set(err, EINVAL,
				    "cannot change the printed fields: give a name after + or -");
	ts_error_set(err, EINVAL, "cannot print the field '%s': there is no field of that name",
		     word);
	if (ts_spelling_found(&near))
		return ts_error_hint(err, "did you mean %s?", ts_spelling_found(&near));
	return ts_error_hint(err, "fields are comm, tid, time, event, ip, sym and others: "
				  "tstream-script(1) lists them");
}

static int apply_word(struct script_style *style, unsigned int type, const char *word,
		      enum change change, struct ts_error *err)
{
	size_t i = 0;

	if (!strcmp(word, "flags")) {
		style->with_flags = change != REMOVE;
		return 0;
	}
	while (i < NR_FIELDS && strcmp(word, fields[i].name))
		i++;
	if (i == NR_FIELDS)
		return refuse_word(word, err);
	if (!fields[i].field && change != REMOVE)
		return ts_error_set(err, EINVAL, "cannot print the field %s: %s", word,
				    fields[i].why);
	if (type != ALL_TYPES)
		return apply_to_type(style, type, i, change, err);
	apply_to_all(style, i, change);
	return 0;
}

static void clear_fields(struct script_style *style, unsigned int type)
{
	for (unsigned int i = 0; i < SCRIPT_TYPES; i++) {
		if (type != ALL_TYPES && type != i)
			continue;
		style->types[i].shown = 0;
		style->types[i].is_set = true;
		style->types[i].must_exist = type == i;
	}
}

static int apply_words(struct script_style *style, unsigned int type, char *list,
		       struct ts_error *err)
{
	bool is_changing = strpbrk(list, "+-") && strcspn(list, "+-") == strspn(list, ", ");
	char *rest = NULL;
	int rc = 0;

	for (char *word = strtok_r(list, ", ", &rest); !rc && word;
	     word = strtok_r(NULL, ", ", &rest)) {
		enum change change = *word == '+' ? ADD : *word == '-' ? REMOVE : SET;

		if (is_changing != (change != SET))
			return ts_error_set(err, EINVAL,
					    "cannot mix fields with and without + or -: '%s'",
					    word);
		rc = apply_word(style, type, word + (change != SET), change, err);
	}
	return rc;
}

/* Cuts "trace:" off and returns the type; SCRIPT_TYPES + 1: no type has that name. */
static unsigned int take_type(char **text, bool *ret_is_synth)
{
	char *colon = strchr(*text, ':');
	const char *prefix = *text;

	if (!colon)
		return ALL_TYPES;
	*colon = '\0';
	*text = colon + 1;
	*ret_is_synth = !strcmp(prefix, "synth");
	for (unsigned int i = 0; i < SCRIPT_TYPES; i++)
		if (types[i].prefix && !strcmp(prefix, types[i].prefix))
			return i;
	return ALL_TYPES + 1;
}

int script_fields_parse(struct script_style *style, const char *text, struct ts_error *err)
{
	char *copy = strdup(text), *list = copy;
	bool is_synth = false;
	unsigned int type;
	int rc = 0;

	if (!copy)
		return ts_error_sys(err, ENOMEM, "cannot read the fields");
	type = take_type(&list, &is_synth);
	if (type > ALL_TYPES && !is_synth)
		rc = ts_error_set(
			err, EINVAL,
			"cannot print fields of '%s' events: the types are hw, sw, trace, "
			"raw, break and synth",
			copy);
	else if (type == ALL_TYPES && !list[strspn(list, ", ")])
		rc = ts_error_set(err, EINVAL, "cannot print samples without fields: name some");
	else if (!is_synth) { /* "synth" is accepted, but no event has this type */
		if (!strpbrk(list, "+-"))
			clear_fields(style, type);
		rc = apply_words(style, type, list, err);
	}
	free(copy);
	return rc;
}

/* --- the events of a capture --- */

static const struct ts_event *first_of(const struct ts_header *header, unsigned int type)
{
	for (size_t i = 0; i < header->events.nr; i++)
		if (script_type(&header->events.items[i]) == type)
			return &header->events.items[i];
	return NULL;
}

static const char *name_of(uint32_t field)
{
	size_t i = 0;

	while (fields[i].field != field)
		i++;
	return fields[i].name;
}

static int check_places(const struct script_fields *f, const struct ts_event *event,
			struct ts_error *err)
{
	bool has_places = event->attr.sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);

	if (f->shown & (FIELD_SYM | FIELD_DSO) && !has_places)
		return ts_error_set(err, EINVAL,
				    "cannot print the field %s of %s: its samples have no address",
				    f->shown & FIELD_SYM ? "sym" : "dso", event->name);
	if (f->shown & FIELD_SRCLINE && !(f->shown & FIELD_IP))
		return ts_error_set(err, EINVAL,
				    "cannot print the field srcline without ip: add ip, or leave "
				    "srcline out, too (-F -srcline)");
	if (f->shown & FIELD_SYMOFF && !(f->shown & FIELD_SYM))
		return ts_error_set(err, EINVAL,
				    "cannot print the field symoff without sym: add sym, or leave "
				    "symoff out, too (-F -symoff)");
	return 0;
}

static int refuse_need(size_t i, const struct ts_event *event, struct ts_error *err)
{
	const char *name = name_of(needs[i].field);

	ts_error_set(err, EINVAL, "cannot print the field %s of %s: its samples have no %s", name,
		     event->name, needs[i].what);
	if (!needs[i].option)
		return ts_error_hint(err, "leave %s out", name);
	return ts_error_hint(err, "record with %s, or leave %s out", needs[i].option, name);
}

/* As in perf, the first event of a type decides. */
static int check_event(struct script_fields *f, const struct ts_event *event, struct ts_error *err)
{
	for (size_t i = 0; i < NR_NEEDS; i++) {
		if (!(f->shown & needs[i].field) || event->attr.sample_type & needs[i].sample_type)
			continue;
		if (f->wanted & needs[i].field)
			return refuse_need(i, event, err);
		f->shown &= ~needs[i].field;
	}
	return check_places(f, event, err);
}

/* As in perf, fields without data print nothing, so lines could be empty: warn of that. */
static void warn_of_nothing(const struct script_fields *f, const struct ts_event *event,
			    struct ts_notes *warnings)
{
	if (f->wanted & (FIELD_SYM | FIELD_DSO) && !(f->shown & (FIELD_IP | FIELD_ADDR)))
		ts_notes_add_again(warnings,
				   "the field %s of %s is printed after an address, and no address "
				   "is printed: add ip",
				   f->wanted & FIELD_SYM ? "sym" : "dso", event->name);
	if (f->wanted & FIELD_BRSTACK && !(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK))
		ts_notes_add_again(
			warnings,
			"the field brstack of %s is empty: its samples have no branches (record "
			"-b)",
			event->name);
	if (f->wanted & FIELD_EMPTY)
		ts_notes_add_again(warnings,
				   "the fields callindent, synth, ipc, machine_pid and vcpu of %s "
				   "are empty: only processor traces and guests have them",
				   event->name);
}

static int check_type(struct script_style *style, unsigned int type, const struct ts_header *header,
		      struct ts_notes *warnings, struct ts_error *err)
{
	struct script_fields *f = &style->types[type];
	const struct ts_event *event = first_of(header, type);

	if (!event)
		return f->must_exist
			       ? ts_error_set(err, EINVAL,
					      "cannot leave out %s events: the capture has none",
					      types[type].name)
			       : 0;
	for (size_t i = 0; f->dismissed && i < NR_FIELDS; i++)
		if (f->dismissed & fields[i].field)
			ts_notes_add_again(warnings,
					   "%s events have no field %s: it is left out for them",
					   types[type].name, fields[i].name);
	warn_of_nothing(f, event, warnings);
	return f->shown ? check_event(f, event, err) : 0;
}

/* Refuses fields of events that cannot be printed. */
static int check_unprintable(const struct script_style *style, const struct ts_header *header,
			     struct ts_error *err)
{
	for (size_t i = 0; i < header->events.nr; i++) {
		const struct ts_event *event = &header->events.items[i];
		uint32_t shown = style->types[script_type(event)].shown;

		if (shown & FIELD_BRSTACK && event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return ts_error_set(
				err, EINVAL,
				"cannot print the branch stacks of %s: this is not supported yet",
				event->name);
		if (shown & FIELD_TOD &&
		    ts_header_feature_cursor(header, TS_FEAT_CLOCK_DATA).left < 24)
			return ts_error_set(err, EINVAL,
					    "cannot print the time of day: the capture has no "
					    "clock data (record it with perf record -k)");
	}
	return 0;
}

static bool has_callchain(const struct ts_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

int script_fields_check(struct script_style *style, const struct ts_header *header,
			bool hide_chains, struct ts_notes *warnings, struct ts_error *err)
{
	struct script_fields *trace = &style->types[PERF_TYPE_TRACEPOINT];

	for (unsigned int type = 0; type < SCRIPT_TYPES; type++) {
		int rc = check_type(style, type, header, warnings, err);

		if (rc)
			return rc;
	}
	for (size_t i = 0; i < header->events.nr; i++) {
		const struct ts_event *event = &header->events.items[i];
		size_t width = strlen(event->name);

		if (width > style->name_width)
			style->name_width = (unsigned int)width;
		if (hide_chains || !has_callchain(event))
			continue;
		style->with_chains = true;
		if (event->attr.type == PERF_TYPE_TRACEPOINT && !trace->is_set)
			trace->shown |= FIELDS_PLACE;
	}
	return check_unprintable(style, header, err);
}
