/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges several captures of one recording into one.
 *
 *	merge_open()          opens them and compares their headers                  merge_parts.c
 *	                      cuts all streams into one chunk table
 *	merge_choose_chunks() orders the chunks, leaves out those that occur twice   merge_chunks.c,
 *	                      and prefers sound ones to damaged ones                 merge_same.c
 *	merge_gather_data()   collects the new `data`: names and maps, ids, features merge_data.c
 *	merge_directory()     writes the streams of a new directory                  merge_streams.c
 *	merge_single()        or writes one file, in the order of time               merge_single.c
 *
 * For the chunk table all parts together are one capture with many streams; merge_part_of() finds
 * the part of a chunk. Payloads are read when they are copied, and damaged ones are left out then.
 * Those of equal chunks of two parts are read before as well, to see which one is sound.
 *
 * Threads: main thread; several threads cut the chunk table.
 */
#ifndef TS_READER_MERGE_MERGE_H
#define TS_READER_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/directory/directory.h"
#include "common/json/json.h"
#include "reader/capture/account.h"
#include "reader/capture/capture.h"
#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_read.h"

#define MERGE_STREAMS_MAX (1u << 20) /* all stream numbers are below this */

struct merge_part {
	struct capture capture;
	struct ts_json *note;	/* tstream.json; NULL: none, or not usable */
	uint64_t note_checksum; /* of the note as it is printed */
	uint64_t data_checksum; /* of the file `data` of a directory; 0: it is a single file */
	struct account account; /* tstream.json as readers parse it */
	uint32_t first_stream;	/* number of its `data` in the table; its other streams follow */
	uint8_t uuid[16];	/* uuid of its chunks */
	bool has_uuid;
	bool has_other_data; /* its file `data` is not the one that its recorder wrote */
	bool misses_streams; /* not all streams of its account are whole, here or in a copy */
	bool has_damage;     /* something is damaged or missing, whatever its copies have */
	uint64_t nr_unsound; /* damaged records and header sections that were left out */
	bool is_sound;	     /* it ended, and nothing in it is damaged or missing */
	bool is_new;	     /* has a chunk that no earlier part has */
	bool makes_good;     /* has a chunk that an earlier part has only damaged */
	bool is_additive;    /* all its records are new, so its account can be added */
	bool goes_on;	     /* begins at the cut where an earlier sound part ends */
	uint64_t first_ns;   /* lowest time in its chunks; UINT64_MAX: no times */
	uint64_t nr_chunks; /* all chunks; nr_twice are left out because an earlier part has them */
	uint64_t nr_twice;
};

/* One chunk of the table, to be copied into the merged capture. */
struct merge_entry {
	uint32_t chunk;	   /* index in the table; of a damaged chunk: of its copy in another part */
	uint32_t part;	   /* index in parts, which are in the order of time */
	uint32_t stream;   /* N of its data.N */
	uint32_t cut;	   /* of ours */
	uint64_t checksum; /* of the payload; 0: unknown, as the header is damaged */
	uint64_t payload_bytes; /* also of a chunk that was never completed */
	bool is_ours;		/* has a header of ours */
	bool is_left_out;
	bool is_trimmed; /* chunk.inflated has only the records that no earlier part has */
};

/* Names and maps at the beginning of a later part, as records with the time of that beginning. */
struct merge_table {
	uint64_t time_ns;
	struct ts_bytes records;
};

/* A finished stream of the merged directory: data.`number`. */
struct merge_stream {
	uint64_t number, bytes;
};

struct merge {
	const char *verb;	  /* for messages: "merge", or another command */
	struct merge_part *parts; /* in the order of time after merge_choose_chunks() */
	size_t nr_parts;
	/* all parts as one capture: the streams of the parts, with a new header */
	struct capture capture;
	struct chunk_table table;
	struct range_layout layout;
	struct merge_entry *entries; /* in the order of the merged streams; a block of memory */
	size_t nr_entries;
	bool has_foreign;     /* has chunks that are not ours */
	struct damage damage; /* chunks that could not be loaded, and that no other part has */

	/* set by merge_gather_data() */
	struct ts_bytes fixed;	    /* records without a time, and records of tools */
	struct ts_bytes timed;	    /* records with a time from a file `data` */
	struct merge_table *tables; /* in the order of time; owned */
	size_t nr_tables;
	struct ts_feature_set features; /* without those about the form of the file */

	struct ts_bytes streams; /* struct merge_stream, as they were finished */
	uint64_t nr_records;	 /* records in the merged streams, without those of tools */
	uint64_t nr_data;	 /* records that `data`, or the single file, has beside those */
	uint64_t nr_twice;	 /* records that were left out because they are there twice */
};

/*
 * Opens the parts. If they are not of one recording, returns -EINVAL with a sentence. Paths, memory
 * and progress must outlive *m. The caller closes *m, even after failure.
 */
