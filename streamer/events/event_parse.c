// SPDX-License-Identifier: Apache-2.0
/*
 * An -e value is a comma list; each event is one of
 *
 *	name[:modifiers]			cpu-clock:u, cycles, L1-dcache-load-misses, r1a2
 *	name/terms/[modifiers]			cpu-clock/freq=100/u, cpu/event=0x3c/pp
 * bpf-output/map=PATH/ a PATH may contain slashes
 *	system:tracepoint[:modifiers]		sched:sched_*
 *	system:tracepoint/terms/[modifiers]
 *	mem:address[/length][:access][:modifiers]
 *
 * A name without terms is a generic event, a cache event, a raw event, or a named event of a PMU. A
 * name with terms may also be a PMU.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/spelling.h"
#include "streamer/events/event.h"
#include "streamer/events/event_modifier.h"
#include "streamer/events/event_names.h"
#include "streamer/events/event_pmu.h"
#include "streamer/events/event_term.h"
#include "streamer/events/event_tracepoint.h"

struct parsing {
	struct event_list *list;
	const struct event_roots *roots;
	struct ts_error *err;
	const char *text; /* the event as it was typed */
	char *head;	  /* before the terms and the modifiers */
	char *terms;	  /* between slashes; NULL: no slashes */
	const char *mods; /* "" if none */
};

static int no_memory(const struct parsing *p)
{
	return ts_error_sys(p->err, ENOMEM, "cannot record event '%s'", p->text);
}

/* Adds an event of this type and config, then sets terms, modifiers and the name as typed. */
static int add_event(const struct parsing *p, uint32_t type, uint64_t config, const char *pmu)
{
	struct event *event = event_list_add(p->list);
	int rc = 0;

	if (!event)
		return no_memory(p);
	event->attr.type = type;
	event->attr.config = config;
	if (p->terms)
		rc = event_apply_terms(event, p->terms, pmu, p->roots, p->text, p->err);
	if (!rc)
		rc = event_apply_modifiers(event, p->mods, p->text, p->err);
	if (!rc && !event->name && !(event->name = strdup(p->text)))
		rc = no_memory(p);
	return rc;
}

static int hint_meant(const struct parsing *p, const char *meant)
{
	return meant ? ts_error_hint(p->err, "did you mean '%s'?", meant)
		     : ts_error_hint(p->err, "'tstream list' shows the events of this machine");
}

/* --- tracepoints --- */

static int add_tracepoint(void *ctx, const char *system, const char *name, uint64_t id,
			  struct ts_error *err)
{
	const struct parsing *p = ctx;
	int rc = add_event(p, PERF_TYPE_TRACEPOINT, id, NULL);
	struct event *event = rc ? NULL : &p->list->items[p->list->nr - 1];

	if (rc)
		return rc;
	event->system = strdup(system);
	event->tracepoint = strdup(name);
	if (!strcmp(event->name, p->text)) { /* the terms had no name= */
		free(event->name);
		if (asprintf(&event->name, "%s:%s", system, name) < 0)
			event->name = NULL;
	}
	if (!event->system || !event->tracepoint || !event->name)
		return ts_error_sys(err, ENOMEM, "cannot record event '%s'", p->text);
	return 0;
}

static int try_tracepoint(void *ctx, const char *system, const char *name, uint64_t id,
			  struct ts_error *err)
{
	(void)system;
	(void)id;
	(void)err;
	ts_spelling_try(ctx, name);
	return 0;
}

/* Searches the tracepoints of the same system for a name that may have been meant. */
static int refuse_tracepoint(const struct parsing *p, const char *name)
{
	struct ts_spelling near = {.word = name};
	char meant[2 * TS_SPELLING_BYTES_MAX];
	struct ts_error ignored; /* the folder could be read before */

	event_tracepoint_for_each(p->roots ? p->roots->tracefs : NULL, p->head, "*", try_tracepoint,
				  &near, &ignored);
	if (ts_spelling_found(&near))
		snprintf(meant, sizeof(meant), "%.60s:%s", p->head, ts_spelling_found(&near));
	event_refuse(p->err, ENOENT, p->text, "this kernel has no such tracepoint");
	return hint_meant(p, ts_spelling_found(&near) ? meant : NULL);
}

