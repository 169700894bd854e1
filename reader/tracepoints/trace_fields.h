/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payload of tracepoint samples as text: "prev_comm=bash prev_pid=7 ... ==>
 * next_comm=swapper/0".
 *
 * The formats come from the capture's TRACING_DATA feature (the kernel's events/.../format files at
 * recording time); libtraceevent parses and prints them. No plugins are loaded: reading a capture
 * executes nothing.
 *
 * Threads: libtraceevent caches inside its handle, so a `struct tracefields` belongs to one thread;
 * every formatting thread makes its own.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_FIELDS_H
#define TS_READER_TRACEPOINTS_TRACE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/symbols/symbol.h"

struct tracefields;

/*
 * Parses the feature of `header`. If the header has none, every event is unknown. `syms` (or NULL)
 * names kernel addresses in payloads. Both are used until trace_fields_free(). NULL: *err has the
 * reason.
 */
struct tracefields *trace_fields_new(const struct ts_header *header, struct symbols *syms,
				     struct ts_error *err);
void trace_fields_free(struct tracefields *tf);

/* The names of the fields that only this event has, in their order; NULL: no more. */
const char *trace_fields_name(const struct tracefields *tf, uint64_t config, size_t index);
/* The columns that any value of a field needs, as in perf; 0: the event has no such field. */
unsigned int trace_fields_width(const struct tracefields *tf, uint64_t config, const char *name);
/*
 * Appends the value of one field: as the text of the event shows it, or with `is_raw` by itself.
 * False: none. `name` must live as long as tf.
 */
bool trace_fields_print_field(struct tracefields *tf, uint64_t config, const char *name,
			      bool is_raw, const uint8_t *raw, uint32_t raw_size,
			      struct ts_bytes *out);

/*
 * From now on trace_fields_print() gives "name=value" of each field, instead of the kernel's text.
 */
void trace_fields_set_raw(struct tracefields *tf, bool is_raw);

/*
 * Appends the fields of one sample. If it is too short for them, those that it has are shown one by
 * one. False: the capture has no format for this event id (attr.config).
 */
bool trace_fields_print(struct tracefields *tf, uint64_t config, const uint8_t *raw,
			uint32_t raw_size, uint32_t cpu, struct ts_bytes *out);

#endif
