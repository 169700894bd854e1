/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several captures of one recording become one.
 *
 *	merge_open()          opens them, and holds their headers against each other   merge_parts.c
 *	                      cuts all streams into one table of chunks
 *	merge_choose_chunks() puts these in order, leaves out what is there twice      merge_chunks.c
 *	merge_gather_data()   what `data` will have: names and maps, ids, features     merge_data.c
 *	merge_directory()     lays the streams of a new directory                      merge_streams.c
 *	merge_single()        or writes one file, in the order of time                 merge_single.c
 *
 * To the chunk table all parts together are one capture with many streams: behind it nobody knows which
 * part a chunk comes from but by merge_part_of(). Payloads are read once, when they are copied, and a
 * damaged one is left out there.
 *
 * Threads: main thread; the table is cut by several.
 */
#ifndef TS_READER_MERGE_MERGE_H
#define TS_READER_MERGE_MERGE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/directory/directory.h"
#include "reader/capture/account.h"
#include "reader/capture/capture.h"
#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_scan.h"

#define MERGE_STREAMS_MAX (1u << 20) /* numbers of streams are below it */

struct merge_part {
	struct capture capture;
	struct json_object *note; /* tstream.json; NULL: none, or none that makes sense */
	struct account account;	  /* the same, as a reader takes it */
	uint32_t first_stream;	  /* its `data` in the table; its other streams follow */
	uint8_t uuid[16];	  /* of its chunks */
	bool has_uuid;
	bool has_other_data; /* its file `data` is not the one that its recorder wrote */
	uint64_t nr_unsound; /* records that were left out, and sections of its header */
	bool is_sound;	     /* it ended, and nothing of it is damaged or missing */
	bool is_new;	     /* has a chunk that no part before it has */
	bool is_additive;    /* all its chunks are new, so that its account can be added */
	bool goes_on;	     /* begins where an earlier one that is sound ends */
	uint64_t first_ns;   /* lowest time in its chunks; UINT64_MAX: none has one */
	uint64_t nr_chunks;  /* all, and those that are left out because they are there twice */
	uint64_t nr_twice;
};

/* One chunk of the table on its way into the merged capture. */
struct merge_entry {
	uint32_t chunk;	 /* index in the table */
	uint32_t part;	 /* index in parts, which are in the order of time */
	uint32_t stream; /* N of the data.N that it is of */
	uint32_t cut;	 /* of ours */
	uint64_t checksum;
	bool is_ours; /* has a header of ours */
	bool is_left_out;
	bool is_trimmed; /* only records that are not in an earlier part: chunk.inflated */
};

/* Names and maps that a later part begins with, as records of the time that it begins at. */
struct merge_table {
	uint64_t time_ns;
	struct ts_bytes records;
};

struct merge {
	const char *verb;	  /* for sentences: "merge", or what is done instead */
	struct merge_part *parts; /* in the order of time once merge_choose_chunks() was there */
	size_t nr_parts;
	/* all parts as one capture: the streams are the parts', the header is made */
	struct capture capture;
	struct chunk_table table;
	struct range_scan_layout layout;
	struct merge_entry *entries; /* in the order of the merged streams; a block */
	size_t nr_entries;
	bool has_foreign;     /* chunks that are not of ours */
	struct damage damage; /* chunks that could not be loaded */

	/* by merge_gather_data() */
	struct ts_bytes fixed;	    /* records without a time, and of tools */
	struct ts_bytes timed;	    /* records with a time that stood in a `data` */
	struct merge_table *tables; /* in the order of time; owned */
	size_t nr_tables;
	struct ts_feature_set features; /* without those that tell of the form of the file */

	uint64_t nr_records; /* kernel's and others' in the merged streams */
	uint64_t nr_twice;   /* records that were left out because they are there twice */
};

/*
 * Opens them. They are of one recording, or it is refused (-EINVAL) with what to do instead. Paths,
 * spill and progress outlive it; *m is the caller's to close, also after failure.
 */
