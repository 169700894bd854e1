// SPDX-License-Identifier: Apache-2.0
/*
 * Random lives of some processes, as records with samples between them. For every sample three
 * answers must agree: reader/tasks/tasks (asked afterwards), the naive model (asked at that moment)
 * and perf script, if perf is installed.
 */
#include "reader/tasks/tasks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/perf/header.h"
#include "tests/support/task_model.h"
#include "tests/support/task_records.h"

#define NR_PIDS	   7 /* pids 1 .. 7; thread k of process p has tid p + 100 k */
#define NR_THREADS 4 /* of each process, its leader included */
#define BASE	   0x10000000ULL
#define PAGE	   0x1000ULL
#define NR_PAGES   64

struct question {
	uint32_t pid, tid;
	uint64_t addr, time_ns;
	uint32_t name, path; /* the answer of the model; 0: unknown */
};

struct story {
	uint64_t seed, now_ns;
	bool is_of_forks; /* many, and each process begins with the maps of its parent */
	struct task_model model;
	uint32_t alive[NR_PIDS + 1]; /* bit k: thread k was seen in this life of the pid */
	uint32_t next_text;	     /* for names and paths, all different */
	struct ts_bytes records;
	struct question *questions;
	size_t nr_questions;
};

static uint64_t rnd(struct story *s, uint64_t below)
{
	s->seed = s->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (s->seed >> 33) % below;
}

static uint32_t tid_of(uint32_t pid, uint32_t thread)
{
	return pid + 100 * thread;
}

static uint32_t any_pid(struct story *s)
{
	return 1 + (uint32_t)rnd(s, NR_PIDS);
}

static uint32_t any_thread(struct story *s, uint32_t pid)
{
	uint32_t thread;

	do
		thread = (uint32_t)rnd(s, NR_THREADS);
	while (thread && !(s->alive[pid] >> thread & 1));
	return tid_of(pid, thread);
}

static struct record_at now(struct story *s, uint32_t pid, uint32_t tid)
{
	return (struct record_at){.pid = pid, .tid = tid, .time_ns = s->now_ns, .id = 1};
}

/* --- events --- */

static void rename_thread(struct story *s)
{
	uint32_t pid = any_pid(s), tid = any_thread(s, pid);
	struct record_at at = now(s, pid, tid);
	uint16_t misc = rnd(s, 2) ? PERF_RECORD_MISC_COMM_EXEC : 0;
	char name[16];

	snprintf(name, sizeof(name), "name%u", ++s->next_text);
	put_comm(&s->records, &at, misc, name);
	model_comm(&s->model, tid, s->next_text);
}

static void map_something(struct story *s)
{
	uint32_t pid = any_pid(s), tid = any_thread(s, pid);
	struct record_at at = now(s, pid, tid);
	struct record_range range = {BASE + rnd(s, NR_PAGES) * PAGE, (1 + rnd(s, 9)) * PAGE, 0};
	char path[16];

	snprintf(path, sizeof(path), "/m/%u", ++s->next_text);
	if (rnd(s, 3))
		put_mmap2(&s->records, &at, PERF_RECORD_MISC_USER, &range,
			  rnd(s, 4) ? PROT_READ | PROT_EXEC : PROT_READ, path);
	else
		put_mmap(&s->records, &at,
			 PERF_RECORD_MISC_USER | (rnd(s, 4) ? 0 : PERF_RECORD_MISC_MMAP_DATA),
			 &range, path);
	model_map(&s->model, pid, range.start, range.start + range.len, s->next_text);
}

static void fork_process(struct story *s)
{
	uint32_t ppid = any_pid(s), pid = any_pid(s), ptid = any_thread(s, ppid);
	uint16_t misc = s->is_of_forks || rnd(s, 4) ? 0 : PERF_RECORD_MISC_FORK_EXEC;
	struct record_at at = now(s, pid, pid);

	if (pid == ppid)
		return;
	put_fork(&s->records, &at, misc, ppid, ptid);
	model_fork(&s->model, pid, pid, ppid, ptid, !misc);
	s->alive[pid] = 1;
}

static void start_thread(struct story *s)
{
	uint32_t pid = any_pid(s), ptid = any_thread(s, pid);
	uint32_t thread = 1 + (uint32_t)rnd(s, NR_THREADS - 1), tid = tid_of(pid, thread);
	struct record_at at = now(s, pid, tid);

	if (tid == ptid)
		return;
	put_fork(&s->records, &at, 0, pid, ptid);
	model_fork(&s->model, pid, tid, pid, ptid, 0);
	s->alive[pid] |= 1U << thread;
}

static void end_thread(struct story *s)
{
	uint32_t pid = any_pid(s);
	struct record_at at = now(s, pid, any_thread(s, pid));

	put_exit(&s->records, &at);
}

