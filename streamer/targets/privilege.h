/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this user may do, what the capture needs, and how to word the difference.
 *
 * A refusal by the kernel is turned into its cause, the setting and the value that would do:
 * perf_event_paranoid, perf_event_mlock_kb, RLIMIT_MEMLOCK, RLIMIT_NOFILE, tracefs permissions.
 *
 * Threads: `struct privilege` is constant after privilege_read(); the rest are pure functions, but
 * for privilege_raise_...(), which change the process and are for the main thread before others.
 */
#ifndef TS_STREAMER_TARGETS_PRIVILEGE_H
#define TS_STREAMER_TARGETS_PRIVILEGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/events/event.h"
#include "streamer/targets/target.h"

struct privilege {
	/*
	 * In a user namespace of its own (root of a rootless container): its capabilities do not count
	 * for events, so all below are false.
	 */
	bool is_in_namespace;
	bool has_seccomp;   /* a filter of system calls, which may refuse what the kernel allows */
	bool has_perfmon;   /* CAP_PERFMON or CAP_SYS_ADMIN: paranoid does not apply */
	bool has_ipc_lock;  /* CAP_IPC_LOCK: the memory limits do not apply */
	bool has_sys_admin; /* namespaces, tracefs of others */
	int paranoid;	    /* kernel.perf_event_paranoid */
	uint64_t mlock_kb;  /* kernel.perf_event_mlock_kb, KiB a CPU and user */
	uint64_t max_rate;  /* kernel.perf_event_max_sample_rate, Hz; 0: unknown */
	uint64_t memlock_bytes; /* what RLIMIT_MEMLOCK can be raised to; UINT64_MAX: unlimited */
	uint64_t nr_online;	/* CPUs that count for mlock_kb */
};

/* Reads the process's capabilities and limits and the kernel's settings; cannot fail (unknown
 * values are taken as the kernel's defaults). */
void privilege_read(struct privilege *privilege);

/* An ordinary user may not look into the kernel: record user mode only. */
bool privilege_is_user_only(const struct privilege *privilege);

/*
 * Refuses early, with the setting that would do, what the kernel would refuse: system-wide for an
 * ordinary user with paranoid > 0.
 */
int privilege_check_target(const struct privilege *privilege, const struct target *target,
			   struct ts_error *err);

/* Raises the soft RLIMIT_NOFILE (and the hard one where allowed) so that `need` more descriptors
 * can be opened. -EMFILE with a sentence that says how many and which limit. */
int privilege_raise_files(uint64_t need, struct ts_error *err);
/* Whether rings may take any memory, whatever the limits are. */
bool privilege_locks_freely(const struct privilege *privilege);

/*
 * Raises the soft RLIMIT_MEMLOCK to memlock_bytes, which privilege_fit_rings() counted on, or as far
 * as it goes: rings that then do not fit are made smaller when they are mapped.
 */
void privilege_raise_memlock(const struct privilege *privilege);
/* How many descriptors this process may still open. */
uint64_t privilege_files_left(void);

/*
 * The size of sample rings, in bytes, a power of two of pages, that lets `nr_rings` of them and
 * `other_bytes` of other mappings (side-band rings) fit the memory that this user may lock: halved
 * until it does, with a note. Not below one page; then -EPERM with the numbers and the settings.
 */
int privilege_fit_rings(const struct privilege *privilege, uint64_t nr_rings, uint64_t other_bytes,
			uint64_t *ring_bytes, struct ts_notes *notes, struct ts_error *err);

/* The hint to what an ordinary user is refused: up to which kernel.perf_event_paranoid he would not be. */
int privilege_hint_paranoid(const struct privilege *privilege, int value, struct ts_error *err);
/* Words a failed perf_event_open(): `code` is its errno. */
int privilege_explain_open(const struct privilege *privilege, const struct event *event,
			   const struct perf_event_attr *attr, const struct target *target, int cpu,
			   int code, struct ts_error *err);
/* Words a failed mmap() of a ring of that many data bytes on a CPU. */
int privilege_explain_mmap(const struct privilege *privilege, int cpu, uint64_t ring_bytes,
			   int code, struct ts_error *err);

#endif
