/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packet of a Perfetto trace with one sample, packed by hand: nearly all packets are these. The bytes are those that
 * protobuf-c makes of the same fields.
 *
 *	Trace.packet   timestamp, trusted_packet_sequence_id, sequence_flags
 *	               perf_sample   cpu, pid, tid, callstack_iid, cpu_mode, timebase_count
 *
 * Threads: any; there is no state.
 */
#ifndef TS_READER_PACKED_PERFETTO_SAMPLE_H
#define TS_READER_PACKED_PERFETTO_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#define PERFETTO_SAMPLE_MOST 128u /* bytes of a packet with its head, at most */

struct perfetto_sample {
	uint64_t timestamp;
	uint64_t callstack_iid;
	uint64_t timebase_count;
	uint32_t sequence; /* perfetto_packets_sequence() */
	uint32_t pid, tid; /* perfetto_packets_task() */
	uint32_t cpu;
	uint32_t cpu_mode; /* 0: unknown */
	bool has_cpu;
};

/* Writes the packet to at most PERFETTO_SAMPLE_MOST bytes at `to`. Returns the end of what it wrote. */
uint8_t *perfetto_sample_pack(const struct perfetto_sample *s, uint8_t *to);

#endif