static void ask(struct story *s)
{
	uint32_t pid = any_pid(s), tid = any_thread(s, pid);
	uint64_t addr = BASE + rnd(s, (NR_PAGES + 8) * PAGE);
	struct record_at at = now(s, pid, tid);

	put_task_sample(&s->records, &at, PERF_RECORD_MISC_USER, addr);
	s->questions = reallocarray(s->questions, s->nr_questions + 1, sizeof(*s->questions));
	s->questions[s->nr_questions++] = (struct question){
		pid, tid, addr, s->now_ns, s->model.name[tid], model_path(&s->model, pid, addr)};
}

static void happen(struct story *s)
{
	static void (*const what[])(struct story *) = {
		rename_thread, map_something, map_something, map_something, start_thread,
		end_thread,    ask,	      ask,	     ask,	    ask,
	};

	if (!rnd(s, s->is_of_forks ? 5 : 40))
		fork_process(s);
	else
		what[rnd(s, sizeof(what) / sizeof(what[0]))](s);
}

static void tell(struct story *s, uint64_t seed, int length)
{
	s->seed = seed;
	for (int i = 0; i < length; i++) {
		if (i > length / 20)
			s->now_ns += 1000;
		happen(s);
	}
}

static void forget(struct story *s)
{
	model_release(&s->model);
	ts_bytes_release(&s->records);
	free(s->questions);
}

/* --- reader/tasks/tasks --- */

static struct ts_events one_event(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .sample_period = 1,
				       .sample_type = TASK_RECORDS_SAMPLE_TYPE,
				       .sample_id_all = 1};
	struct ts_events evs = {0};
	struct ts_error err;
	uint64_t id = 1;

	cr_assert_eq(ts_events_add(&evs, &attr, "e", &id, 1, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	return evs;
}

static struct tasks *replay(const struct story *s)
{
	struct tasks *tasks = tasks_new(NULL);
	struct ts_events evs = one_event();
	struct ts_sample_id sid;
	struct ts_error err;

	for (size_t pos = 0; pos < s->records.len;) {
		const void *hdr = s->records.data + pos;

		cr_assert_eq(ts_decode_id(&evs, hdr, &sid), TS_DECODE_OK);
		cr_assert_eq(tasks_apply(tasks, hdr, &sid), 0);
		pos += ts_record_load_header(hdr).size;
	}
	ts_events_release(&evs);
	cr_assert_eq(tasks_freeze(tasks, &err), 0);
	return tasks;
}

static void name_text(uint32_t name, uint32_t tid, char *text, size_t len)
{
	if (name)
		snprintf(text, len, "name%u", name);
	else
		snprintf(text, len, ":%u", tid);
}

static void path_text(uint32_t path, char *text, size_t len)
{
	if (path)
		snprintf(text, len, "/m/%u", path);
	else
		snprintf(text, len, "[unknown]");
}

static const char *path_in(const struct tasks *tasks, const struct question *q)
{
	const struct task_map *map = tasks_map(tasks, q->pid, q->addr, q->time_ns);
	struct task_range range;

	cr_expect_eq(tasks_map_around(tasks, q->pid, q->addr, q->time_ns, &range), map);
	cr_expect(range.start <= q->addr && q->addr < range.end);
	cr_expect_eq(tasks_map(tasks, q->pid, range.start, q->time_ns), map);
	cr_expect_eq(tasks_map(tasks, q->pid, range.end - 1, q->time_ns), map);
	return map ? tasks_dso(tasks, map->dso)->path : "[unknown]";
}

static void expect_answer(const struct tasks *tasks, const struct question *q)
{
	const char *comm = tasks_comm(tasks, q->tid, q->time_ns);
	char name[32], path[32], unknown[32];

	name_text(0, q->tid, unknown, sizeof(unknown));
	name_text(q->name, q->tid, name, sizeof(name));
	path_text(q->path, path, sizeof(path));
	cr_assert_str_eq(comm ? comm : unknown, name);
	cr_assert_str_eq(path_in(tasks, q), path, "pid %u, 0x%lx at %lu", q->pid, q->addr,
			 q->time_ns);
}

/* A moment must be true at both of its ends. */
static void expect_moment(const struct tasks *tasks, const struct question *q)
{
	struct question edge = *q;
	struct task_moment m, same;

	tasks_moment(tasks, q->pid, q->tid, q->time_ns, &m);
	cr_assert(m.from_ns <= q->time_ns && q->time_ns < m.until_ns);
	for (int i = 0; i < 2; i++) {
		edge.time_ns = i ? m.until_ns - 1 : m.from_ns;
		cr_assert_str_eq(path_in(tasks, &edge), path_in(tasks, q));
		cr_assert_eq(tasks_comm(tasks, q->tid, edge.time_ns), m.comm);
		tasks_moment(tasks, q->pid, q->tid, edge.time_ns, &same);
		cr_assert_eq(same.space, m.space);
	}
}

/* Questions about one time see the last state of that time: only the last one surely agrees. */
static int is_answerable(const struct story *s, const struct question *q)
{
	return q->time_ns > 0 || s->now_ns == 0;
}

static void expect_agreement(struct story *s, uint64_t seed, int length)
{
	struct tasks *tasks;

	tell(s, seed, length);
	tasks = replay(s);
	for (size_t i = 0; i < s->nr_questions; i++) {
		if (!is_answerable(s, &s->questions[i]))
			continue;
		expect_answer(tasks, &s->questions[i]);
		expect_moment(tasks, &s->questions[i]);
	}
	tasks_free(tasks);
	forget(s);
}

Test(tasks_model, agrees_with_the_naive_model)
{
	for (uint64_t seed = 1; seed <= 300; seed++)
		expect_agreement(&(struct story){0}, seed, 400);
}

Test(tasks_model, agrees_with_the_naive_model_about_long_chains_of_forks)
{
	for (uint64_t seed = 1; seed <= 30; seed++)
		expect_agreement(&(struct story){.is_of_forks = true}, seed, 2000);
}

/* Equal identities of maps must mean equal answers, for any process and time. */
Test(tasks_model, gives_equal_identities_only_to_equal_maps)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct story s = {0};
		struct tasks *tasks;

		tell(&s, seed, 300);
		tasks = replay(&s);
		for (size_t i = 0; i < s.nr_questions; i++) {
			for (size_t j = 0; j < i; j++) {
				struct question a = s.questions[i], b = s.questions[j];
				struct task_moment ma, mb;

				tasks_moment(tasks, a.pid, a.tid, a.time_ns, &ma);
				tasks_moment(tasks, b.pid, b.tid, b.time_ns, &mb);
				if (ma.space != mb.space)
					continue;
				b.addr = a.addr;
				cr_assert_str_eq(path_in(tasks, &a), path_in(tasks, &b));
			}
		}
		tasks_free(tasks);
		forget(&s);
	}
}

