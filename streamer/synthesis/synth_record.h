/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends one perf record, piece by piece: begin, put fields, end.
 *
 *	size_t at = synth_record_begin(out, PERF_RECORD_COMM, 0);
 *	ts_bytes_u32(out, pid);
 *	...
 *	synth_record_end(out, at, trailer_bytes);
 *
 * Threads: none of its own; one owner of `out` at a time.
 */
#ifndef TS_STREAMER_SYNTHESIS_SYNTH_RECORD_H
#define TS_STREAMER_SYNTHESIS_SYNTH_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

/* Appends a header with size 0. Returns its offset, for synth_record_end(). */
size_t synth_record_begin(struct ts_bytes *out, uint32_t type, uint16_t misc);
/* Appends a name of len bytes, its NUL, and zeros up to a multiple of 8 bytes. */
void synth_record_name(struct ts_bytes *out, const char *name, size_t len);
/*
 * Appends trailer_bytes zeros and fills in the size. If memory ran out since the beginning, or the
 * record became too large for its size field, the whole record is removed again.
 */
void synth_record_end(struct ts_bytes *out, size_t at, size_t trailer_bytes);

#endif