static int parse_tracepoint(struct parsing *p)
{
	char *name = strchr(p->head, ':');
	int nr;

	*name++ = '\0';
	nr = event_tracepoint_for_each(p->roots ? p->roots->tracefs : NULL, p->head, name,
				       add_tracepoint, p, p->err);
	if (nr)
		return nr < 0 ? nr : 0;
	return refuse_tracepoint(p, name);
}

/* --- PMUs --- */

static int add_pmu_event(void *ctx, const char *pmu, struct ts_error *err)
{
	const struct parsing *p = ctx;
	const char *devices = p->roots ? p->roots->pmus : NULL;
	struct event *event;
	uint32_t type;
	int rc = event_pmu_type(devices, pmu, &type);

	if (rc)
		return event_refuse(err, -rc, p->text, "the type of the PMU %s cannot be read",
				    pmu);
	rc = add_event(p, type, 0, pmu);
	if (rc)
		return rc;
	event = &p->list->items[p->list->nr - 1];
	event->cpus = hwloc_bitmap_alloc();
	if (!event->cpus)
		return no_memory(p);
	if (!event_pmu_cpus(devices, pmu, event->cpus)) {
		hwloc_bitmap_free(event->cpus);
		event->cpus = NULL;
	}
	return 0;
}

/* AUX area units write their data into areas of their own, not into the sample rings. */
static bool is_aux_unit(const char *name)
{
	static const char *const units[] = {"intel_pt", "intel_bts", "cs_etm",
					    "arm_spe",	"hisi_ptt",  "coresight"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strncmp(name, units[i], strlen(units[i])))
			return true;
	return false;
}

static int parse_pmu(struct parsing *p)
{
	int nr;

	if (is_aux_unit(p->head))
		return event_refuse(p->err, EINVAL, p->text,
				    "tstream does not record AUX area events; perf record does");
	nr = event_pmu_for_each(p->roots ? p->roots->pmus : NULL, p->head, add_pmu_event, p,
				p->err);
	if (nr)
		return nr < 0 ? nr : 0;
	event_refuse(p->err, ENOENT, p->text, "this machine has no PMU '%s'", p->head);
	return ts_error_hint(p->err, "see its PMUs with: ls /sys/bus/event_source/devices");
}

/* A named event of a PMU without the PMU: "mem-loads" for cpu/mem-loads/. */
static int add_named(void *ctx, const char *pmu, struct ts_error *err)
{
	struct parsing *p = ctx;
	char alias[PMU_TEXT];
	int rc;

	if (!event_pmu_alias(p->roots ? p->roots->pmus : NULL, pmu, p->head, alias))
		return 0;
	p->terms = p->head;
	rc = add_pmu_event(ctx, pmu, err);
	p->terms = NULL;
	return rc;
}

static int hint_tracepoint(void *ctx, const char *system, const char *name, uint64_t id,
			   struct ts_error *err)
{
	(void)id;
	(void)err;
	ts_error_hint(ctx, "write the tracepoint with its system: %s:%s", system, name);
	return 1;
}

/*
 * Adds a hint to the name that may have been meant: a tracepoint, or a generic event of nearly that
 * name.
 */
static int hint_name(struct parsing *p)
{
	const char *tracefs = p->roots ? p->roots->tracefs : NULL;
	struct ts_spelling near = {.word = p->head};
	struct ts_error ignored;

	if (event_tracepoint_for_each(tracefs, "*", p->head, hint_tracepoint, p->err, &ignored) ==
	    1)
		return -p->err->code;
	for (const struct event_symbol *s = event_symbols; s->name; s++) {
		if (event_name_resembles(s->name, p->head))
			return hint_meant(p, s->name);
		if (s->alias && event_name_resembles(s->alias, p->head))
			return hint_meant(p, s->alias);
		ts_spelling_try(&near, s->name);
		if (s->alias)
			ts_spelling_try(&near, s->alias);
	}
	return hint_meant(p, ts_spelling_found(&near));
}

static int parse_named(struct parsing *p)
{
	size_t before = p->list->nr;
	int rc = event_pmu_for_each(p->roots ? p->roots->pmus : NULL, "*", add_named, p, p->err);

	if (rc < 0)
		return rc;
	if (p->list->nr > before)
		return 0;
	event_refuse(p->err, ENOENT, p->text, "there is no event of that name");
	return hint_name(p);
}

