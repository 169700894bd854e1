// SPDX-License-Identifier: Apache-2.0
/*
 * The scan of /proc. Thread i % N scans process i of the ascending list. Kernel threads (cheap)
 * stand together in that list, and so do processes with many maps (dear). So all threads get their
 * share of both without communication.
 *
 * Each thread notes where the records of each of its processes end. Afterwards the runs are laid
 * behind one another in the order of the list.
 */
#include "streamer/synthesis/synthesis.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cpus.h"
#include "common/base/min_max.h"
#include "common/base/thread.h"
#include "streamer/synthesis/scan_process.h"
#include "streamer/targets/privilege.h"

#define MAX_THREADS  16 /* the kernel's locks on /proc let no more than that help */
#define THREAD_FILES 4	/* of a thread: its maps, a folder of tasks, a file, a mapped file */

/* The work of one scanning thread. Only that thread writes it; it is read after the join. */
struct share {
	struct ts_thread thread;
	struct scan *scan;
	const pid_t *pids; /* all of them; shared, constant */
	size_t nr_pids;
	size_t first, step; /* ours: first, first + step, ... */
	size_t *ends;	    /* of each pid: end of its records in scan->out; we write ours */
};

static void scan_share(void *arg)
{
	struct share *share = arg;

	for (size_t i = share->first; i < share->nr_pids; i += share->step) {
		scan_process(share->scan, share->pids[i]);
		share->ends[i] = share->scan->out.len;
	}
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* Every process that exists, ascending, as pid_t in *pids. */
static int list_processes(int proc_fd, struct ts_bytes *pids, struct ts_error *err)
{
	int fd = dup(proc_fd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int failed;
	pid_t pid;

	if (!dir) {
		ts_error_sys(err, errno, "cannot list /proc");
		if (fd >= 0)
			close(fd);
		return -err->code;
	}
	rewinddir(dir);
	errno = 0;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		ts_bytes_put(pids, &pid, sizeof(pid));
		errno = 0;
	}
	failed = errno;
	closedir(dir);
	if (failed)
		return ts_error_sys(err, failed, "cannot list /proc");
	if (ts_bytes_failed(pids))
		return ts_error_set(err, ENOMEM, "cannot list processes: out of memory");
	if (pids->len)
		qsort(pids->data, pids->len / sizeof(pid), sizeof(pid), by_number);
	return 0;
}

static size_t choose_threads(const struct synthesis_options *options, size_t nr_pids)
{
	uint64_t files_left = privilege_files_left();
	size_t nr = options->nr_threads;

	if (!nr) {
		nr = ts_cpus_count_allowed();
		nr = ts_min(nr, MAX_THREADS);
		if (nr > files_left / THREAD_FILES)
			nr = files_left < THREAD_FILES ? 1 : files_left / THREAD_FILES;
	}
	return ts_min(nr, nr_pids);
}

/* Lays the records of all processes behind one another. */
static void join_in_order(struct ts_bytes *out, const struct share *shares, size_t nr_shares)
{
	const size_t *ends = shares[0].ends;

	for (size_t i = 0; i < shares[0].nr_pids; i++) {
		const struct share *share = &shares[i % nr_shares];
		size_t from = i < nr_shares ? 0 : ends[i - nr_shares];

		ts_bytes_put(out, share->scan->out.data + from, ends[i] - from);
	}
}

static void add_counts(struct synthesis_counts *to, const struct synthesis_counts *from)
{
	to->processes += from->processes;
	to->threads += from->threads;
	to->maps += from->maps;
	to->cut_short += from->cut_short;
}

/*
 * Starts threads for all shares but the first. Runs the first share and those without a thread,
 * then joins.
 */
static void run_shares(struct share *shares, size_t nr)
{
	char name[TS_THREAD_NAME_BYTES];
	struct ts_error ignored;

	for (size_t i = 1; i < nr; i++) {
		snprintf(name, sizeof(name), "tstream-s%02zu", i % 100);
		ts_thread_start(&shares[i].thread, name, NULL, 0, scan_share, &shares[i], &ignored);
	}
	for (size_t i = 0; i < nr; i++)
		if (!shares[i].thread.is_started)
			scan_share(&shares[i]);
	for (size_t i = 1; i < nr; i++)
		ts_thread_join(&shares[i].thread);
}

/* A scan for each share; false: out of memory. */
static bool new_shares(struct share *shares, const struct share *common, int proc_fd,
		       const struct synthesis_options *options, bool forks)
{
	for (size_t i = 0; i < common->step; i++) {
		shares[i] = *common;
		shares[i].first = i;
		shares[i].scan = scan_new(proc_fd, options, forks);
		if (!shares[i].scan)
			return false;
	}
	return true;
}

/* Puts the records of all shares, after their scans; false: out of memory. */
static bool put_shares(struct ts_bytes *out, const struct share *shares, size_t nr,
		       struct synthesis_counts *counts)
{
	for (size_t i = 0; i < nr; i++) {
		if (ts_bytes_failed(&shares[i].scan->out))
			return false;
		add_counts(counts, &shares[i].scan->counts);
	}
	join_in_order(out, shares, nr);
	return !ts_bytes_failed(out);
}

static int scan_all(struct ts_bytes *out, int proc_fd, bool forks,
		    const struct synthesis_options *options, struct synthesis_counts *counts,
		    struct ts_error *err)
{
	struct share shares[MAX_THREADS] = {0}, common = {0};
	struct ts_bytes pids = {0};
	int code = list_processes(proc_fd, &pids, err);
	bool is_done;

	if (code < 0) {
		ts_bytes_release(&pids);
		return code;
	}
	common.pids = (pid_t *)pids.data;
	common.nr_pids = pids.len / sizeof(pid_t);
	common.step = ts_min(choose_threads(options, common.nr_pids), MAX_THREADS);
	common.ends = calloc(common.nr_pids + 1, sizeof(*common.ends));
	is_done = common.ends && new_shares(shares, &common, proc_fd, options, forks);
	if (is_done) {
		run_shares(shares, common.step);
		is_done = put_shares(out, shares, common.step, counts);
	}
	if (!is_done)
		code = ts_error_set(err, ENOMEM, "cannot list processes: out of memory");
	for (size_t i = 0; i < common.step; i++)
		scan_free(shares[i].scan);
	free(common.ends);
	ts_bytes_release(&pids);
	return code;
}

/* True if a process was scanned before, as that of an earlier thread. */
static bool is_scanned(const struct ts_bytes *scanned, pid_t pid)
{
	const pid_t *pids = (const pid_t *)scanned->data;

	for (size_t i = scanned->len / sizeof(pid); i > 0; i--)
		if (pids[i - 1] == pid)
			return true;
	return false;
}

static size_t scan_pids(struct scan *s, const struct synthesis_target *target,
			struct ts_bytes *scanned)
{
	size_t nr = 0;

	for (size_t i = 0; i < target->nr_pids; i++) {
		pid_t pid = scan_process_of(s, target->pids[i]);

		if (!pid || is_scanned(scanned, pid))
			continue;
		nr += scan_process_until_settled(s, pid);
		ts_bytes_put(scanned, &pid, sizeof(pid));
	}
	return nr;
}

static size_t scan_tids(struct scan *s, const struct synthesis_target *target,
			struct ts_bytes *scanned)
{
	size_t nr = 0;

	for (size_t i = 0; i < target->nr_tids; i++) {
		pid_t tid = target->tids[i], pid = scan_process_of(s, tid);

		if (!pid)
			continue;
		if (!is_scanned(scanned, pid) && scan_leader(s, pid))
			nr++;
		ts_bytes_put(scanned, &pid, sizeof(pid));
		if (tid != pid && scan_thread(s, pid, tid))
			nr++;
	}
	return nr;
}

static int scan_named(struct ts_bytes *out, int proc_fd, const struct synthesis_target *target,
		      const struct synthesis_options *options, struct synthesis_counts *counts,
		      struct ts_error *err)
{
	struct scan *s = scan_new(proc_fd, options, false);
	struct ts_bytes scanned = {0};
	size_t nr = 0;

	if (s) {
		nr += scan_pids(s, target, &scanned);
		nr += scan_tids(s, target, &scanned);
		if (target->command)
			nr += scan_thread(s, target->command, target->command);
		ts_bytes_put(out, s->out.data, s->out.len);
		add_counts(counts, &s->counts);
	}
	if (!s || ts_bytes_failed(&s->out) || ts_bytes_failed(&scanned) || ts_bytes_failed(out))
		ts_error_set(err, ENOMEM, "cannot describe the tasks to record: out of memory");
	else if (!nr)
		ts_error_set(err, ESRCH, "cannot record the given tasks: none of them exists");
	ts_bytes_release(&scanned);
	scan_free(s);
	return err->code ? -err->code : 0;
}

int synthesis_tasks(struct ts_bytes *out, const struct synthesis_target *target,
		    const struct synthesis_options *options, struct synthesis_counts *ret_counts,
		    struct ts_notes *notes, struct ts_error *err)
{
	struct synthesis_counts counts = {0};
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed;

	if (proc_fd < 0)
		return ts_error_sys(err, errno, "cannot open /proc");
	*err = (struct ts_error){0};
	if (target->all)
		failed = scan_all(out, proc_fd, !target->is_again, options, &counts, err);
	else
		failed = scan_named(out, proc_fd, target, options, &counts, err);
	close(proc_fd);
	if (failed)
		return failed;
	if (counts.cut_short)
		ts_notes_add(notes,
			     "the maps of %llu process(es) took too long to read; functions in the "
			     "missing maps show as unknown (--proc-map-timeout=MS gives more time)",
			     (unsigned long long)counts.cut_short);
	if (ret_counts)
		*ret_counts = counts;
	return 0;
}
