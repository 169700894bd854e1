// SPDX-License-Identifier: Apache-2.0
#include "reader/workers.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/thread.h"

#define WORKERS_MAX 1024

struct worker {
	struct ts_thread thread;
	void (*run)(void *arg, unsigned int n);
	void *arg;
	unsigned int n;
};

unsigned int workers_default(void)
{
	cpu_set_t *set = CPU_ALLOC(WORKERS_MAX * 8);
	size_t bytes = CPU_ALLOC_SIZE(WORKERS_MAX * 8);
	int nr = 1;

	if (set && !sched_getaffinity(0, bytes, set))
		nr = CPU_COUNT_S(bytes, set);
	CPU_FREE(set);
	return nr < 1 ? 1 : nr > WORKERS_MAX ? WORKERS_MAX : (unsigned int)nr;
}

static void run_worker(void *arg)
{
	struct worker *w = arg;

	w->run(w->arg, w->n);
}

void workers_run(unsigned int nr, void (*run)(void *arg, unsigned int n), void *arg)
{
	struct worker *workers = nr > 1 ? calloc(nr, sizeof(*workers)) : NULL;
	struct ts_error ignored;

	for (unsigned int n = 1; workers && n < nr; n++) {
		char name[TS_THREAD_NAME_BYTES];

		workers[n].run = run;
		workers[n].arg = arg;
		workers[n].n = n;
		snprintf(name, sizeof(name), "tstream-r%02u", n % 1000);
		if (ts_thread_start(&workers[n].thread, name, NULL, 0, run_worker, &workers[n],
				    &ignored))
			break;
	}
	run(arg, 0);
	for (unsigned int n = 1; workers && n < nr; n++)
		ts_thread_join(&workers[n].thread);
	free(workers);
}
