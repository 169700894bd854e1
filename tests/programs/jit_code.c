// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a function at run time, says in /tmp/perf-PID.map that it is called jitted_work, and calls it
 * for as many milliseconds of CPU time as its argument says. With a second argument a forked process
 * calls that one, and another one that it makes and says to be called childs_work.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#ifdef __x86_64__
/* mov rcx, rdi; again: dec rcx; jnz again; ret */
static const uint8_t code[] = {0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3};
#else
static const uint8_t code[] = {0};
#endif

static int say_name(const void *function, const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "we");
	if (!file)
		return -1;
	fprintf(file, "this is no line\n%lx %zx %s\n", (unsigned long)function, sizeof(code), name);
	return fclose(file);
}

static int in_child(uint8_t *memory, uint64_t until_ns)
{
	uint8_t *own = memory + 256;
	void (*work)(uint64_t), (*own_work)(uint64_t);
	pid_t child = fork();

	if (child)
		return waitpid(child, NULL, 0) != child;
	memcpy(own, code, sizeof(code));
	memcpy(&work, &memory, sizeof(work));
	memcpy(&own_work, &own, sizeof(own_work));
	if (say_name(own, "childs_work"))
		return 1;
	while (cpu_ns() < until_ns) {
		work(1000000);
		own_work(1000000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t until_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*work)(uint64_t);

	if (memory == MAP_FAILED || sizeof(code) < 2)
		return 2;
	memcpy(memory, code, sizeof(code));
	memcpy(&work, &memory, sizeof(work));
	if (say_name(memory, "jitted_work"))
		return 1;
	if (argc > 2)
		return in_child(memory, until_ns);
	while (cpu_ns() < until_ns)
		work(1000000);
	return 0;
}
