// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/cmd_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/log.h"
#include "common/options/print_command.h"
#include "streamer/events/event_catalogue.h"

struct list_options {
	char **words; /* into argv */
	size_t nr_words;
};

/* The words are neighbours in argv: argp has moved all options before them. */
static int take_word(void *options, char **rest, struct ts_error *err)
{
	struct list_options *o = options;

	(void)err;
	if (!o->nr_words)
		o->words = rest;
	o->nr_words++;
	return 0;
}

static const struct ts_option option_rows[] = {
	{0},
};

const struct ts_command cmd_list_line = {
	.name = "list",
	.summary = "list the events that this machine offers",
	.words = "[GLOB...]",
	.purpose = "Lists the events that this machine offers, for record's -e.",
	.rows = option_rows,
	.more = "GLOB is a pattern with * ? [...], a part of a name, or one of hw, sw, cache, pmu, "
		"raw,\n"
		"tracepoint.",
	.take_word = take_word,
};

static bool is_wanted(const struct catalogue_entry *entry, const struct list_options *options)
{
	for (size_t i = 0; i < options->nr_words; i++)
		if (catalogue_matches(entry, options->words[i]))
			return true;
	return !options->nr_words;
}

static void print_entry(const struct catalogue_entry *entry)
{
	char name[128];

	if (entry->kind == CATALOGUE_RAW)
		snprintf(name, sizeof(name), "%-28s %s", entry->name, entry->alias);
	else
		snprintf(name, sizeof(name), "%s%s%s", entry->name, entry->alias ? " or " : "",
			 entry->alias ? entry->alias : "");
	printf("%-60s %s\n", name, catalogue_kind_name(entry->kind));
}

/* `is_whole`: all kinds of events could be read, so a missing event is not on this machine. */
static void refuse_words(const struct list_options *options, bool is_whole, struct ts_error *err)
{
	const char *word = options->nr_words ? options->words[0] : "*";

	if (is_whole)
		ts_error_set(err, ENOENT, "cannot list '%s': this machine has no such event", word);
	else
		ts_error_set(err, ENOENT,
			     "cannot list '%s': it matches none of the events that could be read",
			     word);
	ts_error_hint(err, "'tstream list' without arguments lists all");
}

static int print_catalogue(const struct catalogue *catalogue, const struct list_options *options,
			   bool is_whole)
{
	struct ts_error err = {0};
	size_t nr = 0;

	for (size_t i = 0; i < catalogue->nr; i++) {
		if (!is_wanted(&catalogue->entries[i], options))
			continue;
		print_entry(&catalogue->entries[i]);
		nr++;
	}
	if (fflush(stdout) || ferror(stdout)) {
		ts_error_sys(&err, errno, "cannot print events");
		clearerr(stdout); /* the error is reported */
	} else if (!nr) {
		refuse_words(options, is_whole, &err);
	}
	if (err.code)
		ts_log_error(&err);
	return err.code ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int list_events(const struct list_options *options)
{
	struct catalogue catalogue;
	struct ts_notes notes = {0};
	struct ts_error err = {0};
	int status;

	if (catalogue_collect(&catalogue, NULL, &notes, &err)) {
		ts_log_error(&err);
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < notes.nr; i++)
		ts_log_note("%s", notes.items[i]);
	status = print_catalogue(&catalogue, options, !notes.nr);
	ts_notes_release(&notes);
	catalogue_release(&catalogue);
	return status;
}

int cmd_list(int argc, char **argv)
{
	struct list_options options = {0};
	int status = ts_print_command(&cmd_list_line, &options, argc, argv);

	return status == TS_COMMAND_GOES_ON ? list_events(&options) : status;
}
