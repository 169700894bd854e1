// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sleepers.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *sleep_long(void *barrier)
{
	pthread_barrier_wait(barrier);
	pause();
	return NULL;
}

static void run_process(unsigned int threads, int ready)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, sleep_long, &barrier))
			_exit(1);
	pthread_barrier_wait(&barrier);
	if (write(ready, "x", 1) == 1)
		pause();
	_exit(1);
}

pid_t sleepers_make(unsigned int threads)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid)
		run_process(threads, ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &c, 1) != 1) {
		fprintf(stderr, "cannot make a process of %u threads\n", threads);
		abort();
	}
	close(ready[0]);
	return pid;
}
