// SPDX-License-Identifier: Apache-2.0
#include "streamer/targets/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cpus.h"
#include "common/base/units.h"

static int no_memory(struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot list the threads to record");
}

struct ids { /* a growing list */
	pid_t *items;
	size_t nr;
};

static int push_id(struct ids *ids, pid_t id)
{
	pid_t *items = reallocarray(ids->items, ids->nr + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	ids->items = items;
	items[ids->nr++] = id;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the ids and drops duplicates. */
static void sort_ids(struct ids *ids)
{
	size_t nr = 0;

	if (ids->nr)
		qsort(ids->items, ids->nr, sizeof(ids->items[0]), by_value);
	for (size_t i = 0; i < ids->nr; i++)
		if (!i || ids->items[i] != ids->items[nr - 1])
			ids->items[nr++] = ids->items[i];
	ids->nr = nr;
}

static int parse_ids(struct ids *ids, char *list, const char *option, struct ts_error *err)
{
	char *rest = list, *word;
	uint64_t id;

	while ((word = strsep(&rest, ","))) {
		if (ts_units_parse_u64(word, &id) || !id || id > INT32_MAX) {
			ts_error_set(
				err, EINVAL,
				"cannot record %s: '%s' is not the number of a process or thread",
				option, word);
			return ts_error_hint(err,
					     "get the numbers for a name with: pgrep -d, NAME");
		}
		if (push_id(ids, (pid_t)id))
			return no_memory(err);
	}
	sort_ids(ids);
	return 0;
}

int target_set_ids(struct target *target, enum target_kind kind, const char *list,
		   struct ts_error *err)
{
	char *copy = strdup(list);
	struct ids ids = {0};
	int rc;

	rc = copy ? parse_ids(&ids, copy, kind == TARGET_PIDS ? "-p" : "-t", err) : no_memory(err);
	free(copy);
	if (rc) {
		free(ids.items);
		return rc;
	}
	free(target->ids);
	target->ids = ids.items;
	target->nr_ids = ids.nr;
	target->kind = kind;
	return 0;
}

int target_set_user(struct target *target, const char *text, struct ts_error *err)
{
	const struct passwd *user = getpwnam(text);
	uint64_t number;

	if (!user && (ts_units_parse_u64(text, &number) || number >= (uid_t)-1)) {
		ts_error_set(err, EINVAL, "cannot record --uid '%s': there is no such user", text);
		return ts_error_hint(err, "give a name of /etc/passwd, or a number");
	}
	target->uid = user ? user->pw_uid : (uid_t)number;
	target->kind = TARGET_USER;
	return 0;
}

int target_set_cpus(struct target *target, const char *list, struct ts_error *err)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int rc = cpus ? ts_cpus_parse(list, cpus, err) : no_memory(err);

	if (!rc && hwloc_bitmap_iszero(cpus))
		rc = ts_error_set(err, EINVAL, "cannot record -C '%s': it names no CPU", list);
	if (rc) {
		hwloc_bitmap_free(cpus);
		return rc;
	}
	hwloc_bitmap_free(target->cpus);
	target->cpus = cpus;
	return 0;
}

int target_set_command(struct target *target, pid_t pid, struct ts_error *err)
{
	struct ids ids = {0};

	if (push_id(&ids, pid))
		return no_memory(err);
	free(target->ids);
	target->ids = ids.items;
	target->nr_ids = ids.nr;
	target->kind = TARGET_COMMAND;
	return 0;
}

void target_release(struct target *target)
{
	free(target->ids);
	hwloc_bitmap_free(target->cpus);
	*target = (struct target){0};
}

/* Adds the threads of one process; none if it is gone. */
static int list_process(pid_t pid, struct ids *ids, struct ts_error *err)
{
	struct dirent *entry;
	char path[64];
	uint64_t tid;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : ts_error_sys(err, errno, "cannot read %s", path);
	while (!rc && (entry = readdir(dir)))
		if (!ts_units_parse_u64(entry->d_name, &tid) && push_id(ids, (pid_t)tid))
			rc = no_memory(err);
	closedir(dir);
	return rc;
}

/* Adds the threads of all processes of a user, except the recorder: it would record itself. */
static int list_user(uid_t uid, struct ids *ids, struct ts_error *err)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct stat status;
	uint64_t pid;
	int rc = 0;

	if (!proc)
		return ts_error_sys(err, errno, "cannot read /proc");
	while (!rc && (entry = readdir(proc)))
		if (!ts_units_parse_u64(entry->d_name, &pid) && (pid_t)pid != getpid() &&
		    !fstatat(dirfd(proc), entry->d_name, &status, 0) && status.st_uid == uid)
			rc = list_process((pid_t)pid, ids, err);
	closedir(proc);
	return rc;
}

