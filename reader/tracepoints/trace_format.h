/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the format of a tracepoint before libtraceevent gets it. libtraceevent trusts formats, but
 * they come from a capture, and so do the samples that they print.
 *
 * A format as the kernel writes it is sound. Its fields lie inside a payload. Behind "print fmt:"
 * stand C expressions whose functions are known and get arguments that they can read:
 *
 *	name: work
 *	ID: 7
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *
 *		field:int len;	offset:8;	size:4;	signed:1;
 *		field:__data_loc u8[] buf;	offset:12;	size:4;	signed:0;
 *
 *	print fmt: "buf=%s", __print_hex(__get_dynamic_array(buf), REC->len)
 *
 * A field of the sample (`len` here) may tell how far a function reads. So this is checked for each
 * sample (trace_format_fits()). See decision 135.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_FORMAT_H
#define TS_READER_TRACEPOINTS_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_LENGTHS_MAX 8

struct trace_length { /* a field that tells how many elements are read */
	uint16_t offset;
	uint8_t size; /* 1, 2, 4 or 8 */
};

struct trace_format {
	uint32_t id;
	size_t head_bytes; /* up to "print fmt:", with it */
	bool is_printable; /* the part behind it is sound, too */
	bool reads_ahead;  /* then: some function has a length, from a field or a number */
	struct trace_length lengths[TRACE_LENGTHS_MAX];
	uint32_t nr_lengths;
};

/* False: libtraceevent must not see it; *ret is not set then. */
bool trace_format_look(const char *text, size_t len, struct trace_format *ret);

/* May the format print this sample? The fields must lie inside the sample. */
bool trace_format_fits(const struct trace_format *f, const uint8_t *raw, uint32_t raw_size);
/*
 * The number of zero bytes that must stand behind a copy of the sample, because libtraceevent may
 * read there.
 */
size_t trace_format_zeros(const struct trace_format *f, uint32_t raw_size);

#endif
