/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line, read by the table of the command's options (option.h).
 *
 *	tstream report -s pid cap     words -> struct ts_command -> the command's struct of options
 *
 * A mistake becomes a sentence, which suggests a name that is spelled nearly the same. A user of
 * perf never meets getopt's "unrecognized option", because the tables also list perf's options that
 * a command does not have. Nothing is printed here.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_COMMON_OPTIONS_COMMAND_LINE_H
#define TS_COMMON_OPTIONS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "common/options/option.h"

struct ts_command {
	const char *name;    /* "report" */
	const char *words;   /* behind the options: "[CAPTURE...]"; NULL: none are allowed */
	const char *summary; /* a few words, beside its name in the list of commands */
	const char *purpose; /* a sentence */
	const struct ts_option *rows;
	const char *more; /* sentences behind the options in the help; NULL: none */
	/*
	 * Takes a word that is no option, the first of `rest`, which ends with NULL. A NULL
	 * function: the command takes no words. 0, or -errno with the sentence.
	 */
	int (*take_word)(void *options, char **rest, struct ts_error *err);
	/* The first such word is a program: it ends the options, and all of `rest` is taken. */
	bool rest_is_program;
	/*
	 * Called after the last word: derives values from the options and checks that they go
	 * together. NULL: nothing to do.
	 */
	int (*settle)(void *options, struct ts_error *err);
};

enum ts_command_asks { TS_ASKS_NOTHING, TS_ASKS_HELP };

/*
 * Reads argv[1] and the words behind it. If *ret_asks is TS_ASKS_HELP, nothing else counts. `notes`
 * gets a sentence for each option that was accepted but changes nothing. -EINVAL with the sentence,
 * or the error of a reader.
 */
int ts_command_read(const struct ts_command *command, void *options, int argc, char **argv,
		    enum ts_command_asks *ret_asks, struct ts_notes *notes, struct ts_error *err);

#endif
