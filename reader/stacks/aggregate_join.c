// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/aggregate_join.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/bytes.h"
#include "common/base/sum.h"

/* Frames and modules of the target aggregate, by name. */
struct known {
	struct name_table functions, modules, lines;
	uint32_t *frames;		      /* by the number of a function's name */
	const struct module_name **module_of; /* by the number of a module's name */
	const char **line_of;		      /* by the number of a line's name */
	struct ts_bytes text;		      /* scratch */
};

static const char *module_text(struct known *k, const struct module_name *module)
{
	ts_bytes_clear(&k->text);
	ts_bytes_printf(&k->text, "%s\n%s", module->short_name, module->long_name);
	ts_bytes_zero(&k->text, 1);
	return ts_bytes_failed(&k->text) ? NULL : (const char *)k->text.data;
}

static const char *function_text(struct known *k, const struct frame *f)
{
	ts_bytes_clear(&k->text);
	ts_bytes_printf(&k->text, "%c %" PRIx64 " %" PRIu32 " %s\n%s\n%s", f->level, f->addr,
			f->around, f->module ? f->module->short_name : "", f->symbol->name,
			f->line ? f->line : "");
	ts_bytes_zero(&k->text, 1);
	return ts_bytes_failed(&k->text) ? NULL : (const char *)k->text.data;
}

/* The number of a name; *ret_is_new: it was added now. NAME_TABLE_NONE: out of memory. */
static uint32_t number_name(struct name_table *names, const char *text, bool *ret_is_new)
{
	uint32_t before = names->nr, n = text ? name_table_intern(names, text) : NAME_TABLE_NONE;

	*ret_is_new = names->nr > before;
	return n;
}

/* The first module with this name, or this one. NULL: out of memory. */
static const struct module_name *find_module(struct known *k, const struct module_name *module)
{
	bool is_new;
	uint32_t n = number_name(&k->modules, module_text(k, module), &is_new);

	if (n == NAME_TABLE_NONE)
		return NULL;
	if (is_new)
		k->module_of[n] = module;
	return k->module_of[n];
}

/* The first line with this text, or this one. NULL: out of memory. */
static const char *find_line(struct known *k, const char *line)
{
	bool is_new;
	uint32_t n = number_name(&k->lines, line, &is_new);

	if (n == NAME_TABLE_NONE)
		return NULL;
	if (is_new)
		k->line_of[n] = line;
	return k->line_of[n];
}

/*
 * The equal frame of *a, added if it is new; FRAME_NONE: out of memory. `numbers` has the numbers
 * in *a of all frames before this one. The frame around an inlined function is among them.
 */
static uint32_t find_frame(struct known *k, struct aggregate *a, const struct frame *frame,
			   const uint32_t *numbers)
{
	struct frame f = *frame;
	uint32_t n, number_there;
	bool is_new;

	if (f.around)
		f.around = numbers[f.around - 1] + 1;
	if (f.module) {
		f.module = find_module(k, f.module);
		if (!f.module)
			return FRAME_NONE;
	}
	if (f.line) {
		f.line = find_line(k, f.line);
		if (!f.line)
			return FRAME_NONE;
	}
	if (!f.symbol)
		return frames_intern(&a->frames, &f);
	n = number_name(&k->functions, function_text(k, &f), &is_new);
	if (n == NAME_TABLE_NONE)
		return FRAME_NONE;
	if (!is_new)
		return k->frames[n];
	number_there = frames_intern(&a->frames, &f);
	k->frames[n] = number_there;
	return number_there;
}

static int known_init(struct known *k, struct aggregate *a, size_t nr_more)
{
	size_t nr = a->frames.nr + nr_more;

	*k = (struct known){.frames = calloc(nr + 1, sizeof(*k->frames)),
			    .module_of = calloc(nr + 1, sizeof(*k->module_of)),
			    .line_of = calloc(nr + 1, sizeof(*k->line_of))};
	if (!k->frames || !k->module_of || !k->line_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->frames.nr; i++) {
		const struct frame *f = &a->frames.items[i];
		bool is_new;
		uint32_t n;

		if (f->module && !find_module(k, f->module))
			return -ENOMEM;
		if (f->line && !find_line(k, f->line))
			return -ENOMEM;
		if (!f->symbol)
			continue;
		n = number_name(&k->functions, function_text(k, f), &is_new);
		if (n == NAME_TABLE_NONE)
			return -ENOMEM;
		if (is_new)
			k->frames[n] = i;
	}
	return 0;
}

static void known_release(struct known *k)
{
	name_table_release(&k->functions);
	name_table_release(&k->modules);
	name_table_release(&k->lines);
	free(k->frames);
	free(k->module_of);
	free(k->line_of);
	ts_bytes_release(&k->text);
}

