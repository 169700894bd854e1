// SPDX-License-Identifier: Apache-2.0
#include "streamer/targets/privilege.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "common/base/text_file.h"
#include "common/base/units.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define SYSCTL		 "/proc/sys/kernel/perf_event_"
#define SPARE_FILES	 64 /* for many threads that scan /proc; useful, not necessary */
#define DEFAULT_MLOCK_KB 516

#define FIRST_USER_NAMESPACE 0xEFFFFFFDu /* PROC_USER_INIT_INO of the kernel */

/* --- reading the rights --- */

static int64_t read_number(const char *path, int64_t otherwise)
{
	int64_t number;

	return ts_text_file_read_i64(&number, AT_FDCWD, path) ? otherwise : number;
}

static bool has_cap(cap_t caps, cap_value_t cap)
{
	cap_flag_value_t value;

	return caps && !cap_get_flag(caps, cap, CAP_EFFECTIVE, &value) && value == CAP_SET;
}

/* For events and for hard limits the kernel checks capabilities in the first user namespace. */
static bool is_in_other_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) == 0 && st.st_ino != FIRST_USER_NAMESPACE;
}

static bool has_seccomp_filter(void)
{
	struct ts_bytes status = {0};
	const char *mode = NULL;
	bool has = false;

	if (!ts_text_file_read_all(&status, AT_FDCWD, "/proc/self/status"))
		mode = strstr((const char *)status.data, "\nSeccomp:");
	if (mode)
		has = strtoul(mode + sizeof("\nSeccomp:") - 1, NULL, 10) == SECCOMP_MODE_FILTER;
	ts_bytes_release(&status);
	return has;
}

void privilege_read(struct privilege *p)
{
	const bool is_in_namespace = is_in_other_namespace();
	cap_t caps = is_in_namespace ? NULL : cap_get_proc();
	struct rlimit limit = {0};
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	getrlimit(RLIMIT_MEMLOCK, &limit);
	*p = (struct privilege){
		.is_in_namespace = is_in_namespace,
		.has_seccomp = has_seccomp_filter(),
		.has_sys_admin = has_cap(caps, CAP_SYS_ADMIN),
		.has_ipc_lock = has_cap(caps, CAP_IPC_LOCK),
		.paranoid = (int)read_number(SYSCTL "paranoid", 2),
		.mlock_kb = read_number(SYSCTL "mlock_kb", DEFAULT_MLOCK_KB),
		.max_rate = read_number(SYSCTL "max_sample_rate", 0),
		.memlock_bytes = limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max,
		.nr_online = online > 0 ? online : 1,
	};
	p->has_perfmon = p->has_sys_admin || has_cap(caps, CAP_PERFMON);
	if (has_cap(caps, CAP_SYS_RESOURCE))
		p->memlock_bytes = UINT64_MAX;
	if (caps)
		cap_free(caps);
}

bool privilege_is_user_only(const struct privilege *p)
{
	return !p->has_perfmon && p->paranoid >= 2;
}

int privilege_hint_paranoid(const struct privilege *p, int value, struct ts_error *err)
{
	if (p->is_in_namespace)
		return ts_error_hint(
			err,
			"capabilities of a user namespace (a rootless container) do not "
			"count here: run outside of it, or let root of the host do 'sysctl "
			"kernel.perf_event_paranoid=%d' (now %d)",
			value, p->paranoid);
	return ts_error_hint(err,
			     "run as root or with CAP_PERFMON, or let root do 'sysctl "
			     "kernel.perf_event_paranoid=%d' (now %d)",
			     value, p->paranoid);
}

int privilege_check_target(const struct privilege *p, const struct target *target,
			   struct ts_error *err)
{
	if (p->has_perfmon || target->kind != TARGET_SYSTEM || p->paranoid <= 0)
		return 0;
	ts_error_set(err, EACCES,
		     "cannot record the whole system: kernel.perf_event_paranoid=%d forbids that "
		     "to ordinary users",
		     p->paranoid);
	return privilege_hint_paranoid(p, 0, err);
}

/* --- descriptors --- */

static uint64_t count_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr > 3 ? nr - 3 : 0; /* `.`, `..` and the folder's own descriptor */
}

uint64_t privilege_files_left(void)
{
	uint64_t nr = count_open_files();
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur > nr ? limit.rlim_cur - nr : 0;
}

static int refuse_files(uint64_t more, uint64_t nr, const struct rlimit *limit,
			struct ts_error *err)
{
	uint64_t need = more + nr;
	uint64_t nr_open = read_number("/proc/sys/fs/nr_open", 1048576);

	ts_error_set(err, EMFILE,
		     "cannot open %" PRIu64 " descriptors in addition to %" PRIu64
		     " open ones: RLIMIT_NOFILE allows this process %" PRIu64,
		     more, nr, (uint64_t)limit->rlim_max);
	if (need > nr_open)
		return ts_error_hint(err,
				     "record fewer events, CPUs or threads, or let root do 'sysctl "
				     "fs.nr_open=%" PRIu64 "' and raise the limit to that",
				     need);
	return ts_error_hint(err,
			     "record fewer events, CPUs or threads, or let root raise the limit: "
			     "'ulimit -Hn %" PRIu64 "'",
			     need);
}

