/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw dump (report -D): every record of a capture with its file, offset, bytes and meaning.
 *
 * First come the tools' own records (type 64 and up: chunk headers, padding, id tables) of each
 * file in the order of the file. Then come all records of the kernel in the order of time. Records
 * of a compressed chunk are named by the offset of the chunk.
 *
 * Threads: print_dump() uses several threads itself.
 */
#ifndef TS_READER_DUMP_PRINT_DUMP_H
#define TS_READER_DUMP_PRINT_DUMP_H

#include "common/base/error.h"
#include "reader/chunks/chunk_table.h"
#include "reader/tasks/tasks.h"

/* Writes to descriptor `fd`. Returns 0 or -errno; -EPIPE: the reader of a pipe is gone. */
int print_dump(const struct chunk_table *table, const struct tasks *tasks, unsigned int nr_workers,
	       int fd, struct ts_error *err);

#endif
