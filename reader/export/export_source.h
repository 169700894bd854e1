/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of an export: the stacks of one event, or of all, and how they are weighed and named.
 *
 * Threads: constant while it is written.
 */
#ifndef TS_READER_EXPORT_EXPORT_SOURCE_H
#define TS_READER_EXPORT_EXPORT_SOURCE_H

#include <stdbool.h>

#include "reader/export/export_about.h"
#include "reader/export/export_times.h"
#include "reader/page/stack_paths.h"
#include "reader/runtime/progress.h"

enum export_weight {
	EXPORT_UNWEIGHED, /* not given: as the format's viewers expect */
	EXPORT_SAMPLES,	  /* how many there are */
	EXPORT_PERIOD,	  /* the sum of their periods: nanoseconds, cycles, ... */
};

struct export_source {
	/* of one event; those of the others weigh nothing, and are there if the format wants them */
	const struct stack_paths *paths;
	const struct ts_events *events; /* of the samples, by number */
	const struct overview
		*captures; /* by number; NULL, unless the format wants about or times */
	const struct aggregate *aggregate;
	const struct report_head *head;	  /* zeroed then; the captures, by number */
	const struct export_about *about; /* zeroed, unless the format wants it */
	const struct export_times *times; /* zeroed, unless the format shows times */
	const struct progress *progress;  /* a writer that takes long asks whether it was stopped */
	unsigned int nr_workers;	  /* threads that it may use */
	enum export_weight weight;
	bool is_annotated; /* names say the kind of their frame */
	bool by_cpu;	   /* tracks of time are CPUs, not threads */
};

#endif
