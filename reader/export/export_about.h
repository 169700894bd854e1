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
	/*
	 * owned; the selection; then of each capture its path, if there are several, losses, damage,
	 * command, host. Each line ends with '\n'.
	 */
	struct ts_bytes lines;
	size_t title;	      /* where the first loss or damage is in the lines; 0: none */
	uint64_t start_ns;    /* of the earliest recording, on the wall clock; 0: unknown */
	uint64_t first_ns;    /* of that recording: its first sample, on the clock of its capture */
	uint64_t duration_ns; /* of the selected times, summed over the captures; 0: unknown */
	bool has_several_captures;
};

/*
 * Of a reading that has its stacks, and its head. The captures must outlive *a. 0 or -ENOMEM; the
 * caller releases *a in any case.
 */
int export_about_init(struct export_about *a, const struct report_run *r,
		      const struct report_head *head, uint32_t event, struct ts_error *err);
void export_about_release(struct export_about *a); /* accepts a zeroed one; idempotent */

/*
 * The line at *at, without its newline, and moves *at behind it; NULL: there are no more. Begin with
 * *at 0.
 */
const char *export_about_line(const struct export_about *a, size_t *at, size_t *ret_len);
/* A line for viewers that show one: a loss or damage, or else the first line; NULL: there are none. */
const char *export_about_title(const struct export_about *a, size_t *ret_len);
/* Puts all lines as "about", an array of texts. */
void export_about_put(const struct export_about *a, struct json *j);

struct export_texts { /* the lines as C strings */
	struct ts_bytes text;
	char **items; /* owned; in text */
	size_t nr;
};

/* Makes a copy: *a need not outlive it. 0 or -ENOMEM; release in both cases. */
int export_texts_init(struct export_texts *t, const struct export_about *a);
void export_texts_release(struct export_texts *t); /* accepts a zeroed one; idempotent */

/* Does the event count nanoseconds of a clock? */
bool export_about_is_clock(const struct export_about *a);
/* The period of all samples, in units of the event; 0: not the same for all, or not known. */
uint64_t export_about_period(const struct export_about *a);

#endif
