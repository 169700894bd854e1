/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as text of 64 letters (RFC 4648, section 4), for binary data in a page.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_HTML_BASE64_H
#define TS_READER_HTML_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

/* The letters for so many bytes. */
static inline uint64_t base64_bytes(uint64_t len)
{
	return (len + 2) / 3 * 4;
}

/* Appends them. Pieces of one text have a multiple of 3 bytes, but for the last one. */
void base64_put(struct ts_bytes *out, const uint8_t *from, size_t len);

#endif
