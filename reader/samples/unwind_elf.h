/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding by libdw: for samples that the unwind tables cannot express, and as the reference for
 * these tables.
 *
 * libdw describes a process as modules at addresses (Dwfl). This file keeps one Dwfl for each of
 * the last 8 sets of maps, and reports a module to it when the first address of that module occurs.
 *
 * Threads: a struct unwind_elf belongs to one thread, so threads do not share handles of libdw.
 */
#ifndef TS_READER_SAMPLES_UNWIND_ELF_H
#define TS_READER_SAMPLES_UNWIND_ELF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/perf/record.h"
#include "reader/cfi/unwind_table.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/tasks.h"

/* The dumped piece of a stack. */
struct unwind_stack {
	const uint8_t *bytes;
	uint64_t start, size; /* address of the first byte; bytes */
};

/* Reads the word at an address; false: it is outside of the piece. */
static inline bool unwind_stack_read(const struct unwind_stack *s, uint64_t addr, uint64_t *ret)
{
	uint64_t at = addr - s->start;

	if (at >= s->size || s->size - at < sizeof(*ret))
		return false;
	memcpy(ret, s->bytes + at, sizeof(*ret));
	return true;
}

struct unwind_elf_sample {
	const struct ts_sample_id *sid;
	uint64_t space;		    /* task_moment.space of the thread */
	uint64_t regs[UNWIND_REGS]; /* by DWARF's numbers */
	uint32_t known;		    /* bit by register */
	struct unwind_stack stack;
};

struct unwind_elf;

/* NULL: out of memory. The symbols must outlive it. */
struct unwind_elf *unwind_elf_new(struct symbols *symbols);
void unwind_elf_free(struct unwind_elf *u); /* accepts NULL */
/*
 * Finds at most `max` addresses of frames, leaf first, return addresses minus one as in unwind.c.
 * Returns their number; 0: libdw has no module to begin in.
 */
uint32_t unwind_elf_sample(struct unwind_elf *u, const struct unwind_elf_sample *sample,
			   uint64_t *ret_ips, uint32_t max);

#endif
