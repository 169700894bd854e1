/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream report`: where the samples of captures were taken, by the sort keys.
 *
 * Threads: main thread only; it starts and joins workers.
 */
#ifndef TS_READER_REPORT_CMD_REPORT_H
#define TS_READER_REPORT_CMD_REPORT_H

/* Returns the exit status: 0 sound, 1 failure or damage, 2 usage. ^C ends the process with 130. */
int cmd_report(int argc, char **argv);

#endif