/* --- perf --- */

static void write_capture(const struct story *s, const char *path)
{
	struct ts_events evs = one_event();
	struct ts_bytes file = {0};
	struct ts_error err;
	FILE *f = fopen(path, "w");

	cr_assert_not_null(f);
	cr_assert_eq(ts_header_pack(&evs, s->records.data, s->records.len, NULL, &file, &err), 0);
	cr_assert_eq(fwrite(file.data, 1, file.len, f), file.len);
	fclose(f);
	ts_bytes_release(&file);
	ts_events_release(&evs);
}

/* A line of perf script: comm, tid, seconds, address, (path). */
static void expect_line(const char *line, const struct tasks *tasks, const struct question *q)
{
	const char *comm = tasks_comm(tasks, q->tid, q->time_ns);
	char want[160], got[160], unknown[32];
	unsigned long sec, nsec, addr;
	char got_comm[32], got_path[64];
	unsigned int tid;

	name_text(0, q->tid, unknown, sizeof(unknown));
	cr_assert_eq(sscanf(line, " %31s %u %lu.%lu: %lx (%63[^)])", got_comm, &tid, &sec, &nsec,
			    &addr, got_path),
		     6, "%s", line);
	snprintf(got, sizeof(got), "%s %u %lu %lx %s", got_comm, tid, sec * 1000000000 + nsec, addr,
		 got_path);
	snprintf(want, sizeof(want), "%s %u %lu %lx %s", comm ? comm : unknown, q->tid, q->time_ns,
		 q->addr, path_in(tasks, q));
	cr_assert_str_eq(got, want);
}

static void expect_as_perf(const struct story *s, const struct tasks *tasks, const char *path)
{
	char command[160], line[512];
	size_t i = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		 "perf script --ns -F comm,tid,time,ip,dso -i %s 2>/dev/null", path);
	f = popen(command, "r");
	cr_assert_not_null(f);
	while (fgets(line, sizeof(line), f) && i < s->nr_questions) {
		if (is_answerable(s, &s->questions[i]))
			expect_line(line, tasks, &s->questions[i]);
		i++;
	}
	cr_assert_eq(i, s->nr_questions);
	cr_assert_eq(pclose(f), 0);
}

Test(tasks_model, agrees_with_perf_script)
{
	char path[] = "/tmp/tstream-tasks.XXXXXX";
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	close(fd);
	if (system("perf --version >/dev/null 2>&1"))
		cr_skip_test("perf is not installed");
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct story s = {0};
		struct tasks *tasks;

		tell(&s, seed, 2000);
		write_capture(&s, path);
		tasks = replay(&s);
		expect_as_perf(&s, tasks, path);
		tasks_free(tasks);
		forget(&s);
	}
	unlink(path);
}
