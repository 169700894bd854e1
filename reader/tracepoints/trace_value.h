/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of one field of a tracepoint, as libtraceevent prints it where it prints fields one by
 * one: 7, -1, 0xffff888003c2c000, bash, ARRAY[00, 0a, ff].
 *
 * libtraceevent itself takes texts without NUL for longer than they are, and after a text that
 * cannot be printed it prints all others of the field as bytes.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_VALUE_H
#define TS_READER_TRACEPOINTS_TRACE_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <traceevent/event-parse.h>

#include "common/base/bytes.h"

/* Do the bytes of the field, and the bytes that they point to, lie inside the payload? */
bool trace_value_is_inside(const struct tep_format_field *field, const uint8_t *raw,
			   uint32_t raw_size);
/* Appends the value. It must be inside. */
void trace_value_put(const struct tep_format_field *field, const uint8_t *raw,
		     struct ts_bytes *out);

#endif