static int list_thread(pid_t tid, struct ids *ids, struct ts_error *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (access(path, F_OK))
		return 0;
	return push_id(ids, tid) ? no_memory(err) : 0;
}

static int refuse_id(const struct target *target, pid_t id, struct ts_error *err)
{
	const char *what = target->kind == TARGET_TIDS ? "thread" : "process";

	return ts_error_set(err, ESRCH, "cannot record %s %d: there is no such %s", what, id, what);
}

static int refuse_gone(const struct target *target, struct ts_error *err)
{
	const char *what = target->kind == TARGET_TIDS ? "thread" : "process";

	if (target->kind == TARGET_USER)
		return ts_error_set(err, ESRCH, "cannot record user %u: this user has no process",
				    target->uid);
	if (target->nr_ids == 1)
		return refuse_id(target, target->ids[0], err);
	return ts_error_set(err, ESRCH, "cannot record %d and others: there is no such %s",
			    target->nr_ids ? target->ids[0] : 0, what);
}

int target_check(const struct target *target, struct ts_error *err)
{
	char path[64];

	if (target->kind != TARGET_PIDS && target->kind != TARGET_TIDS)
		return 0;
	for (size_t i = 0; i < target->nr_ids; i++) {
		snprintf(path, sizeof(path), "/proc/%d", target->ids[i]);
		if (access(path, F_OK))
			return refuse_id(target, target->ids[i], err);
	}
	return 0;
}

bool target_samples(const struct target *target, pid_t tid)
{
	return target->kind != TARGET_TIDS ||
	       bsearch(&tid, target->ids, target->nr_ids, sizeof(target->ids[0]), by_value);
}

/* The kind of -t gives the threads themselves, that of -p all threads of their processes. */
static int list_threads(const struct target *target, enum target_kind kind, pid_t **ret_tids,
			size_t *ret_nr, struct ts_error *err)
{
	struct ids ids = {0};
	int rc = 0;

	if (kind == TARGET_SYSTEM && push_id(&ids, -1))
		rc = no_memory(err);
	if (kind == TARGET_USER)
		rc = list_user(target->uid, &ids, err);
	for (size_t i = 0; !rc && kind != TARGET_SYSTEM && i < target->nr_ids; i++)
		rc = kind == TARGET_PIDS ? list_process(target->ids[i], &ids, err)
					 : list_thread(target->ids[i], &ids, err);
	sort_ids(&ids);
	if (!rc && !ids.nr)
		rc = refuse_gone(target, err);
	if (rc) {
		free(ids.items);
		return rc;
	}
	*ret_tids = ids.items;
	*ret_nr = ids.nr;
	return 0;
}

int target_threads(const struct target *target, pid_t **ret_tids, size_t *ret_nr,
		   struct ts_error *err)
{
	return list_threads(target, target->kind, ret_tids, ret_nr, err);
}

int target_all_threads(const struct target *target, pid_t **ret_tids, size_t *ret_nr,
		       struct ts_error *err)
{
	enum target_kind kind = target->kind == TARGET_TIDS ? TARGET_PIDS : target->kind;

	return list_threads(target, kind, ret_tids, ret_nr, err);
}

int target_count_threads(const struct target *target, struct target_counts *ret,
			 struct ts_error *err)
{
	struct target_counts counts = {0};
	pid_t *tids;
	int rc = target_all_threads(target, &tids, &counts.all, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < counts.all; i++)
		counts.sampled += target_samples(target, tids[i]);
	free(tids);
	*ret = counts;
	return 0;
}
