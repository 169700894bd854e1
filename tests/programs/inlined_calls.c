// SPDX-License-Identifier: Apache-2.0
/*
 * A program whose time goes to functions that are inlined, one into the other and one into several.
 *
 *	inlined_calls ROUNDS	(of about a millisecond)
 */
#include <stdlib.h>

#define INLINED	 static inline __attribute__((always_inline))
#define OUTLINED static __attribute__((noinline, noclone))

static volatile unsigned long sink;

INLINED void innermost(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

INLINED void middle(unsigned long n)
{
	for (int i = 0; i < 3; i++)
		innermost(n);
	sink++;
}

OUTLINED void first(unsigned long n)
{
	middle(n);
	for (unsigned long i = 0; i < n; i++)
		sink ^= i;
}

OUTLINED void second(unsigned long n)
{
	innermost(n);
	sink--;
}

INLINED void calls_both(unsigned long n)
{
	first(n);
	second(2 * n);
	sink--;
}

OUTLINED void outermost(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		calls_both(100000);
	sink--;
}

int main(int argc, char **argv)
{
	outermost(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
	sink--;
	return 0;
}
