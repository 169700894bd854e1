/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `record` says at the end: one line of what was captured and what was lost, a hint when
 * something was lost, and with -v a line for each writer.
 *
 * Threads: main thread, after recording_stop().
 */
#ifndef TS_STREAMER_RECORD_PRINT_SUMMARY_H
#define TS_STREAMER_RECORD_PRINT_SUMMARY_H

#include "streamer/recording/recording.h"

/* Prints on stderr, by the log level. */
void print_summary(const struct recording *r);
/* -vv, once everything is open: each writer's CPUs, and its rings with their descriptors. */
void print_writers_open(const struct crew *c);

#endif
