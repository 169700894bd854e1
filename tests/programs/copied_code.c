// SPDX-License-Identifier: Apache-2.0
/*
 * Copies a page of its code into memory without a file, and puts that memory in the place of the page. Programs do
 * so that move their text to large pages. It works there for as many milliseconds of CPU time as its first argument
 * says. With a second one "memfd" the memory is a memfd. With "jit" it says in /tmp/perf-PID.map that the function
 * there is called jitted_work. With "stub" it says so of the other half of the page. With "elsewhere" it copies to
 * another place.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Alone in its page, and with no address in it. */
static __attribute__((noinline, aligned(PAGE))) void work_here(volatile uint64_t *sum)
{
	for (int i = 0; i < 100000; i++)
		*sum += 1;
}

static __attribute__((noinline, aligned(PAGE))) void *put_copy(void *at, int is_memfd)
{
	int fd = is_memfd ? memfd_create("code", MFD_CLOEXEC) : -1;
	uint8_t page[PAGE];
	void *copy;

	memcpy(page, (const void *)(uintptr_t)work_here, PAGE);
	if (fd >= 0 && ftruncate(fd, PAGE))
		return MAP_FAILED;
	copy = mmap(at, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | (at ? MAP_FIXED : 0) | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	if (copy == MAP_FAILED)
		return copy;
	memcpy(copy, page, PAGE);
	return mprotect(copy, PAGE, PROT_READ | PROT_EXEC) ? MAP_FAILED : copy;
}

static int say_name(const void *function)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "we");
	if (!file)
		return -1;
	fprintf(file, "%lx 40 jitted_work\n", (unsigned long)(uintptr_t)function);
	return fclose(file);
}

int main(int argc, char **argv)
{
	const uint64_t until_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	const char *how = argc > 2 ? argv[2] : "";
	void *at = strcmp(how, "elsewhere") ? (void *)(uintptr_t)work_here : NULL;
	void *copy = put_copy(at, !strcmp(how, "memfd"));
	void (*work)(volatile uint64_t *);
	volatile uint64_t sum = 0;

	if (copy == MAP_FAILED || (!strcmp(how, "jit") && say_name(copy)) ||
	    (!strcmp(how, "stub") && say_name((uint8_t *)copy + PAGE / 2)))
		return 1;
	memcpy(&work, &copy, sizeof(work));
	while (cpu_ns() < until_ns)
		work(&sum);
	return 0;
}
