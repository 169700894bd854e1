/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The targets of a recording: the whole system, some CPUs, processes, threads, a user, or the
 * command to be started.
 *
 * Threads: one owner; constant once the capture has begun.
 */
#ifndef TS_STREAMER_TARGETS_TARGET_H
#define TS_STREAMER_TARGETS_TARGET_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/error.h"

enum target_kind {
	TARGET_SYSTEM,	/* -a, or -C without anything else */
	TARGET_PIDS,	/* -p: all threads of these processes, and all that they create */
	TARGET_USER,	/* -u: the same for all processes of a user, except ours */
	TARGET_TIDS,	/* -t: these threads; names and maps of their processes */
	TARGET_COMMAND, /* the command that tstream starts */
};

struct target {
	enum target_kind kind;
	pid_t *ids; /* owned; the given pids or tids, or the command's pid once it exists */
	size_t nr_ids;
	uid_t uid;	     /* of TARGET_USER */
	hwloc_bitmap_t cpus; /* owned; -C; NULL: all CPUs */
};

/* Parses "12,34": positive numbers, each once. Replaces target->ids. -EINVAL with a sentence. */
int target_set_ids(struct target *target, enum target_kind kind, const char *list,
		   struct ts_error *err);
/* Parses -u: the name or the number of a user. -EINVAL with a sentence. */
int target_set_user(struct target *target, const char *text, struct ts_error *err);
/* Parses -C. Alone it means TARGET_SYSTEM. With another kind it restricts the CPUs. */
int target_set_cpus(struct target *target, const char *list, struct ts_error *err);
/* Enters the pid of the command, which exists and is held before its exec. */
int target_set_command(struct target *target, pid_t pid, struct ts_error *err);
void target_release(struct target *target); /* accepts a zeroed one; idempotent */

/*
 * Refuses a given process or thread that does not exist, also beside others that do: -ESRCH. Call
 * it once, at the beginning: later a target may have ended, which is no mistake.
 */
int target_check(const struct target *target, struct ts_error *err);

/*
 * Lists the threads that live now, ascending, each once. For TARGET_PIDS and TARGET_USER they come
 * from /proc/PID/task. The caller frees *ret_tids. Processes that are gone are left out. -ESRCH: no
 * thread is left. TARGET_SYSTEM gives the single id -1, which means all tasks for
 * perf_event_open().
 */
int target_threads(const struct target *target, pid_t **ret_tids, size_t *ret_nr,
		   struct ts_error *err);

/*
 * The same, with the threads that are not sampled but whose records of names and maps are needed:
 * for TARGET_TIDS all threads of the processes, because any of them may map code for the others.
 */
int target_all_threads(const struct target *target, pid_t **ret_tids, size_t *ret_nr,
		       struct ts_error *err);
/* True if that thread of target_all_threads() is one of target_threads(). */
bool target_samples(const struct target *target, pid_t tid);

struct target_counts { /* threads; both 1 for TARGET_SYSTEM */
	size_t sampled, all;
};

int target_count_threads(const struct target *target, struct target_counts *ret,
			 struct ts_error *err);

#endif
