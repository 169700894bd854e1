// SPDX-License-Identifier: Apache-2.0
#include "common/options/command_line.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/spelling.h"

#define KEY_FIRST  0x100 /* of rows without a letter; argp takes smaller keys for letters */
#define NAME_BYTES 128

static const struct ts_option help_rows[] = {
	{TS_OPTION_NOTHING, "help", 'h', .is_hidden = true},
	{TS_OPTION_NOTHING, "usage", '?', .is_hidden = true},
	{0},
};

struct reading { /* the state of argp's callback */
	const struct ts_command *command;
	void *options;
	struct ts_option_place *places; /* the command's, then those of help_rows */
	size_t nr, nr_own;
	bool wants_help;
	const char *value; /* of the option that was read last */
	struct ts_notes *notes;
	struct ts_error *err;
};

/* --- the options in argp's form --- */

/*
 * An alias without a letter has the key of its row, because then a beginning that both names share
 * is not ambiguous.
 */
static int key_of(const struct reading *r, size_t i)
{
	while (r->places[i].row != r->places[i].of && !r->places[i].row->letter)
		i--;
	return r->places[i].row->letter ? r->places[i].row->letter : KEY_FIRST + (int)i;
}

static struct argp_option *make_argp_options(const struct reading *r)
{
	struct argp_option *options = calloc(r->nr + 1, sizeof(*options));

	for (size_t i = 0; options && i < r->nr; i++) {
		const struct ts_option *of = r->places[i].of;

		options[i].name = r->places[i].row->name;
		options[i].key = key_of(r, i);
		options[i].arg = of->value;
		if (ts_option_takes_value(of) && !ts_option_needs_value(of))
			options[i].flags = OPTION_ARG_OPTIONAL;
	}
	return options;
}

/* --- explaining a wrong word --- */

static const struct ts_option_place *find_letter(const struct reading *r, char letter)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->places[i].row->letter == letter)
			return &r->places[i];
	return NULL;
}

static int explain_word(struct reading *r, const char *fmt, const char *word, const char *hint)
{
	ts_error_set(r->err, EINVAL, fmt, word);
	if (hint)
		return ts_error_hint(r->err, "%s", hint);
	return ts_error_hint(r->err, "'tstream %s --help' lists the options", r->command->name);
}

/*
 * Checks a word of letters, as -aC, and explains the first letter that is no option or lacks its
 * value. 0: no such letter.
 */
static int explain_letters(struct reading *r, const char *word, bool is_last)
{
	for (const char *at = word + 1; *at; at++) {
		const struct ts_option_place *place = find_letter(r, *at);
		char letter[3] = {'-', *at, '\0'};

		if (!place)
			return explain_word(r, "cannot use %s: there is no such option", letter,
					    NULL);
		if (!ts_option_takes_value(place->of))
			continue;
		if (ts_option_needs_value(place->of) && !at[1] && is_last)
			return explain_word(r, "cannot use %s without a value", letter, NULL);
		return 0;
	}
	return 0;
}

/* Finds the row of a name, or of the beginning of a name; *ret_nr: how many rows begin with it. */
static const struct ts_option_place *find_name(const struct reading *r, const char *name,
					       size_t *ret_nr)
{
	const struct ts_option_place *found = NULL;

	*ret_nr = 0;
	for (size_t i = 0; i < r->nr; i++) {
		const char *own = r->places[i].row->name;

		if (!own || strncmp(own, name, strlen(name)) != 0)
			continue;
		if (!strcmp(own, name)) {
			*ret_nr = 1;
			return &r->places[i];
		}
		*ret_nr += !found || found->of != r->places[i].of;
		found = &r->places[i];
	}
	return found;
}

static int explain_unknown(struct reading *r, const char *name)
{
	struct ts_spelling near = {.word = name};
	char hint[NAME_BYTES + 32];

	for (size_t i = 0; i < r->nr; i++)
		if (r->places[i].row->name)
			ts_spelling_try(&near, r->places[i].row->name);
	if (!ts_spelling_found(&near))
		return explain_word(r, "cannot use --%s: there is no such option", name, NULL);
	snprintf(hint, sizeof(hint), "did you mean --%s?", ts_spelling_found(&near));
	return explain_word(r, "cannot use --%s: there is no such option", name, hint);
}

static int explain_several(struct reading *r, const char *name)
{
	char hint[256] = "did you mean one of:";
	size_t len = strlen(hint);
	const struct ts_option *last = NULL;

	for (size_t i = 0; i < r->nr; i++) {
		const char *own = r->places[i].row->name;

		if (!own || strncmp(own, name, strlen(name)) != 0 || r->places[i].of == last)
			continue;
		last = r->places[i].of;
		if (len + strlen(own) + sizeof(" -- ...") > sizeof(hint)) {
			strcpy(hint + len, " ...");
			break;
		}
		len += (size_t)sprintf(hint + len, " --%s", own);
	}
	return explain_word(r, "cannot use --%s: several options begin with it", name, hint);
}

