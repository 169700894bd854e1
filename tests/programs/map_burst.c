// SPDX-License-Identifier: Apache-2.0
/*
 * A burst of side-band: maps that many executable regions, one after the other, and in the middle
 * starts EXE, so that its name and maps come in the burst. Then both spin in hot() for SECONDS. EXE
 * is this program under another name, without MAPS.
 *
 *	map_burst SECONDS [MAPS EXE]
 *
 * Each prints its pid, and the time at the end of its burst, CLOCK_MONOTONIC in ns.
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
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void map_regions(int nr)
{
	for (int i = 0; i < nr; i++) {
		void *p =
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p != MAP_FAILED)
			munmap(p, 4096);
	}
}

static volatile uint64_t sink;

__attribute__((noinline)) static void hot(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 1000000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

int main(int argc, char **argv)
{
	char *const spinner[] = {argc > 3 ? argv[3] : NULL, argv[1], NULL};
	int nr = argc > 3 ? atoi(argv[2]) : 0;
	uint64_t end_ns;

	if (argc < 2)
		return 2;
	if (nr) {
		map_regions(nr / 2);
		if (fork() == 0) {
			execv(spinner[0], spinner);
			_exit(127);
		}
		map_regions(nr / 2);
	}
	end_ns = now_ns();
	printf("%d %llu\n", (int)getpid(), (unsigned long long)end_ns);
	fflush(stdout);
	while (now_ns() < end_ns + (uint64_t)atoi(argv[1]) * 1000000000)
		hot();
	while (wait(NULL) > 0)
		;
	return 0;
}
