// SPDX-License-Identifier: Apache-2.0
/*
 * The length of a message stands before it. Both messages have less than 128 bytes, so each length is one
 * byte, which is written last.
 */
#include "reader/packed/perfetto_sample.h"

#include "reader/packed/perfetto_packets.h"

#define VARINT 0 /* the types of fields */
#define BYTES  2

#define TAG(field, type) ((field) << 3 | (type))

static inline uint8_t *put_varint(uint8_t *to, uint64_t value)
{
	for (; value > 127; value >>= 7)
		*to++ = (uint8_t)(value | 128);
	*to++ = (uint8_t)value;
	return to;
}

/* A number in a field below 16, whose tag is one byte. */
static inline uint8_t *put_number(uint8_t *to, uint8_t field, uint64_t value)
{
	*to++ = (uint8_t)TAG(field, VARINT);
	return put_varint(to, value);
}

static uint8_t *pack_fields(const struct perfetto_sample *s, uint8_t *to)
{
	if (s->has_cpu)
		to = put_number(to, 1, s->cpu);
	to = put_number(to, 2, s->pid);
	to = put_number(to, 3, s->tid);
	to = put_number(to, 4, s->callstack_iid);
	if (s->cpu_mode)
		to = put_number(to, 5, s->cpu_mode);
	return put_number(to, 6, s->timebase_count);
}

uint8_t *perfetto_sample_pack(const struct perfetto_sample *s, uint8_t *to)
{
	uint8_t *packet, *sample;

	*to++ = TAG(1, BYTES); /* Trace.packet */
	packet = ++to;
	to = put_number(to, 8, s->timestamp);
	to = put_number(to, 10, s->sequence);
	to = put_number(to, 13, PERFETTO_NEEDS);
	to = put_varint(to, TAG(66, BYTES)); /* TracePacket.perf_sample */
	sample = ++to;
	to = pack_fields(s, to);
	sample[-1] = (uint8_t)(to - sample);
	packet[-1] = (uint8_t)(to - packet);
	return to;
}
