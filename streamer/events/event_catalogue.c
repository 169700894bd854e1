// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_catalogue.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/perf/event_name.h"
#include "streamer/events/event_names.h"
#include "streamer/events/event_pmu.h"
#include "streamer/events/event_tracepoint.h"

static const struct {
	const char *name;
	const char *words[2]; /* words that select this kind */
} kinds[] = {
	[CATALOGUE_HARDWARE] = {"hardware", {"hw", "hardware"}},
	[CATALOGUE_SOFTWARE] = {"software", {"sw", "software"}},
	[CATALOGUE_CACHE] = {"cache", {"cache", "hwcache"}},
	[CATALOGUE_PMU] = {"PMU", {"pmu", "PMU"}},
	[CATALOGUE_RAW] = {"form", {"raw", "form"}},
	[CATALOGUE_TRACEPOINT] = {"tracepoint", {"tracepoint", "tp"}},
};

static int add_entry(struct catalogue *c, enum catalogue_kind kind, const char *name,
		     const char *alias)
{
	struct catalogue_entry *entries = reallocarray(c->entries, c->nr + 1, sizeof(*entries));
	struct catalogue_entry *entry;

	if (!entries)
		return -ENOMEM;
	c->entries = entries;
	entry = &entries[c->nr];
	*entry = (struct catalogue_entry){.kind = kind, .name = strdup(name)};
	if (alias)
		entry->alias = strdup(alias);
	if (!entry->name || (alias && !entry->alias)) {
		free(entry->name);
		free(entry->alias);
		return -ENOMEM;
	}
	c->nr++;
	return 0;
}

/* True if the kernel opens the event for this process, as a counter, at least in user mode. */
static bool is_offered(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config, .disabled = 1};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EACCES) {
		attr.exclude_kernel = 1;
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return false;
	close((int)fd);
	return true;
}

static int add_symbols(struct catalogue *c, uint32_t type, enum catalogue_kind kind)
{
	int rc = 0;

	for (const struct event_symbol *s = event_symbols; !rc && s->name; s++)
		if (s->type == type && is_offered(type, s->config))
			rc = add_entry(c, kind, s->name, s->alias);
	return rc;
}

static int add_caches(struct catalogue *c)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HW_CACHE, .exclude_guest = 1};
	char name[TS_EVENT_NAME_BYTES];
	int rc = 0;

	for (uint64_t nr = 0; !rc && nr < 7 * 3 * 2; nr++) {
		attr.config = nr / 6 | (nr / 2 % 3) << 8 | (nr % 2) << 16;
		ts_event_name(&attr, name, sizeof(name));
		if (strcmp(name, "invalid-cache") && is_offered(attr.type, attr.config))
			rc = add_entry(c, CATALOGUE_CACHE, name, NULL);
	}
	return rc;
}

struct pmu_walk {
	struct catalogue *catalogue;
	const char *devices;
	const char *pmu;
};

static int add_pmu_event(void *ctx, const char *name, struct ts_error *err)
{
	const struct pmu_walk *walk = ctx;
	char text[PMU_TEXT];

	(void)err;
	snprintf(text, sizeof(text), "%s/%s/", walk->pmu, name);
	return add_entry(walk->catalogue, CATALOGUE_PMU, text, NULL);
}

static int add_pmu(void *ctx, const char *pmu, struct ts_error *err)
{
	struct pmu_walk walk = *(const struct pmu_walk *)ctx;

	walk.pmu = pmu;
	return event_pmu_events(walk.devices, pmu, add_pmu_event, &walk, err);
}

static int add_tracepoint(void *ctx, const char *system, const char *name, uint64_t id,
			  struct ts_error *err)
{
	char text[PMU_TEXT];

	(void)id;
	(void)err;
	snprintf(text, sizeof(text), "%s:%s", system, name);
	return add_entry(ctx, CATALOGUE_TRACEPOINT, text, NULL);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct catalogue_entry *)a)->name,
		      ((const struct catalogue_entry *)b)->name);
}

static void sort_from(struct catalogue *c, size_t first)
{
	if (c->nr > first)
		qsort(c->entries + first, c->nr - first, sizeof(c->entries[0]), by_name);
}

static int collect_generic(struct catalogue *c)
{
	int rc = add_symbols(c, PERF_TYPE_HARDWARE, CATALOGUE_HARDWARE);

	if (!rc)
		rc = add_symbols(c, PERF_TYPE_SOFTWARE, CATALOGUE_SOFTWARE);
	return rc ? rc : add_caches(c);
}

static int collect_pmus(struct catalogue *c, const char *devices)
{
	struct pmu_walk walk = {.catalogue = c, .devices = devices};
	size_t first = c->nr;
	struct ts_error unused;
	int rc = event_pmu_for_each(devices, "*", add_pmu, &walk, &unused);

	sort_from(c, first);
	return rc < 0 ? rc : 0;
}

static int collect_forms(struct catalogue *c)
{
	int rc = add_entry(c, CATALOGUE_RAW, "rNNN", "a raw hardware event, hexadecimal");

	if (!rc)
		rc = add_entry(c, CATALOGUE_RAW, "PMU/term=value,.../MODIFIERS",
			       "an event of a PMU by its terms");
	return rc ? rc
		  : add_entry(c, CATALOGUE_RAW, "mem:ADDRESS[/LENGTH][:rwx]",
			      "a breakpoint on memory");
}

/* It is no failure if tracepoints may not be read: the other kinds are worth showing. */
static int collect_tracepoints(struct catalogue *c, const char *tracefs, struct ts_notes *notes)
{
	size_t first = c->nr;
	struct ts_error err = {0};
	int rc = event_tracepoint_for_each(tracefs, "*", "*", add_tracepoint, c, &err);

	sort_from(c, first);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		ts_notes_add(notes, "%s%s%s", err.text, *err.hint ? "; " : "", err.hint);
	return 0;
}

int catalogue_collect(struct catalogue *c, const struct event_roots *roots, struct ts_notes *notes,
		      struct ts_error *err)
{
	int rc;

	*c = (struct catalogue){0};
	rc = collect_generic(c);
	if (!rc)
		rc = collect_pmus(c, roots ? roots->pmus : NULL);
	if (!rc)
		rc = collect_forms(c);
	if (!rc)
		rc = collect_tracepoints(c, roots ? roots->tracefs : NULL, notes);
	if (rc) {
		catalogue_release(c);
		return ts_error_sys(err, -rc, "cannot list events");
	}
	return 0;
}

static bool fits(const char *name, const char *word)
{
	if (!name)
		return false;
	return strpbrk(word, "*?[") ? !fnmatch(word, name, 0) : strstr(name, word) != NULL;
}

bool catalogue_matches(const struct catalogue_entry *entry, const char *word)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(word, kinds[i].words[0]) || !strcmp(word, kinds[i].words[1]))
			return entry->kind == (enum catalogue_kind)i;
	if (entry->kind == CATALOGUE_RAW)
		return false;
	return fits(entry->name, word) || fits(entry->alias, word);
}

const char *catalogue_kind_name(enum catalogue_kind kind)
{
	return kinds[kind].name;
}

void catalogue_release(struct catalogue *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		free(c->entries[i].name);
		free(c->entries[i].alias);
	}
	free(c->entries);
	*c = (struct catalogue){0};
}
