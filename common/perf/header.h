/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `data`: perf.data header, attrs with ids, a run of synthesized records, feature
 * sections.
 *
 * Packing makes the whole file in memory (it is small: names and maps, never samples), so it can
 * replace an older one by rename at any time. Parsing takes a mapped file, ours or perf's (5.10
 * .. 7.x, single files and what perf wrote to a pipe included), and checks every offset, size and
 * count against what is there.
 *
 * Threads: none of its own. A parsed header is immutable and may be read by any number of threads.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef TS_COMMON_PERF_HEADER_H
#define TS_COMMON_PERF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/perf/cursor.h"
#include "common/perf/perf_layout.h"
#include "common/perf/record.h"

/* One feature section. When parsed, `data` points into the mapped file. */
struct ts_feature_section {
	const uint8_t *data; /* NULL: the feature is absent */
	size_t size;	     /* bytes */
};

struct ts_header {
	struct ts_events events; /* owned; indexed */
	struct ts_feature_section features[TS_PERF_FEATURE_BITS];
	uint64_t data_offset; /* where the records of this file start */
	uint64_t data_size;   /* bytes of records that are there, all within the file */
	/*
	 * The recorder was killed before it wrote the size (perf's own captures): records go up to
	 * the end of the file and there are no features, so whether streams data.N belong to it
	 * only the directory itself can tell.
	 */
	bool data_unfinished;
	bool data_cut; /* the file ends before its records do: damage */
	/*
	 * perf wrote it to a pipe: attrs and features are records among the others, and nothing
	 * says where the records end, so that data_unfinished is set, too.
	 */
	bool is_pipe;
	bool is_directory;	  /* DIR_FORMAT says that streams data.N stand beside this file */
	uint32_t nr_bad_features; /* sections not wholly in the file or malformed: left out */
	uint32_t nr_cpus_avail;	  /* NRCPUS, 0 if absent */
	uint32_t compressed_mmap_len; /* COMPRESSED: largest output of one record; 0 if absent */
	uint32_t nr_newer_attrs;      /* events with fields or flags that are not known here */
	struct ts_bytes build_ids;    /* owned: the BUILD_ID records of a pipe, joined */
};

/* --- packing --- */

/* The features of a file to be packed: bit -> payload bytes; absent where len is 0 and !present. */
struct ts_feature_set {
	struct ts_bytes payload[TS_PERF_FEATURE_BITS];
	bool present[TS_PERF_FEATURE_BITS];
};

void ts_feature_set_release(struct ts_feature_set *set);
/* Marks the feature present and returns where its payload goes. */
struct ts_bytes *ts_feature(struct ts_feature_set *set, enum ts_feature bit);

/* perf's encodings inside feature payloads. */
void ts_put_string(struct ts_bytes *b, const char *s); /* u32 len (padded to 64), bytes, zeros */
/* Of COMPRESSED: records of zstd, as struct ts_compressor makes them (level 1). */
void ts_put_compressed(struct ts_bytes *b);
/* EVENT_DESC and the attr table are made from `events` by ts_header_pack() itself. */

/*
 * Makes a complete perf.data file: header, ids, attrs, records, feature table and payloads, each
 * part 8-byte aligned. `records` are whole perf records (a multiple of 8 bytes); where there are
 * none, one padding record stands in, because a size of zero would mean an unfinished file. Appends
 * to *out, whose length must be 0; -ENOMEM is the only error.
 */
int ts_header_pack(const struct ts_events *events, const void *records, size_t records_len,
		   const struct ts_feature_set *features, struct ts_bytes *out,
		   struct ts_error *err);

/* --- parsing --- */

/*
 * Parses the file at [base, base + len); `path` is only for the sentence. Attrs of any size and a
 * file header that is longer than ours are read as far as they are known; a feature that is cut
 * short or out of the file is left out and counted. -EINVAL, with a clear sentence, for what is no
 * perf.data file, for the other byte order and a file without usable events. On success *ret points
 * into base and is the caller's to release; on failure there is nothing to release.
 */
int ts_header_parse(const void *base, size_t len, const char *path, struct ts_header *ret,
		    struct ts_error *err);
void ts_header_release(struct ts_header *h);

/* The payload of a feature, in the bytes that were parsed; empty where the header has none of it. */
struct ts_cursor ts_feature_cursor(const struct ts_header *h, enum ts_feature bit);

/* perf's name of a feature ("HOSTNAME"), NULL for one that is not known. */
const char *ts_feature_name(unsigned int bit);

#endif
