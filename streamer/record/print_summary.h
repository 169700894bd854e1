/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last lines of `record`: one line with what was captured and lost, a hint if something was
 * lost, and with -v a line for each writer.
 *
 * Threads: main thread, after recording_stop().
 */
#ifndef TS_STREAMER_RECORD_PRINT_SUMMARY_H
#define TS_STREAMER_RECORD_PRINT_SUMMARY_H

#include "streamer/recording/recording.h"

/* Prints on stderr, by the log level. */
void print_summary(const struct recording *r);
/* -vv, once everything is open: the CPUs of each writer, and its rings with their descriptors. */
void print_writers_open(const struct crew *c);

#endif
