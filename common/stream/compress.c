// SPDX-License-Identifier: Apache-2.0
#include "common/stream/compress.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_initStaticCCtx(): a context that never allocates */
#include <zstd.h>

#include "common/base/min_max.h"
#include "common/perf/perf_layout.h"
#include "common/stream/chunk.h"

#define SKIPPABLE_HEADER 8  /* zstd: magic, length */
#define SKIPPABLE_MAX	 15 /* header and up to 7 bytes */

/* --- compressing --- */

/*
 * zstd chooses its tables by level and by the size of the input, in three steps below 64 KiB. The
 * workspace has room for the largest of them.
 */
size_t ts_compressor_bytes(int level)
{
	static const size_t inputs[] = {1024, 16 << 10, TS_COMPRESS_RAW_MAX};
	size_t most = 0;

	if (level < TS_COMPRESS_LEVEL_FAST || !level || level > TS_COMPRESS_LEVEL_MAX)
		return 0;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		const ZSTD_compressionParameters p = ZSTD_getCParams(level, inputs[i], 0);
		const size_t bytes = ZSTD_estimateCCtxSize_usingCParams(p);

		most = ts_max(bytes, most);
	}
	return (most + 63) & ~(size_t)63;
}

int ts_compressor_init_in(struct ts_compressor *c, int level, void *workspace, struct ts_error *err)
{
	size_t bytes = ts_compressor_bytes(level);

	*c = (struct ts_compressor){.workspace = workspace, .level = level};
	if (!bytes)
		return ts_error_set(err, EINVAL,
				    "cannot compress at level %d: levels are %d and 1 to %d", level,
				    TS_COMPRESS_LEVEL_FAST, TS_COMPRESS_LEVEL_MAX);
	c->cctx = ZSTD_initStaticCCtx(workspace, bytes);
	if (!c->cctx ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(c->cctx, ZSTD_c_compressionLevel, level)))
		return ts_error_set(err, EINVAL, "cannot set up compression at level %d", level);
	return 0;
}

int ts_compressor_init(struct ts_compressor *c, int level, struct ts_error *err)
{
	size_t bytes = ts_compressor_bytes(level);
	void *workspace = bytes ? aligned_alloc(64, bytes) : NULL;
	int rc;

	*c = (struct ts_compressor){0};
	if (bytes && !workspace)
		return ts_error_sys(err, ENOMEM, "cannot allocate %zu bytes for compression",
				    bytes);
	if (workspace)
		memset(workspace, 0, bytes); /* maps its pages before the recording starts */
	rc = ts_compressor_init_in(c, level, workspace, err);
	c->owns_workspace = true;
	if (rc)
		ts_compressor_release(c);
	return rc;
}

void ts_compressor_release(struct ts_compressor *c)
{
	if (c->owns_workspace)
		free(c->workspace); /* the context lies in it */
	memset(c, 0, sizeof(*c));
}

static void put_skippable(uint8_t *at, size_t bytes)
{
	const uint32_t words[2] = {ZSTD_MAGIC_SKIPPABLE_START,
				   (uint32_t)(bytes - SKIPPABLE_HEADER)};

	memcpy(at, words, sizeof(words));
	memset(at + sizeof(words), 0, bytes - sizeof(words));
}

/*
 * Makes one type-81 record of less than len bytes at out from one run; 0 if the run does not
 * shrink. The frame is made behind the longest skippable frame, then moved down to its place.
 */
static size_t compress_run(struct ts_compressor *c, const uint8_t *run, size_t len, uint8_t *out)
{
	struct perf_event_header hdr = {.type = TS_RECORD_COMPRESSED};
	const size_t front = sizeof(hdr) + SKIPPABLE_MAX;
	size_t frame, skip;

	if (len <= front + 8)
		return 0;
	frame = ZSTD_compress2(c->cctx, out + front, len - front, run, len);
	if (ZSTD_isError(frame))
		return 0; /* no room for the frame: the only possible error */
	skip = frame % 8 ? SKIPPABLE_HEADER + (8 - frame % 8) : 0;
	hdr.size = (uint16_t)(sizeof(hdr) + skip + frame);
	memmove(out + sizeof(hdr) + skip, out + front, frame);
	if (skip)
		put_skippable(out + sizeof(hdr), skip);
	memcpy(out, &hdr, sizeof(hdr));
	return hdr.size;
}

/*
 * Bytes of the whole records at `at` that go into one frame; a single larger record is a run, too.
 */
