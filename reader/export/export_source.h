/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of an export: the stacks of one event, and how they are weighed and named.
 *
 * Threads: constant while it is written.
 */
#ifndef TS_READER_EXPORT_EXPORT_SOURCE_H
#define TS_READER_EXPORT_EXPORT_SOURCE_H

#include <stdbool.h>

#include "reader/export/export_about.h"
#include "reader/page/stack_paths.h"

enum export_weight {
	EXPORT_UNWEIGHED, /* not given: as the format's viewers expect */
	EXPORT_SAMPLES,	  /* how many there are */
	EXPORT_PERIOD,	  /* the sum of their periods: nanoseconds, cycles, ... */
};

struct export_source {
	const struct stack_paths *paths; /* of one event */
	const struct aggregate *aggregate;
	const struct export_about *about; /* zeroed, unless the format wants it */
	enum export_weight weight;
	bool is_annotated; /* names say the kind of their frame */
};

#endif
