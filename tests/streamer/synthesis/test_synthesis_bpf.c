// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/synthesis.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/perf/record.h"

/* Loads "return 0" as a socket filter; its descriptor, or -errno. */
static int load_program(const char *name)
{
	static const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
			       .insns = (uintptr_t)code,
			       .insn_cnt = 2,
			       .license = (uintptr_t) "GPL"};
	long fd;

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}

static struct bpf_prog_info info_of(int fd)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr = {.info = {.bpf_fd = (uint32_t)fd,
					.info_len = sizeof(info),
					.info = (uintptr_t)&info}};

	cr_assert_eq(syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)), 0);
	return info;
}

static const struct perf_event_header *find(const struct ts_bytes *b, uint32_t type,
					    const void *field, size_t offset, size_t len)
{
	for (size_t at = 0; at < b->len;) {
		const struct perf_event_header *h = (const void *)(b->data + at);

		if (h->type == type && !memcmp((const char *)h + offset, field, len))
			return h;
		at += h->size;
	}
	return NULL;
}

Test(synthesis_bpf, tells_a_loaded_program_under_its_name_in_the_kernel)
{
	struct synthesis_options options = {.trailer_bytes = 32};
	int fd = load_program("synth_test");
	struct bpf_prog_info info;
	const struct perf_event_header *load, *symbol;
	struct ts_bytes out = {0};
	struct kallsyms symbols;
	struct ts_error err;
	char name[64];
	int at;

	if (fd == -EPERM || fd == -ENOSYS)
		cr_skip_test("loading a BPF program is not allowed here");
	cr_assert_geq(fd, 0);
	info = info_of(fd);
	cr_assert_eq(kallsyms_load(&symbols, "/proc/kallsyms", &err), 0);
	cr_assert_geq(synthesis_bpf(&out, &symbols, &options, &err), 1);
	load = find(&out, PERF_RECORD_BPF_EVENT, &info.id, 12, 4);
	cr_assert_not_null(load);
	cr_assert_eq(ts_record_load_u16((const char *)load + 8), PERF_BPF_EVENT_PROG_LOAD);
	cr_assert_eq(memcmp((const char *)load + 16, info.tag, sizeof(info.tag)), 0);
	if (!info.jited_prog_len)
		cr_skip_test("this kernel compiles no BPF programs");
	at = sprintf(name, "bpf_prog_");
	for (size_t i = 0; i < sizeof(info.tag); i++)
		at += sprintf(name + at, "%02x", info.tag[i]);
	sprintf(name + at, "_synth_test");
	symbol = find(&out, PERF_RECORD_KSYMBOL, name, 24, strlen(name) + 1);
	cr_assert_not_null(symbol, "no KSYMBOL %s", name);
	cr_assert_eq(ts_record_load_u32((const char *)symbol + 16), info.jited_prog_len);
	cr_assert_eq(ts_record_load_u16((const char *)symbol + 20), PERF_RECORD_KSYMBOL_TYPE_BPF);
	cr_assert_eq(symbol->size % 8, 0);
	close(fd);
	kallsyms_release(&symbols);
	ts_bytes_release(&out);
}

Test(synthesis_bpf, names_a_program_itself_where_kallsyms_does_not)
{
	struct synthesis_options options = {.trailer_bytes = 32};
	struct kallsyms none = {0};
	int fd = load_program("nameless");
	struct ts_bytes out = {0};
	struct bpf_prog_info info;
	struct ts_error err;
	char name[64];
	int at;

	if (fd == -EPERM || fd == -ENOSYS)
		cr_skip_test("loading a BPF program is not allowed here");
	info = info_of(fd);
	if (!info.jited_prog_len)
		cr_skip_test("this kernel compiles no BPF programs");
	cr_assert_geq(synthesis_bpf(&out, &none, &options, &err), 1);
	at = sprintf(name, "bpf_prog_");
	for (size_t i = 0; i < sizeof(info.tag); i++)
		at += sprintf(name + at, "%02x", info.tag[i]);
	sprintf(name + at, "_nameless");
	cr_assert_not_null(find(&out, PERF_RECORD_KSYMBOL, name, 24, strlen(name) + 1));
	close(fd);
	ts_bytes_release(&out);
}

Test(synthesis_bpf, tells_trampolines_from_kallsyms)
{
	struct synthesis_options options = {.trailer_bytes = 32};
	struct kallsyms symbols = {0};
	struct kallsyms_bpf entries[] = {{.addr = 0x1000, .name = 0}, {.addr = 0x2000, .name = 18}};
	static const char names[] = "bpf_trampoline_42\0bpf_prog_1_other";
	struct ts_bytes out = {0};
	struct ts_error err;
	const struct perf_event_header *h;

	ts_bytes_put(&symbols.bpf, entries, sizeof(entries));
	ts_bytes_put(&symbols.names, names, sizeof(names));
	cr_assert_geq(synthesis_bpf(&out, &symbols, &options, &err), 0);
	h = find(&out, PERF_RECORD_KSYMBOL, "bpf_trampoline_42", 24, 18);
	cr_assert_not_null(h);
	cr_assert_eq(ts_record_load_u64((const char *)h + 8), 0x1000);
	cr_assert_null(find(&out, PERF_RECORD_KSYMBOL, "bpf_prog_1_other", 24, 17));
	kallsyms_release(&symbols);
	ts_bytes_release(&out);
}
