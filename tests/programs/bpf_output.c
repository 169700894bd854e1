// SPDX-License-Identifier: Apache-2.0
/*
 * BPF programs without libbpf: one that calls bpf_perf_event_output(), and many that do nothing.
 *
 *	bpf_output make PATH TYPE ENTRIES FLAGS		makes a map and pins it
 *	bpf_output load PATH				pins a program
 *	bpf_output fire PATH CPU			runs one on the CPU with the map: what it got, 0 or -errno
 *	bpf_output attach PATH ID			attaches one to the tracepoint, which is getpriority's, and
 *							calls that once
 *	bpf_output load_named NAME NR			loads programs NAME0, NAME1, ..., one after the other
 *
 * Exit status 1, and a sentence, where the kernel refuses.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEST_RUN_ON_CPU 1 /* BPF_F_TEST_RUN_ON_CPU, not in headers before 5.10 */

static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static long checked(long got, const char *what)
{
	if (got >= 0)
		return got;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void pin(int fd, const char *path)
{
	union bpf_attr attr = {.pathname = (uintptr_t)path, .bpf_fd = (uint32_t)fd};

	checked(bpf(BPF_OBJ_PIN, &attr), path);
}

static int open_map(const char *path)
{
	union bpf_attr attr = {.pathname = (uintptr_t)path};

	return (int)checked(bpf(BPF_OBJ_GET, &attr), path);
}

static void make(const char *path, char **numbers)
{
	union bpf_attr attr = {.map_type = (uint32_t)atoi(numbers[0]),
			       .key_size = sizeof(uint32_t),
			       .value_size = sizeof(uint32_t),
			       .max_entries = (uint32_t)atoi(numbers[1]),
			       .map_flags = (uint32_t)atoi(numbers[2])};

	pin((int)checked(bpf(BPF_MAP_CREATE, &attr), "cannot make a map"), path);
}

static int load_as(const char *name, enum bpf_prog_type type, const struct bpf_insn *code,
		   size_t nr)
{
	union bpf_attr attr = {.prog_type = type,
			       .insns = (uintptr_t)code,
			       .insn_cnt = (uint32_t)nr,
			       .license = (uintptr_t) "GPL"};

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%.15s", name);
	return (int)checked(bpf(BPF_PROG_LOAD, &attr), "cannot load a program");
}

static int load(enum bpf_prog_type type, const struct bpf_insn *code, size_t nr)
{
	return load_as("", type, code, nr);
}

/* return bpf_perf_event_output(ctx, map, BPF_F_CURRENT_CPU, &(u64){7}, 8); */
static int load_output(enum bpf_prog_type type, int map)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8, .imm = 7},
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_2,
		 .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = map},
		{.code = 0},
		{.code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = -1},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_4, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_5, .imm = 8},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_perf_event_output},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return load(type, code, sizeof(code) / sizeof(code[0]));
}

/* return 0; */
static const struct bpf_insn nothing[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
	{.code = BPF_JMP | BPF_EXIT},
};

static void pin_program(const char *path)
{
	pin(load(BPF_PROG_TYPE_SOCKET_FILTER, nothing, 2), path);
}

static void load_named(const char *name, int nr)
{
	char numbered[32];

	for (int i = 0; i < nr; i++) {
		snprintf(numbered, sizeof(numbered), "%.10s%d", name, i);
		close(load_as(numbered, BPF_PROG_TYPE_SOCKET_FILTER, nothing, 2));
	}
}

static void fire(const char *path, const char *cpu)
{
	int program = load_output(BPF_PROG_TYPE_RAW_TRACEPOINT, open_map(path));
	union bpf_attr attr = {.test = {.prog_fd = (uint32_t)program,
					.flags = TEST_RUN_ON_CPU,
					.cpu = (uint32_t)atoi(cpu)}};

	checked(bpf(BPF_PROG_TEST_RUN, &attr), "cannot run a program");
	printf("%d\n", (int)attr.test.retval);
}

static void attach(const char *path, const char *id)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = (uint64_t)atoll(id),
				       .sample_period = 1};
	int program = load_output(BPF_PROG_TYPE_TRACEPOINT, open_map(path));
	int event = (int)checked(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0),
				 "cannot open the tracepoint");

	checked(ioctl(event, PERF_EVENT_IOC_SET_BPF, program), "cannot attach a program");
	checked(ioctl(event, PERF_EVENT_IOC_ENABLE, 0), "cannot enable the tracepoint");
	getpriority(PRIO_PROCESS, 0);
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "make"))
		make(argv[2], argv + 3);
	else if (argc == 3 && !strcmp(argv[1], "load"))
		pin_program(argv[2]);
	else if (argc == 4 && !strcmp(argv[1], "fire"))
		fire(argv[2], argv[3]);
	else if (argc == 4 && !strcmp(argv[1], "attach"))
		attach(argv[2], argv[3]);
	else if (argc == 4 && !strcmp(argv[1], "load_named"))
		load_named(argv[2], atoi(argv[3]));
	else
		return 2;
	return 0;
}
