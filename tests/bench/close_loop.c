// SPDX-License-Identifier: Apache-2.0
/*
 * The load of the benchmarks: processes that do nothing but system calls.
 *
 *	close_loop PROCESSES CALLS
 *
 * Each process calls close(-1) CALLS times; prints the mean time of a call in ns, over all
 * processes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t run(uint64_t calls)
{
	uint64_t start = now_ns();

	for (uint64_t i = 0; i < calls; i++)
		close(-1);
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[1]) : 0;
	uint64_t calls = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t *took, total = 0;

	if (nr <= 0 || !calls)
		return 2;
	took = mmap(NULL, (size_t)nr * sizeof(*took), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (took == MAP_FAILED)
		return 1;
	for (int i = 0; i < nr; i++) {
		if (fork() == 0) {
			took[i] = run(calls);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < nr; i++)
		total += took[i];
	printf("%.1f\n", (double)total / (double)nr / (double)calls);
	return 0;
}
