/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of `tstream export`.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_EXPORT_EXPORT_OPTIONS_H
#define TS_READER_EXPORT_EXPORT_OPTIONS_H

#include "common/options/option.h"
#include "reader/export/export_format.h"
#include "reader/report/report_options.h"

enum export_timeline {			      /* a track of time is: */
		       EXPORT_TIMELINE_UNSET, /* not given: a thread */
		       EXPORT_BY_THREAD,
		       EXPORT_BY_CPU,
};

struct export_options {
	struct report_options
		report; /* first: captures, selection, symbols, as a report has them */
	const struct export_format *format;
	const char *output; /* NULL: CAPTURE.suffix */
	const char *event;  /* NULL: the first that has samples */
	enum export_weight weight;
	enum export_timeline timeline;
	bool is_forced, is_annotated;
};

extern const struct ts_option export_options_rows[];

/* Sets the defaults. */
void export_options_init(struct export_options *o);
/* Call it after the last option. Requires a format and settles the selection: 0 or -EINVAL. */
int export_options_settle(void *options, struct ts_error *err);
/* Adds a capture. -EINVAL: there are too many, or it was given before. */
int export_options_take_word(void *options, char **rest, struct ts_error *err);

#endif
