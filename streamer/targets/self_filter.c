// SPDX-License-Identifier: Apache-2.0
/*
 * Threads are started one after the other, so most of their numbers are neighbours. A run of
 * numbers takes one comparison. The names of its workers take few patterns, one for each power of
 * ten:
 *
 *	98, 99, 100 ... 109	(common_pid < 98 || common_pid > 109)
 *				COMM != "iou-wrk-98" && COMM != "iou-wrk-99"
 *				!(COMM ~ "iou-wrk-10?")
 */
#include "streamer/targets/self_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streamer/targets/target.h"

/* The namespace in which the machine boots: PROC_PID_INIT_INO of the kernel. */
#define FIRST_NAMESPACE 0xEFFFFFFCu

static const char * and (const struct ts_bytes *text)
{
	return text->len ? " && " : "";
}

static void put_run(struct ts_bytes *text, pid_t first, pid_t last)
{
	if (first == last)
		ts_bytes_printf(text, "%scommon_pid != %d", and(text), first);
	else
		ts_bytes_printf(text, "%s(common_pid < %d || common_pid > %d)", and(text), first,
				last);
}

/*
 * Adds a pattern for the longest run of numbers from `first` on that is one power of ten. Returns
 * its length.
 */
static pid_t put_pattern(struct ts_bytes *text, pid_t first, pid_t last)
{
	pid_t nr = 1;

	while (first % (nr * 10) == 0 && first + nr * 10 - 1 <= last)
		nr *= 10;
	if (nr == 1) {
		ts_bytes_printf(text, "%sCOMM != \"iou-wrk-%d\"", and(text), first);
		return nr;
	}
	ts_bytes_printf(text, "%s!(COMM ~ \"iou-wrk-%d", and(text), first / nr);
	for (pid_t digit = nr; digit > 1; digit /= 10)
		ts_bytes_put(text, "?", 1);
	ts_bytes_printf(text, "\")");
	return nr;
}

static void put_workers(struct ts_bytes *text, pid_t first, pid_t last)
{
	while (first <= last)
		first += put_pattern(text, first, last);
}

/* The numbers come first, because the kernel compares them first and fastest. */
void self_filter_put(struct ts_bytes *text, const pid_t *tids, size_t nr)
{
	for (int workers = 0; workers < 2; workers++) {
		size_t from = 0;

		for (size_t i = 1; i <= nr; i++) {
			if (i < nr && tids[i] == tids[i - 1] + 1)
				continue;
			if (workers)
				put_workers(text, tids[from], tids[i - 1]);
			else
				put_run(text, tids[from], tids[i - 1]);
			from = i;
		}
	}
}

static int check_namespace(struct ts_error *err)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0)
		return ts_error_sys(err, errno, "cannot leave the recorder out: /proc/self/ns/pid");
	if (st.st_ino == FIRST_NAMESPACE)
		return 0;
	ts_error_set(err, EOPNOTSUPP,
		     "cannot leave the recorder out: in a PID namespace its thread ids differ from "
		     "those that the kernel filters by");
	return ts_error_hint(err, "record outside of the namespace (docker run --pid=host), or "
				  "without --exclude-self");
}

int self_filter_make(struct ts_bytes *ret, struct ts_error *err)
{
	pid_t self = getpid(), *tids;
	struct target target = {.kind = TARGET_PIDS, .ids = &self, .nr_ids = 1};
	size_t nr;
	int code = check_namespace(err);

	if (code < 0 || (code = target_threads(&target, &tids, &nr, err)) < 0)
		return code;
	self_filter_put(ret, tids, nr);
	free(tids);
	ts_bytes_put(ret, "", 1);
	return ts_bytes_failed(ret) ? ts_error_sys(err, ENOMEM, "cannot leave the recorder out")
				    : 0;
}
