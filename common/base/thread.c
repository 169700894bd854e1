// SPDX-License-Identifier: Apache-2.0
#include "common/base/thread.h"

#include <signal.h>
#include <stdio.h>

static void *enter_thread(void *at)
{
	struct ts_thread *t = at;

	pthread_setname_np(pthread_self(), t->name);
	t->run(t->arg);
	return NULL;
}

/*
 * Signals are blocked around the creation: none may find the new thread before the thread blocks
 * them.
 */
static int create_blocked(struct ts_thread *t, const pthread_attr_t *attr)
{
	sigset_t all, saved;
	int rc;

	sigfillset(&all);
	/*
	 * The thread itself causes SIGBUS. A blocked SIGBUS would kill the process instead of
	 * reaching the handler.
	 */
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	rc = pthread_create(&t->id, attr, enter_thread, t);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return rc;
}

int ts_thread_start(struct ts_thread *t, const char *name, const cpu_set_t *cpus, size_t cpus_bytes,
		    void (*run)(void *arg), void *arg, struct ts_error *err)
{
	pthread_attr_t attr;
	int rc;

	t->is_started = false;
	t->run = run;
	t->arg = arg;
	snprintf(t->name, sizeof(t->name), "%s", name);
	rc = pthread_attr_init(&attr);
	if (rc)
		return ts_error_sys(err, rc, "cannot start thread %s", t->name);
	if (cpus)
		rc = pthread_attr_setaffinity_np(&attr, cpus_bytes, cpus);
	if (!rc)
		rc = create_blocked(t, &attr);
	pthread_attr_destroy(&attr);
	if (rc)
		return ts_error_sys(err, rc, "cannot start thread %s", t->name);
	t->is_started = true;
	return 0;
}

void ts_thread_join(struct ts_thread *t)
{
	if (!t->is_started)
		return;
	pthread_join(t->id, NULL);
	t->is_started = false;
}
