/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of the tracepoints of a capture, checked, and parsed by libtraceevent. They come from
 * the TRACING_DATA feature: the kernel's events/.../format files at recording time.
 *
 * Threads: libtraceevent caches inside its handle, so a `struct trace_formats` belongs to one
 * thread. Threads may make theirs at the same time.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_FORMATS_H
#define TS_READER_TRACEPOINTS_TRACE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <traceevent/event-parse.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/tasks/hash_index.h"
#include "reader/tracepoints/trace_format.h"

struct trace_known {
	struct trace_format look;
	const char *text;
	size_t len;
};

struct trace_formats {
	struct tep_handle *tep;
	struct trace_known *items; /* the formats that tep has */
	uint32_t nr, cap;
	struct hash_index of_id;
	struct ts_bytes parts; /* those that were asked for */
	struct ts_bytes scratch;
};

/*
 * Parses the feature of `header`, which is used until trace_formats_release(). Without it no event
 * is known. Returns 0, -ENOMEM, or -EINVAL if the feature is damaged; release in each case.
 */
int trace_formats_init(struct trace_formats *f, const struct ts_header *header,
		       struct ts_error *err);
void trace_formats_release(struct trace_formats *f);

/* Was memory out, at any time? */
static inline bool trace_formats_failed(const struct trace_formats *f)
{
	return ts_bytes_failed(&f->scratch);
}

/* The format of an event; valid until the next part is made. NULL: it has none that is sound. */
const struct trace_known *trace_formats_find(const struct trace_formats *f, uint64_t id);

/*
 * The id of an event that prints the part of this event's text that shows a field (trace_part.h).
 * The samples are the same. 0: there is no such part, or trace_formats_failed(). `field` must live
 * as long as *f.
 */
uint32_t trace_formats_part(struct trace_formats *f, uint64_t config, const char *field);

#endif
