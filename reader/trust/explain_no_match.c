// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/explain_no_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/spelling.h"

#define NAMED_MAX 6 /* most names that are listed */

/* The names of one kind that exist; a name may occur several times. */
struct there {
	size_t nr;
	const char *(*name)(const struct explain_no_match *m, size_t i); /* NULL: no name */
	const char *key; /* sort key of report that shows them */
};

static const char *comm_at(const struct explain_no_match *m, size_t i)
{
	return tasks_name(m->tasks, i);
}

static const char *dso_at(const struct explain_no_match *m, size_t i)
{
	const struct module_name *module = m->frames->items[i].module;

	return module ? module->short_name : NULL;
}

static const char *symbol_at(const struct explain_no_match *m, size_t i)
{
	const struct symbol *symbol = m->frames->items[i].symbol;

	return symbol ? symbol->name : NULL;
}

static bool is_there(const struct explain_no_match *m, const struct there *there, const char *word)
{
	for (size_t i = 0; i < there->nr; i++) {
		const char *name = there->name(m, i);

		if (name && !strcmp(name, word))
			return true;
	}
	return false;
}

/* The order of names depends on the workers that found them: of equally near ones the first by name. */
static void try_name(struct ts_spelling *near, const char *name)
{
	struct ts_spelling one = {.word = near->word};

	ts_spelling_try(&one, name);
	if (*one.name && (!*near->name || one.nr_slips < near->nr_slips ||
			  (one.nr_slips == near->nr_slips && strcmp(one.name, near->name) < 0)))
		*near = one;
}

static const char *find_near(const struct explain_no_match *m, const struct there *there,
			     struct ts_spelling *near)
{
	for (size_t i = 0; i < there->nr; i++)
		if (there->name(m, i))
			try_name(near, there->name(m, i));
	return ts_spelling_found(near);
}

/* The first name behind this one, in the order of strcmp(); NULL: none. */
static const char *find_next(const struct explain_no_match *m, const struct there *there,
			     const char *last)
{
	const char *next = NULL;

	for (size_t i = 0; i < there->nr; i++) {
		const char *name = there->name(m, i);

		if (name && strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0))
			next = name;
	}
	return next;
}

/* Writes "; there are bash, sleep"; if there are more than NAMED_MAX, how to list them. */
static void put_names(const struct explain_no_match *m, const struct there *there, char *at,
		      size_t room)
{
	const char *name = "";
	size_t nr = 0, len = 0;

	while (nr <= NAMED_MAX && len < room && (name = find_next(m, there, name))) {
		len += (size_t)snprintf(at + len, room - len, "%s%.40s", nr ? ", " : "; there are ",
					name);
		nr++;
	}
	if (nr > NAMED_MAX)
		snprintf(at, room, "; tstream report --sort %s lists them", there->key);
}

/* Explains a list of words none of which exists. False: a word exists, or the list is empty. */
static bool put_words(const struct explain_no_match *m, const struct selection_words *words,
		      const struct there *there, const char *what, char buf[EXPLAIN_NO_MATCH_BYTES])
{
	size_t len;

	for (size_t i = 0; i < words->nr; i++)
		if (is_there(m, there, words->items[i]))
			return false;
	if (!words->nr)
		return false;
	len = (size_t)snprintf(buf, EXPLAIN_NO_MATCH_BYTES, ": no %s is called '%.100s'", what,
			       words->items[0]);
	for (size_t i = 0; i < words->nr; i++) {
		struct ts_spelling near = {.word = words->items[i]};

		if (!find_near(m, there, &near))
			continue;
		snprintf(buf + len, EXPLAIN_NO_MATCH_BYTES - len, "; did you mean %s?", near.name);
		return true;
	}
	put_names(m, there, buf + len, EXPLAIN_NO_MATCH_BYTES - len);
	return true;
}

static bool put_numbers(const struct selection_numbers *numbers, const struct tasks *tasks,
			bool (*has)(const struct tasks *tasks, uint32_t number), const char *what,
			char buf[EXPLAIN_NO_MATCH_BYTES])
{
	for (size_t i = 0; i < numbers->nr; i++)
		if (has(tasks, numbers->items[i]))
			return false;
	if (numbers->nr)
		snprintf(buf, EXPLAIN_NO_MATCH_BYTES,
			 ": it has no %s %" PRIu32 "; report --tasks lists them", what,
			 numbers->items[0]);
	return numbers->nr;
}

const char *explain_no_match_text(const struct explain_no_match *m,
				  char buf[EXPLAIN_NO_MATCH_BYTES])
{
	const struct there comms = {tasks_nr_names(m->tasks), comm_at, "comm"};
	const struct there dsos = {m->frames ? m->frames->nr : 0, dso_at, "dso"};
	const struct there symbols = {m->frames ? m->frames->nr : 0, symbol_at, "sym"};
	const struct selection *s = m->selection;
	/* Frames of threads that the other options do not select are unknown. */
	bool are_some = s->pids.nr || s->tids.nr || s->text.comm_names.nr;

	buf[0] = '\0';
	if (put_numbers(&s->pids, m->tasks, tasks_has_process, "process", buf) ||
	    put_numbers(&s->tids, m->tasks, tasks_has_thread, "thread", buf) ||
	    put_words(m, &s->text.comm_names, &comms, "command", buf))
		return buf;
	if (dsos.nr && !put_words(m, &s->text.dso_names, &dsos,
				  are_some ? "object of those threads" : "object of a sample", buf))
		put_words(m, &s->text.symbol_names, &symbols,
			  are_some ? "function of those threads" : "function of a sample", buf);
	return buf;
}
