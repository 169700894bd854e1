/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `tstream export --format=perf.data`: a capture as one plain file of perf, with all of its records in the order of
 * time. It is the file that `tstream merge --single` makes (reader/merge), but made as exports are:
 * it replaces no capture, and with -f any other file of this user.
 *
 * Threads: main thread; several threads cut the chunk table.
 */
#ifndef TS_READER_EXPORT_CMD_EXPORT_COPY_H
#define TS_READER_EXPORT_CMD_EXPORT_COPY_H

#include "reader/export/export_options.h"

/* Runs the command after its options were read. Prints, and returns the exit status. */
int cmd_export_copy(const struct export_options *options);

#endif
