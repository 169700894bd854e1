// SPDX-License-Identifier: Apache-2.0
/*
 * Makes functions at run time and tells of them in a jitdump file, FOLDER/jit-PID.dump: one that works, another
 * one in its place, the latter moved elsewhere. Each runs for as many milliseconds of CPU time as the second
 * argument says.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#ifdef __x86_64__
/* mov rcx, rdi; again: dec rcx; jnz again; ret */
static const uint8_t code[] = {0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3};
#else
static const uint8_t code[] = {0};
#endif

static FILE *dump;

static FILE *open_dump(const char *folder)
{
	const struct {
		uint32_t magic, version, bytes, machine, unused, pid;
		uint64_t time_ns, flags;
	} header = {0x4a695444, 1, 40, EM_X86_64, 0, (uint32_t)getpid(), now_ns(CLOCK_MONOTONIC),
		    0};
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	file = fopen(path, "we+");
	if (!file || fwrite(&header, sizeof(header), 1, file) != 1 || fflush(file) ||
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) == MAP_FAILED)
		return NULL;
	return file;
}

static void tell_load(const char *name, const void *at, uint64_t index)
{
	const struct {
		uint32_t id, bytes;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, address, code_bytes, index;
	} load = {0,
		  (uint32_t)(sizeof(load) + strlen(name) + 1 + sizeof(code)),
		  now_ns(CLOCK_MONOTONIC),
		  (uint32_t)getpid(),
		  (uint32_t)getpid(),
		  (uintptr_t)at,
		  (uintptr_t)at,
		  sizeof(code),
		  index};

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, sizeof(code), 1, dump);
	fflush(dump);
}

static void tell_move(const void *from, const void *to, uint64_t index)
{
	const struct {
		uint32_t id, bytes;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, old_address, address, code_bytes, index;
	} move = {1,
		  sizeof(move),
		  now_ns(CLOCK_MONOTONIC),
		  (uint32_t)getpid(),
		  (uint32_t)getpid(),
		  (uintptr_t)to,
		  (uintptr_t)from,
		  (uintptr_t)to,
		  sizeof(code),
		  index};

	fwrite(&move, sizeof(move), 1, dump);
	fflush(dump);
}

static void run(uint8_t *at, uint64_t ms)
{
	const uint64_t until_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;
	void (*work)(uint64_t);

	memcpy(&work, &at, sizeof(work));
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < until_ns)
		work(1000000);
}

int main(int argc, char **argv)
{
	const uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint8_t *memory = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc < 2 || memory == MAP_FAILED || sizeof(code) < 2 || !(dump = open_dump(argv[1])))
		return 2;
	memcpy(memory, code, sizeof(code));
	tell_load("first_work", memory, 1);
	run(memory, ms);
	tell_load("second_work", memory, 2);
	run(memory, ms);
	memcpy(memory + PAGE, code, sizeof(code));
	tell_move(memory, memory + PAGE, 2);
	tell_load("third_work", memory, 3);
	run(memory, ms);
	run(memory + PAGE, ms);
	return fclose(dump) != 0;
}
