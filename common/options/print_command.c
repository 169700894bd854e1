// SPDX-License-Identifier: Apache-2.0
#include "common/options/print_command.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/log.h"
#include "common/options/option_help.h"

int ts_print_command_help(const struct ts_command *command)
{
	struct ts_bytes text = {0};
	int status = 1;

	ts_option_help(command, &text);
	if (!ts_bytes_failed(&text)) {
		fwrite(text.data, 1, text.len, stdout);
		status = 0;
	}
	ts_bytes_release(&text);
	return status;
}

int ts_print_command(const struct ts_command *command, void *options, int argc, char **argv)
{
	enum ts_command_asks asks;
	struct ts_notes notes = {0};
	struct ts_error err;
	int code = ts_command_read(command, options, argc, argv, &asks, &notes, &err);

	if (code)
		ts_log_error(&err);
	else if (asks != TS_ASKS_HELP)
		for (size_t i = 0; i < notes.nr; i++)
			ts_log_note("%s", notes.items[i]);
	ts_notes_release(&notes);
	if (code)
		return code == -ENOMEM ? 1 : TS_STATUS_MISUSE;
	return asks == TS_ASKS_HELP ? ts_print_command_help(command) : TS_COMMAND_GOES_ON;
}
