/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An opened capture: a tstream directory, a perf directory or a single perf.data file, all seen as
 * one header and a list of streams of records.
 *
 * streams[0] is the file `data` (or the single file) with the records of its data section; the
 * others are data.N, sorted by number. What a stream holds is not looked at here; that is
 * chunk_table's part.
 *
 * Threads: immutable once opened; any number of threads may read it.
 */
#ifndef TS_READER_CAPTURE_CAPTURE_H
#define TS_READER_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/capture/map.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/spill.h"

enum capture_kind {
	CAPTURE_FILE,	   /* one perf.data file */
	CAPTURE_DIRECTORY, /* perf's directory, or ours: both hold data and data.N */
};

struct capture_stream {
	char *path;	     /* owned; as to be named in messages: "cap/data.3" */
	struct map map;	     /* the whole file */
	uint64_t begin, end; /* the records are at [begin, end) of the file */
};

struct capture {
	char *path; /* owned; the directory or file as it was given */
	enum capture_kind kind;
	struct ts_header header; /* of streams[0]; points into its map */
	struct capture_stream *streams;
	size_t nr_streams;
	char *archive; /* owned; the folder with symbols of its own; NULL: it has none */
	/*
	 * Owned; names of what is a link in a directory, where nothing may be one, and was not read: "data.1",
	 * "tstream.json", "symbols".
	 */
	char **links;
	size_t nr_links;
	struct progress *progress; /* the reader's: told of, and asked whether to stop; or NULL */
	bool is_running;	   /* somebody was recording it when it was opened */
	uint64_t opened_ns;	   /* wall clock, before anything of it was looked at */
	const struct symbol_places *places; /* of its symbols; NULL: the usual ones */
	struct spill *spill; /* holds what grows with the capture; NULL: without limit */
};

/*
 * Opens the capture at `path`; NULL means tstream.data, else perf.data, in the working directory.
 * -ENOENT when there is nothing; every refusal is one sentence in *err.
 */
int capture_open(struct capture *c, const char *path, struct ts_error *err);
/*
 * The two halves of it, for who wants to look at the files of a capture whose header cannot be
 * parsed: capture_map() leaves the header empty and every stream as long as its file; after
 * capture_parse() it is an opened capture, or, where that fails, as before.
 */
int capture_map(struct capture *c, const char *path, struct ts_error *err);
int capture_parse(struct capture *c, struct ts_error *err);
/* Is one of its files, "data.1", a link? */
bool capture_has_link(const struct capture *c, const char *name);
void capture_close(struct capture *c); /* accepts a zeroed one; idempotent */

#endif
