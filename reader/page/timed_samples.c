// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_samples.h"

#include <errno.h>
#include <stdbool.h>

#include "common/base/min_max.h"
#include "reader/page/timed_merge.h"
#include "reader/page/timed_threads.h"

#define PRIVATE_BYTES (16u << 20) /* if all samples need more, they lie in a file */

static void begin_at(struct timed_samples *t, const struct sample_log *log,
		     const struct stack_paths *paths)
{
	uint64_t *start_ns = &t->starts_ns[log->capture];

	for (size_t i = 0; i < log->nr_runs; i++) {
		const struct logged_sample *first = log->runs[i].items;

		if (timed_threads_path(paths, log, first) != STACK_PATHS_NONE)
			*start_ns = ts_min(*start_ns, first->time_ns);
	}
}

static int find_starts(struct timed_samples *t, const struct aggregate *a,
		       const struct stack_paths *paths)
{
	t->nr_captures = a->nr_joined + 1;
	t->starts_ns = memory_new(a->memory, t->nr_captures, sizeof(*t->starts_ns));
	if (!t->starts_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr_captures; i++)
		t->starts_ns[i] = UINT64_MAX;
	for (unsigned int k = 0; k < a->nr_logs; k++)
		begin_at(t, &a->logs[k], paths);
	return 0;
}

static void lay_threads_out(struct timed_samples *t)
{
	for (uint32_t i = 0; i < t->nr_threads; i++) {
		t->threads[i].first = t->nr;
		t->nr += t->threads[i].nr;
	}
}

static int make_items(struct timed_samples *t, const struct aggregate *a)
{
	const bool is_small = t->nr * sizeof(*t->items) <= PRIVATE_BYTES;

	t->items =
		(is_small ? memory_new : memory_new_file)(a->memory, t->nr + 1, sizeof(*t->items));
	return t->items ? 0 : -ENOMEM;
}

int timed_samples_init(struct timed_samples *t, const struct aggregate *a,
		       const struct stack_paths *paths, uint32_t most_threads,
		       unsigned int nr_workers)
{
	uint32_t nr_alone;
	int rc;

	*t = (struct timed_samples){0};
	rc = find_starts(t, a, paths);
	if (!rc)
		rc = timed_threads_list(t, a, paths, most_threads, &nr_alone);
	if (!rc) {
		lay_threads_out(t);
		rc = make_items(t, a);
	}
	if (!rc)
		rc = timed_merge_run(t, a, paths, nr_alone, nr_workers);
	if (rc)
		timed_samples_release(t);
	return rc;
}

void timed_samples_release(struct timed_samples *t)
{
	memory_free(t->items);
	memory_free(t->threads);
	memory_free(t->starts_ns);
	*t = (struct timed_samples){0};
}