int merge_open(struct merge *m, const char *const *paths, size_t nr, unsigned int nr_workers,
	       struct memory *memory, struct progress *progress, struct ts_error *err);
/* The same for another command that opens one capture as a part; messages call it `verb`. */
int merge_open_to(struct merge *m, const char *verb, const char *const *paths, size_t nr,
		  unsigned int nr_workers, struct memory *memory, struct progress *progress,
		  struct ts_error *err);
void merge_close(struct merge *m); /* accepts a zeroed one; idempotent */

/* Chooses the chunks of the merged streams and their order. Returns 0 or -errno. */
int merge_choose_chunks(struct merge *m, struct ts_error *err);
/* The first part on the command line. */
struct merge_part *merge_first_given(const struct merge *m);
/*
 * Has any other part new chunks, or sound ones of which the part has damaged ones? Call it after
 * merge_choose_chunks().
 */
bool merge_adds_to(const struct merge *m, const struct merge_part *part);
/* Collects the records and header sections of the new `data`. */
int merge_gather_data(struct merge *m, struct ts_error *err);
/* Writes into a directory that was created and not published yet. */
int merge_directory(struct merge *m, struct ts_dir *dir, struct ts_error *err);
/*
 * Steps of merge_directory(): the file `data` (m->features must already describe the form of the
 * streams); the numbers that have a stream; tstream.json from `note`. The caller frees the list of
 * numbers; NULL: out of memory.
 */
int merge_put_data(struct merge *m, struct ts_dir *dir, struct ts_json *note, struct ts_error *err);
/* The number of whole records. */
uint64_t merge_count_records(const struct ts_bytes *records);
bool *merge_list_streams(const struct merge *m);
int merge_put_note(struct merge *m, struct ts_dir *dir, struct ts_json **note,
		   struct ts_error *err);
/* Writes into an open file, from its beginning. */
int merge_single(struct merge *m, int fd, const char *path, struct ts_error *err);
/* Is anything in the part damaged? Call it when everything was copied. */
bool merge_is_damaged(const struct merge *m, const struct merge_part *part);

/* --- between the parts --- */

/* The part of a stream of the table. */
struct merge_part *merge_part_of(const struct merge *m, uint32_t stream);
/* Has the part everything that its recorder noted? */
bool merge_is_whole(const struct merge_part *part);
/* Is it the file `data` of a directory? */
bool merge_is_data(const struct merge *m, uint32_t stream);
/* N of the data.N of a stream of the table; a single file is one stream. */
uint32_t merge_number_of(const struct merge *m, uint32_t stream);
/*
 * Does the record go into a stream? Records of tools and records without a time stand before all
 * streams.
 */
bool merge_is_streamed(const struct merge *m, const struct perf_event_header *hdr);
/* Is the record well formed? */
bool merge_is_sound(const struct merge *m, const struct perf_event_header *hdr);
/* Counts a damaged record, or header section, that is left out. */
void merge_leave_out(struct merge_part *part);
/* Adds bytes to the progress. Returns -EINTR if the progress is stopped. */
int merge_note_progress(struct merge *m, uint64_t bytes, struct ts_error *err);
/* The result of merge_load(), if it is not -errno. Damage is noted. */
enum merge_loaded {
	MERGE_UNREADABLE = 0, /* the chunk must be skipped */
	MERGE_SOUND,
	MERGE_SALVAGED, /* the chunk is damaged; its records look sound */
};

/* Loads a chunk, and of a chunk of ours also its header (ret_header may be NULL). */
int merge_load(struct merge *m, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_chunk *ret_header,
	       struct ts_error *err);
int merge_no_memory(const struct merge *m, struct ts_error *err);

/* --- tstream.json; `note` may be NULL --- */

/* The checksum of the note as text: copies of a capture have the same. NULL: 0. 0 or -ENOMEM. */
int merge_note_sum(const struct ts_json *note, uint64_t *ret);
/* Does the note of a finished recording describe this `data`? */
bool merge_note_knows_data(struct ts_json *note, const void *data, size_t len);
/*
 * Makes the account of the merged directory, so far; NULL: the first part has no account. Returns 0
 * or -ENOMEM.
 */
int merge_note_new(const struct merge *m, struct ts_json **ret);
/* Keeps the size of a finished stream, for merge_note_end(). Returns 0 or -ENOMEM. */
int merge_note_stream(struct merge *m, uint32_t number, uint64_t bytes, struct ts_error *err);
/* Notes size and checksum of `data`. */
void merge_note_data(struct ts_json *note, const void *data, size_t len);
/* Completes the note when everything was copied: was all of it sound? */
int merge_note_end(struct merge *m, struct ts_json *note, struct ts_error *err);
/*
 * Then notes what was damaged; *note NULL: only if there is damage, a note is made. The caller frees
 * it.
 */
int merge_note_damage(struct merge *m, struct ts_json **note, struct ts_error *err);

#endif
