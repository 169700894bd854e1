/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `data` of a capture that is made by a test: one event, cpu-clock, whose samples are those
 * of records.h, and the features that a reader looks for.
 *
 * Threads: pure function.
 */
#ifndef TS_TESTS_SUPPORT_MADE_DATA_H
#define TS_TESTS_SUPPORT_MADE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"

struct made_data {
	const uint64_t *ids; /* of the event */
	size_t nr_ids;
	uint64_t more_fields;	/* of samples: bits of sample_type beside those of records.h */
	bool has_sideband;	/* the event asks for maps, names, forks and exits */
	bool excludes_kernel;	/* so that nobody reads the kernel's symbols, which takes long */
	uint32_t nr_cpus;	/* 0: it does not say */
	bool is_directory;	/* records are in data.N */
	bool may_be_compressed; /* some are of zstd */
	const void *records;	/* of the data section */
	size_t records_bytes;
};

/* Appends the whole file. 0 or -errno. */
int made_data_pack(const struct made_data *d, struct ts_bytes *file, struct ts_error *err);

#endif
