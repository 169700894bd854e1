/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The on-disk structures of a perf.data file: file header, attr entry, feature table.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt of the kernel tree. A directory holds
 * one such file, `data`, beside streams `data.N` that are records from byte 0. All integers are in
 * the byte order of the machine that recorded.
 *
 * Threads: types only.
 */
#ifndef TS_COMMON_PERF_PERF_LAYOUT_H
#define TS_COMMON_PERF_PERF_LAYOUT_H

#include <assert.h>
#include <stdint.h>

#define TS_PERF_MAGIC 0x32454c4946524550ULL /* "PERFILE2" */
/* The same, written by the other endianness. */
#define TS_PERF_MAGIC_SWAPPED 0x50455246494c4532ULL
#define TS_PERF_FEATURE_BITS  256
/* The output of perf to a pipe begins with magic and this size; all the rest is records. */
#define TS_PIPE_HEADER_BYTES 16

/* The attr size that we write: PERF_ATTR_SIZE_VER6, which every perf since 5.5 accepts. */
#define TS_ATTR_SIZE 120

struct ts_file_section {
	uint64_t offset; /* from the start of the file */
	uint64_t size;	 /* bytes */
};

struct ts_file_header {
	uint64_t magic;
	uint64_t size;	    /* of this struct: 104, or 72 without the feature bitmap */
	uint64_t attr_size; /* of one attr entry: attr.size + sizeof(struct ts_file_section) */
	struct ts_file_section attrs;
	struct ts_file_section data;
	struct ts_file_section event_types; /* obsolete, zero */
	uint64_t features[TS_PERF_FEATURE_BITS / 64];
};
static_assert(sizeof(struct ts_file_header) == 104, "perf.data file header");

/* Feature sections: bit numbers of ts_file_header.features. */
enum ts_feature {
	TS_FEAT_TRACING_DATA = 1,
	TS_FEAT_BUILD_ID = 2,
	TS_FEAT_HOSTNAME = 3,
	TS_FEAT_OSRELEASE = 4,
	TS_FEAT_VERSION = 5,
	TS_FEAT_ARCH = 6,
	TS_FEAT_NRCPUS = 7,
	TS_FEAT_CPUDESC = 8,
	TS_FEAT_CPUID = 9,
	TS_FEAT_TOTAL_MEM = 10,
	TS_FEAT_CMDLINE = 11,
	TS_FEAT_EVENT_DESC = 12,
	TS_FEAT_CPU_TOPOLOGY = 13,
	TS_FEAT_NUMA_TOPOLOGY = 14,
	TS_FEAT_BRANCH_STACK = 15,
	TS_FEAT_PMU_MAPPINGS = 16,
	TS_FEAT_GROUP_DESC = 17,
	TS_FEAT_AUXTRACE = 18,
	TS_FEAT_STAT = 19,
	TS_FEAT_CACHE = 20,
	TS_FEAT_SAMPLE_TIME = 21,
	TS_FEAT_MEM_TOPOLOGY = 22,
	TS_FEAT_CLOCKID = 23,
	TS_FEAT_DIR_FORMAT = 24,
	TS_FEAT_BPF_PROG_INFO = 25,
	TS_FEAT_BPF_BTF = 26,
	TS_FEAT_COMPRESSED = 27,
	TS_FEAT_CPU_PMU_CAPS = 28,
	TS_FEAT_CLOCK_DATA = 29,
	TS_FEAT_HYBRID_TOPOLOGY = 30,
	TS_FEAT_PMU_CAPS = 31,
	TS_FEAT_CPU_DOMAIN_INFO = 32,
	TS_FEAT_E_MACHINE = 33,
	TS_FEAT_CLN_SIZE = 34,
};

/* Record types written by tools (perf's user types); the kernel's are enum perf_event_type. */
enum ts_user_record {
	TS_RECORD_USER_START = 64,
	TS_RECORD_HEADER_ATTR = 64,
	TS_RECORD_EVENT_TYPE =
		65, /* obsolete in perf, which skips it: carries chunks, index, padding */
	TS_RECORD_TRACING_DATA = 66,
	TS_RECORD_BUILD_ID = 67,
	TS_RECORD_FINISHED_ROUND = 68,
	TS_RECORD_ID_INDEX = 69,
	TS_RECORD_AUXTRACE_INFO = 70,
	TS_RECORD_AUXTRACE = 71, /* header.size does not count the bytes behind it */
	TS_RECORD_AUXTRACE_ERROR = 72,
	TS_RECORD_THREAD_MAP = 73,
	TS_RECORD_CPU_MAP = 74,
	TS_RECORD_STAT_CONFIG = 75,
	TS_RECORD_STAT = 76,
	TS_RECORD_STAT_ROUND = 77,
	TS_RECORD_EVENT_UPDATE = 78,
	TS_RECORD_TIME_CONV = 79,
	TS_RECORD_FEATURE = 80,
	TS_RECORD_COMPRESSED = 81,
	TS_RECORD_FINISHED_INIT = 82,
	TS_RECORD_COMPRESSED2 = 83,
	TS_RECORD_BPF_METADATA = 84,
	TS_RECORD_SCHEDSTAT_CPU = 85,
	TS_RECORD_SCHEDSTAT_DOMAIN = 86,
};

#endif
