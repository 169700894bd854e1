// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/cfi_bytes.h"

#include <dwarf.h>

int64_t cfi_bytes_signed(struct cfi_bytes *b, size_t size)
{
	const unsigned int unused = 64 - 8 * (unsigned int)size;

	return (int64_t)(cfi_bytes_fixed(b, size) << unused) >> unused;
}

static uint64_t get_leb(struct cfi_bytes *b, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)cfi_bytes_fixed(b, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->is_bad);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~0ULL << shift;
	return value;
}

uint64_t cfi_bytes_uleb(struct cfi_bytes *b)
{
	return get_leb(b, false);
}

int64_t cfi_bytes_sleb(struct cfi_bytes *b)
{
	return (int64_t)get_leb(b, true);
}

/* The next `size` bytes, to be read on their own. */
struct cfi_bytes cfi_bytes_part(struct cfi_bytes *b, uint64_t size)
{
	struct cfi_bytes part = {b->at, b->at, false};

	if (size > (uint64_t)(b->end - b->at)) {
		b->is_bad = part.is_bad = true;
		b->at = b->end;
		return part;
	}
	part.end = b->at += size;
	return part;
}

uint64_t cfi_bytes_encoded(struct cfi_bytes *b, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cfi_bytes_fixed(b, 8);
	case DW_EH_PE_udata4:
		return cfi_bytes_fixed(b, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)cfi_bytes_signed(b, 4);
	case DW_EH_PE_udata2:
		return cfi_bytes_fixed(b, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)cfi_bytes_signed(b, 2);
	case DW_EH_PE_uleb128:
		return cfi_bytes_uleb(b);
	case DW_EH_PE_sleb128:
		return (uint64_t)cfi_bytes_sleb(b);
	default:
		b->is_bad = true;
		return 0;
	}
}
