/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `tstream list [GLOB...]`: the events that this machine offers, to be given to record's -e.
 *
 * Threads: one; it is a command of its own.
 */
#ifndef TS_STREAMER_EVENTS_CMD_LIST_H
#define TS_STREAMER_EVENTS_CMD_LIST_H

#include "common/options/command_line.h"

/* Returns the exit status: 0, 1 where nothing matches or could be read, 2 for usage. */
int cmd_list(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_list_line;

#endif
