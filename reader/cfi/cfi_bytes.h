/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a section that are not read yet. A read beyond their end makes them bad; from then on they
 * read as 0, so a caller asks once, when it is through.
 *
 * Threads: pure functions.
 *
 * Source: DWARF 5, section 7.6 (LEB128); Linux Standard Base, "DWARF Exception Header Encoding".
 */
#ifndef TS_READER_CFI_CFI_BYTES_H
#define TS_READER_CFI_CFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cfi_bytes {
	const uint8_t *at, *end;
	bool is_bad;
};

/* A number of 1 to 8 bytes, little-endian. Inlined: programs read every instruction with it. */
static inline uint64_t cfi_bytes_fixed(struct cfi_bytes *b, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->is_bad = true;
		b->at = b->end;
		return 0;
	}
	memcpy(&value, b->at, size); /* little-endian, as the machines that tables are made for */
	b->at += size;
	return value;
}

int64_t cfi_bytes_signed(struct cfi_bytes *b, size_t size);
/* LEB128; bits beyond 64 are dropped. */
uint64_t cfi_bytes_uleb(struct cfi_bytes *b);
int64_t cfi_bytes_sleb(struct cfi_bytes *b);
/* A number in the format of DW_EH_PE_* (its low four bits); an unknown format makes the bytes bad. */
uint64_t cfi_bytes_encoded(struct cfi_bytes *b, uint8_t encoding);

/* The next `size` bytes, to be read on their own. */
struct cfi_bytes cfi_bytes_part(struct cfi_bytes *b, uint64_t size);

#endif
