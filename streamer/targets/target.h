/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom to record: the whole system, some CPUs, processes, threads, or the command to be started.
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
	TARGET_PIDS,	/* -p: every thread of these processes, and what they create */
	TARGET_USER,	/* -u: the same of every process of a user, but ours */
	TARGET_TIDS,	/* -t: these threads, and what they create */
	TARGET_COMMAND, /* the command that tstream starts */
};

struct target {
	enum target_kind kind;
	pid_t *ids; /* owned; the pids or tids named, or the command's pid once it exists */
	size_t nr_ids;
	uid_t uid;	     /* of TARGET_USER */
	hwloc_bitmap_t cpus; /* owned; -C; NULL: every CPU */
};

/* Parses "12,34": positive numbers, each once. Replaces target->ids. -EINVAL with a sentence. */
int target_set_ids(struct target *target, enum target_kind kind, const char *list,
		   struct ts_error *err);
/* Parses -u: the name or the number of a user. -EINVAL with a sentence. */
int target_set_user(struct target *target, const char *text, struct ts_error *err);
/* Parses -C; it alone means TARGET_SYSTEM, and narrows any other kind. */
int target_set_cpus(struct target *target, const char *list, struct ts_error *err);
/* The command exists (held before its exec) and has this pid. */
int target_set_command(struct target *target, pid_t pid, struct ts_error *err);
void target_release(struct target *target); /* accepts a zeroed one; idempotent */

/*
 * The threads that live now, ascending, each once: for TARGET_PIDS and TARGET_USER those of
 * /proc/PID/task. The caller frees *ret_tids. Processes that are gone are left out; -ESRCH when
 * nothing is left.
 * TARGET_SYSTEM gives the single id -1, which is what perf_event_open() wants for "everybody".
 */
int target_threads(const struct target *target, pid_t **ret_tids, size_t *ret_nr,
		   struct ts_error *err);

/* How many there are; 1 for everybody. */
int target_count_threads(const struct target *target, size_t *ret_nr, struct ts_error *err);

#endif