/* --- names --- */

/* Parses "r1a2" into the config of PERF_TYPE_RAW. */
static bool raw_config(const char *name, uint64_t *ret)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	*ret = strtoull(name + 1, &end, 16);
	return !*end && !errno;
}

/* Finds a generic event by its name. False: there is no such event. */
static bool generic(const char *name, uint32_t *ret_type, uint64_t *ret_config)
{
	const struct event_symbol *symbol = event_symbol_find(name);

	if (symbol) {
		*ret_type = symbol->type;
		*ret_config = symbol->config;
		return true;
	}
	*ret_type = PERF_TYPE_HW_CACHE;
	if (event_cache_find(name, ret_config))
		return true;
	*ret_type = PERF_TYPE_RAW;
	return raw_config(name, ret_config);
}

static bool is_object_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".o") || !strcmp(dot, ".c") || !strcmp(dot, ".bpf"));
}

static int parse_name(struct parsing *p)
{
	uint64_t config;
	uint32_t type;

	if (generic(p->head, &type, &config))
		return add_event(p, type, config, NULL);
	if (is_object_file(p->text))
		return event_refuse(p->err, EINVAL, p->text, "tstream does not load BPF programs");
	return p->terms ? parse_pmu(p) : parse_named(p);
}

/* --- breakpoints --- */

static const struct {
	const char *access;
	uint32_t type;
} accesses[] = {
	{"r", 1},  {"w", 2},  {"rw", 3}, {"wr", 3}, {"x", 4},
	{"rx", 5}, {"xr", 5}, {"wx", 6}, {"xw", 6}, {"rwx", 7},
};

static uint32_t access_of(const char *text)
{
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		if (!strcmp(accesses[i].access, text))
			return accesses[i].type;
	return 0;
}

/* Parses "mem:0x1000" or "mem:0x1000/8", then ":rw", then ":u". */
static int parse_breakpoint(struct parsing *p)
{
	char *rest = p->head + 4, *place = strsep(&rest, ":"), *part, *end;
	uint32_t access = 0;
	struct event *event;
	uint64_t address, length = 0;
	int rc;

	errno = 0;
	address = strtoull(place, &end, 0);
	if (*end == '/')
		length = strtoull(end + 1, &end, 0);
	if (end == place || *end || errno)
		return event_refuse(p->err, EINVAL, p->text, "'%s' is not an address[/length]",
				    place);
	part = strsep(&rest, ":");
	if (part && (access = access_of(part)))
		part = strsep(&rest, ":");
	if ((part && !event_are_modifiers(part)) || rest)
		return event_refuse(
			p->err, EINVAL, p->text,
			"the access must be r, w, x or a combination of them; modifiers follow it");
	p->mods = part ? part : "";
	rc = add_event(p, PERF_TYPE_BREAKPOINT, 0, NULL);
	if (rc)
		return rc;
	event = &p->list->items[p->list->nr - 1];
	event->attr.bp_addr = address;
	event->attr.bp_type = access ? access : 3;
	event->attr.bp_len = length ? length : access == 4 ? sizeof(long) : 4;
	event->attr.sample_period = 1;
	return 0;
}

/* --- the list --- */

/*
 * Finds the modifiers of an event without terms. They follow the last ':'. If the event has a
 * single ':', the text behind it may be the name of a tracepoint instead.
 */
static void cut_modifiers(struct parsing *p)
{
	char *first = strchr(p->head, ':'), *last = strrchr(p->head, ':');
	uint64_t config;
	uint32_t type;

	if (!first)
		return;
	if (first == last) { /* "name:u" or "system:tracepoint" */
		char bare[64];

		snprintf(bare, sizeof(bare), "%.*s", (int)(first - p->head), p->head);
		if (!generic(bare, &type, &config) && !event_are_modifiers(last + 1))
			return;
	}
	*last = '\0';
	p->mods = last + 1;
}

