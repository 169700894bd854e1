// SPDX-License-Identifier: Apache-2.0
#include "reader/compact_sample.h"

#include <string.h>

#define RECORD_MAX (UINT16_MAX & ~7u)

bool compact_is_dumping(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER;
}

struct perf_event_attr compact_attr(const struct perf_event_attr *attr)
{
	struct perf_event_attr to = *attr;

	to.sample_type &= ~(uint64_t)(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER);
	to.sample_type |= PERF_SAMPLE_CALLCHAIN;
	to.sample_stack_user = 0;
	to.sample_regs_user = 0;
	to.exclude_callchain_user = 0;
	return to;
}

/* Bytes of the record beside callchain and dump. */
static size_t bytes_kept(const struct perf_event_header *hdr, const struct ts_sample *s)
{
	return ts_load_header(hdr).size - (size_t)(s->chain_end - s->chain_begin) -
	       (size_t)(s->dump_end - s->dump_begin);
}

uint32_t compact_sample_room(const struct perf_event_header *hdr, const struct ts_sample *s)
{
	size_t taken = bytes_kept(hdr, s) + 8 * (2 + s->callchain.nr); /* its count, the marker */

	return taken < RECORD_MAX ? (uint32_t)((RECORD_MAX - taken) / 8) : 0;
}

static uint8_t *put(uint8_t *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

static uint8_t *put_u64(uint8_t *to, uint64_t word)
{
	return put(to, &word, sizeof(word));
}

/* What the kernel recorded, then what was unwound. */
static uint8_t *put_chain(uint8_t *to, const struct ts_words *chain, const uint64_t *ips,
			  uint32_t nr)
{
	to = put_u64(to, chain->nr + (nr ? 1 + nr : 0));
	to = put(to, chain->data, 8 * chain->nr);
	if (nr)
		to = put_u64(to, PERF_CONTEXT_USER);
	return put(to, ips, nr * sizeof(*ips));
}

size_t compact_sample(const struct perf_event_header *hdr, const struct ts_sample *s,
		      const uint64_t *ips, uint32_t nr, uint8_t *to)
{
	const uint8_t *record = (const void *)hdr;
	struct perf_event_header h = ts_load_header(hdr);
	const uint8_t *end = record + h.size;
	uint8_t *at = put(to, record, (size_t)(s->chain_begin - record));

	at = put_chain(at, &s->callchain, ips, nr);
	at = put(at, s->chain_end, (size_t)(s->dump_begin - s->chain_end));
	at = put(at, s->dump_end, (size_t)(end - s->dump_end));
	h.size = (uint16_t)(at - to);
	memcpy(to, &h, sizeof(h));
	return h.size;
}