struct numbers { /* numbers in the target of the items that are added */
	uint32_t *frames, *comms, *tags;
};

static void numbers_release(struct numbers *n)
{
	free(n->frames);
	free(n->comms);
	free(n->tags);
}

static int number_all(struct numbers *n, struct aggregate *a, const struct aggregate *from)
{
	struct known known;
	int rc;

	*n = (struct numbers){.frames = calloc(from->frames.nr + 1, sizeof(*n->frames)),
			      .comms = calloc(from->comms.nr + 1, sizeof(*n->comms)),
			      .tags = calloc(from->tags.nr + 1, sizeof(*n->tags))};
	if (!n->frames || !n->comms || !n->tags)
		return -ENOMEM;
	rc = known_init(&known, a, from->frames.nr);
	for (uint32_t i = 0; !rc && i < from->frames.nr; i++) {
		n->frames[i] = find_frame(&known, a, &from->frames.items[i], n->frames);
		rc = n->frames[i] == FRAME_NONE ? -ENOMEM : 0;
	}
	known_release(&known);
	for (uint32_t i = 0; !rc && i < from->comms.nr; i++) {
		n->comms[i] = name_table_intern(&a->comms, from->comms.items[i]);
		rc = n->comms[i] == NAME_TABLE_NONE ? -ENOMEM : 0;
	}
	return rc || !from->tags.plan ? rc : tags_share(&a->tags, &from->tags, n->tags);
}

/* places: of these stacks; NULL: nobody asks. */
static int join_stacks(struct aggregate *a, struct stacks *from, const struct numbers *n,
		       const uint32_t *events, struct stack_place *places)
{
	int rc = 0;

	for (uint32_t i = 0; i < from->nr; i++)
		from->items[i].key.event = events[from->items[i].key.event];
	stacks_renumber(from, n->frames, n->comms, a->tags.plan ? n->tags : NULL);
	for (unsigned int i = 0; !rc && i < a->nr_parts; i++)
		rc = stacks_merge(&a->parts[i], from, i, a->nr_parts, places);
	stacks_release(from);
	return rc;
}

/* --- logs --- */

struct moves {			    /* of the single samples; empty without logs */
	uint64_t *first;	    /* by part: its first stack in places[] */
	struct stack_place *places; /* of all stacks in the target */
};

static void moves_release(struct moves *m)
{
	memory_free(m->first);
	memory_free(m->places);
}

static int moves_init(struct moves *m, const struct aggregate *from)
{
	uint64_t nr;

	*m = (struct moves){0};
	if (!from->nr_logs)
		return 0;
	m->first = aggregate_first_stacks(from, &nr);
	if (!m->first)
		return -ENOMEM;
	m->places = memory_new(from->memory, nr + 1, sizeof(*m->places));
	return m->places ? 0 : -ENOMEM;
}

static int join_logs(struct aggregate *a, struct aggregate *from, const struct moves *m)
{
	const unsigned int nr = a->nr_logs + from->nr_logs;
	struct sample_log *logs = realloc(a->logs, nr * sizeof(*logs));

	if (!logs)
		return -ENOMEM;
	a->logs = logs;
	for (unsigned int i = 0; i < from->nr_logs; i++) {
		if (sample_log_move(&from->logs[i], m->places, m->first))
			return -ENOMEM;
		from->logs[i].capture = a->nr_joined;
	}
	for (unsigned int i = 0; i < from->nr_logs; i++)
		logs[a->nr_logs++] = from->logs[i];
	free(from->logs);
	from->logs = NULL;
	from->nr_logs = 0;
	return 0;
}

/* --- the whole --- */

int aggregate_join(struct aggregate *a, struct aggregate *from, const uint32_t *events,
		   size_t nr_events)
{
	struct numbers numbers;
	struct moves moves = {0};
	int rc = number_all(&numbers, a, from);

	if (!rc)
		rc = moves_init(&moves, from);
	for (unsigned int i = 0; !rc && i < from->nr_parts; i++)
		rc = join_stacks(a, &from->parts[i], &numbers, events,
				 moves.places ? moves.places + moves.first[i] : NULL);
	numbers_release(&numbers);
	a->nr_joined++;
	if (!rc && from->nr_logs)
		rc = join_logs(a, from, &moves);
	moves_release(&moves);
	for (size_t i = 0; !rc && i < nr_events; i++) {
		a->rest[events[i]].period = ts_sum(a->rest[events[i]].period, from->rest[i].period);
		a->rest[events[i]].nr_samples += from->rest[i].nr_samples;
	}
	return rc;
}
