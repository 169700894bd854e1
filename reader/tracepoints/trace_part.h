/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a tracepoint's text that shows one field. In
 *
 *	print fmt: "prev_pid=%d prev_state=%s%s ==> next_pid=%d", REC->prev_pid, A, B, REC->next_pid
 *
 * the field prev_state is shown by "%s%s", A, B. The part lies behind the name of the field, and a
 * '=', a ':' or a blank, and reaches to the next blank of the format. Its arguments name the field.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_PART_H
#define TS_READER_TRACEPOINTS_TRACE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/tracepoints/trace_format.h"

/*
 * Appends the format of an event `id` that has the fields of the event in `text`, and only that
 * part as its text. `format` is the result of trace_format_look(), and is printable. False: no part
 * shows the field, or ts_bytes_failed(out).
 */
bool trace_part_put(const char *text, size_t len, const struct trace_format *format,
		    const char *field, uint32_t id, struct ts_bytes *out);

#endif
