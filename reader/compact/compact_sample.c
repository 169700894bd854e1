// SPDX-License-Identifier: Apache-2.0
#include "reader/compact/compact_sample.h"

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

/* Bytes of the record without callchain and dump. */
static size_t bytes_kept(const struct perf_event_header *hdr, const struct ts_sample *s)
{
	return ts_record_load_header(hdr).size - (size_t)(s->chain_end - s->chain_begin) -
	       (size_t)(s->dump_end - s->dump_begin);
}

static uint8_t *put_bytes(uint8_t *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

/* Writes the count, and as many entries as fit. */
static uint8_t *put_chain(uint8_t *to, const struct ts_words *chain, size_t room)
{
	uint64_t nr = room < 8 ? 0 : (room - 8) / 8;

	nr = chain->nr < nr ? chain->nr : nr;
	return put_bytes(put_bytes(to, &nr, sizeof(nr)), chain->data, 8 * nr);
}

size_t compact_sample(const struct perf_event_header *hdr, const struct ts_sample *s,
		      const struct ts_words *chain, uint8_t *to)
{
	const uint8_t *record = (const void *)hdr;
	struct perf_event_header h = ts_record_load_header(hdr);
	uint8_t *at = put_bytes(to, record, (size_t)(s->chain_begin - record));

	at = put_chain(at, chain, RECORD_MAX - bytes_kept(hdr, s));
	at = put_bytes(at, s->chain_end, (size_t)(s->dump_begin - s->chain_end));
	at = put_bytes(at, s->dump_end, (size_t)(record + h.size - s->dump_end));
	h.size = (uint16_t)(at - to);
	memcpy(to, &h, sizeof(h));
	return h.size;
}
