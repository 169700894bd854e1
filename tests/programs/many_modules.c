// SPDX-License-Identifier: Apache-2.0
/*
 * A workload for comparing symbols. It spends time in the program, the C library, the vdso, a
 * library opened and closed at run time, and memory without a file. Its children exec, and its
 * threads take a new name.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static void in_the_vdso(void)
{
	uint64_t end = now_ns() + 20000000;

	while (now_ns() < end)
		;
}

__attribute__((noinline)) static void in_the_program(void)
{
	volatile uint64_t x = 1;

	for (int i = 0; i < 20000000; i++)
		x = x * 3 + 1;
}

__attribute__((noinline)) static void in_the_c_library(void)
{
	char text[64];

	for (int i = 0; i < 100000; i++)
		snprintf(text, sizeof(text), "%d %s %f", i, "text", i / 3.0);
}

__attribute__((noinline)) static void in_a_library_for_a_while(void)
{
	void *lib = dlopen("libz.so.1", RTLD_NOW);
	unsigned long (*crc)(unsigned long, const char *, unsigned int);
	static char data[65536];

	if (!lib)
		return;
	*(void **)&crc = dlsym(lib, "crc32");
	for (int i = 0; crc && i < 300; i++)
		crc(0, data, sizeof(data));
	dlclose(lib);
}

#ifdef __x86_64__
/* A loop of a few bytes in anonymous memory: mov ecx, 10000000; dec ecx; jnz; ret. */
__attribute__((noinline)) static void in_memory_without_a_file(void)
{
	static const uint8_t code[] = {0xb9, 0x80, 0x96, 0x98, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED)
		return;
	memcpy(at, code, sizeof(code));
	((void (*)(void))at)();
	munmap(at, 4096);
}
#else
static void in_memory_without_a_file(void)
{
}
#endif

static void *thread(void *arg)
{
	prctl(PR_SET_NAME, "first name");
	in_the_program();
	prctl(PR_SET_NAME, "other name");
	in_the_program();
	return arg;
}

int main(void)
{
	pthread_t t;

	if (fork() == 0)
		execlp("sh", "sh", "-c",
		       "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; ls / >/dev/null", NULL);
	pthread_create(&t, NULL, thread, NULL);
	in_the_vdso();
	in_the_program();
	in_the_c_library();
	in_a_library_for_a_while();
	in_memory_without_a_file();
	pthread_join(t, NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
