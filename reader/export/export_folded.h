/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks: a line for each path, as flamegraph.pl and speedscope read it.
 *
 *	sh;main;do_syscall_64_[k];vfs_read_[k] 17
 *
 * Threads: one thread.
 */
#ifndef TS_READER_EXPORT_EXPORT_FOLDED_H
#define TS_READER_EXPORT_EXPORT_FOLDED_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

/*
 * Writes the lines in the order of the paths, whose looks are folded. Paths without weight have no
 * line. -EPIPE without a sentence.
 */
int export_folded_write(const struct export_source *source, struct result_file *to,
			struct ts_error *err);

#endif
