/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tstream.json: facts about a capture for people and scripts, without reading the capture.
 *
 * The layout of the writers, versions, and at the end the account of losses and the recorder's own
 * measures. All of it is derived: nothing needs it to read the capture. The file is written at the
 * start with "state": "recording", and replaced by a rename at the end with "complete" or "failed".
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_DIRECTORY_CAPTURE_INFO_H
#define TS_STREAMER_DIRECTORY_CAPTURE_INFO_H

#include <stdint.h>

#include "common/base/error.h"
#include "common/directory/directory.h"
#include "streamer/directory/ledger.h"
#include "streamer/plan/record_plan.h"
#include "streamer/directory/cut.h"
#include "streamer/directory/names_gaps.h"
#include "streamer/watch/cpu_absence.h"

struct capture_info {
	const struct record_plan *plan;
	const uint8_t *uuid;	     /* 16 bytes */
	uint64_t start_realtime_ns;  /* wall clock when samples were enabled; 0: not yet */
	uint64_t duration_ns;	     /* samples enabled to disabled */
	const struct ledger *ledger; /* NULL: still recording */
	const char *failure;	     /* sentence; NULL: none */
	const struct absences *absences;
	const struct names_gaps *gaps;	    /* NULL: none */
	uint64_t start_ns;		    /* samples enabled, CLOCK_MONOTONIC; 0: not yet */
	const char *ended_by;		    /* word of record_end_name(); NULL: none */
	const struct cut_span *rotation;    /* NULL: the recording has one directory */
	uint64_t data_bytes, data_checksum; /* of the file `data` as it is now */
};

/* About how many bytes the last file may be longer than the first. */
uint64_t capture_info_growth_bytes(const struct record_plan *plan);
/* Replaces tstream.json. */
int capture_info_write(const struct capture_info *info, struct ts_dir *dir, struct ts_error *err);

#endif
