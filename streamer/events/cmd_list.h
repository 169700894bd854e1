/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `tstream list [GLOB...]` prints the events that this machine offers, for record's -e.
 *
 * Threads: one. It is a command of its own.
 */
#ifndef TS_STREAMER_EVENTS_CMD_LIST_H
#define TS_STREAMER_EVENTS_CMD_LIST_H

#include "common/options/command_line.h"

/* Returns the exit status: 0; 1 if nothing matches or nothing could be read; 2 for usage. */
int cmd_list(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_list_line;

#endif
