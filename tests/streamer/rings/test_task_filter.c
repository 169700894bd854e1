// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/task_filter.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "streamer/rings/ring.h"

#define CHILD	   4000001u /* numbers of no process: most systems have fewer */
#define NEWCOMER   4000002u
#define RECORD_IDS (2 * sizeof(uint64_t))

static uint8_t run[4096];
static size_t len;

static void put(uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid)
{
	struct perf_event_header hdr = {.type = type, .size = sizeof(hdr) + RECORD_IDS + 32};
	uint32_t ids[4] = {pid, ppid, tid, ppid};

	memset(run + len, 0, hdr.size);
	memcpy(run + len, &hdr, sizeof(hdr));
	memcpy(run + len + sizeof(hdr), ids, sizeof(ids));
	len += hdr.size;
}

/* Runs one record through; true: it stays. */
static bool stays(struct task_filter *f, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid)
{
	size_t bytes;

	len = 0;
	put(type, pid, ppid, tid);
	bytes = task_filter_run(f, run, len);
	cr_assert(bytes == 0 || bytes == len);
	return bytes;
}

/* This process is the target, its parent is foreign. */
static void make(struct task_filter *f, bool inherits)
{
	struct ts_error err;
	pid_t self = getpid();

	cr_assert_eq(task_filter_init(f, inherits, &err), 0, "%s", err.text);
	cr_assert_eq(task_filter_set_targets(f, &self, 1, &err), 0, "%s", err.text);
	f->states = realloc(f->states, NEWCOMER + 1);
	cr_assert_not_null(f->states);
	if (f->nr <= NEWCOMER)
		memset(f->states + f->nr, 0, NEWCOMER + 1 - f->nr);
	f->nr = NEWCOMER + 1;
}

/* Two rings of a page each, over memory of our own. */
static struct perf_event_mmap_page pages[2];
static _Alignas(8) uint8_t data[2][4096];
static struct ring rings[2];

static void make_rings(struct task_filter *f, uint64_t pos)
{
	for (int i = 0; i < 2; i++) {
		pages[i].data_head = pages[i].data_tail = pos;
		rings[i] = (struct ring){.page = &pages[i],
					 .data = data[i],
					 .size_bytes = sizeof(data[i]),
					 .map_bytes = 1};
		task_filter_add(f, &rings[i]);
	}
}

/* A process starts another: the record waits in a ring. */
static void forks(int ring, uint32_t parent, uint32_t child)
{
	len = 0;
	put(PERF_RECORD_FORK, child, parent, child);
	for (size_t i = 0; i < len; i++)
		data[ring][(pages[ring].data_head + i) % sizeof(data[ring])] = run[i];
	pages[ring].data_head += len;
}

Test(task_filter, keeps_targets_and_what_they_start)
{
	uint32_t self = (uint32_t)getpid(), other = (uint32_t)getppid();
	struct task_filter f;

	make(&f, true);
	make_rings(&f, 4096 - 16);
	cr_expect(stays(&f, PERF_RECORD_COMM, self, self, 0));
	cr_expect_not(stays(&f, PERF_RECORD_COMM, other, other, 0));
	cr_expect_not(stays(&f, PERF_RECORD_MMAP2, other, other, 0));
	forks(0, self, CHILD);
	forks(0, other, NEWCOMER);
	task_filter_look(&f, &rings[0]);
	cr_expect(stays(&f, PERF_RECORD_FORK, CHILD, self, CHILD));
	cr_expect(stays(&f, PERF_RECORD_MMAP2, CHILD, CHILD, 0));
	cr_expect_not(stays(&f, PERF_RECORD_FORK, NEWCOMER, other, NEWCOMER));
	cr_expect_not(stays(&f, PERF_RECORD_COMM, NEWCOMER, NEWCOMER, 0));
	cr_expect_not(stays(&f, PERF_RECORD_FORK, NEWCOMER, NEWCOMER, 7), "a thread of it");
	task_filter_release(&f);
}

Test(task_filter, keeps_what_it_does_not_know)
{
	uint32_t other = (uint32_t)getppid();
	struct task_filter f;

	make(&f, true);
	cr_expect(stays(&f, PERF_RECORD_MMAP2, CHILD, CHILD, 0), "its FORK was lost");
	cr_expect(stays(&f, PERF_RECORD_FORK, NEWCOMER, CHILD, NEWCOMER));
	cr_expect(stays(&f, PERF_RECORD_COMM, UINT32_MAX, 0, 0), "it was ending");
	for (uint32_t type = PERF_RECORD_LOST; type < 30; type++)
		if (type == PERF_RECORD_LOST || type == PERF_RECORD_KSYMBOL ||
		    type == PERF_RECORD_CGROUP || type == PERF_RECORD_SWITCH)
			cr_expect(stays(&f, type, other, other, other));
	task_filter_release(&f);
}

