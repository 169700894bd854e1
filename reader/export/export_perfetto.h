/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace that ui.perfetto.dev and trace_processor open: each sample with its time, thread, CPU and
 * stack, and a counter of the event for each CPU.
 *
 *	clocks, the words about the captures
 *	each capture, a sequence of its own:
 *		defaults, names of processes and threads, losses
 *		samples in the order of time, each behind what it is the first to need
 *
 * Source: protos/perfetto/trace and src/trace_processor of github.com/google/perfetto, v58.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_EXPORT_EXPORT_PERFETTO_H
#define TS_READER_EXPORT_EXPORT_PERFETTO_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

/*
 * The source has bare paths and the times of samples, and no threads are merged. -EPIPE: the reader of
 * standard output went away, and *err is not set.
 */
int export_perfetto_write(const struct export_source *source, struct result_file *to,
			  struct ts_error *err);

#endif
