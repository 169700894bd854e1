// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/perfetto_sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reader/packed/perfetto_packets.h"

/* The same packet by protobuf-c. Returns its bytes, head included. */
static size_t pack_fields(const struct perfetto_sample *s, uint8_t *to)
{
	Perfetto__PerfSample sample = PERFETTO__PERF_SAMPLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT, *packets[] = {&packet};
	uint8_t *const start = to;
	size_t nr;

	packet.has_timestamp = packet.has_trusted_packet_sequence_id = true;
	packet.has_sequence_flags = true;
	packet.timestamp = s->timestamp;
	packet.trusted_packet_sequence_id = s->sequence;
	packet.sequence_flags = PERFETTO_NEEDS;
	sample.has_cpu = s->has_cpu;
	sample.cpu = s->cpu;
	sample.has_pid = sample.has_tid = sample.has_callstack_iid = true;
	sample.pid = s->pid;
	sample.tid = s->tid;
	sample.callstack_iid = s->callstack_iid;
	sample.has_cpu_mode = s->cpu_mode;
	sample.cpu_mode = s->cpu_mode;
	sample.has_timebase_count = true;
	sample.timebase_count = s->timebase_count;
	packet.perf_sample = &sample;
	nr = protobuf_c_message_get_packed_size(&packets[0]->base);
	cr_assert_lt(nr, 128, "one byte has the length");
	*to++ = 1 << 3 | 2;
	*to++ = (uint8_t)nr;
	to += protobuf_c_message_pack(&packet.base, to);
	return (size_t)(to - start);
}

static void expect_same(const struct perfetto_sample *s)
{
	uint8_t wanted[PERFETTO_SAMPLE_MOST], found[PERFETTO_SAMPLE_MOST];
	const size_t nr = pack_fields(s, wanted);

	cr_assert_eq(perfetto_sample_pack(s, found), found + nr);
	cr_assert_eq(memcmp(wanted, found, nr), 0);
}

/* A number of any length. */
static uint64_t any(void)
{
	const uint64_t bits = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 16 ^ (uint64_t)rand();

	return bits >> rand() % 64;
}

Test(perfetto_sample, is_packed_as_protobuf_c_packs_it)
{
	srand(1);
	for (unsigned int i = 0; i < 100000; i++)
		expect_same(&(struct perfetto_sample){
			.timestamp = any(),
			.callstack_iid = any(),
			.timebase_count = any(),
			.sequence = 1 + (uint32_t)any() % PERFETTO_CAPTURES,
			.pid = (uint32_t)any(),
			.tid = (uint32_t)any(),
			.cpu = (uint32_t)any(),
			.cpu_mode = (uint32_t)rand() % 3,
			.has_cpu = rand() % 2,
		});
}

Test(perfetto_sample, may_have_the_largest_numbers)
{
	expect_same(&(struct perfetto_sample){
		.timestamp = UINT64_MAX,
		.callstack_iid = UINT64_MAX,
		.timebase_count = UINT64_MAX,
		.sequence = PERFETTO_CAPTURES,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.cpu = UINT32_MAX,
		.cpu_mode = 2,
		.has_cpu = true,
	});
}
