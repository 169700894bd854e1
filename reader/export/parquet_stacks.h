/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table `stacks` of `export --format=parquet`: each stack once, without the command, in the order of
 * its names.
 *
 *	stack_id  frames               modules               kinds
 *	7123...   [main, read, ksys]   [/bin/a, libc, krnl]  [u, u, k]
 *
 * The number of a stack follows from what is stored of it, so the same stack has the same number in
 * every export: 64 bits of a SHA-256 over its frames. Frames begin with the outermost one.
 *
 * Threads: making and writing use several; otherwise immutable.
 */
#ifndef TS_READER_EXPORT_PARQUET_STACKS_H
#define TS_READER_EXPORT_PARQUET_STACKS_H

#include "reader/export/export_source.h"
#include "reader/export/parquet_texts.h"
#include "reader/parquet/parquet_file.h"

struct parquet_stacks {
	const struct stack_paths *paths;
	const struct parquet_texts *texts;
	struct memory *memory;
	uint32_t *of_path; /* owned; by path: its stack */
	uint32_t *path_of; /* owned; by stack: the first of its paths */
	uint64_t *ids;	   /* owned; by stack */
	uint32_t nr;
	/* of the group that is written */
	uint32_t first; /* stack */
};

/*
 * The paths of the source begin with commands. They and the texts of their looks must outlive *s.
 * Returns 0, -ENOMEM, or -EINTR if it was stopped; release it in any case.
 */
int parquet_stacks_init(struct parquet_stacks *s, const struct export_source *source,
			const struct parquet_texts *texts);
void parquet_stacks_release(struct parquet_stacks *s); /* accepts a zeroed one; idempotent */

/* Errors are those of parquet_file_open(), parquet_file_put() and parquet_file_close(). */
int parquet_stacks_write(struct parquet_stacks *s, const struct export_source *source,
			 struct result_file *to, const struct parquet_note *notes,
			 uint32_t nr_notes, struct ts_error *err);

#endif
