/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture made in memory, for tests of the reader: streams of records without files.
 *
 * One event: sample_type IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, id MADE_ID, all
 * records with a trailer.
 *
 * Threads: one owner while it is made; read-only afterwards.
 */
#ifndef TS_TESTS_SUPPORT_MADE_CAPTURE_H
#define TS_TESTS_SUPPORT_MADE_CAPTURE_H

#include "common/base/bytes.h"
#include "reader/capture/capture.h"

#define MADE_STREAMS_MAX 4
#define MADE_ID		 77

struct made_capture {
	struct capture capture; /* complete after made_capture_finish() */
	struct capture_stream streams[MADE_STREAMS_MAX];
	struct ts_bytes bytes[MADE_STREAMS_MAX];
};

struct made_sample {
	uint64_t time_ns, ip, period;
	uint32_t pid, tid, cpu;
	uint16_t misc; /* PERF_RECORD_MISC_KERNEL, _USER */
	const uint64_t *chain;
	size_t nr_chain;
};

void made_capture_init(struct made_capture *m, size_t nr_streams);
void made_sample(struct made_capture *m, size_t stream, const struct made_sample *s);
/* COMM of a thread, at a time; 0: synthesized. */
void made_comm(struct made_capture *m, size_t stream, uint32_t pid, uint32_t tid, const char *comm,
	       uint64_t time_ns);
/* MMAP2 of executable memory. */
void made_mmap(struct made_capture *m, size_t stream, uint32_t pid, uint64_t start, uint64_t len,
	       const char *path, uint64_t time_ns);
/* LOST or LOST_SAMPLES, of CPU 0; time 0: synthesized. */
void made_lost(struct made_capture *m, size_t stream, struct perf_event_header hdr, uint64_t nr,
	       uint64_t time_ns);
/* Appends a chunk of ours with nr samples, a nanosecond apart; returns the offset of its payload. */
uint64_t made_chunk(struct made_capture *m, size_t stream, size_t nr, uint64_t first_ns,
		    uint64_t seq);
void made_capture_finish(struct made_capture *m);
void made_capture_release(struct made_capture *m);

#endif
