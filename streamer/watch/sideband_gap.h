/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers notify the main thread that a ring of side-band was full, and since when its records may
 * be incomplete. Main then reads names and maps again (streamer/recording/names_again.h).
 *
 * Threads: any writer reports; main waits for `seen` and takes.
 */
#ifndef TS_STREAMER_WATCH_SIDEBAND_GAP_H
#define TS_STREAMER_WATCH_SIDEBAND_GAP_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/stop.h"

struct sideband_gap {
	/* shared by writers: ordering note 13 of docs/threads.md */
	_Atomic uint64_t since_ns; /* on the clock of the records; 0: no gap */
	struct ts_stop seen;
};

int sideband_gap_init(struct sideband_gap *g, struct ts_error *err);
void sideband_gap_release(struct sideband_gap *g); /* idempotent after init */
/* Records after since_ns may be missing. The earliest time that was not taken yet counts. */
void sideband_gap_report(struct sideband_gap *g, uint64_t since_ns);
/* Returns that time and begins anew; 0: nothing was reported. */
uint64_t sideband_gap_take(struct sideband_gap *g);

#endif