int merge_open(struct merge *m, const char *const *paths, size_t nr, unsigned int nr_workers,
	       struct spill *spill, struct progress *progress, struct ts_error *err);
/* The same for who does something else with one capture, which its sentences call `verb`. */
int merge_open_to(struct merge *m, const char *verb, const char *const *paths, size_t nr,
		  unsigned int nr_workers, struct spill *spill, struct progress *progress,
		  struct ts_error *err);
void merge_close(struct merge *m); /* accepts a zeroed one; idempotent */

/* Which chunks go where, and which not at all. -ENOMEM. */
int merge_choose_chunks(struct merge *m, struct ts_error *err);
/* The part that was given as the first one. */
struct merge_part *merge_first_given(const struct merge *m);
/* Has any other part something that this one does not have? After merge_choose_chunks(). */
bool merge_adds_to(const struct merge *m, const struct merge_part *part);
/* What stands before the records. */
int merge_gather_data(struct merge *m, struct ts_error *err);
/* Into a directory that was created and not published yet. */
int merge_directory(struct merge *m, struct ts_dir *dir, struct ts_error *err);
/*
 * The parts of it: the file `data`, when m->features tell of its form and of that of the streams; which
 * numbers have a stream, the caller's to free(), NULL: out of memory; tstream.json, of such a note.
 */
int merge_put_data(struct merge *m, struct ts_dir *dir, struct json_object *note,
		   struct ts_error *err);
bool *merge_list_streams(const struct merge *m);
int merge_put_note(struct merge *m, struct ts_dir *dir, struct json_object *note,
		   struct ts_error *err);
/* Into an open file, from its beginning. */
int merge_single(struct merge *m, int fd, const char *path, struct ts_error *err);
/* Is anything of the part damaged? When everything was copied. */
bool merge_is_damaged(const struct merge *m, const struct merge_part *part);

/* --- between the parts --- */

/* The part that a stream of the table is of. */
struct merge_part *merge_part_of(const struct merge *m, uint32_t stream);
/* Is it the file `data` of a directory? */
bool merge_is_data(const struct merge *m, uint32_t stream);
/* N of the data.N that a stream of the table is of; a single file is one stream. */
uint32_t merge_number_of(const struct merge *m, uint32_t stream);
/* Does the record go into a stream, or else, being of a tool or without a time, before all streams? */
bool merge_is_streamed(const struct merge *m, const struct perf_event_header *hdr);
/* Can a recorder have written it? */
bool merge_is_sound(const struct merge *m, const struct perf_event_header *hdr);
/* Counts a record, or a section of the header, that is left out because it is damaged. */
void merge_leave_out(struct merge_part *part);
/* The header of a chunk of ours; false: it is damaged. */
bool merge_parse_header(const struct merge *m, const struct chunk *chunk, struct ts_chunk *ret);
/* -EINTR where no more is wanted. */
int merge_see_to(struct merge *m, uint64_t bytes, struct ts_error *err);
/*
 * Loads a chunk that is wanted. 0: damaged, noted, to be passed over; 1; -errno. Of ours also its
 * header (ret_header may be NULL).
 */
int merge_load(struct merge *m, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_chunk *ret_header,
	       struct ts_error *err);
int merge_no_memory(const struct merge *m, struct ts_error *err);

/* --- tstream.json; `note` may be NULL --- */

/* Is `data` what the note of a recording that ended tells of? */
bool merge_note_knows_data(struct json_object *note, const void *data, size_t len);
/* The account of the merged directory, so far; NULL: of others, or where the recorder left none. */
struct json_object *merge_note_new(const struct merge *m);
/* What a stream of it, and its `data`, became. */
void merge_note_stream(struct json_object *note, unsigned int number, uint64_t bytes);
void merge_note_data(struct json_object *note, const void *data, size_t len);
/* When everything was copied: whether all of it was there. */
void merge_note_end(struct merge *m, struct json_object *note);

#endif
