// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/task_filter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text_file.h"
#include "common/base/units.h"
#include "common/perf/record.h"
#include "common/perf/record_layout.h"
#include "streamer/rings/ring.h"

#define MOST_ROUNDS 8	       /* generations of a family, each in a ring before its parent's */
#define MOST_PIDS   (4u << 20) /* PID_MAX_LIMIT of the kernel */

/* Zero, because most numbers are of no process. */
enum state { UNKNOWN, TARGET, FOREIGN };

static enum state state_of(const struct task_filter *f, uint32_t pid)
{
	return pid < f->nr ? __atomic_load_n(&f->states[pid], __ATOMIC_RELAXED) : UNKNOWN;
}

static void set_state(struct task_filter *f, uint32_t pid, enum state state)
{
	if (pid < f->nr)
		__atomic_store_n(&f->states[pid], (uint8_t)state, __ATOMIC_RELAXED);
}

static int list_processes(struct task_filter *f, struct ts_error *err)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;

	if (!proc)
		return ts_error_sys(err, errno, "cannot read /proc");
	while ((entry = readdir(proc)))
		if (!ts_units_parse_u64(entry->d_name, &pid) && pid < f->nr)
			set_state(f, (uint32_t)pid, FOREIGN);
	closedir(proc);
	return 0;
}

int task_filter_init(struct task_filter *f, bool inherits, struct ts_error *err)
{
	int64_t most;

	if (ts_text_file_read_i64(&most, AT_FDCWD, "/proc/sys/kernel/pid_max") || most <= 0 ||
	    most > MOST_PIDS)
		most = MOST_PIDS;
	*f = (struct task_filter){
		.states = calloc((size_t)most, 1), .nr = (size_t)most, .inherits = inherits};
	if (!f->states)
		return ts_error_sys(err, ENOMEM, "cannot list the processes to record");
	set_state(f, 0, FOREIGN); /* idle, and what a PID namespace does not show */
	return 0;
}

void task_filter_release(struct task_filter *f)
{
	free(f->states);
	*f = (struct task_filter){0};
}

/* The number of a thread that is no process is no other process's while the thread lives. */
int task_filter_set_targets(struct task_filter *f, const pid_t *tids, size_t nr,
			    struct ts_error *err)
{
	const int code = list_processes(f, err);

	for (size_t i = 0; i < nr; i++)
		set_state(f, (uint32_t)tids[i], TARGET);
	return code;
}

/* --- learning --- */

static void take_fork(struct task_filter *f, const struct ts_record_task *fork)
{
	enum state parent = state_of(f, fork->ppid);
	enum state child = parent == TARGET && !f->inherits ? FOREIGN : parent;

	if (fork->pid == fork->ppid || state_of(f, fork->pid) == child)
		return;
	set_state(f, fork->pid, child);
	/* Release: partner is the acquire in learn_all(), whose round then reads the state. */
	__atomic_fetch_add(&f->nr_learned, 1, __ATOMIC_RELEASE);
}

/* Reads a record up to its ids. It may wrap at any multiple of 8 bytes. */
static struct ts_record_task read_ids(const struct ring *r, uint64_t pos)
{
	struct ts_record_task ret = {.time = 0};

	for (size_t off = 0; off < offsetof(struct ts_record_task, time); off += 8)
		memcpy((uint8_t *)&ret + off, r->data + ((pos + off) & (r->size_bytes - 1)), 8);
	return ret;
}

/* False also if the head is impossible, as in ring_pending(). */
static bool has_header(const struct ring *r, uint64_t pos, uint64_t head_pos)
{
	uint64_t waiting = head_pos - pos;

	return waiting >= sizeof(struct perf_event_header) && waiting <= r->size_bytes &&
	       pos % 8 == 0 && head_pos % 8 == 0;
}

/*
 * Another writer may take the records meanwhile, and the kernel may write over them. So data_tail
 * is looked at after each record: what lies before it was learned by that writer.
 */
static void learn_ring(struct task_filter *f, const struct ring *r)
{
	uint64_t head_pos = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t pos = __atomic_load_n(&r->page->data_tail, __ATOMIC_ACQUIRE), tail_pos;

	while (has_header(r, pos, head_pos)) {
		const struct ts_record_task record = read_ids(r, pos);
		const struct perf_event_header hdr = record.header;

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		tail_pos = __atomic_load_n(&r->page->data_tail, __ATOMIC_ACQUIRE);
		if ((int64_t)(tail_pos - pos) > 0) {
			pos = tail_pos;
			continue;
		}
		if (hdr.size < sizeof(hdr) || hdr.size % 8 || hdr.size > head_pos - pos)
			break;
		if (hdr.type == PERF_RECORD_FORK)
			take_fork(f, &record);
		pos += hdr.size;
	}
}

void task_filter_add(struct task_filter *f, struct ring *ring)
{
	ring->tasks = f;
	ring->next_filtered = f->first;
	/* Release: partner is the acquire in task_filter_look(), which reads the open ring. */
	__atomic_store_n(&f->first, ring, __ATOMIC_RELEASE);
}

/*
 * A parent's FORK may be in a ring that is looked at later, or its writer may take it just now. Either
 * changes the count before the ring's data_tail, which this round reads: then there is one more.
 */
static void learn_all(struct task_filter *f)
{
	uint64_t nr_learned;

	for (int round = 0; round < MOST_ROUNDS; round++) {
		/* Acquire: partner is the release in take_fork(). */
		nr_learned = __atomic_load_n(&f->nr_learned, __ATOMIC_ACQUIRE);
		/* Acquire: partner is the release in task_filter_add(). */
		for (const struct ring *r = __atomic_load_n(&f->first, __ATOMIC_ACQUIRE); r;
		     r = r->next_filtered)
			learn_ring(f, r);
		if (__atomic_load_n(&f->nr_learned, __ATOMIC_RELAXED) == nr_learned)
			break;
	}
}

uint64_t task_filter_look(struct task_filter *f, const struct ring *ring)
{
	const uint64_t tail_pos = __atomic_load_n(&ring->page->data_tail, __ATOMIC_RELAXED);
	const uint64_t head_pos = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	if (head_pos != tail_pos)
		learn_all(f); /* up to this head, or a later one */
	return head_pos - tail_pos;
}

/* --- leaving out --- */

/* Of all these types the pid is at the same place. */
static bool stays(const struct task_filter *f, const struct ts_record_task *record)
{
	if (record->header.size < offsetof(struct ts_record_task, time))
		return true;
	switch (record->header.type) {
	case PERF_RECORD_FORK: /* a target tells of each process that it starts */
		return state_of(f, record->ppid) != FOREIGN;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		return state_of(f, record->pid) != FOREIGN;
	default:
		return true;
	}
}

size_t task_filter_run(const struct task_filter *f, uint8_t *run, size_t len)
{
	struct perf_event_header hdr;
	size_t from = 0, kept = 0;

	while (len - from >= sizeof(hdr)) {
		hdr = ts_record_load_header(run + from);
		if (hdr.size < sizeof(hdr) || hdr.size > len - from)
			break;
		if (stays(f, (const void *)(run + from))) {
			memmove(run + kept, run + from, hdr.size);
			kept += hdr.size;
		}
		from += hdr.size;
	}
	memmove(run + kept, run + from, len - from);
	return kept + len - from;
}

pid_t task_filter_next_target(const struct task_filter *f, pid_t after)
{
	for (size_t pid = (size_t)after + 1; pid < f->nr; pid++)
		if (state_of(f, (uint32_t)pid) == TARGET)
			return (pid_t)pid;
	return 0;
}