Test(task_filter, learns_a_family_whose_forks_are_in_several_rings)
{
	uint32_t self = (uint32_t)getpid(), other = (uint32_t)getppid();
	struct task_filter f;

	make(&f, true);
	make_rings(&f, 0);
	forks(0, CHILD, NEWCOMER);
	forks(1, other, CHILD);
	task_filter_look(&f, &rings[0]);
	cr_expect_not(stays(&f, PERF_RECORD_MMAP2, NEWCOMER, NEWCOMER, 0));
	cr_expect_eq(task_filter_next_target(&f, getpid()), 0);
	pages[0].data_tail = pages[0].data_head;
	pages[1].data_tail = pages[1].data_head;
	forks(1, self, CHILD);
	forks(0, CHILD, NEWCOMER);
	task_filter_look(&f, &rings[0]);
	cr_expect(stays(&f, PERF_RECORD_MMAP2, NEWCOMER, NEWCOMER, 0), "numbers come back");
	cr_expect_eq(task_filter_next_target(&f, getpid()), CHILD);
	cr_expect_eq(task_filter_next_target(&f, 0), getpid());
	task_filter_release(&f);
}

/* The writer of the child's ring gives its room back while the parent's FORK waits in another. */
Test(task_filter, learns_a_child_with_its_parent_before_its_fork_is_taken)
{
	uint32_t other = (uint32_t)getppid();
	struct task_filter f;
	uint64_t known_bytes;

	make(&f, true);
	make_rings(&f, 0);
	forks(1, other, CHILD);
	forks(0, CHILD, NEWCOMER);
	known_bytes = task_filter_look(&f, &rings[0]);
	cr_assert_eq(known_bytes, pages[0].data_head);
	pages[0].data_tail += known_bytes;
	cr_expect_not(stays(&f, PERF_RECORD_FORK, NEWCOMER, CHILD, NEWCOMER));
	cr_expect_not(stays(&f, PERF_RECORD_COMM, NEWCOMER, NEWCOMER, 0));
	task_filter_look(&f, &rings[1]);
	cr_expect_not(stays(&f, PERF_RECORD_EXIT, NEWCOMER, NEWCOMER, 0));
	task_filter_release(&f);
}

Test(task_filter, looks_at_impossible_rings_without_harm)
{
	struct perf_event_header bad = {.type = PERF_RECORD_FORK, .size = 0};
	struct task_filter f;

	make(&f, true);
	make_rings(&f, 0);
	memcpy(data[0], &bad, sizeof(bad));
	pages[0].data_head = 64;
	pages[1].data_head = UINT64_MAX;
	task_filter_look(&f, &rings[0]);
	task_filter_look(&f, &rings[1]);
	task_filter_release(&f);
}

/* A ring with nothing behind its last byte, and in it a FORK with an impossible size. */
Test(task_filter, reads_nothing_behind_a_ring)
{
	struct perf_event_header bad = {.type = PERF_RECORD_FORK, .size = 4096 - 8 - 4};
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t self = (uint32_t)getpid(), ids[] = {CHILD, self, CHILD, self};
	struct task_filter f;
	uint8_t *end;

	end = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	cr_assert(end != MAP_FAILED);
	end += page_bytes;
	cr_assert_eq(mprotect(end, page_bytes, PROT_NONE), 0);
	make(&f, true);
	make_rings(&f, 8);
	rings[0].data = end - 4096;
	memcpy(end - 4096 + 8, &bad, sizeof(bad));
	memcpy(end - 4096 + 8 + sizeof(bad), ids, sizeof(ids));
	pages[0].data_head = 8 + 4096;
	task_filter_look(&f, &rings[0]);
	cr_expect_eq(task_filter_next_target(&f, getpid()), 0, "that record is not believed");
	pages[0].data_head = pages[0].data_tail = 4096 - 4;
	pages[0].data_head += 16;
	task_filter_look(&f, &rings[0]);
	munmap(end - page_bytes, 2 * page_bytes);
	task_filter_release(&f);
}

Test(task_filter, leaves_children_out_where_nothing_inherits)
{
	uint32_t self = (uint32_t)getpid();
	struct task_filter f;

	make(&f, false);
	make_rings(&f, 0);
	cr_expect_eq(task_filter_look(&f, &rings[1]), 0);
	forks(1, self, CHILD);
	cr_expect_eq(task_filter_look(&f, &rings[1]), pages[1].data_head - pages[1].data_tail);
	cr_expect_not(stays(&f, PERF_RECORD_COMM, CHILD, CHILD, 0));
	task_filter_release(&f);
}

Test(task_filter, takes_out_of_the_middle_and_stops_at_damage)
{
	uint32_t self = (uint32_t)getpid(), other = (uint32_t)getppid();
	struct perf_event_header bad = {.type = PERF_RECORD_COMM, .size = 4};
	struct task_filter f;
	size_t one;

	make(&f, true);
	len = 0;
	put(PERF_RECORD_COMM, self, self, 1);
	one = len;
	put(PERF_RECORD_COMM, other, other, 0);
	put(PERF_RECORD_COMM, self, self, 2);
	cr_expect_eq(task_filter_run(&f, run, len), 2 * one);
	cr_expect_eq(run[one + 16], 2);
	len = 0;
	put(PERF_RECORD_COMM, other, other, 0);
	memcpy(run + len, &bad, sizeof(bad));
	put(PERF_RECORD_COMM, other, other, 0);
	memcpy(run + one, &bad, sizeof(bad));
	cr_expect_eq(task_filter_run(&f, run, len), one, "what cannot be read stays");
	cr_expect_eq(memcmp(run, &bad, sizeof(bad)), 0);
	task_filter_release(&f);
	task_filter_release(&f);
}
