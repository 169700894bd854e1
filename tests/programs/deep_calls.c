// SPDX-License-Identifier: Apache-2.0
/*
 * Spends its time where stacks are hard to unwind, with callers that are known:
 *
 *	main -> through_frames -> through_alloca -> through_realigned -> qsort -> compare
 *	                                              -> (a signal) on_signal -> in_handler
 *
 * none with a frame pointer of its own but where it needs one; the last one's work is inlined into
 * it. Its argument is for how many milliseconds of CPU time.
 */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile uint64_t sink;
static uint64_t until_ns;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define OPAQUE __attribute__((noinline, noclone, used))

static inline __attribute__((always_inline)) uint64_t mixed(uint64_t a, uint64_t i)
{
	return sink * 31 + (a ^ i);
}

OPAQUE static void in_handler(uint64_t a)
{
	for (uint64_t i = 0; i < 20000000; i++) {
		sink = mixed(a, i);
		if (!(i & 0xffff) && cpu_ns() > until_ns)
			break;
	}
}

OPAQUE static void on_signal(int number)
{
	in_handler((uint64_t)number);
	sink++;
}

OPAQUE static int compare(const void *a, const void *b)
{
	raise(SIGUSR1);
	sink++;
	return *(const int *)a - *(const int *)b;
}

/* A local that is aligned beyond the ABI's 16 bytes: the frame is found through a word on the stack. */
OPAQUE static int through_realigned(int n)
{
	_Alignas(64) int values[16];

	for (int i = 0; i < 16; i++)
		values[i] = (n * 7 + i * 5) % 16;
	qsort(values, 2, sizeof(*values), compare);
	sink++;
	return values[0];
}

OPAQUE static int through_alloca(int n)
{
	char *room = alloca((size_t)(n % 7 + 1) * 16);

	memset(room, n, (size_t)(n % 7 + 1) * 16);
	n = through_realigned(n + room[n % 7]);
	sink += (uint64_t)room[0];
	return n;
}

OPAQUE static int through_frames(int a, int b, int c, int d, int e, int f)
{
	int got = through_alloca(a);

	sink += (uint64_t)(b + c + d + e + f);
	return got + a * b + c * d + e * f;
}

int main(int argc, char **argv)
{
	until_ns = cpu_ns() + strtoull(argc > 1 ? argv[1] : "100", NULL, 10) * 1000000u;
	signal(SIGUSR1, on_signal);
	for (int i = 0; cpu_ns() < until_ns; i++)
		sink += (uint64_t)through_frames(i % 7, i, i + 1, i + 2, i + 3, i + 4);
	return 0;
}
