// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/command_line.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "common/base/spelling.h"
#include "reader/chunks/selection_options.h"
#include "reader/objects/symbol_place_options.h"
#include "reader/runtime/spill_options.h"

void command_line_begin(struct argp_state *state)
{
	struct command_line *line = state->input;

	state->child_inputs[0] = line->selection;
	state->child_inputs[1] = line->places;
	state->child_inputs[2] = line->mem_limit;
	state->child_inputs[3] = &line->perf;
}

/* Is it a long option, or the beginning of one? If not, *near has what comes nearest. */
static bool is_option(const struct argp *argp, struct ts_near *near)
{
	bool is_one = false;

	for (const struct argp_option *o = argp->options; o->name || o->key || o->doc; o++) {
		if (!o->name)
			continue;
		is_one |= !strncmp(o->name, near->word, strlen(near->word));
		ts_near_try(near, o->name);
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		is_one |= is_option(c->argp, near);
	return is_one;
}

/* argp says that there is no such option, and ends; this says in front of it what was meant. */
static void say_meant(const struct argp *argp, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char word[TS_NEAR_BYTES_MAX];
		struct ts_near near = {.word = word};

		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
		if (!is_option(argp, &near) && ts_near_found(&near))
			ts_note("there is no option --%s: did you mean --%s?", word,
				ts_near_found(&near));
	}
}

int command_line_read(struct command_line *line, struct argp *own, struct ts_perf_options *perf,
		      int argc, char **argv)
{
	const struct argp_child children[] = {{.argp = &selection_argp},
					      {.argp = &symbol_place_argp},
					      {.argp = &spill_argp},
					      {.argp = &perf->argp},
					      {0}};
	struct ts_error err = {0};
	struct ts_notes notes = {0};
	int rc;

	line->perf = (struct ts_perf_options_input){perf, &notes, &err};
	own->children = children;
	argv[0] = (char *)line->name;
	argp_err_exit_status = 2;
	say_meant(own, argc, argv);
	rc = argp_parse(own, argc, argv, 0, NULL, line);
	own->children = NULL;
	return ts_perf_options_settle(&notes, &err) || rc ? 2 : 0;
}
