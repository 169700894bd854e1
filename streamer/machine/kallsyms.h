/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of /proc/kallsyms that recording needs: where the kernel's text starts and ends, and the
 * kernel's names for the code of BPF programs.
 *
 * The kernel makes the file line by line at each reading (35 ms for 120 thousand symbols). So it is
 * read once, here, and only this part is kept.
 *
 * Threads: one thread loads. Afterwards the struct is immutable.
 */
#ifndef TS_STREAMER_MACHINE_KALLSYMS_H
#define TS_STREAMER_MACHINE_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"

struct kallsyms_bpf { /* a symbol of module "bpf" */
	uint64_t addr;
	uint32_t name; /* offset into names */
};

struct kallsyms {
	const char *reference; /* "_text" or "_stext"; NULL: not found, or addresses are hidden */
	uint64_t start;	       /* address of the reference symbol */
	uint64_t end;	       /* of _etext; 0: not found */
	bool hidden;	       /* all addresses are 0: the kernel hides them */
	struct ts_bytes bpf;   /* struct kallsyms_bpf, ascending by address */
	struct ts_bytes names; /* C strings */
};

/* Reads path ("/proc/kallsyms"). On an error *ret is released. */
int kallsyms_load(struct kallsyms *ret, const char *path, struct ts_error *err);
void kallsyms_release(struct kallsyms *k); /* accepts a zeroed one; idempotent */

static inline size_t kallsyms_nr_bpf(const struct kallsyms *k)
{
	return k->bpf.len / sizeof(struct kallsyms_bpf);
}

static inline const struct kallsyms_bpf *kallsyms_bpf_at(const struct kallsyms *k, size_t i)
{
	return (const struct kallsyms_bpf *)k->bpf.data + i;
}

static inline const char *kallsyms_bpf_name(const struct kallsyms *k, const struct kallsyms_bpf *b)
{
	return (const char *)k->names.data + b->name;
}

/* Name of the BPF symbol at exactly addr; NULL if none. */
const char *kallsyms_find_bpf(const struct kallsyms *k, uint64_t addr);

#endif
