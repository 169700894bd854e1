/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of an export about its captures, beside their stacks: the selection, losses and damage,
 * the command, the host, the time, the event.
 *
 * Threads: main thread only; immutable once made.
 */
#ifndef TS_READER_EXPORT_EXPORT_ABOUT_H
#define TS_READER_EXPORT_EXPORT_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/perf/record.h"
#include "reader/report/report_head.h"
#include "reader/runtime/json_text.h"

struct export_about {
	const struct ts_event *event;
	struct ts_bytes lines; /* owned; losses and damage among the first; each ends with '\n' */
	uint64_t start_ns;     /* of the earliest recording, on the wall clock; 0: unknown */
	uint64_t first_ns;     /* then, on the clock of its capture: the first sample */
	uint64_t duration_ns;  /* of the selected times, summed over the captures; 0: unknown */
	bool has_several;      /* captures */
};

/*
 * Of a reading that has its stacks, and its head. The captures must outlive *a. 0 or -ENOMEM; the
 * caller releases *a in any case.
 */
int export_about_init(struct export_about *a, const struct report_run *r,
		      const struct report_head *head, uint32_t event, struct ts_error *err);
void export_about_release(struct export_about *a); /* accepts a zeroed one; idempotent */

/* The line at *at, without its newline, and moves *at behind it; NULL: there are no more. */
const char *export_about_line(const struct export_about *a, size_t *at, size_t *ret_len);
/* Puts all lines as "about", an array of texts. */
void export_about_put(const struct export_about *a, struct json *j);

struct export_texts { /* the lines as C strings */
	struct ts_bytes text;
	char **items; /* owned; in text */
	size_t nr;
};

/* 0 or -ENOMEM; release in both cases. */
int export_texts_init(struct export_texts *t, const struct export_about *a);
void export_texts_release(struct export_texts *t); /* accepts a zeroed one; idempotent */

/* Does the event count nanoseconds of a clock? */
bool export_about_is_clock(const struct export_about *a);
/* The period of all samples, in units of the event; 0: not the same for all, or not known. */
uint64_t export_about_period(const struct export_about *a);

#endif
