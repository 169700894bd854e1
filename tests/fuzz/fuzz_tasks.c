// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a run of side-band records. For every input, a lookup gives a map that covers the
 * address and was there at the time. The frozen table, which searches trees, gives the same answer
 * as the growing one, which scans.
 */
#include "reader/tasks/tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/task_records.h"

#define NR_QUESTIONS 64

struct question {
	uint32_t pid;
	uint64_t addr, time_ns;
	const char *path; /* NULL: no map */
	uint64_t start;
	const char *comm;
};

static void check(int holds)
{
	if (!holds)
		abort();
}

static struct ts_events one_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .sample_type = TASK_RECORDS_SAMPLE_TYPE, .sample_id_all = 1};
	struct ts_events evs = {0};
	struct ts_error err;

	check(!ts_events_add(&evs, &attr, "e", NULL, 0, &err) && !ts_events_index(&evs, &err));
	return evs;
}

static void ask(const struct tasks *tasks, struct question *q)
{
	const struct task_map *map = tasks_map(tasks, q->pid, q->addr, q->time_ns);

	q->comm = tasks_comm(tasks, q->pid, q->time_ns);
	q->path = NULL;
	if (!map)
		return;
	check(q->addr >= map->start && q->addr < map->end && map->time_ns <= q->time_ns);
	check(map->dso < tasks_nr_dsos(tasks));
	q->path = tasks_dso(tasks, map->dso)->path;
	q->start = map->start;
}

static void check_moment(const struct tasks *tasks, const struct question *q)
{
	struct question edge = *q;
	struct task_moment m;

	tasks_moment(tasks, q->pid, q->pid, q->time_ns, &m);
	check(m.from_ns <= q->time_ns && (q->time_ns < m.until_ns || q->time_ns == UINT64_MAX));
	check(q->pid == TASK_PID_KERNEL || m.comm == q->comm);
	edge.time_ns = m.from_ns;
	ask(tasks, &edge);
	check(edge.path == q->path && (!q->path || edge.start == q->start));
}

/* A question about something that the record speaks of. */
static struct question question_about(const uint8_t *record, size_t size, uint64_t time_ns)
{
	struct question q = {.time_ns = time_ns};

	if (size >= 16)
		q.pid = ts_record_load_u32(record + 8);
	if (size >= 32)
		q.addr = ts_record_load_u64(record + 16) + ts_record_load_u64(record + 24) / 2;
	return q;
}

/* Applies all records; remembers questions about some of them. Returns how many. */
static size_t apply_all(struct tasks *tasks, const uint8_t *data, size_t size,
			struct question *questions)
{
	struct ts_events evs = one_event();
	struct ts_sample_id sid;
	size_t nr = 0;

	for (size_t at = 0; size - at >= sizeof(struct perf_event_header);) {
		struct perf_event_header h = ts_record_load_header(data + at);

		if (h.size < sizeof(h) || h.size > size - at)
			break;
		if (ts_decode_trailer(&evs, (const void *)(data + at), &sid) == TS_DECODE_OK)
			tasks_apply(tasks, (const void *)(data + at), &sid);
		questions[nr++ % NR_QUESTIONS] = question_about(data + at, h.size, sid.time_ns);
		at += h.size;
	}
	ts_events_release(&evs);
	return nr < NR_QUESTIONS ? nr : NR_QUESTIONS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct question questions[NR_QUESTIONS], again;
	struct tasks *tasks = tasks_new(NULL);
	struct ts_error err;
	size_t nr;

	check(tasks != NULL);
	nr = apply_all(tasks, data, size, questions);
	for (size_t i = 0; i < nr; i++)
		ask(tasks, &questions[i]);
	check(!tasks_freeze(tasks, &err));
	for (size_t i = 0; i < nr; i++) {
		again = questions[i];
		ask(tasks, &again);
		check(again.path == questions[i].path && again.comm == questions[i].comm);
		check(!again.path || again.start == questions[i].start);
		check_moment(tasks, &again);
	}
	tasks_free(tasks);
	return 0;
}

static void put_some_record(uint64_t v, struct ts_bytes *out)
{
	uint32_t pid = 1 + v % 5, other = 1 + v / 5 % 5;
	struct record_at at = {.pid = pid, .tid = pid, .time_ns = v >> 40, .id = 1};
	struct record_range range = {(v >> 8 & 0xff) << 12, (1 + (v >> 16 & 15)) << 12, 0};
	char text[16] = {(char)('a' + (v >> 32 & 15))};

	switch (v >> 28 & 7) {
	case 0:
		put_fork(out, &at, v >> 36 & 1 ? PERF_RECORD_MISC_FORK_EXEC : 0, other, other);
		break;
	case 1:
		put_comm(out, &at, 0, text);
		break;
	case 2:
		put_ksymbol(out, &at, range.start, (uint32_t)range.len, v >> 36 & 1, text);
		break;
	case 3:
		at.pid = TASK_PID_KERNEL;
		put_mmap(out, &at, PERF_RECORD_MISC_KERNEL, &range, text);
		break;
	default:
		put_mmap2(out, &at, PERF_RECORD_MISC_USER, &range, PROT_EXEC, text);
	}
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	uint64_t v = nr;

	for (uint32_t i = 0; i < 1 + nr % 120; i++) {
		v = v * 6364136223846793005ULL + 1442695040888963407ULL;
		put_some_record(v ^ v >> 29, out);
	}
}
