/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of side-band as the kernel writes them: tasks, their names and maps, and programs.
 *
 * Each struct is the record from its header on. It may lie at any address and over bytes of any
 * type, so a pointer to a record's first byte may be read through it:
 *
 *	const struct ts_record_mmap2 *map = (const void *)hdr;
 *
 * The reader of a field checks before that hdr.size covers it (ts_record_type_fixed_bytes()). Names
 * are padded with zeros to a multiple of 8 bytes; behind them is the trailer (record.h).
 *
 * Source: enum perf_event_type in include/uapi/linux/perf_event.h, with its names of the fields.
 *
 * Threads: types only.
 */
#ifndef TS_COMMON_PERF_RECORD_LAYOUT_H
#define TS_COMMON_PERF_RECORD_LAYOUT_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#define TS_RECORD_LAYOUT __attribute__((packed, may_alias))

struct ts_record_task { /* FORK and EXIT */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
} TS_RECORD_LAYOUT;
static_assert(sizeof(struct ts_record_task) == 32, "FORK and EXIT");

/* COMM, MMAP, MMAP2 and NAMESPACES begin with these; of FORK and EXIT only the pid is there, too. */
struct ts_record_thread {
	struct perf_event_header header;
	uint32_t pid, tid;
} TS_RECORD_LAYOUT;
static_assert(sizeof(struct ts_record_thread) == 16, "the thread of a record");

struct ts_record_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
} TS_RECORD_LAYOUT;
static_assert(offsetof(struct ts_record_comm, comm) == 16, "COMM");

struct ts_record_mmap { /* MMAP; MMAP2 has the same up to pgoff */
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff; /* len and pgoff in bytes */
	char filename[];
} TS_RECORD_LAYOUT;
static_assert(offsetof(struct ts_record_mmap, filename) == 40, "MMAP");

struct ts_record_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff; /* len and pgoff in bytes */
	union {
		struct {
			uint32_t maj, min; /* of the device */
			uint64_t ino, ino_generation;
		} TS_RECORD_LAYOUT;
		struct { /* with PERF_RECORD_MISC_MMAP_BUILD_ID */
			uint8_t build_id_size;
			uint8_t zeros[3];
			uint8_t build_id[20];
		} TS_RECORD_LAYOUT;
		uint8_t file[24]; /* both: what the file is known by */
	};
	uint32_t prot, flags; /* of mmap(2) */
	char filename[];
} TS_RECORD_LAYOUT;
static_assert(offsetof(struct ts_record_mmap2, build_id) == 44, "MMAP2");
static_assert(offsetof(struct ts_record_mmap2, prot) == 64, "MMAP2");
static_assert(offsetof(struct ts_record_mmap2, filename) == 72, "MMAP2");

struct ts_record_ksymbol {
	struct perf_event_header header;
	uint64_t addr;
	uint32_t len; /* bytes */
	uint16_t ksym_type, flags;
	char name[];
} TS_RECORD_LAYOUT;
static_assert(offsetof(struct ts_record_ksymbol, name) == 24, "KSYMBOL");

struct ts_record_bpf { /* BPF_EVENT */
	struct perf_event_header header;
	uint16_t type, flags;
	uint32_t id;
	uint8_t tag[8];
} TS_RECORD_LAYOUT;
static_assert(sizeof(struct ts_record_bpf) == 24, "BPF_EVENT");

#endif
