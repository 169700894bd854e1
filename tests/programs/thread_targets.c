// SPDX-License-Identifier: Apache-2.0
/*
 * Processes whose threads are recorded one by one. Each has one thread that calls hot() for ever,
 * and prints its number.
 *
 *	thread_targets ended	the first thread ends, the other goes on
 *	thread_targets sibling	at a line of input, the first thread maps another copy of the code
 *				and names the other thread, which goes on in the copy;
 *				this one also starts a third thread
 *	thread_targets many N	N more threads, which sleep; at a line of input as `sibling`
 *
 * Ends with its parent, or after two minutes.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

typedef void (*work)(volatile long *);

static _Atomic(work) current;
static atomic_bool starts_another;

void hot(volatile long *x);

__attribute__((noinline, aligned(64))) void hot(volatile long *x)
{
	for (int i = 0; i < 10000; i++)
		(*x)++;
}

static void *spin(void *arg)
{
	pthread_t another;
	volatile long x = 0;

	if (arg) {
		printf("%ld\n", syscall(SYS_gettid));
		fflush(stdout);
	}
	for (;;) {
		atomic_load (&current)(&x);
		if (arg && atomic_exchange(&starts_another, false))
			pthread_create(&another, NULL, spin, NULL);
	}
	return NULL;
}

static void *rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Maps the text of this program once more, and returns the copy of hot(). */
static work map_again(void)
{
	unsigned long start, end, off, at = (unsigned long)(uintptr_t)hot;
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd = open("/proc/self/exe", O_RDONLY);
	char line[512], *copy;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &off) != 3 || at < start ||
		    at >= end)
			continue;
		copy = mmap(NULL, end - start, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)off);
		fclose(maps);
		return copy == MAP_FAILED ? hot : (work)(uintptr_t)(copy + (at - start));
	}
	exit(1);
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t other;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(120);
	if (argc < 2)
		return 2;
	atomic_store(&current, hot);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	for (int i = 0; argc > 2 && i < atoi(argv[2]); i++)
		if (pthread_create(&other, &small, rest, NULL))
			return 1;
	if (pthread_create(&other, NULL, spin, argv))
		return 1;
	if (!strcmp(argv[1], "ended"))
		pthread_exit(NULL);
	if (getchar() == EOF)
		return 1;
	pthread_setname_np(other, "renamed_sibling");
	atomic_store(&current, map_again());
	atomic_store(&starts_another, true);
	rest(NULL);
}
