// SPDX-License-Identifier: Apache-2.0
/*
 * Loaded BPF programs, asked of bpf(2).
 *
 * A program is one piece of machine code or several (its functions). Each piece gets a KSYMBOL
 * under the name that the kernel itself uses in /proc/kallsyms. So it equals the KSYMBOL record of
 * a program that is loaded later. Trampolines and dispatchers are no programs; they come from
 * kallsyms alone.
 */
#include "streamer/synthesis/synthesis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streamer/machine/bpf.h"
#include "streamer/synthesis/synth_record.h"

#define FUNCTIONS_MAX 8192 /* of one program; the kernel allows 256, newer ones more */

static int next_program(uint32_t *id)
{
	union bpf_attr attr = {.start_id = *id};
	int failed = bpf_call(BPF_PROG_GET_NEXT_ID, &attr);

	if (!failed)
		*id = attr.next_id;
	return failed;
}

static int open_program(uint32_t id)
{
	union bpf_attr attr = {.prog_id = id};

	return bpf_call(BPF_PROG_GET_FD_BY_ID, &attr);
}

/* One program and the addresses of its functions. */
struct program {
	struct bpf_prog_info info;
	uint32_t nr; /* functions; 0: not compiled to machine code, or hidden from us */
	uint64_t *addrs;
	uint32_t *lens;
	uint8_t (*tags)[BPF_TAG_SIZE];
};

static void program_release(struct program *p)
{
	free(p->addrs);
	free(p->lens);
	free(p->tags);
}

/*
 * Asks twice: how many functions, then where they are. A program that changed in between gets none.
 */
static int program_load(struct program *p, int fd)
{
	int failed;
	uint32_t nr;

	*p = (struct program){0};
	failed = bpf_ask_info(fd, &p->info, sizeof(p->info));
	nr = p->info.nr_jited_ksyms;
	if (failed || !nr || nr > FUNCTIONS_MAX || nr != p->info.nr_jited_func_lens ||
	    nr != p->info.nr_prog_tags)
		return failed;
	p->addrs = calloc(nr, sizeof(*p->addrs));
	p->lens = calloc(nr, sizeof(*p->lens));
	p->tags = calloc(nr, sizeof(*p->tags));
	if (!p->addrs || !p->lens || !p->tags)
		return -ENOMEM;
	p->info = (struct bpf_prog_info){
		.nr_jited_ksyms = nr,
		.jited_ksyms = (uint64_t)(uintptr_t)p->addrs,
		.nr_jited_func_lens = nr,
		.jited_func_lens = (uint64_t)(uintptr_t)p->lens,
		.nr_prog_tags = nr,
		.prog_tags = (uint64_t)(uintptr_t)p->tags,
	};
	failed = bpf_ask_info(fd, &p->info, sizeof(p->info));
	if (!failed && p->info.nr_jited_ksyms == nr && p->info.nr_jited_func_lens == nr &&
	    p->info.nr_prog_tags == nr)
		p->nr = nr;
	return failed;
}

static void put_ksymbol(struct ts_bytes *out, const struct synthesis_options *options,
			uint64_t addr, uint32_t len, const char *name)
{
	size_t at = synth_record_begin(out, PERF_RECORD_KSYMBOL, 0);

	ts_bytes_u64(out, addr);
	ts_bytes_u32(out, len);
	ts_bytes_u16(out, PERF_RECORD_KSYMBOL_TYPE_BPF);
	ts_bytes_u16(out, 0);
	synth_record_name(out, name, strlen(name));
	synth_record_end(out, at, options->trailer_bytes);
}

static void put_bpf_event(struct ts_bytes *out, const struct synthesis_options *options,
			  const struct bpf_prog_info *info)
{
	size_t at = synth_record_begin(out, PERF_RECORD_BPF_EVENT, 0);

	ts_bytes_u16(out, PERF_BPF_EVENT_PROG_LOAD);
	ts_bytes_u16(out, 0);
	ts_bytes_u32(out, info->id);
	ts_bytes_put(out, info->tag, sizeof(info->tag));
	synth_record_end(out, at, options->trailer_bytes);
}

/* The kernel's name of function i, where kallsyms does not have it (net.core.bpf_jit_kallsyms). */
static void make_name(const struct program *p, uint32_t i, char *name, size_t size)
{
	size_t at = (size_t)snprintf(name, size, "bpf_prog_");

	for (size_t b = 0; b < BPF_TAG_SIZE; b++)
		at += (size_t)snprintf(name + at, size - at, "%02x", p->tags[i][b]);
	snprintf(name + at, size - at, "_%.*s", BPF_OBJ_NAME_LEN, i ? "F" : p->info.name);
}

static void put_program(struct ts_bytes *out, const struct kallsyms *symbols,
			const struct synthesis_options *options, const struct program *p)
{
	char made[64];

	for (uint32_t i = 0; i < p->nr; i++) {
		const char *name = kallsyms_find_bpf(symbols, p->addrs[i]);

		if (!p->addrs[i])
			continue;
		make_name(p, i, made, sizeof(made));
		put_ksymbol(out, options, p->addrs[i], p->lens[i], name ? name : made);
	}
	put_bpf_event(out, options, &p->info);
}

static void put_images(struct ts_bytes *out, const struct kallsyms *symbols,
		       const struct synthesis_options *options)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < kallsyms_nr_bpf(symbols); i++) {
		const struct kallsyms_bpf *b = kallsyms_bpf_at(symbols, i);
		const char *name = kallsyms_bpf_name(symbols, b);

		if (!strncmp(name, "bpf_trampoline_", strlen("bpf_trampoline_")) ||
		    !strncmp(name, "bpf_dispatcher_", strlen("bpf_dispatcher_")))
			put_ksymbol(out, options, b->addr, page, name);
	}
}

int synthesis_bpf(struct ts_bytes *out, const struct kallsyms *symbols,
		  const struct synthesis_options *options, struct ts_error *err)
{
	struct program program;
	int nr = 0, fd, failed = 0;
	uint32_t id = 0;

	/* ends with ENOENT; EPERM and ENOSYS: we may not know of any program */
	while (failed != -ENOMEM && !next_program(&id)) {
		fd = open_program(id);
		if (fd < 0)
			continue;
		failed = program_load(&program, fd);
		if (!failed)
			put_program(out, symbols, options, &program);
		nr += failed ? 0 : 1;
		program_release(&program);
		close(fd);
	}
	put_images(out, symbols, options);
	if (failed == -ENOMEM || ts_bytes_failed(out))
		return ts_error_set(err, ENOMEM, "cannot describe BPF programs: out of memory");
	return nr;
}
