/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tstream archive: puts the files that are needed to read a capture elsewhere into its own folder
 * of symbols.
 *
 * Threads: main thread; several threads resolve samples.
 */
#ifndef TS_READER_ARCHIVE_CMD_ARCHIVE_H
#define TS_READER_ARCHIVE_CMD_ARCHIVE_H

#include "common/options/command_line.h"

int cmd_archive(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_archive_line;

#endif
