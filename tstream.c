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
#include "streamer/control/cmd_ctl.h"
#include "streamer/events/cmd_list.h"
#include "streamer/record/cmd_record.h"

#ifdef WITH_READER
#include "reader/archive/cmd_archive.h"
#include "reader/check/cmd_check.h"
#include "reader/compact/cmd_compact.h"
#include "reader/merge/cmd_merge.h"
#include "reader/merge/cmd_rescue.h"
#include "reader/report/cmd_report.h"
#include "reader/script/cmd_script.h"
#endif

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{"record", cmd_record, "record events of this machine, of processes, of a command"},
	{"list", cmd_list, "list the events that this machine offers"},
	{"ctl", cmd_ctl, "tell a recorder what to do: status, snapshot, rotate, stop"},
#ifdef WITH_READER
	{"report", cmd_report, "show where the samples of a capture were taken"},
	{"script", cmd_script, "print every sample in the order of time"},
	{"check", cmd_check, "check that everything in a capture is as it was written"},
	{"merge", cmd_merge, "make one capture of several of the same recording"},
	{"compact", cmd_compact, "unwind the stack dumps of a capture once, and drop them"},
	{"archive", cmd_archive, "put the symbols of a capture beside its samples"},
	{"rescue", cmd_rescue, "make a capture of what a killed recorder held in memory"},
#endif
	{NULL, NULL, NULL},
};

static void print_help(FILE *out)
{
	fputs("Usage: tstream COMMAND [OPTION...]\n"
	      "Records what this machine does in parallel, and reports on it in parallel.\n\n",
	      out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
	fputs("\n'tstream COMMAND --help' lists the options of a command; 'man tstream' tells the "
	      "rest.\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int refuse_command(const char *name)
{
	struct ts_near near = {.word = name};

	for (const struct command *c = commands; c->name; c++)
		ts_near_try(&near, c->name);
	fprintf(stderr, "tstream: cannot run '%s': no such command; 'tstream --help' lists them\n",
		name);
	if (ts_near_found(&near))
		fprintf(stderr, "  hint: did you mean %s?\n", ts_near_found(&near));
	return 2;
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
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return 0;
	}
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	return command->run(argc - 1, argv + 1);
}
