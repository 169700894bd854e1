// SPDX-License-Identifier: Apache-2.0
/*
 * A workload that numbers its system calls: lseek(-1, n) with n = 1, 2, 3, ...
 *
 *	numbered_calls CPU CALLS_PER_MS FILE
 *
 * Pinned to CPU, CALLS_PER_MS calls each millisecond (0: without a pause). FILE holds an array of
 *{time, n}, one entry a millisecond: at that CLOCK_MONOTONIC time in ns the call n had returned.
 * Ends with its parent.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES 65536u

struct entry {
	uint64_t time_ns, n;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static struct entry *map_entries(const char *path)
{
	size_t bytes = ENTRIES * sizeof(struct entry);
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *map;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return NULL;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return map == MAP_FAILED ? NULL : map;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

int main(int argc, char **argv)
{
	uint64_t n = 0, per_ms, next;
	struct entry *entries;
	cpu_set_t cpus;

	if (argc != 4 || !(entries = map_entries(argv[3])))
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 2;
	per_ms = strtoull(argv[2], NULL, 10);
	next = now_ns();
	for (uint32_t i = 0; i < ENTRIES; i++) {
		next += 1000000;
		do
			lseek(-1, (off_t)++n, SEEK_SET);
		while (per_ms ? n % per_ms : now_ns() < next);
		entries[i].n = n;
		/*
		 * A reader that sees the time must see the number; the reader is another process.
		 */
		__atomic_store_n(&entries[i].time_ns, now_ns(), __ATOMIC_RELEASE);
		if (per_ms)
			sleep_until(next);
	}
	return 0;
}
