/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `data` of a capture in the making: events, what existed at the start, features.
 *
 * It is built in parts that become known one after the other, and can be packed at any time: first
 * complete but for the tasks and BPF programs (before anything is enabled, so that a capture killed
 * at once is readable), then with them, at the end with the modules loaded meanwhile, the losses
 * and the times. Each packing puts a whole new file in the place of the one before.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_DIRECTORY_DATA_FILE_H
#define TS_STREAMER_DIRECTORY_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/base/notes.h"
#include "common/directory/directory.h"
#include "common/perf/header.h"
#include "streamer/directory/ledger.h"
#include "streamer/directory/live_table.h"
#include "streamer/directory/sideband_log.h"
#include "streamer/machine/kallsyms.h"
#include "streamer/plan/record_plan.h"
#include "streamer/synthesis/synthesis.h"

struct data_file_facts { /* what only the command line knows */
	int argc;
	char **argv;
	pid_t command; /* the held command; 0: none */
};

struct data_file {
	const struct record_plan *plan; /* its source must be open */
	struct synthesis_options synthesis;
	pid_t command;
	bool sees_kernel; /* some event looks at the kernel, so its maps are needed */
	struct ts_events events;
	struct ts_feature_set features;
	struct kallsyms symbols; /* where sees_kernel */
	/* runs of whole records, in the order of the file */
	struct ts_bytes head; /* ids, kernel */
	struct ts_bytes modules;
	size_t modules_at;	/* where the newest list of them begins in it */
	struct ts_bytes tables; /* units, tasks and CPUs asked for */
	struct ts_bytes bpf;	/* loaded BPF programs; cgroups */
	struct ts_bytes tasks;
	struct ts_bytes tail; /* end of the start; losses */
	/* of the file as it was written last; 0 bytes: not yet */
	uint64_t written_bytes, written_checksum;
};

/* Gathers everything but tasks and BPF programs. The plan's source is open; nothing is enabled yet. */
int data_file_init(struct data_file *d, const struct record_plan *plan,
		   const struct data_file_facts *facts, struct ts_notes *notes,
		   struct ts_error *err);
/* Takes in descriptors that were opened since, from that index on. */
int data_file_add_ids(struct data_file *d, size_t first, struct ts_error *err);
/* Tasks, out of /proc, and BPF programs; to be called when side-band is enabled. */
int data_file_scan(struct data_file *d, struct ts_notes *notes, struct ts_error *err);
/* Adds what is known at the end: modules loaded meanwhile, losses, times, compression. */
int data_file_finish(struct data_file *d, const struct ledger *ledger, struct ts_error *err);
/* Packs it and puts it in the place of the one before. */
int data_file_write(struct data_file *d, struct ts_dir *dir, struct ts_error *err);
/* The same recording goes on in another directory, where `table` tells what there is. */
int data_file_begin_next(struct data_file *d, const struct live_table *table, struct ts_error *err);
/*
 * The same while samples from before may still come, of the processes in `needed`: what `log` (applied)
 * tells of them and began with d->tasks, goes on, and what `table` tells of the others. On failure it is
 * as it was.
 */
int data_file_condense(struct data_file *d, const struct live_table *table,
		       const struct sideband_log *log, const struct needed_tasks *needed,
		       struct ts_error *err);
void data_file_release(struct data_file *d); /* accepts a zeroed one; idempotent */

#endif
