/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of a Perfetto trace. Each is of a sequence, one for each capture: number of the
 * capture + 1.
 *
 * Source: protos/perfetto/trace/trace_packet.proto of github.com/google/perfetto.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_PACKED_PERFETTO_PACKETS_H
#define TS_READER_PACKED_PERFETTO_PACKETS_H

#include "reader/encoding/packed_file.h"
#include "reader/packed/perfetto.pb-c.h"
#include "reader/page/timed_samples.h"

#define PERFETTO_BEGINS 1u /* TracePacket.SequenceFlags: nothing before it counts */
#define PERFETTO_NEEDS	2u /* those before it are needed */

#define PERFETTO_CAPTURES                                                                          \
	(1u << (31 - TIMED_SAMPLES_TASK_BITS)) /* captures whose tasks fit below 2^31 */

struct perfetto_packets {
	struct packed_file file;
	uint64_t base_ns;     /* what time 0 of a sample is in the trace */
	uint32_t capture;     /* of which packets are being written; less than PERFETTO_CAPTURES */
	struct ts_bytes text; /* of perfetto_packets_text() */
};

static inline uint32_t perfetto_packets_sequence(const struct perfetto_packets *p)
{
	return p->capture + 1;
}

/* Flags 0 stand for PERFETTO_NEEDS. Errors of these are those of packed_file_put(). */
int perfetto_packets_put(struct perfetto_packets *p, Perfetto__TracePacket *packet,
			 struct ts_error *err);
/* The same with a time, that of a sample. */
int perfetto_packets_put_at(struct perfetto_packets *p, uint64_t time_ns,
			    Perfetto__TracePacket *packet, struct ts_error *err);
/* Sets the sentence. Returns -ENOMEM. */
int perfetto_packets_tell_memory(const struct perfetto_packets *p, struct ts_error *err);
void perfetto_packets_release(struct perfetto_packets *p); /* accepts a zeroed one; idempotent */

/* The time of a sample in the trace; at most INT64_MAX, since viewers have 63 bits for it. */
uint64_t perfetto_packets_ns(const struct perfetto_packets *p, uint64_t time_ns);
/*
 * timed_samples_task() of the capture whose packets are being written. Up to INT32_MAX.
 */
uint32_t perfetto_packets_task(const struct perfetto_packets *p, uint32_t task);
/*
 * "name", or "name on host" if the host is not NULL: UTF-8 that ends with a 0, whatever they hold. Valid
 * until the next call; NULL: out of memory.
 */
char *perfetto_packets_text(struct perfetto_packets *p, const char *name, const char *host);

#endif
