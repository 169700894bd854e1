/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames: the meanings of sampled addresses, each distinct meaning once.
 *
 * A frame is a function of a mapped object, a function that was inlined into the code of another
 * frame, or an address if no symbol is known. A resolver turns (process, address, time) into the
 * number of a frame. It remembers addresses by their place in a module, or by the identity of the
 * set of maps in which they were seen. So symbols are looked up once per distinct address, not once
 * per sample.
 *
 * Threads: a resolver and its frames belong to one thread; the symbols that it uses are shared.
 */
#ifndef TS_READER_STACKS_FRAME_H
#define TS_READER_STACKS_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/memory.h"
#include "reader/symbols/code_spans.h"
#include "reader/symbols/line_names.h"
#include "reader/symbols/symbol.h"

#define FRAME_NONE UINT32_MAX
#define FRAME_LATE (UINT32_MAX - 1) /* hasty resolvers only: a thread is reading the symbols */

struct frame {
	const struct symbol *symbol;	  /* NULL: unknown */
	const struct module_name *module; /* NULL: no object was mapped there */
	char level;			  /* 'k' kernel, '.' user, 'H' hypervisor, ... */
	uint32_t around; /* number + 1 of the frame into which it was inlined; 0: not inlined */
	/*
	 * The sampled address, and the address inside the object. Both are 0 if the symbol is
	 * known, unless frames are told apart by address.
	 */
	uint64_t ip, addr;
	const char *line; /* source line, interned; NULL: lines are not told apart */
};

struct frames {
	struct memory *memory; /* its blocks hold the frames; NULL: no limit */
	struct frame *items;
	uint32_t nr, cap;
	uint32_t *slots; /* index + 1, 0 free; power of two */
	size_t nr_slots;
	uint64_t key; /* of the hash; see common/base/keyed_hash.h */
};

/* The number of this frame, added if new; FRAME_NONE: out of memory. */
uint32_t frames_intern(struct frames *f, const struct frame *frame);
/* The outermost function of a frame: itself, unless it was inlined. */
uint32_t frames_outermost(const struct frames *f, uint32_t frame);
void frames_release(struct frames *f); /* accepts a zeroed one; idempotent */

/* Where and when an address was seen. */
struct frame_place {
	uint32_t pid;
	uint64_t space; /* maps of the process: task_moment.space, mixed with the pid if needed */
	uint64_t kernel_space; /* of the kernel */
	uint64_t time_ns;
};

struct resolver_slot {	/* private */
	uint64_t addr;	/* address in the module, or as sampled */
	uint64_t where; /* module, or set of maps */
	uint64_t shift; /* address in the module minus sampled address; else 0 */
	uint32_t mode;	/* cpumode, and the kind of the key */
	uint32_t frame; /* + 1; 0: free */
};

struct resolver {
	struct frames frames;
	struct symbols *symbols;
	bool by_address; /* tells the addresses of one function apart */
	enum line_kind lines;
	/* returns FRAME_LATE instead of waiting while another thread reads symbols */
	bool is_hasty;
	const struct module *waited; /* the module of the last FRAME_LATE */
	struct code_span_runs runs;
	struct resolver_slot *slots;
	size_t nr_slots, nr_used;
	uint64_t key; /* of their hash */
};

/* Returns 0 or -ENOMEM. Blocks of `memory`, which may be NULL, hold its memory. */
int resolver_init(struct resolver *r, struct symbols *symbols, bool by_address,
		  enum line_kind lines, struct memory *memory);
void resolver_release(struct resolver *r); /* accepts a zeroed one; idempotent */
/*
 * The frame of an address that was sampled in a cpumode (PERF_RECORD_MISC_KERNEL, _USER, ...).
 * FRAME_NONE: out of memory. FRAME_LATE: call again later, or with is_hasty false.
 */
uint32_t resolver_find(struct resolver *r, const struct frame_place *place, uint32_t cpumode,
		       uint64_t addr);
/*
 * As resolver_find(), but the frame is the innermost function at the address. frame.around leads to
 * the functions into which it was inlined.
 */
uint32_t resolver_find_inlined(struct resolver *r, const struct frame_place *place,
			       uint32_t cpumode, uint64_t addr);

#endif
