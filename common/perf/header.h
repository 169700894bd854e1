/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `data`: perf.data header, attrs with ids, synthesized records, feature sections.
 *
 * Packing makes the whole file in memory. The file is small, because it holds names and maps and
 * never samples, so a rename can replace an older one at any time. Parsing takes a mapped file:
 * ours or perf's (5.10 .. 7.x), a single file or the output of perf to a pipe. It checks every
 * offset, size and count against the bytes that exist.
 *
 * Threads: none of its own. A parsed header is immutable, and any number of threads may read it.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef TS_COMMON_PERF_HEADER_H
#define TS_COMMON_PERF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/build_id.h"
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
	uint64_t data_offset; /* start of the records in this file */
	uint64_t data_size;   /* bytes of records that exist, all within the file */
	/*
	 * The recorder was killed before it wrote the size (perf's own captures). Records then go
	 * up to the end of the file, and the file has no features. Only the directory can tell
	 * whether streams data.N belong to it.
	 */
	bool data_unfinished;
	bool data_cut; /* the file ends before its records do: damage */
	/*
	 * perf wrote the file to a pipe: attrs and features are records among the others. Nothing
	 * marks the end of the records, so data_unfinished is set, too.
	 */
	bool is_pipe;
	bool is_directory;	      /* DIR_FORMAT: streams data.N stand beside this file */
	uint32_t nr_bad_features;     /* sections that are malformed or not wholly in the file */
	uint32_t nr_cpus_avail;	      /* NRCPUS, 0 if absent */
	uint32_t compressed_mmap_len; /* COMPRESSED: largest output of one record; 0 if absent */
	uint32_t nr_newer_attrs;      /* events with fields or flags that are unknown here */
	struct ts_bytes build_ids;    /* owned: the BUILD_ID records of a pipe, joined */
};

/* --- packing --- */

/* The features of a file to be packed: bit -> payload. A feature is absent if !present. */
struct ts_feature_set {
	struct ts_bytes payload[TS_PERF_FEATURE_BITS];
	bool present[TS_PERF_FEATURE_BITS];
};

void ts_feature_set_release(struct ts_feature_set *set);
/* Marks the feature present and returns the buffer for its payload. */
struct ts_bytes *ts_header_feature(struct ts_feature_set *set, enum ts_feature bit);

/* perf's encodings inside feature payloads. */
void ts_header_put_string(struct ts_bytes *b,
			  const char *s); /* u32 len (padded to 64), bytes, zeros */
/* The payload of COMPRESSED, for zstd records as struct ts_compressor makes them (level 1). */
void ts_header_put_compressed(struct ts_bytes *b);
/*
 * One record of BUILD_ID, of no process, its name padded as perf pads it. cpumode is
 * PERF_RECORD_MISC_KERNEL or _USER; the name has less than 64 KiB.
 */
void ts_header_put_build_id(struct ts_bytes *b, uint16_t cpumode, const struct ts_build_id *id,
			    const char *name);
/* ts_header_pack() itself makes EVENT_DESC and the attr table from `events`. */

/*
 * Makes a complete perf.data file: header, ids, attrs, records, feature table and payloads, each
 * part 8-byte aligned. `records` are whole perf records, a multiple of 8 bytes. Without records one
 * padding record is written, because a size of zero would mean an unfinished file. Appends to *out,
 * whose length must be 0; -ENOMEM is the only error.
 */
int ts_header_pack(const struct ts_events *events, const void *records, size_t records_len,
		   const struct ts_feature_set *features, struct ts_bytes *out,
		   struct ts_error *err);

/* --- parsing --- */

/*
 * Parses the file at [base, base + len); only the sentence uses `path`. Of longer attrs and of a
 * longer file header the known part is read. A feature that is not wholly in the file is left out
 * and counted; a malformed one is only counted. -EINVAL with a clear sentence: no perf.data file,
 * the other byte order, or no usable events. On success *ret points into base, and the caller releases it; after a failure
 * there is nothing to release.
 */
int ts_header_parse(const void *base, size_t len, const char *path, struct ts_header *ret,
		    struct ts_error *err);
void ts_header_release(struct ts_header *h);

/*
 * The payload of a feature, in the bytes that were parsed; empty if the header lacks the feature.
 */
struct ts_cursor ts_header_feature_cursor(const struct ts_header *h, enum ts_feature bit);
/* Does the header have the feature, and is its section sound? (section_form.h) */
bool ts_header_feature_is_sound(const struct ts_header *h, unsigned int bit);

/* perf's name of a feature ("HOSTNAME"); NULL for an unknown one. */
const char *ts_header_feature_name(unsigned int bit);

#endif
