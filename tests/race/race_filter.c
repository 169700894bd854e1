// SPDX-License-Identifier: Apache-2.0
/*
 * Main adds rings to a filter of tasks while writers drain others, under ThreadSanitizer where that is
 * built. The FORK of each child is in the ring that came last. The child then starts a grandchild, whose
 * FORK is in one of the first rings. The COMMs of both are in all first rings afterwards, so their
 * writers have to look into a ring that they did not know.
 *
 * No ring wraps: the kernel may write over records that another writer reads, which the filter finds
 * out, but a race detector does not know that.
 */
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/thread.h"
#include "common/perf/record.h"
#include "common/perf/record_layout.h"
#include "streamer/rings/ring_kind.h"
#include "streamer/rings/task_filter.h"
#include "tests/support/fake_ring.h"

#define WRITERS	     3
#define RINGS	     48 /* the first have a writer each; the writers share the others */
#define CHILDREN     (32 * (RINGS - WRITERS))
#define PROCESSES    (2 * CHILDREN) /* grandchildren behind the children */
#define RECORD_BYTES 64
#define RING_BYTES   (256u << 10) /* more than all records */
#define FOREIGN	     0u		  /* a parent; of every second child it is this process */

struct scene;

struct writer { /* its thread's */
	struct ts_thread thread;
	struct scene *scene;
	unsigned number;
	unsigned kept[PROCESSES]; /* COMMs of each */
};

struct scene {
	uint32_t first_pid; /* of the children; constant after start */
	struct task_filter filter;
	struct ring rings[RINGS];
	struct fake_ring producers[RINGS]; /* main's */
	_Atomic unsigned nr_rings;	   /* that writers may drain */
	_Atomic bool is_over;		   /* nothing is put any more */
	struct writer writers[WRITERS];
};

/* --- writers --- */

static void count_records(struct writer *w, const uint8_t *run, size_t len)
{
	for (size_t at = 0; at < len; at += ts_record_load_header(run + at).size) {
		struct ts_record_thread record;

		memcpy(&record, run + at, sizeof(record));
		if (record.header.type == PERF_RECORD_COMM)
			w->kept[record.pid - w->scene->first_pid]++;
	}
}

static void drain_ring(struct writer *w, struct ring *r)
{
	uint8_t run[16 * RECORD_BYTES];
	size_t len;

	while (ring_kind_of(r)->pending(r))
		if (ring_kind_of(r)->copy(r, run, sizeof(run), &len) == RING_COPY_DONE)
			count_records(w, run, len);
}

static void run_writer(void *arg)
{
	struct writer *w = arg;
	struct scene *s = w->scene;
	bool is_over;

	do {
		is_over = atomic_load(&s->is_over);
		for (unsigned i = w->number; i < atomic_load(&s->nr_rings); i += WRITERS)
			drain_ring(w, &s->rings[i]);
	} while (!is_over);
}

/* --- main --- */

static void add_ring(struct scene *s, unsigned i)
{
	fake_ring_init(&s->producers[i], RING_BYTES);
	fake_ring_open(&s->producers[i], &s->rings[i], i, TS_RING_SIDEBAND);
	task_filter_add(&s->filter, &s->rings[i]);
}

static bool put(struct scene *s, unsigned ring, uint32_t type, uint32_t pid, uint32_t parent)
{
	_Alignas(8) uint8_t record[RECORD_BYTES] = {0};
	const struct perf_event_header hdr = {.type = type, .size = RECORD_BYTES};
	const uint32_t ids[] = {pid, parent, pid, parent};

	memcpy(record, &hdr, sizeof(hdr));
	memcpy(record + sizeof(hdr), ids, sizeof(ids));
	return fake_ring_put(&s->producers[ring], record);
}

static bool is_target(unsigned process)
{
	return process % 2; /* CHILDREN is even: a grandchild is what its parent is */
}

static bool put_comms(struct scene *s, unsigned process)
{
	const uint32_t pid = s->first_pid + process;
	bool ok = true;

	for (unsigned i = 0; i < WRITERS; i++)
		ok &= put(s, i, PERF_RECORD_COMM, pid, pid);
	return ok;
}

/* The ring gets its writer only after some records. */
static bool put_children(struct scene *s, unsigned ring, unsigned first, unsigned nr)
{
	bool ok = true;

	for (unsigned child = first; child < first + nr; child++) {
		const uint32_t parent = is_target(child) ? (uint32_t)getpid() : FOREIGN;

		ok &= put(s, ring, PERF_RECORD_FORK, s->first_pid + child, parent);
		ok &= put(s, child % WRITERS, PERF_RECORD_FORK, s->first_pid + CHILDREN + child,
			  s->first_pid + child);
		ok &= put_comms(s, child) && put_comms(s, CHILDREN + child);
		if (child == first + nr / 2)
			atomic_store(&s->nr_rings, ring + 1);
	}
	return ok;
}

static bool play(struct scene *s)
{
	const unsigned nr = CHILDREN / (RINGS - WRITERS);
	bool ok = true;

	for (unsigned i = WRITERS; i < RINGS && ok; i++) {
		add_ring(s, i);
		ok = put_children(s, i, (i - WRITERS) * nr, nr);
	}
	return ok;
}

static bool start(struct scene *s, struct ts_error *err)
{
	const pid_t self = getpid();
	bool ok = !task_filter_init(&s->filter, true, err) &&
		  !task_filter_set_targets(&s->filter, &self, 1, err);

	s->first_pid = self < 15000 ? 16000 : 10000;
	for (unsigned i = 0; i < WRITERS; i++)
		add_ring(s, i);
	atomic_init(&s->nr_rings, WRITERS);
	for (unsigned i = 0; i < WRITERS && ok; i++) {
		s->writers[i].scene = s;
		s->writers[i].number = i;
		ok = !ts_thread_start(&s->writers[i].thread, "writer", NULL, 0, run_writer,
				      &s->writers[i], err);
	}
	return ok;
}

static const char *look(const struct scene *s)
{
	for (unsigned i = 0; i < WRITERS; i++)
		for (unsigned process = 0; process < PROCESSES; process++)
			if (s->writers[i].kept[process] != is_target(process))
				return is_target(process) ? "a record of a target is missing"
							  : "a record of a foreign task was kept";
	return NULL;
}

int main(void)
{
	static struct scene s;
	const char *problem = NULL;
	struct ts_error err;

	if (!start(&s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (s.filter.nr < s.first_pid + PROCESSES)
		problem = "pid_max is too small";
	else if (!play(&s))
		problem = "a ring was too small";
	atomic_store(&s.is_over, true);
	for (size_t i = 0; i < WRITERS; i++)
		ts_thread_join(&s.writers[i].thread);
	if (!problem)
		problem = look(&s);
	if (problem)
		fprintf(stderr, "%s\n", problem);
	for (unsigned i = 0; i < RINGS; i++) {
		ring_close(&s.rings[i]);
		fake_ring_release(&s.producers[i]);
	}
	task_filter_release(&s.filter);
	return problem != NULL;
}
