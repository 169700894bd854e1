/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `data` of a capture in the making: events, tasks and maps that existed at the start,
 * features.
 *
 * Its parts become known one after the other:
 *
 * - At first it is complete but for tasks and BPF programs. That is before anything is enabled, so
 *   a capture that is killed at once is readable.
 * - Then it has tasks and BPF programs, too.
 * - At the end it has also the modules loaded meanwhile, the losses and the times. Modules are read
 *   at the start and again at the end, because no record announces a new one.
 *
 * `data` can be written at any time: a rename puts a whole new file in the place of the one before.
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
#include "streamer/rings/file_ids.h"
#include "streamer/synthesis/synthesis.h"

struct data_file_facts { /* facts from the command line */
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
	struct kallsyms symbols; /* valid if sees_kernel */
	/* runs of whole records, in the order of the file */
	struct ts_bytes head; /* ids, kernel */
	struct ts_bytes modules;
	size_t modules_at;	/* where the newest list begins in `modules` */
	struct ts_bytes tables; /* units, tasks and CPUs asked for */
	struct ts_bytes bpf;	/* loaded BPF programs; cgroups */
	struct ts_bytes tasks;
	struct ts_bytes mapped;	  /* first maps of files, with their build-ids (file_ids.h) */
	struct ts_bytes file_ids; /* entries of HEADER_BUILD_ID for these files */
	struct ts_bytes tail;	  /* end of the start (FINISHED_INIT); losses */
	/* of the file as it was last written; 0 bytes: not yet */
	uint64_t written_bytes, written_checksum;
};

/* Gathers all but tasks and BPF programs. The plan's source is open, and nothing is enabled yet. */
int data_file_init(struct data_file *d, const struct record_plan *plan,
		   const struct data_file_facts *facts, struct ts_notes *notes,
		   struct ts_error *err);
/* Adds the ids of descriptors that were opened since, from index `first` on. */
int data_file_add_ids(struct data_file *d, size_t first, struct ts_error *err);
/* Reads tasks out of /proc, and BPF programs; call it when side-band is enabled. */
int data_file_scan(struct data_file *d, struct ts_notes *notes, struct ts_error *err);
/*
 * The same while recording, of all tasks that are alive now: appends records of that time to `run`.
 * They tell the names, maps and programs that exist, so a reader that has missed some knows all.
 */
int data_file_scan_again(struct data_file *data, uint64_t time_ns, struct ts_bytes *run,
			 struct ts_error *err);
/*
 * Reads the build-ids of files that writers have seen mapped for the first time (file_ids.h), and
 * answers. Adds each id to the header, and as a second record of the map, a nanosecond after the
 * first. Returns how many it added, or -ENOMEM.
 */
int data_file_read_files(struct data_file *d, struct file_ids *files, struct ts_error *err);
/* Adds the facts of the end: modules loaded meanwhile, losses, times, compression. */
int data_file_finish(struct data_file *d, const struct ledger *ledger, struct ts_error *err);
/* Packs the file and replaces `data`. */
int data_file_write(struct data_file *d, struct ts_dir *dir, struct ts_error *err);
/*
 * Begins the `data` of the next directory of the recording: tasks, maps and programs come out of
 * `table`.
 */
int data_file_begin_next(struct data_file *d, const struct live_table *table, struct ts_error *err);
/*
 * The same, but samples from before may still come. For the processes in `needed` it keeps all
 * side-band of `log`, which must be applied and begin with d->tasks. For all others it takes the
 * state in `table`. On failure the file is unchanged.
 */
int data_file_condense(struct data_file *d, const struct live_table *table,
		       const struct sideband_log *log, const struct needed_tasks *needed,
		       struct ts_error *err);
void data_file_release(struct data_file *d); /* accepts a zeroed one; idempotent */

#endif
