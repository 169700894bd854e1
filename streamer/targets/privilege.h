/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the rights of this user with the needs of the capture, and words the difference.
 *
 * If the kernel refuses something, the message names the cause, the setting and a value that is
 * enough. The settings are perf_event_paranoid, perf_event_mlock_kb, RLIMIT_MEMLOCK, RLIMIT_NOFILE
 * and the permissions of tracefs.
 *
 * Threads: `struct privilege` is constant after privilege_read(). The functions
 * privilege_raise_...() change the process, and only main calls them. All others are pure
 * functions.
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
	 * The process is in a user namespace of its own, for example as root of a rootless
	 * container. Its capabilities do not count for events, so all has_... of capabilities are
	 * false.
	 */
	bool is_in_namespace;
	bool has_seccomp;  /* a system call filter, which may refuse calls that the kernel allows */
	bool has_perfmon;  /* CAP_PERFMON or CAP_SYS_ADMIN: paranoid is ignored */
	bool has_ipc_lock; /* CAP_IPC_LOCK: the memory limits are ignored */
	bool has_sys_admin;	/* namespaces, tracefs of others */
	int paranoid;		/* kernel.perf_event_paranoid */
	uint64_t mlock_kb;	/* kernel.perf_event_mlock_kb, KiB for each CPU and user */
	uint64_t max_rate;	/* kernel.perf_event_max_sample_rate, Hz; 0: unknown */
	uint64_t memlock_bytes; /* the most that RLIMIT_MEMLOCK can be; UINT64_MAX: unlimited */
	uint64_t nr_online;	/* CPUs by which mlock_kb is multiplied */
};

/*
 * Reads the process's capabilities and limits and the kernel's settings. It cannot fail: unknown
 * values are set to the kernel's defaults.
 */
void privilege_read(struct privilege *privilege);

/* True if an ordinary user may not look into the kernel: only user mode is recorded then. */
bool privilege_is_user_only(const struct privilege *privilege);

/*
 * Refuses early a target that the kernel would refuse, and names the setting that is enough: an
 * ordinary user with paranoid > 0 may not record system-wide.
 */
int privilege_check_target(const struct privilege *privilege, const struct target *target,
			   struct ts_error *err);

/*
 * Raises the soft RLIMIT_NOFILE (and the hard one if allowed) so that `need` more descriptors can
 * be opened. -EMFILE, with a sentence that names the number and the limit.
 */
int privilege_raise_files(uint64_t need, struct ts_error *err);
/* True if no limit applies to the memory of rings. */
bool privilege_locks_freely(const struct privilege *privilege);
/*
 * True if this user may map so many bytes of rings, control pages included, and others of this user
 * have mapped none.
 */
bool privilege_may_map(const struct privilege *privilege, uint64_t bytes);

/*
 * Raises the soft RLIMIT_MEMLOCK to memlock_bytes, on which privilege_fit_rings() has counted, or
 * as far as possible. Rings that do not fit then are made smaller when they are mapped.
 */
void privilege_raise_memlock(const struct privilege *privilege);
/* The number of descriptors that this process may still open. */
uint64_t privilege_files_left(void);

/*
 * Fits the size of sample rings, in bytes, into the memory that this user may lock. *ring_bytes is
 * a power of two of pages. It is halved, with a note, until `nr_rings` such rings and `other_bytes`
 * of other mappings (side-band rings) fit. If not even one page fits: -EPERM with the numbers and
 * the settings.
 */
int privilege_fit_rings(const struct privilege *privilege, uint64_t nr_rings, uint64_t other_bytes,
			uint64_t *ring_bytes, struct ts_notes *notes, struct ts_error *err);

/*
 * Adds the hint for an ordinary user who was refused: up to which kernel.perf_event_paranoid he
 * would not be refused.
 */
int privilege_hint_paranoid(const struct privilege *privilege, int value, struct ts_error *err);
/* Words the error of a failed perf_event_open(). `code` is its errno. */
int privilege_explain_open(const struct privilege *privilege, const struct event *event,
			   const struct perf_event_attr *attr, const struct target *target, int cpu,
			   int code, struct ts_error *err);
/* Words the error of a failed mmap() of a ring with ring_bytes of data on a CPU. */
int privilege_explain_mmap(const struct privilege *privilege, int cpu, uint64_t ring_bytes,
			   int code, struct ts_error *err);

#endif