/* Splits "head/terms/mods". The closing slash must be there. */
static int cut_terms(struct parsing *p)
{
	char *slash = strchr(p->head, '/'), *end;

	if (!slash)
		return 0;
	end = strrchr(slash + 1, '/');
	if (!end)
		return event_refuse(p->err, EINVAL, p->text, "the '/' after its terms is missing");
	*slash = *end = '\0';
	p->terms = slash + 1;
	p->mods = end[1] == ':' ? end + 2 : end + 1;
	return 0;
}

static int parse_words(struct parsing *p)
{
	int rc;

	if (!strncmp(p->head, "mem:", 4))
		return parse_breakpoint(p);
	rc = cut_terms(p);
	if (rc)
		return rc;
	if (!p->terms)
		cut_modifiers(p);
	if (p->text[strlen(p->text) - 1] == ':')
		return event_refuse(p->err, EINVAL, p->text, "there is no modifier after the ':'");
	if (*p->mods && !event_are_modifiers(p->mods))
		return event_refuse(p->err, EINVAL, p->text,
				    "'%s' is not a list of modifiers (u k h G H I p P D e)",
				    p->mods);
	return strchr(p->head, ':') ? parse_tracepoint(p) : parse_name(p);
}

static int parse_one(struct event_list *list, const char *text, const struct event_roots *roots,
		     struct ts_error *err)
{
	struct parsing p = {.list = list, .roots = roots, .err = err, .text = text, .mods = ""};
	int rc;

	if (!*text)
		return ts_error_set(err, EINVAL, "cannot record an event without a name");
	if (strpbrk(text, "{}")) {
		event_refuse(err, EINVAL, text,
			     "groups are not recorded; list the events without braces");
		return ts_error_hint(
			err,
			"perf record supports groups, and report and script read its captures");
	}
	p.head = strdup(text);
	if (!p.head)
		return no_memory(&p);
	rc = parse_words(&p);
	free(p.head);
	return rc;
}

/*
 * Returns the last letter of the path of the term map= at `at`; NULL: no such term is there.
 * Slashes belong to the path, except one that ends the event.
 */
static char *end_of_path(char *at)
{
	if (!strchr("/,", at[-1]) || strncmp(at, "map=", strlen("map=")) != 0)
		return NULL;
	return at + strcspn(at, ",'") - 1;
}

/*
 * Cuts the next event off *rest, at a comma outside of slashes and quotes. Removes blanks around
 * it.
 */
static char *next_event(char **rest)
{
	char *start = *rest, *at, *end, *path;
	bool is_breakpoint, quoted = false, in_terms = false;

	if (!start)
		return NULL;
	start += strspn(start, " \t\n");
	is_breakpoint = !strncmp(start, "mem:", 4); /* its '/' has no partner */
	for (at = start; *at && (quoted || in_terms || *at != ','); at++) {
		if (*at == '\'') {
			quoted = !quoted;
		} else if (in_terms && !quoted && (path = end_of_path(at))) {
			at = path;
			in_terms = *at != '/' || at[1] == '\'';
		} else if (*at == '/' && !quoted && !is_breakpoint) {
			in_terms = !in_terms;
		}
	}
	*rest = *at ? at + 1 : NULL;
	for (end = at; end > start && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	return start;
}

/* Moves the events of `from` to the end of `to`. */
static int move_events(struct event_list *to, struct event_list *from, struct ts_error *err)
{
	struct event *items = reallocarray(to->items, to->nr + from->nr, sizeof(*items));

	if (!items)
		return ts_error_sys(err, ENOMEM, "cannot record events");
	memcpy(items + to->nr, from->items, from->nr * sizeof(*items));
	to->items = items;
	to->nr += from->nr;
	to->nr_last = from->nr;
	from->nr = 0;
	return 0;
}

int event_parse(struct event_list *list, const char *text, const struct event_roots *roots,
		struct ts_error *err)
{
	struct event_list parsed = {0};
	char *copy = strdup(text), *rest = copy, *one;
	int rc = 0;

	if (!copy)
		return ts_error_sys(err, ENOMEM, "cannot record event '%s'", text);
	while (!rc && (one = next_event(&rest)))
		rc = parse_one(&parsed, one, roots, err);
	if (!rc)
		rc = move_events(list, &parsed, err);
	event_list_release(&parsed);
	free(copy);
	return rc;
}
