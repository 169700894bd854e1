/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cut ends one directory of a recording and begins the next. Here are its cause and the names
 * that are made of it. rotation.h makes cuts.
 *
 * Threads: any; nothing here is shared.
 */
#ifndef TS_STREAMER_DIRECTORY_CUT_H
#define TS_STREAMER_DIRECTORY_CUT_H

#include <stdint.h>
#include <time.h>

#include "common/base/error.h"

#define CUT_NAME_MAX	64
#define CUT_STAMP_BYTES 32

enum cut_kind {
	CUT_BY_SIGNAL,
	CUT_BY_SIZE,
	CUT_BY_TIME,
	CUT_BY_CONTROL,
	CUT_BY_EVENT,
	CUT_BY_PRESSURE
};

/* Why a cut is made: goes into the name and the tstream.json of the directory that it finishes. */
struct cut_cause {
	enum cut_kind kind;
	const char *what; /* the signal, the event...; NULL: `kind` says it all; outlives the cut */
	char name[CUT_NAME_MAX +
		  1];	      /* behind the stamp; empty: none; has passed cut_name_check() */
	uint64_t realtime_ns; /* when it happened, wall clock; 0: when the cut begins */
};

/* Letters, digits and "._-+=@%", the first no dot, at most CUT_NAME_MAX of them; else -EINVAL. */
int cut_name_check(const char *name, struct ts_error *err);
/* "signal", ...: the word in tstream.json. */
const char *cut_kind_name(enum cut_kind kind);

/* perf's stamp, in local time: YYYYmmddHHMMSScc. */
void cut_stamp(char text[CUT_STAMP_BYTES], struct timespec now);

struct cut_span {		/* the part of a recording that one directory has */
	uint32_t number;	/* from 0 */
	uint64_t begin_ns;	/* the cut before it, on the clock of the records; 0: the start */
	uint64_t end_ns;	/* the next cut; 0: none yet */
	struct cut_cause cause; /* of the next cut */
};

#endif
