// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a fuzz target without libFuzzer, for FUZZ_SECONDS (1). Each input is a seed of the target
 * with some mutations. A number chooses all of them, so the number alone repeats an input:
 *
 *	FUZZ_FROM=NUMBER FUZZ_SECONDS=0 fuzz_header
 *
 * Inputs run in a child process, in a heap block of exactly their size, so AddressSanitizer sees
 * every over-read. The child writes its number to a shared page. An input that does not end within
 * ten seconds is a failure, too. So is one that needs more than a gigabyte of address space, which
 * is the child's limit (but not under a sanitizer, which needs terabytes of it).
 *
 * FUZZ_SEEDS=N runs N seeds as they are, to find out what they reach (docs/fuzzing.md).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define SECONDS_PER_INPUT 10
#define ADDRESS_SPACE	  (1ull << 30)
#define MUTATIONS_MAX	  12
#define INPUT_MAX	  (1 << 20)

const char *__lsan_default_suppressions(void);
const char *__asan_default_options(void);

/* It forgets what it had of a format that it cannot parse. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}

/* It is built without frame pointers, so only a slow look at the stack finds it there. */
const char *__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0";
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
	return n ? next(state) % n : 0;
}

/* --- mutations; each leaves b->len <= INPUT_MAX --- */

static void flip_bit(struct ts_bytes *b, uint64_t *state)
{
	if (b->len)
		b->data[below(state, b->len)] ^= (uint8_t)(1 << below(state, 8));
}

static void set_number(struct ts_bytes *b, uint64_t *state)
{
	static const uint64_t interesting[] = {0,	   1,	      7,	  8,
					       16,	   64,	      0x7f,	  0xff,
					       0x7fff,	   0xffff,    0x10000,	  0x7fffffff,
					       0xffffffff, INT64_MAX, UINT64_MAX, UINT64_MAX - 7,
					       1ULL << 61};
	uint64_t value = interesting[below(state, sizeof(interesting) / sizeof(interesting[0]))];
	size_t width = (size_t)1 << below(state, 4);

	if (b->len >= width)
		memcpy(b->data + below(state, (b->len - width) / width + 1) * width, &value, width);
}

static void add_to_number(struct ts_bytes *b, uint64_t *state)
{
	size_t at;
	uint32_t v;

	if (b->len < sizeof(v))
		return;
	at = below(state, b->len - sizeof(v) + 1);
	memcpy(&v, b->data + at, sizeof(v));
	v += (uint32_t)below(state, 33) - 16;
	memcpy(b->data + at, &v, sizeof(v));
}

static void cut_end(struct ts_bytes *b, uint64_t *state)
{
	b->len = below(state, b->len + 1);
}

static void remove_part(struct ts_bytes *b, uint64_t *state)
{
	size_t at = below(state, b->len), len = below(state, b->len - at);

	if (!len)
		return;
	memmove(b->data + at, b->data + at + len, b->len - at - len);
	b->len -= len;
}

static void repeat_part(struct ts_bytes *b, uint64_t *state)
{
	size_t at = below(state, b->len), len = below(state, b->len - at);

	if (!len || b->len + len > INPUT_MAX || !ts_bytes_reserve(b, len))
		return;
	memmove(b->data + at + len, b->data + at, b->len - at);
	b->len += len;
}

static void overwrite_with_noise(struct ts_bytes *b, uint64_t *state)
{
	size_t at = below(state, b->len), len = below(state, b->len - at);

	for (size_t i = 0; i < len && i < 32; i++)
		b->data[at + i] = (uint8_t)next(state);
}

static void append_seed(struct ts_bytes *b, uint64_t *state)
{
	if (b->len < INPUT_MAX / 2)
		fuzz_seed((uint32_t)next(state), b);
}

static void make_input(uint64_t number, struct ts_bytes *b)
{
	static void (*const mutations[])(struct ts_bytes *, uint64_t *) = {
		flip_bit,    set_number,  set_number,		add_to_number, cut_end,
		remove_part, repeat_part, overwrite_with_noise, append_seed,
	};
	uint64_t state = number * 0x2545f4914f6cdd1dULL;

	ts_bytes_clear(b);
	fuzz_seed((uint32_t)next(&state), b);
	for (size_t n = below(&state, MUTATIONS_MAX); n; n--)
		mutations[below(&state, sizeof(mutations) / sizeof(mutations[0]))](b, &state);
}

/* --- running --- */

static void run_input(const struct ts_bytes *b)
{
	uint8_t *exact = malloc(b->len ? b->len : 1);

	if (!exact)
		_exit(99);
	if (b->len)
		memcpy(exact, b->data, b->len);
	LLVMFuzzerTestOneInput(exact, b->len);
	free(exact);
}

static void bound_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	struct rlimit most = {ADDRESS_SPACE, ADDRESS_SPACE};

	setrlimit(RLIMIT_AS, &most);
#endif
}

static void run_seeds(uint64_t nr)
{
	struct ts_bytes b = {0};

	for (uint64_t i = 0; i < nr; i++) {
		ts_bytes_clear(&b);
		fuzz_seed((uint32_t)i, &b);
		run_input(&b);
	}
	ts_bytes_release(&b);
}

static int run_child(volatile uint64_t *number, time_t until, uint64_t nr_seeds)
{
	struct ts_bytes b = {0};

	bound_memory();
	run_seeds(nr_seeds);
	if (nr_seeds)
		return 0;
	do {
		alarm(SECONDS_PER_INPUT);
		make_input(*number, &b);
		run_input(&b);
		++*number;
	} while (time(NULL) < until);
	ts_bytes_release(&b);
	return 0;
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

int main(void)
{
	uint64_t from = number_from("FUZZ_FROM", 1);
	time_t until = time(NULL) + (time_t)number_from("FUZZ_SECONDS", 1);
	volatile uint64_t *number = mmap(NULL, sizeof(*number), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	if (number == MAP_FAILED)
		return 99;
	*number = from;
	child = fork();
	if (child == 0)
		exit(run_child(number, until, number_from("FUZZ_SEEDS", 0)));
	status = child < 0 ? -1 : wait_for(child);
	if (status)
		printf("failed with wait status 0x%x; repeat: FUZZ_FROM=%llu FUZZ_SECONDS=0\n",
		       (unsigned int)status, (unsigned long long)*number);
	else
		printf("%llu inputs\n", (unsigned long long)(*number - from));
	return status ? 1 : 0;
}
