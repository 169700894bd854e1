/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `tstream export`: stacks of captures as a file that other viewers open.
 *
 * Threads: main thread; counting uses several.
 */
#ifndef TS_READER_EXPORT_CMD_EXPORT_H
#define TS_READER_EXPORT_CMD_EXPORT_H

#include "common/options/command_line.h"

extern const struct ts_command cmd_export_line;

/* Returns the exit status. argv[0] is the name of the command. */
int cmd_export(int argc, char **argv);

#endif
