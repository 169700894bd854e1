/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream report`: prints where samples were taken, by the sort keys.
 *
 * Threads: main thread only; it starts and joins workers.
 */
#ifndef TS_READER_REPORT_CMD_REPORT_H
#define TS_READER_REPORT_CMD_REPORT_H

#include "common/options/command_line.h"

/* Returns the exit status: 0 sound, 1 failure or damage, 2 usage. ^C ends the process with 130. */
int cmd_report(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_report_line;

#endif