static int explain_name(struct reading *r, const char *word, bool is_last)
{
	const char *value = strchr(word, '=');
	const struct ts_option_place *place;
	char name[NAME_BYTES];
	size_t nr;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	place = *name ? find_name(r, name, &nr) : NULL;
	if (!place)
		return explain_unknown(r, name);
	if (nr > 1)
		return explain_several(r, name);
	if (value && !ts_option_takes_value(place->of))
		return explain_word(r, "cannot use --%s with a value", name, NULL);
	if (!value && ts_option_needs_value(place->of) && is_last)
		return explain_word(r, "cannot use --%s without a value", name, NULL);
	return 0;
}

/*
 * getopt has refused a word and reports only a position: the wrong word stands there or directly
 * before, unless that one is the value of an option. Each word is wrong independently of the
 * others, so both are checked alone.
 */
static int explain_refusal(struct reading *r, int argc, char **argv, int next)
{
	for (int i = next > 1 ? next - 1 : 1; i <= next && i < argc; i++) {
		int code = 0;

		if (argv[i] == r->value)
			continue;
		if (!strncmp(argv[i], "--", 2) && argv[i][2])
			code = explain_name(r, argv[i], i + 1 == argc);
		else if (argv[i][0] == '-' && argv[i][1])
			code = explain_letters(r, argv[i], i + 1 == argc);
		if (code)
			return code;
	}
	return ts_error_set(r->err, EINVAL, "cannot read the options of %s", r->command->name);
}

/* --- reading --- */

static int take_word(struct reading *r, struct argp_state *state)
{
	char **rest = state->argv + state->next - 1;

	if (!r->command->take_word)
		return explain_word(
			r, "cannot use '%s': this command takes no arguments after its options",
			*rest, NULL);
	if (r->command->rest_is_program)
		state->next = state->argc;
	return r->command->take_word(r->options, rest, r->err);
}

static int take_option(struct reading *r, size_t i, const char *value, struct argp_state *state)
{
	const struct ts_option_place *place = &r->places[i];

	if (i >= r->nr_own) { /* nothing behind it counts, not even in the same word */
		r->wants_help = true;
		return -ECANCELED;
	}
	if (!value && place->of->may_be_next && state->next < state->argc &&
	    state->argv[state->next][0] != '-')
		value = state->argv[state->next++];
	r->value = value;
	return ts_option_take(place, value, r->notes, r->err);
}

static error_t take_argument(int key, char *arg, struct argp_state *state)
{
	struct reading *r = state->input;
	int code = 0;

	if (key == ARGP_KEY_ARG) {
		code = take_word(r, state);
		return code < 0 ? EINVAL : 0;
	}
	if (key == ARGP_KEY_ERROR && !r->err->code && !r->wants_help)
		explain_refusal(r, state->argc, state->argv, state->next);
	for (size_t i = 0; i < r->nr; i++)
		if (key == key_of(r, i)) {
			code = take_option(r, i, arg, state);
			return code < 0 ? EINVAL : 0;
		}
	return ARGP_ERR_UNKNOWN;
}

/* Lists the command's rows, and the rows that every command has. */
static int list_places(struct reading *r, void *options)
{
	size_t nr_help = sizeof(help_rows) / sizeof(help_rows[0]) - 1;
	struct ts_option_place *places = ts_options_list(r->command->rows, options, &r->nr_own);

	r->places = places ? reallocarray(places, r->nr_own + nr_help, sizeof(*places)) : NULL;
	if (!r->places) {
		free(places);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr_help; i++)
		r->places[r->nr_own + i] =
			(struct ts_option_place){help_rows + i, help_rows + i, NULL};
	r->nr = r->nr_own + nr_help;
	return 0;
}

static int no_options(const struct ts_command *command, struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot read the options of %s", command->name);
}

int ts_command_read(const struct ts_command *command, void *options, int argc, char **argv,
		    enum ts_command_asks *ret_asks, struct ts_notes *notes, struct ts_error *err)
{
	struct reading r = {.command = command, .options = options, .notes = notes, .err = err};
	const unsigned int flags = ARGP_NO_HELP | ARGP_NO_EXIT | ARGP_NO_ERRS |
				   (command->rest_is_program ? ARGP_IN_ORDER : 0);
	struct argp_option *own = NULL;
	struct argp argp = {.parser = take_argument};
	int code = list_places(&r, options);

	*err = (struct ts_error){0};
	*ret_asks = TS_ASKS_NOTHING;
	if (!code)
		argp.options = own = make_argp_options(&r);
	if (!own)
		code = no_options(command, err);
	else if (argp_parse(&argp, argc, argv, flags, NULL, &r) && !r.wants_help)
		code = err->code ? -err->code : no_options(command, err);
	if (!code && r.wants_help)
		*ret_asks = TS_ASKS_HELP;
	else if (!code && command->settle)
		code = command->settle(options, err);
	free(own);
	free(r.places);
	return code;
}
