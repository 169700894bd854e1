// SPDX-License-Identifier: Apache-2.0
#include "common/perf/lengthened.h"

#include <string.h>

#include "common/perf/record.h"
#include "common/perf/record_type.h"

#define TEXT_POKE_LENS 16 /* offset of two u16: bytes of the old and of the new code */

static size_t round_up(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

/*
 * Bytes in front of the trailer according to the record's own fields; may be more than the record
 * has.
 */
static size_t body_bytes(const uint8_t *at, const struct perf_event_header *hdr)
{
	size_t fixed = ts_record_type_fixed_bytes(hdr->type);

	if (hdr->size < fixed)
		return hdr->size;
	if (hdr->type == PERF_RECORD_KSYMBOL)
		fixed += strnlen((const char *)at + fixed, hdr->size - fixed) + 1;
	if (hdr->type == PERF_RECORD_TEXT_POKE)
		fixed += (size_t)ts_record_load_u16(at + TEXT_POKE_LENS) +
			 ts_record_load_u16(at + TEXT_POKE_LENS + 2);
	return round_up(fixed);
}

static bool is_zero(const uint8_t *at, size_t bytes)
{
	return !bytes || (!at[0] && !memcmp(at, at + 1, bytes - 1));
}

/* Bytes of the record between body and trailer, which begin at *ret_off; 0: none. */
static size_t find_gap(const uint8_t *at, size_t trailer_bytes, size_t *ret_off)
{
	const struct perf_event_header hdr = ts_record_load_header(at);

	if (!trailer_bytes || !ts_lengthened_is_type(hdr.type))
		return 0;
	*ret_off = body_bytes(at, &hdr);
	if (hdr.size <= *ret_off + trailer_bytes)
		return 0;
	return hdr.size - *ret_off - trailer_bytes;
}

size_t ts_lengthened_trailer_off(const void *record, size_t trailer_bytes)
{
	size_t size = ts_record_load_header(record).size, off;
	size_t gap = find_gap(record, trailer_bytes, &off);

	if (gap && !is_zero((const uint8_t *)record + off, gap))
		return off;
	return size < sizeof(struct perf_event_header) + trailer_bytes ? size
								       : size - trailer_bytes;
}

bool ts_lengthened_is_record(const void *record, size_t trailer_bytes)
{
	size_t off, gap = find_gap(record, trailer_bytes, &off);

	return gap && !is_zero((const uint8_t *)record + off, gap);
}

bool ts_lengthened_mend(void *record, size_t trailer_bytes)
{
	uint8_t *at = record;
	size_t off, gap = find_gap(at, trailer_bytes, &off);

	if (!gap || is_zero(at + off, gap))
		return false;
	memmove(at + off + gap, at + off, trailer_bytes);
	memset(at + off, 0, gap);
	return true;
}

/* All side-band that is written passes here, so only type and size of most records are read. */
size_t ts_lengthened_mend_run(void *run, size_t len, size_t trailer_bytes)
{
	uint8_t *at = run, *end = at + len;
	size_t span, nr = 0;

	for (; (span = ts_record_span_in_run(at, (size_t)(end - at))); at += span)
		if (ts_lengthened_is_type(ts_record_load_u32(at)))
			nr += ts_lengthened_mend(at, trailer_bytes);
	return nr;
}
