// SPDX-License-Identifier: Apache-2.0
#include "tests/support/lengthened_records.h"

#include <linux/perf_event.h>
#include <string.h>

size_t lengthened_body_bytes(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_KSYMBOL:
		return LENGTHENED_KSYMBOL_BYTES;
	case PERF_RECORD_BPF_EVENT:
		return LENGTHENED_BPF_EVENT_BYTES;
	default:
		return LENGTHENED_TEXT_POKE_BYTES;
	}
}

static void put_body(struct ts_bytes *out, uint32_t type)
{
	static const char name[16] = "bpf_prog_made", tag[8] = "tagtagta";
	static const uint8_t code[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

	if (type == PERF_RECORD_BPF_EVENT) {
		ts_bytes_u16(out, PERF_BPF_EVENT_PROG_LOAD);
		ts_bytes_u16(out, 0);
		ts_bytes_u32(out, 42); /* the program's id */
		ts_bytes_put(out, tag, sizeof(tag));
		return;
	}
	ts_bytes_u64(out, 0xffffffffc0001000);
	if (type == PERF_RECORD_KSYMBOL) {
		ts_bytes_u32(out, 64); /* bytes of code */
		ts_bytes_u16(out, PERF_RECORD_KSYMBOL_TYPE_BPF);
		ts_bytes_u16(out, 0);
		ts_bytes_put(out, name, sizeof(name));
		return;
	}
	ts_bytes_u16(out, 5);
	ts_bytes_u16(out, 5);
	ts_bytes_put(out, code, sizeof(code));
}

void put_lengthened(struct ts_bytes *out, uint32_t type, const void *trailer, size_t trailer_bytes,
		    const void *stale, size_t stale_bytes)
{
	struct perf_event_header hdr = {.type = type, .misc = PERF_RECORD_MISC_KERNEL};

	hdr.size = (uint16_t)(lengthened_body_bytes(type) + trailer_bytes + stale_bytes);
	ts_bytes_put(out, &hdr, sizeof(hdr));
	put_body(out, type);
	ts_bytes_put(out, trailer, trailer_bytes);
	ts_bytes_put(out, stale, stale_bytes);
}