int privilege_raise_files(uint64_t need, struct ts_error *err)
{
	uint64_t nr_open = count_open_files(), total = need + nr_open + SPARE_FILES;
	struct rlimit limit, wanted;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return ts_error_sys(err, errno, "cannot read RLIMIT_NOFILE");
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= total)
		return 0;
	wanted = limit;
	wanted.rlim_cur = total;
	if (wanted.rlim_max != RLIM_INFINITY && wanted.rlim_max < total)
		wanted.rlim_max = total;
	if (!setrlimit(RLIMIT_NOFILE, &wanted))
		return 0;
	if (limit.rlim_max < need + nr_open)
		return refuse_files(need, nr_open, &limit, err);
	wanted = limit;
	wanted.rlim_cur = ts_min(limit.rlim_max, total);
	if (setrlimit(RLIMIT_NOFILE, &wanted))
		return ts_error_sys(err, errno, "cannot raise RLIMIT_NOFILE");
	return 0;
}

/* --- locked memory --- */

bool privilege_locks_freely(const struct privilege *p)
{
	return p->has_ipc_lock || p->paranoid <= -1;
}

static bool is_memory_limited(const struct privilege *p)
{
	return !privilege_locks_freely(p);
}

/*
 * The bytes that the kernel lets this user map: mlock_kb for each CPU, and beyond these the memory
 * that the user may lock.
 */
static uint64_t memory_budget(const struct privilege *p)
{
	uint64_t budget;

	if (__builtin_mul_overflow(p->mlock_kb * 1024, p->nr_online, &budget) ||
	    __builtin_add_overflow(budget, p->memlock_bytes, &budget))
		return UINT64_MAX;
	return budget;
}

bool privilege_may_map(const struct privilege *p, uint64_t bytes)
{
	return !is_memory_limited(p) || bytes <= memory_budget(p);
}

static uint64_t rings_bytes(uint64_t nr_rings, uint64_t ring_bytes, uint64_t page)
{
	uint64_t total;

	return __builtin_mul_overflow(nr_rings, ring_bytes + page, &total) ? UINT64_MAX : total;
}

void privilege_raise_memlock(const struct privilege *p)
{
	rlim_t wanted = p->memlock_bytes == UINT64_MAX ? RLIM_INFINITY : p->memlock_bytes;
	struct rlimit limit, raised;

	if (!is_memory_limited(p) || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur >= wanted)
		return;
	raised = (struct rlimit){.rlim_cur = wanted, .rlim_max = limit.rlim_max};
	if (raised.rlim_max < wanted)
		raised.rlim_max = wanted;
	if (setrlimit(RLIMIT_MEMLOCK, &raised) == 0)
		return;
	/* seccomp may refuse to raise the hard limit, even with all capabilities. */
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* KiB of `need` bytes that exceed the bytes given by another limit. */
static uint64_t kib_beyond(uint64_t need, uint64_t given)
{
	return need > given ? (need - given + 1023) / 1024 : 0;
}

static int refuse_rings(const struct privilege *p, uint64_t nr_rings, uint64_t need,
			struct ts_error *err)
{
	uint64_t by_cpu = kib_beyond(need, p->memlock_bytes);
	char least[TS_UNITS_TEXT], given[TS_UNITS_TEXT];

	ts_error_set(err, EPERM,
		     "cannot map %" PRIu64
		     " rings: they need at least %s, but this user may lock only %s",
		     nr_rings, ts_units_format_size(least, need),
		     ts_units_format_size(given, memory_budget(p)));
	return ts_error_hint(err,
			     "record fewer CPUs (-C), or let root do 'sysctl "
			     "kernel.perf_event_mlock_kb=%" PRIu64 "' (now %" PRIu64
			     ") or 'ulimit -l %" PRIu64 "', or give CAP_IPC_LOCK",
			     (by_cpu + p->nr_online - 1) / p->nr_online, p->mlock_kb,
			     kib_beyond(need, p->mlock_kb * 1024 * p->nr_online));
}

int privilege_fit_rings(const struct privilege *p, uint64_t nr_rings, uint64_t other_bytes,
			uint64_t *ring_bytes, struct ts_notes *notes, struct ts_error *err)
{
	uint64_t page = sysconf(_SC_PAGESIZE), budget = memory_budget(p), bytes = *ring_bytes;
	uint64_t room = budget > other_bytes ? budget - other_bytes : 0;
	char asked[TS_UNITS_TEXT], given[TS_UNITS_TEXT];

	if (!is_memory_limited(p))
		return 0;
	while (bytes >= page && rings_bytes(nr_rings, bytes, page) > room)
		bytes /= 2;
	if (bytes < page)
		return refuse_rings(p, nr_rings, rings_bytes(nr_rings, page, page) + other_bytes,
				    err);
	if (bytes != *ring_bytes)
		ts_notes_add(notes,
			     "rings have %s, not %s, to fit the memory that this user may lock "
			     "(kernel.perf_event_mlock_kb=%" PRIu64 ")",
			     ts_units_format_size(given, bytes),
			     ts_units_format_size(asked, *ring_bytes), p->mlock_kb);
	*ring_bytes = bytes;
	return 0;
}

static int hint_memory(const struct privilege *p, struct ts_error *err)
{
	return ts_error_hint(err,
			     "give a smaller -m, or raise kernel.perf_event_mlock_kb (now %" PRIu64
			     ") or 'ulimit -l', or give CAP_IPC_LOCK",
			     p->mlock_kb);
}

int privilege_explain_mmap(const struct privilege *p, int cpu, uint64_t ring_bytes, int code,
			   struct ts_error *err)
{
	char size[TS_UNITS_TEXT];

	ts_units_format_size(size, ring_bytes);
	if (code == EPERM) {
		ts_error_set(err, EPERM,
			     "cannot map a ring of %s [CPU %d]: it exceeds the memory that this "
			     "user may lock",
			     size, cpu);
		return hint_memory(p, err);
	}
	ts_error_sys(err, code, "cannot map a ring of %s [CPU %d]", size, cpu);
	return code == ENOMEM ? ts_error_hint(err, "give a smaller -m") : -code;
}
