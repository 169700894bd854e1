/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recording needs of /proc/kallsyms: where the kernel's text starts and ends, and what the
 * kernel calls the code that BPF has put into it.
 *
 * The file is made by the kernel line by line at every reading (35 ms for 120 thousand symbols), so
 * it is read once, here, and only its digest is kept.
 *
 * Threads: loading is for one thread; afterwards it is immutable.
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
	bool hidden;	       /* every address is 0: the kernel hides them from us */
	struct ts_bytes bpf;   /* struct kallsyms_bpf, ascending by address */
	struct ts_bytes names; /* C strings */
};

/* Reads path ("/proc/kallsyms"). An error leaves *ret released. */
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
