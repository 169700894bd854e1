/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream merge`: makes one capture from several captures of one recording.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_CMD_MERGE_H
#define TS_READER_MERGE_CMD_MERGE_H

#include "common/options/command_line.h"

/* argv[0] is the word "merge". Returns the exit status. */
int cmd_merge(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_merge_line;

#endif
