// SPDX-License-Identifier: Apache-2.0
/*
 * A type-81 record is one part of the file's endless zstd stream. A type-83 record gives the number
 * of its data bytes. In perf 6.16 .. 7.1 a type-83 record overflows if one push compresses to 64
 * KiB or more. Then header.size is cut to 16 bits, data_size is the sum over everything that
 * follows, and there is no padding. The first part has the most data that a record can carry. Each
 * further part begins with a header of its own, whose size is right:
 *
 *	| 83 size? data_size | 65519 bytes | 83 size x | size - 16 bytes | 83 size x | ... |
 *	                     |<----------------- data_size -------------------------------->|
 */
#include "common/perf/inflate.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include <zstd.h>

#include "common/base/min_max.h"
#include "common/perf/perf_layout.h"
#include "common/perf/record.h"

#define SIZED_HEADER 16u /* type 83: perf header, u64 data_size */
#define SIZED_MOST   65519u
#define OUTPUT_LIMIT (1u << 30)

static size_t align8(uint64_t bytes)
{
	return (bytes + 7) & ~7ULL;
}

size_t ts_inflater_span(const void *at, size_t left)
{
	struct perf_event_header hdr;
	uint64_t data_size;

	if (left < sizeof(hdr))
		return 0;
	memcpy(&hdr, at, sizeof(hdr));
	if (hdr.type != TS_RECORD_COMPRESSED2)
		return hdr.size < sizeof(hdr) || hdr.size > left ? 0 : hdr.size;
	if (left < SIZED_HEADER)
		return 0;
	data_size = ts_record_load_u64((const uint8_t *)at + sizeof(hdr));
	if (data_size > left - SIZED_HEADER)
		return 0;
	if (align8(SIZED_HEADER + data_size) > hdr.size)
		return SIZED_HEADER + data_size; /* overflowed: no padding, size is cut */
	return hdr.size > left ? 0 : hdr.size;
}

int ts_inflater_init(struct ts_inflater *in, uint32_t mmap_len, struct ts_error *err)
{
	*in = (struct ts_inflater){.limit = mmap_len && mmap_len < OUTPUT_LIMIT ? mmap_len
										: OUTPUT_LIMIT};
	in->dctx = ZSTD_createDCtx();
	return in->dctx ? 0 : ts_error_sys(err, ENOMEM, "cannot set up decompression");
}

void ts_inflater_release(struct ts_inflater *in)
{
	ZSTD_freeDCtx(in->dctx);
	memset(in, 0, sizeof(*in));
}

int ts_inflater_feed(struct ts_inflater *in, const void *at, size_t left, struct ts_error *err)
{
	const size_t span = ts_inflater_span(at, left);
	struct perf_event_header hdr;
	uint64_t data_size;

	if (!span)
		return ts_error_set(err, EBADMSG,
				    "cannot decompress a record: its sizes do not fit the file");
	memcpy(&hdr, at, sizeof(hdr));
	in->output = 0;
	in->span_left = 0;
	in->at = (const uint8_t *)at + sizeof(hdr);
	in->part_left = span - sizeof(hdr);
	if (hdr.type != TS_RECORD_COMPRESSED2)
		return 0;
	data_size = ts_record_load_u64(in->at);
	in->at += SIZED_HEADER - sizeof(hdr);
	in->part_left = ts_min(data_size, SIZED_MOST);
	in->span_left = data_size - in->part_left;
	return 0;
}

/* Goes on to the next part of an overflowed record. 0 or -EBADMSG. */
static int next_part(struct ts_inflater *in)
{
	struct perf_event_header hdr;

	if (in->span_left < SIZED_HEADER)
		return -EBADMSG;
	memcpy(&hdr, in->at, sizeof(hdr));
	if (hdr.type != TS_RECORD_COMPRESSED2 || hdr.size < SIZED_HEADER ||
	    hdr.size > in->span_left)
		return -EBADMSG;
	in->at += SIZED_HEADER;
	in->part_left = hdr.size - SIZED_HEADER;
	in->span_left -= hdr.size;
	return 0;
}

/*
 * Lets zstd write until `out` is full, or until this part is used up and zstd holds nothing back.
 */
static size_t read_part(struct ts_inflater *in, ZSTD_outBuffer *out, bool *ret_drained)
{
	ZSTD_inBuffer input = {.src = in->at, .size = in->part_left};
	size_t rc;

	do
		rc = ZSTD_decompressStream(in->dctx, out, &input);
	while (!ZSTD_isError(rc) && input.pos < input.size && out->pos < out->size);
	in->at += input.pos;
	in->part_left -= input.pos;
	*ret_drained = out->pos < out->size;
	return rc;
}

ssize_t ts_inflater_read(struct ts_inflater *in, void *out, size_t cap, struct ts_error *err)
{
	ZSTD_outBuffer to = {.dst = out, .size = cap};

	for (;;) {
		bool drained;
		const size_t rc = read_part(in, &to, &drained);

		if (ZSTD_isError(rc))
			return ts_error_set(err, EBADMSG, "cannot decompress a record: %s",
					    ZSTD_getErrorName(rc));
		if (!drained || !in->span_left)
			break;
		if (next_part(in))
			return ts_error_set(err, EBADMSG,
					    "cannot decompress a record: its parts do not fit");
	}
	in->output += to.pos;
	if (in->output > in->limit)
		return ts_error_set(err, E2BIG,
				    "cannot decompress a record: more than %llu bytes come out",
				    (unsigned long long)in->limit);
	return (ssize_t)to.pos;
}
