/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and maps that were lost are read again. After a loss of side-band main reads /proc once
 * more, for all tasks that are alive, and gives the records to a writer, as side-band of the time
 * at which the scan began. Then every later sample has its names.
 *
 *	a writer reports a gap -> (at most once a second) did the kernel lose any?
 *		-> scan -> a ring of side-band that main fills -> the stream
 *
 * The gaps, from the last whole record before the loss to the scan, are kept for tstream.json.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_NAMES_AGAIN_H
#define TS_STREAMER_RECORDING_NAMES_AGAIN_H

#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/notes.h"
#include "streamer/directory/data_file.h"
#include "streamer/directory/names_gaps.h"
#include "streamer/machine/record_clock.h"
#include "streamer/recording/crew.h"

struct names_again {
	struct crew *crew;	/* not owned */
	struct data_file *data; /* not owned */
	struct ts_notes *notes; /* not owned */
	uint64_t due_ns;	/* when to look, CLOCK_MONOTONIC; TS_TIME_NEVER: no loss is known */
	uint64_t looked_ns;	/* the last look at the kernel's counts, CLOCK_MONOTONIC */
	uint64_t lost;		/* those counts, of all side-band */
	struct record_clock clock;
	bool has_clock, has_failed;
	struct ts_bytes run; /* the records that the writer has */
	struct names_gaps gaps;
};

void names_again_init(struct names_again *n, struct crew *crew, struct data_file *data,
		      struct ts_notes *notes);
/* Call it often; it does nothing before due_ns. The first failure is a note; it is tried again. */
void names_again_look(struct names_again *n);
/* After the join of the writers: a loss without a scan behind it is a gap up to the end. */
void names_again_end(struct names_again *n);
void names_again_release(struct names_again *n); /* after the writers are gone; idempotent */

#endif
