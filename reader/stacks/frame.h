/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames: what the addresses of samples mean, each distinct meaning once.
 *
 * A frame is a function of a mapped object, or, where no symbol is known, an address; or a function
 * that was inlined into the code of another frame. A resolver turns (process, address, time) into the
 * number of a frame; it remembers addresses by their place in a module, or by the identity of the set of
 * maps they were seen in, so that symbols are looked up once per distinct address, not once per sample.
 *
 * Threads: a resolver and its frames belong to one thread; the symbols behind it are shared.
 */
#ifndef TS_READER_STACKS_FRAME_H
#define TS_READER_STACKS_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/spill.h"
#include "reader/symbols/code_spans.h"
#include "reader/symbols/line_names.h"
#include "reader/symbols/symbol.h"

#define FRAME_NONE UINT32_MAX
#define FRAME_LATE (UINT32_MAX - 1) /* of a hasty resolver: symbols that it takes are being read */

struct frame {
	const struct symbol *symbol;	  /* NULL: unknown */
	const struct module_name *module; /* NULL: nothing was mapped there */
	char level;			  /* 'k' kernel, '.' user, 'H' hypervisor, ... */
	uint32_t around; /* number + 1 of the frame whose code it was inlined into; 0: it was not */
	/* As sampled, and the same inside the object; 0 where the symbol is known, unless it is by address. */
	uint64_t ip, addr;
	const char *line; /* as wanted, interned; NULL: lines are not told apart */
};

struct frames {
	struct spill *spill; /* whose blocks hold them; NULL: without limit */
	struct frame *items;
	uint32_t nr, cap;
	uint32_t *slots; /* index + 1, 0 free; power of two */
	size_t nr_slots;
};

/* The number of this frame, added if new; FRAME_NONE: out of memory. */
uint32_t frames_intern(struct frames *f, const struct frame *frame);
/* The function whose code a frame lies in: itself, unless it was inlined. */
uint32_t frames_outermost(const struct frames *f, uint32_t frame);
void frames_release(struct frames *f); /* accepts a zeroed one; idempotent */

/* Where and when an address was seen. */
struct frame_place {
	uint32_t pid;
	uint64_t space;	       /* of the process: that of its ts_moment, or told apart further */
	uint64_t kernel_space; /* of the kernel */
	uint64_t time_ns;
};

struct resolver_slot {	/* private */
	uint64_t addr;	/* in the module, or as sampled */
	uint64_t where; /* module, or set of maps */
	uint64_t shift; /* of an address as sampled to that in the module; else 0 */
	uint32_t mode;	/* with how it is meant and what is looked for */
	uint32_t frame; /* + 1; 0: free */
};

struct resolver {
	struct frames frames;
	struct symbols *symbols;
	bool by_address; /* tell addresses of a function apart */
	enum line_kind lines;
	/* it does not wait for symbols of the kernel and of files that another thread reads */
	bool is_hasty;
	const struct module *waited; /* what FRAME_LATE was said for last */
	struct code_span_runs runs;
	struct resolver_slot *slots;
	size_t nr_slots, nr_used;
};

/* 0 or -ENOMEM. What it needs is held by blocks of `spill`, which may be NULL. */
int resolver_init(struct resolver *r, struct symbols *symbols, bool by_address,
		  enum line_kind lines, struct spill *spill);
void resolver_release(struct resolver *r); /* accepts a zeroed one; idempotent */
/*
 * The frame of an address seen in a cpumode (PERF_RECORD_MISC_KERNEL, _USER, ...). FRAME_NONE: out
 * of memory. FRAME_LATE: ask again later, or without haste.
 */
uint32_t resolver_find(struct resolver *r, const struct frame_place *place, uint32_t cpumode,
		       uint64_t addr);
/* The innermost function there; through `around` come those that it was inlined into. */
uint32_t resolver_find_inlined(struct resolver *r, const struct frame_place *place,
			       uint32_t cpumode, uint64_t addr);

#endif