static size_t run_bytes(const uint8_t *at, size_t left)
{
	struct perf_event_header hdr;
	size_t run = 0;

	while (run < left) {
		memcpy(&hdr, at + run, sizeof(hdr));
		assert(hdr.size >= sizeof(hdr) && hdr.size <= left - run);
		if (run && run + hdr.size > TS_COMPRESS_RAW_MAX)
			break;
		run += hdr.size;
	}
	return run;
}

size_t ts_compress(struct ts_compressor *c, const void *raw, size_t len, void *out)
{
	const uint8_t *from = raw;
	uint8_t *to = out;
	size_t at = 0, laid = 0;

	assert((uintptr_t)out % 8 == 0);
	while (at < len) {
		const size_t run = run_bytes(from + at, len - at);
		size_t bytes = 0;

		if (run <= TS_COMPRESS_RAW_MAX)
			bytes = compress_run(c, from + at, run, to + laid);
		if (!bytes) {
			memcpy(to + laid, from + at, run);
			bytes = run;
		}
		laid += bytes;
		at += run;
	}
	return laid;
}

/* --- decompressing our chunks --- */

int ts_decompressor_init(struct ts_decompressor *d, struct ts_error *err)
{
	d->dctx = ZSTD_createDCtx();
	return d->dctx ? 0 : ts_error_sys(err, ENOMEM, "cannot set up decompression");
}

void ts_decompressor_release(struct ts_decompressor *d)
{
	ZSTD_freeDCtx(d->dctx);
	d->dctx = NULL;
}

/*
 * Expands one record of a payload: copies it, or decompresses its frame. Returns the bytes at out,
 * or < 0 and the reason.
 */
static ssize_t expand_record(struct ts_decompressor *d, const uint8_t *at, size_t left,
			     uint8_t *out, size_t cap, size_t *ret_consumed, const char **ret_why)
{
	struct perf_event_header hdr;
	size_t bytes;

	*ret_why = "a record reaches beyond the end";
	if (left < sizeof(hdr))
		return -EBADMSG;
	memcpy(&hdr, at, sizeof(hdr));
	if (hdr.size < sizeof(hdr) || hdr.size > left)
		return -EBADMSG;
	*ret_consumed = hdr.size;
	*ret_why = "more data than the chunk header says";
	if (hdr.type != TS_RECORD_COMPRESSED) {
		if (hdr.size > cap)
			return -EBADMSG;
		memcpy(out, at, hdr.size);
		return hdr.size;
	}
	bytes = ZSTD_decompressDCtx(d->dctx, out, ts_min(cap, (size_t)TS_COMPRESS_RAW_MAX),
				    at + sizeof(hdr), hdr.size - sizeof(hdr));
	if (!ZSTD_isError(bytes))
		return (ssize_t)bytes;
	*ret_why = ZSTD_getErrorName(bytes);
	return -EBADMSG;
}

int ts_decompressor_expand(struct ts_decompressor *d, const void *payload, size_t payload_bytes,
			   void *raw, size_t raw_bytes, struct ts_error *err)
{
	const uint8_t *from = payload;
	uint8_t *to = raw;
	size_t at = 0, filled = 0, consumed = 0;
	const char *why = NULL;

	while (at < payload_bytes) {
		const ssize_t n = expand_record(d, from + at, payload_bytes - at, to + filled,
						raw_bytes - filled, &consumed, &why);

		if (n < 0)
			return ts_error_set(
				err, EBADMSG,
				"cannot decompress a chunk at byte %zu of its payload: %s", at,
				why);
		at += consumed;
		filled += (size_t)n;
	}
	if (filled != raw_bytes)
		return ts_error_set(
			err, EBADMSG,
			"cannot decompress a chunk: it yields %zu bytes, its header says %zu",
			filled, raw_bytes);
	return 0;
}

size_t ts_decompressor_expand_partial(struct ts_decompressor *d, const void *payload,
				      size_t payload_bytes, void *raw, size_t raw_cap)
{
	const uint8_t *from = payload;
	uint8_t *to = raw;
	size_t at = 0, filled = 0, consumed;
	const char *why;

	while (at < payload_bytes) {
		const ssize_t n = expand_record(d, from + at, payload_bytes - at, to + filled,
						raw_cap - filled, &consumed, &why);

		if (n < 0)
			break;
		at += consumed;
		filled += (size_t)n;
	}
	return filled;
}
