// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that end deep in their callers, again and again: libgcc unwinds them, and each caller cleans up in a landing pad.
 *
 *	landing_pads ROUNDS
 */
#include <pthread.h>
#include <stdlib.h>

#define OPAQUE __attribute__((noinline, noclone))

static volatile unsigned long sink;

OPAQUE static void clean_up(const unsigned long *n)
{
	for (unsigned long i = 0; i < *n; i++)
		sink += i;
}

OPAQUE static unsigned long goes_down(unsigned long depth)
{
	__attribute__((cleanup(clean_up))) unsigned long n = 500000;

	if (!depth)
		pthread_exit(NULL);
	n += goes_down(depth - 1) & 1;
	return n;
}

static void *thread(void *depth)
{
	sink += goes_down(*(unsigned long *)depth);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, depth = 20;
	pthread_t id;

	for (unsigned long i = 0; i < rounds; i++)
		if (!pthread_create(&id, NULL, thread, &depth))
			pthread_join(id, NULL);
	return 0;
}
