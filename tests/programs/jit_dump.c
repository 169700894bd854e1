// SPDX-License-Identifier: Apache-2.0
/*
 * Makes functions at run time and tells of them in a jitdump file, FOLDER/jit-PID.dump: one that works, another
 * one in its place, the latter moved elsewhere. Each runs for as many milliseconds of CPU time as the second
 * argument says. With a third one "nested" only one that calls another, of which lines and unwinding are told, too;
 * neither keeps a frame pointer. With "growing" each is in the next page, which becomes executable after it was told.
 * With "forking" a forked process makes the second one and tells of it in the same file; the first one is its, too.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
/* push rbp; sub rsp, 0x30; xor ebp, ebp; call rsi; add rsp, 0x30; pop rbp; ret */
static const uint8_t calling[] = {0x55, 0x48, 0x83, 0xec, 0x30, 0x31, 0xed, 0xff,
				  0xd6, 0x48, 0x83, 0xc4, 0x30, 0x5d, 0xc3};
#else
static const uint8_t code[] = {0};
static const uint8_t calling[] = {0};
#endif
/* how its frame changes: 1 byte, CFA rsp + 16, rbp there; 4, rsp + 64; 8, rsp + 16; 1, rsp + 8 */
static const uint8_t calling_frame[] = {0x41, 0x0e, 0x10, 0x86, 0x02, 0x44, 0x0e,
					0x40, 0x48, 0x0e, 0x10, 0x41, 0x0e, 0x08};

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

static void tell_code(const char *name, const void *at, size_t bytes, uint64_t index)
{
	const struct {
		uint32_t id, bytes;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, address, code_bytes, index;
	} load = {0,
		  (uint32_t)(sizeof(load) + strlen(name) + 1 + bytes),
		  now_ns(CLOCK_MONOTONIC),
		  (uint32_t)getpid(),
		  (uint32_t)getpid(),
		  (uintptr_t)at,
		  (uintptr_t)at,
		  bytes,
		  index};

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(at, bytes, 1, dump);
	fflush(dump);
}

static void tell_load(const char *name, const void *at, uint64_t index)
{
	tell_code(name, at, sizeof(code), index);
}

struct line {
	uint64_t offset; /* in the code */
	int32_t number;
};

/* Of the code that is told next. perf does not know "\xff", which says that the file is that of the line before. */
static void tell_lines(const void *at, const char *file, const struct line *lines, uint64_t nr)
{
	const size_t name_bytes = strlen(file) + 1;
	const struct {
		uint32_t id, bytes;
		uint64_t time_ns, address, nr;
	} info = {2, (uint32_t)(sizeof(info) + nr * (16 + name_bytes)), 0, (uintptr_t)at, nr};

	fwrite(&info, sizeof(info), 1, dump);
	for (uint64_t i = 0; i < nr; i++) {
		const uint64_t address = (uintptr_t)at + lines[i].offset;
		const int32_t numbers[2] = {lines[i].number, 0};

		fwrite(&address, sizeof(address), 1, dump);
		fwrite(numbers, sizeof(numbers), 1, dump);
		fwrite(file, name_bytes, 1, dump);
	}
}

/* The same: .eh_frame, as if it lay behind the code, and .eh_frame_hdr. `frame`: instructions of DWARF. */
static void tell_unwinding(size_t code_bytes, const uint8_t *frame, size_t frame_bytes)
{
	const int32_t behind = (int32_t)((code_bytes + 7) / 8 * 8);
	struct {
		uint32_t id, bytes;
		uint64_t time_ns, info_bytes, header_bytes, mapped_bytes;
		uint32_t cie_bytes, cie;
		uint8_t cie_rest
			[16]; /* version, "zR", factors 1 and -8, return address 16, rsp + 8 */
		uint32_t fde_bytes, to_cie;
		int32_t start;
		uint32_t range;
		uint8_t rest[16];
		uint32_t end, padding;
		uint8_t version, encodings[3];
		int32_t to_frames;
		uint32_t nr;
		int32_t first, first_fde;
	} __attribute__((packed))
	info = {4,
		sizeof(info),
		0,
		84,
		20,
		84,
		20,
		0,
		{1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1},
		28,
		28,
		-behind - 32,
		(uint32_t)code_bytes,
		{0},
		0,
		0,
		1,
		{0x1b, 0x03, 0x3b},
		-68,
		1,
		-behind - 64,
		24 - 64};

	memcpy(info.rest + 1, frame, frame_bytes);
	fwrite(&info, sizeof(info), 1, dump);
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

static __attribute__((noinline)) void run_nested(uint8_t *inner, uint8_t *outer, uint64_t ms)
{
	const uint64_t until_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;
	void (*work)(uint64_t, const void *);

	memcpy(&work, &outer, sizeof(work));
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < until_ns)
		work(1000000, inner);
}

static __attribute__((noinline)) void make_nested(uint8_t *memory, uint64_t ms)
{
	static const struct line inner[] = {{0, 10}, {3, 11}, {8, 12}};
	static const struct line outer[] = {{0, 20}, {7, 21}, {9, 22}, {14, 23}};
	uint8_t *at = memory + PAGE;

	memcpy(memory, code, sizeof(code));
	memcpy(at, calling, sizeof(calling));
	tell_lines(memory, "made/inner.src", inner, 3);
	tell_unwinding(sizeof(code), calling_frame, 0);
	tell_load("inner_work", memory, 1);
	tell_lines(at, "made/outer.src", outer, 4);
	tell_unwinding(sizeof(calling), calling_frame, sizeof(calling_frame));
	tell_code("outer_work", at, sizeof(calling), 2);
	run_nested(memory, at, ms);
}

/* The kernel joins the pages to one map, so each new map covers the code that was told before. */
static void make_growing(uint8_t *memory, uint64_t ms)
{
	static const char *const names[] = {"first_work", "second_work", "third_work"};

	mprotect(memory, (size_t)3 * PAGE, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < 3; i++) {
		memcpy(memory + i * PAGE, code, sizeof(code));
		tell_load(names[i], memory + i * PAGE, i + 1);
		mprotect(memory + i * PAGE, PAGE, PROT_READ | PROT_EXEC);
		for (size_t called = 0; called <= i; called++)
			run(memory + called * PAGE, ms);
	}
}

/* Both put the code of their own into the same place, each of its own memory. */
static void make_forking(uint8_t *memory, uint64_t ms)
{
	pid_t child;

	memcpy(memory, code, sizeof(code));
	tell_load("first_work", memory, 1);
	child = fork();
	if (child)
		waitpid(child, NULL, 0);
	memcpy(memory + PAGE, code, sizeof(code));
	tell_load(child ? "third_work" : "second_work", memory + PAGE, 2);
	run(memory, ms);
	run(memory + PAGE, ms);
	if (!child)
		_exit(0);
}

typedef void (*make_fn)(uint8_t *memory, uint64_t ms);

static make_fn find_way(const char *how)
{
	if (!strcmp(how, "growing"))
		return make_growing;
	return !strcmp(how, "forking") ? make_forking : make_nested;
}

int main(int argc, char **argv)
{
	const uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint8_t *memory = mmap(NULL, (size_t)3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc < 2 || memory == MAP_FAILED || sizeof(code) < 2 || !(dump = open_dump(argv[1])))
		return 2;
	if (argc > 3) {
		find_way(argv[3])(memory, ms);
		return fclose(dump) != 0;
	}
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
