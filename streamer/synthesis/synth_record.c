// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/synth_record.h"

#include <linux/perf_event.h>
#include <string.h>

#define RECORD_MAX_BYTES 65528 /* the largest multiple of 8 that fits header.size */

size_t synth_record_begin(struct ts_bytes *out, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {.type = type, .misc = misc};
	size_t at = out->len;

	ts_bytes_put(out, &header, sizeof(header));
	return at;
}

void synth_record_name(struct ts_bytes *out, const char *name, size_t len)
{
	ts_bytes_put(out, name, len);
	ts_bytes_zero(out, 8 - len % 8);
}

void synth_record_end(struct ts_bytes *out, size_t at, size_t trailer_bytes)
{
	uint16_t size;

	ts_bytes_zero(out, trailer_bytes);
	if (ts_bytes_failed(out) || out->len - at > RECORD_MAX_BYTES) {
		out->len = at;
		return;
	}
	size = (uint16_t)(out->len - at);
	memcpy(out->data + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}
