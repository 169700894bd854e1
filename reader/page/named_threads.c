// SPDX-License-Identifier: Apache-2.0
#include "reader/page/named_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- names --- */

/* NULL: out of memory. */
static const char *keep_name(struct named_threads *t, const char *name)
{
	const uint32_t number = name_table_intern(&t->names, name);

	return number == NAME_TABLE_NONE ? NULL : t->names.items[number];
}

/* Its number may be another thread's later. */
static const char *name_of(struct named_threads *t, const struct tasks *tasks, uint32_t tid,
			   uint64_t time_ns)
{
	const char *comm = tasks_last_comm(tasks, tid, time_ns);
	char buf[UNNAMED_MAX];

	return comm ? comm : keep_name(t, name_table_unnamed(tid, buf));
}

static int name_merged(struct named_threads *t, struct named_thread *thread)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%" PRIu32 " other threads", thread->samples->nr_merged);
	thread->name = thread->process = keep_name(t, buf);
	return thread->name ? 0 : -ENOMEM;
}

static int name_thread(struct named_threads *t, const struct overview *captures,
		       const struct timed_samples *all, struct named_thread *thread)
{
	const struct timed_thread *s = thread->samples;
	const struct tasks *tasks = captures[s->capture].tasks;
	uint64_t last_ns;

	thread->host = captures[s->capture].name;
	if (s->nr_merged)
		return name_merged(t, thread);
	last_ns = all->starts_ns[s->capture] + all->items[s->first + s->nr - 1].time_ns;
	thread->name = name_of(t, tasks, s->tid, last_ns);
	thread->process = name_of(t, tasks, s->pid, last_ns);
	return thread->name && thread->process ? 0 : -ENOMEM;
}

/* --- the whole --- */

static int compare_sizes(const void *a, const void *b)
{
	const struct timed_thread *x = ((const struct named_thread *)a)->samples;
	const struct timed_thread *y = ((const struct named_thread *)b)->samples;

	if (!x->nr_merged != !y->nr_merged)
		return x->nr_merged ? 1 : -1;
	return x->nr != y->nr ? (x->nr > y->nr ? -1 : 1) : (x > y) - (x < y);
}

int named_threads_init(struct named_threads *t, const struct overview *captures,
		       const struct timed_samples *samples)
{
	int rc = 0;

	*t = (struct named_threads){
		.items = calloc((size_t)samples->nr_threads + 1, sizeof(*t->items)),
		.nr = samples->nr_threads,
	};
	if (!t->items)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < t->nr; i++) {
		t->items[i].samples = &samples->threads[i];
		rc = name_thread(t, captures, samples, &t->items[i]);
	}
	if (rc)
		named_threads_release(t);
	else
		qsort(t->items, t->nr, sizeof(*t->items), compare_sizes);
	return rc;
}

void named_threads_release(struct named_threads *t)
{
	free(t->items);
	name_table_release(&t->names);
	*t = (struct named_threads){0};
}
