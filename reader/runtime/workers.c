// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/workers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/cpus.h"
#include "common/base/thread.h"

struct worker {
	struct ts_thread thread;
	void (*run)(void *arg, unsigned int n);
	void *arg;
	unsigned int n;
};

static unsigned int allowed_cpus(void)
{
	unsigned int nr = ts_cpus_count_allowed();

	return nr > WORKERS_MAX ? WORKERS_MAX : nr;
}

unsigned int workers_asked(uint64_t nr)
{
	return nr ? (unsigned int)(nr < WORKERS_MAX ? nr : WORKERS_MAX) : allowed_cpus();
}

static void run_worker(void *arg)
{
	struct worker *w = arg;

	w->run(w->arg, w->n);
}

static bool start(struct worker *w, unsigned int n, void (*run)(void *arg, unsigned int n),
		  void *arg)
{
	char name[TS_THREAD_NAME_BYTES];
	struct ts_error ignored;

	*w = (struct worker){.run = run, .arg = arg, .n = n};
	snprintf(name, sizeof(name), "tstream-r%02u", n % 1000);
	return !ts_thread_start(&w->thread, name, NULL, 0, run_worker, w, &ignored);
}

void workers_run(unsigned int nr, void (*run)(void *arg, unsigned int n), void *arg)
{
	struct worker *workers = nr > 1 ? calloc(nr, sizeof(*workers)) : NULL;
	unsigned int nr_started = 1;

	while (workers && nr_started < nr && start(&workers[nr_started], nr_started, run, arg))
		nr_started++;
	run(arg, 0);
	for (unsigned int n = nr_started; n < nr; n++)
		run(arg, n);
	for (unsigned int n = 1; n < nr_started; n++)
		ts_thread_join(&workers[n].thread);
	free(workers);
}
