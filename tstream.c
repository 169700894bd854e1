// SPDX-License-Identifier: Apache-2.0
/*
 * The front door: finds the command that the first word names and hands it the words from there on.
 * A command is one file, cmd_NAME.c in its room; it reads its own options and returns the exit status.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/base/environment.h"
#include "common/base/spelling.h"
#include "common/options/completion.h"
#include "streamer/control/cmd_ctl.h"
#include "streamer/events/cmd_list.h"
#include "streamer/record/cmd_record.h"

#ifdef WITH_READER
#include "reader/archive/cmd_archive.h"
#include "reader/check/cmd_check.h"
#include "reader/compact/cmd_compact.h"
#include "reader/export/cmd_export.h"
#include "reader/merge/cmd_merge.h"
#include "reader/merge/cmd_rescue.h"
#include "reader/report/cmd_report.h"
#include "reader/script/cmd_script.h"
#endif

struct command {
	const struct ts_command *line; /* its name and its options */
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{&cmd_record_line, cmd_record},	  {&cmd_list_line, cmd_list},
	{&cmd_ctl_line, cmd_ctl},
#ifdef WITH_READER
	{&cmd_report_line, cmd_report},	  {&cmd_script_line, cmd_script},
	{&cmd_export_line, cmd_export},	  {&cmd_check_line, cmd_check},
	{&cmd_merge_line, cmd_merge},	  {&cmd_compact_line, cmd_compact},
	{&cmd_archive_line, cmd_archive}, {&cmd_rescue_line, cmd_rescue},
#endif
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	fputs("Usage: tstream COMMAND [OPTION...]\nRecords events of this machine in parallel, and "
	      "reports on them in parallel.\n\n",
	      out);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].line->name, commands[i].line->summary);
	fputs("\n'tstream help COMMAND' lists the options of a command; see also 'man tstream'.\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].line->name, name))
			return &commands[i];
	return NULL;
}

static int refuse_command(const char *name)
{
	struct ts_spelling near = {.word = name};

	for (size_t i = 0; i < NR_COMMANDS; i++)
		ts_spelling_try(&near, commands[i].line->name);
	fprintf(stderr, "tstream: cannot run '%s': no such command; 'tstream --help' lists them\n",
		name);
	if (ts_spelling_found(&near))
		fprintf(stderr, "  hint: did you mean %s?\n", ts_spelling_found(&near));
	return 2;
}

/* 'tstream completion bash': what a shell is to read. */
static int print_completion(const char *shell)
{
	const struct ts_command *lines[NR_COMMANDS];
	struct ts_bytes text = {0};
	struct ts_error err;
	int code;

	for (size_t i = 0; i < NR_COMMANDS; i++)
		lines[i] = commands[i].line;
	code = ts_completion(shell, "tstream", lines, NR_COMMANDS, &text, &err);
	if (code)
		fprintf(stderr, "tstream: %s\n", err.text);
	else if (!ts_bytes_failed(&text))
		fwrite(text.data, 1, text.len, stdout);
	code = code ? 2 : ts_bytes_failed(&text) ? 1 : 0;
	ts_bytes_release(&text);
	return code;
}

/* 'tstream help report' is 'tstream report --help'. */
static bool asks_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

static int help_on(const char *name)
{
	const struct command *command = find_command(name);

	return command ? command->run(2, (char *[]){(char *)name, (char *)"--help", NULL})
		       : refuse_command(name);
}

/*
 * A program started with stdin, stdout or stderr closed would give their numbers to the next files
 * it opens, and print its messages into them. It holds them by descriptors that cannot be written,
 * so that what it prints for a closed stdout fails as it should.
 */
static void hold_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* At exit, also of argp, which prints a command's help. A reader that went away is no failure. */
static void close_stdout(void)
{
	bool failed = ferror(stdout);
	int code = fclose(stdout) ? errno : 0;

	if ((!failed && !code) || code == EPIPE)
		return;
	fprintf(stderr, "tstream: cannot write to standard output%s%s\n", code ? ": " : "",
		code ? strerror(code) : "");
	_exit(1);
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (getauxval(AT_SECURE) && ts_environment_distrust() < 0) {
		fputs("tstream: cannot begin: Cannot allocate memory\n", stderr);
		return 1;
	}
	hold_standard_descriptors();
	atexit(close_stdout);
	if (argc < 2) {
		print_help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(PACKAGE_STRING);
		return 0;
	}
	if (!strcmp(argv[1], "help") && argc > 2 && !asks_help(argv[2]))
		return help_on(argv[2]);
	if (asks_help(argv[1])) {
		print_help(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "completion"))
		return print_completion(argc > 2 ? argv[2] : "");
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	return command->run(argc - 1, argv + 1);
}
