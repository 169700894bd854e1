/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An opened capture: a tstream directory, a perf directory or a single perf.data file. All of them
 * look alike to readers: one header and a list of streams of records.
 *
 * streams[0] is the file `data` (or the single file) with the records of its data section; the
 * others are data.N, sorted by number. If tstream.json names streams, and all of them are there,
 * other files data.N are none. This module does not read the records; chunk_table.h does.
 *
 * Threads: immutable once opened; any number of threads may read it.
 */
#ifndef TS_READER_CAPTURE_CAPTURE_H
#define TS_READER_CAPTURE_CAPTURE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/capture/map.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/memory.h"

enum capture_kind {
	CAPTURE_FILE,	   /* one perf.data file */
	CAPTURE_DIRECTORY, /* perf's directory, or ours: both hold data and data.N */
};

struct capture_stream {
	char *path;	     /* owned; as messages name it: "cap/data.3" */
	struct map map;	     /* the whole file */
	uint64_t begin, end; /* the records are at [begin, end) of the file */
};

struct capture {
	char *path; /* owned; the directory or file as it was given */
	enum capture_kind kind;
	struct ts_header header; /* of streams[0]; points into its map */
	struct capture_stream *streams;
	size_t nr_streams, cap_streams;
	char *archive; /* owned; the folder with symbols of its own; NULL: it has none */
	/*
	 * Owned; names of links in the directory. No file of a capture may be a link, so these were
	 * not read: "data.1", "tstream.json", "symbols".
	 */
	char **links;
	size_t nr_links;
	/*
	 * Owned; files data.* of the directory that are none of its streams, such as "data.NAME.dump",
	 * which perf script --per-event-dump makes. They were not read.
	 */
	char **strays;
	size_t nr_strays;
	/* the reader's: work is counted there, and stops are asked for; or NULL */
	struct progress *progress;
	bool is_running;		    /* a recorder was writing it when it was opened */
	uint64_t opened_ns;		    /* wall clock, before any of its files was opened */
	const struct symbol_places *places; /* places of symbols; NULL: the usual ones */
	struct memory *memory; /* holds data that grows with the capture; NULL: no limit */
};

/*
 * Opens the capture at `path`; NULL means tstream.data, else perf.data, in the working directory.
 * -ENOENT when no capture is there. Every refusal is one sentence in *err.
 */
int capture_open(struct capture *c, const char *path, struct ts_error *err);
/* The path that NULL means there: a constant. -ENOENT: neither is there. */
int capture_find_usual(const char **ret_path, struct ts_error *err);
/*
 * The two halves of capture_open(), for callers that read the files of a capture whose header
 * cannot be parsed. capture_map() leaves the header empty, and every stream is as long as its file.
 * After capture_parse() the capture is opened; if parsing fails, the capture stays as before.
 */
int capture_map(struct capture *c, const char *path, struct ts_error *err);
int capture_parse(struct capture *c, struct ts_error *err);
/* Is this file of the capture ("data.1") a link? */
bool capture_has_link(const struct capture *c, const char *name);

#define CAPTURE_STRAYS_TEXT (PATH_MAX + 512)

/* The note about strays, in text; NULL: there are none. */
const char *capture_tell_strays(const struct capture *c, char text[CAPTURE_STRAYS_TEXT]);
/* Makes room for more streams, behind those that are there. Returns 0 or -ENOMEM. */
int capture_reserve_streams(struct capture *c, size_t nr_more);
void capture_close(struct capture *c); /* accepts a zeroed one; idempotent */

#endif
