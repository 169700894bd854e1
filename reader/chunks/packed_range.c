// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/packed_range.h"

#include <errno.h>

#include <zstd.h>

#define LEVEL	    1
#define SHRINK	    4 /* records that shrink less stay plain */
#define BYTES_LEAST 4096

uint8_t *packed_range_make(struct packed_range_maker *m, struct memory *memory,
			   const uint8_t *records, size_t len, size_t *ret_bytes)
{
	uint8_t *packed, *cut;
	size_t bytes;

	if (len < BYTES_LEAST)
		return NULL;
	if (!m->cctx)
		m->cctx = ZSTD_createCCtx();
	packed = m->cctx ? memory_new(memory, 1, len / SHRINK) : NULL;
	if (!packed)
		return NULL;
	bytes = ZSTD_compressCCtx(m->cctx, packed, len / SHRINK, records, len, LEVEL);
	if (ZSTD_isError(bytes)) {
		memory_free(packed);
		return NULL;
	}
	cut = memory_resize(memory, packed, 1, bytes);
	*ret_bytes = bytes;
	return cut ? cut : packed;
}

void packed_range_maker_release(struct packed_range_maker *m)
{
	ZSTD_freeCCtx(m->cctx);
	m->cctx = NULL;
}

int packed_range_expand(void *dctx, const uint8_t *packed, size_t bytes, uint8_t *records,
			size_t len, struct ts_error *err)
{
	const size_t got = ZSTD_decompressDCtx(dctx, records, len, packed, bytes);

	return got == len ? 0 : ts_error_set(err, EBADMSG, "cannot unpack a range of records");
}
