/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records for tests, appended to a run of bytes: what the kernel would write for events of
 * TASK_RECORDS_SAMPLE_TYPE with sample_id_all.
 *
 * A name is NUL-terminated and padded to 8 bytes; the trailer is TID, TIME, CPU, IDENTIFIER.
 *
 * Threads: pure functions.
 */
#ifndef TS_TESTS_SUPPORT_TASK_RECORDS_H
#define TS_TESTS_SUPPORT_TASK_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "common/base/bytes.h"

#define TASK_RECORDS_SAMPLE_TYPE                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define TASK_RECORDS_TRAILER_BYTES 32

/* Where and when a record happened. */
struct record_at {
	uint32_t pid, tid, cpu;
	uint64_t time_ns, id;
};

struct record_range {
	uint64_t start, len, pgoff;
};

void put_comm(struct ts_bytes *b, const struct record_at *at, uint16_t misc, const char *name);
/* Of at->pid and at->tid, from a parent. */
void put_fork(struct ts_bytes *b, const struct record_at *at, uint16_t misc, uint32_t ppid,
	      uint32_t ptid);
void put_exit(struct ts_bytes *b, const struct record_at *at);
void put_mmap(struct ts_bytes *b, const struct record_at *at, uint16_t misc,
	      const struct record_range *range, const char *path);
void put_mmap2(struct ts_bytes *b, const struct record_at *at, uint16_t misc,
	       const struct record_range *range, uint32_t prot, const char *path);
/* With a build-id of 20 times `id_byte`. */
void put_mmap2_build_id(struct ts_bytes *b, const struct record_at *at,
			const struct record_range *range, uint8_t id_byte, const char *path);
/* flags: PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER or 0 */
void put_ksymbol(struct ts_bytes *b, const struct record_at *at, uint64_t addr, uint32_t len,
		 uint16_t flags, const char *name);
/* misc: the CPU mode */
void put_task_sample(struct ts_bytes *b, const struct record_at *at, uint16_t misc, uint64_t ip);

#endif
