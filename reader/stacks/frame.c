// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/frame.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "common/base/keyed_hash.h"
#include "reader/symbols/inlined.h"
#include "reader/symbols/module.h"

#define SLOTS_FIRST 1024
/*
 * The table of addresses is emptied beyond this many (64 bytes each, since half of the slots are
 * free).
 */
#define ADDRESSES_MAX (1u << 21)
/* Flag beside the mode of an address: inlined functions are frames. */
#define MODE_INLINED (1u << 31)
/* The key has an address inside a module; a sampled address in a module. */
#define MODE_MODULE  (1u << 30)
#define MODE_SAMPLED (1u << 29)
/*
 * Flag of a slot with an address inside a module: the frame is the same wherever the module is
 * mapped.
 */
#define MODE_ANYWHERE (1u << 28)

/* --- frames --- */

static size_t frame_slot(const struct frames *f, const struct frame *frame)
{
	const uint64_t place = ts_keyed_hash_pair(f->key, frame->ip, frame->addr);
	const uint64_t name = ts_keyed_hash_pair(f->key, (uintptr_t)frame->symbol,
						 (uintptr_t)frame->module ^ (uint8_t)frame->level);
	const uint64_t line = (uintptr_t)frame->line ^ (uint64_t)frame->around << 32;

	return ts_keyed_hash(f->key, place + 3 * name + line) & (f->nr_slots - 1);
}

static int grow_frames(struct frames *f)
{
	struct frame *items;
	uint32_t *slots;

	if (f->nr == f->cap) {
		uint32_t cap = f->cap ? 2 * f->cap : SLOTS_FIRST / 2;

		items = memory_resize(f->memory, f->items, cap, sizeof(*items));
		if (!items)
			return -ENOMEM;
		f->items = items;
		f->cap = cap;
	}
	if (f->nr_slots > 2 * (size_t)f->nr)
		return 0;
	slots = memory_new(f->memory, f->nr_slots ? 2 * f->nr_slots : SLOTS_FIRST, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	if (!f->key)
		f->key = ts_keyed_hash_key();
	f->nr_slots = f->nr_slots ? 2 * f->nr_slots : SLOTS_FIRST;
	memory_free(f->slots);
	f->slots = slots;
	for (uint32_t i = 0; i < f->nr; i++) {
		size_t at = frame_slot(f, &f->items[i]);

		while (slots[at])
			at = (at + 1) & (f->nr_slots - 1);
		slots[at] = i + 1;
	}
	return 0;
}

static bool is_same(const struct frame *a, const struct frame *b)
{
	return a->symbol == b->symbol && a->module == b->module && a->level == b->level &&
	       a->ip == b->ip && a->addr == b->addr && a->line == b->line && a->around == b->around;
}

uint32_t frames_intern(struct frames *f, const struct frame *frame)
{
	size_t at;

	if (grow_frames(f))
		return FRAME_NONE;
	for (at = frame_slot(f, frame); f->slots[at]; at = (at + 1) & (f->nr_slots - 1))
		if (is_same(&f->items[f->slots[at] - 1], frame))
			return f->slots[at] - 1;
	f->items[f->nr] = *frame;
	f->slots[at] = ++f->nr;
	return f->nr - 1;
}

uint32_t frames_outermost(const struct frames *f, uint32_t frame)
{
	while (f->items[frame].around)
		frame = f->items[frame].around - 1;
	return frame;
}

void frames_release(struct frames *f)
{
	memory_free(f->items);
	memory_free(f->slots);
	*f = (struct frames){0};
}

/* --- resolver --- */

int resolver_init(struct resolver *r, struct symbols *symbols, bool by_address,
		  enum line_kind lines, struct memory *memory)
{
	*r = (struct resolver){.frames = {.memory = memory},
			       .symbols = symbols,
			       .by_address = by_address,
			       .lines = lines,
			       .runs.symbols = symbols,
			       .key = ts_keyed_hash_key()};
	r->slots = memory_new(memory, SLOTS_FIRST, sizeof(*r->slots));
	r->nr_slots = r->slots ? SLOTS_FIRST : 0;
	return r->slots ? 0 : -ENOMEM;
}

void resolver_release(struct resolver *r)
{
	frames_release(&r->frames);
	memory_free(r->slots);
	r->slots = NULL;
}

static bool is_key(const struct resolver_slot *slot, const struct resolver_slot *key)
{
	return slot->addr == key->addr && slot->where == key->where &&
	       ((slot->mode ^ key->mode) & ~MODE_ANYWHERE) == 0 &&
	       (slot->shift == key->shift || key->mode & MODE_MODULE);
}

static size_t hash_key(const struct resolver *r, const struct resolver_slot *key)
{
	return ts_keyed_hash(r->key, key->addr + key->where * 0xc2b2ae3d27d4eb4full);
}

static struct resolver_slot *find_slot(const struct resolver *r, const struct resolver_slot *key)
{
	size_t at = hash_key(r, key) & (r->nr_slots - 1);

	while (r->slots[at].frame && !is_key(&r->slots[at], key))
		at = (at + 1) & (r->nr_slots - 1);
	return &r->slots[at];
}

/* The slot for a key that the table does not have. */
static struct resolver_slot *free_slot(const struct resolver *r, const struct resolver_slot *key)
{
	size_t at = hash_key(r, key) & (r->nr_slots - 1);

	while (r->slots[at].frame)
		at = (at + 1) & (r->nr_slots - 1);
	return &r->slots[at];
}

/*
 * Makes room for one more address: a larger table, or, if there is no memory for it, an empty one.
 */
static void make_room(struct resolver *r)
{
	size_t nr_old = r->nr_slots;
	struct resolver_slot *old = r->slots, *slots = NULL;

	if (r->nr_used < nr_old / 2)
		return;
	if (r->nr_used < ADDRESSES_MAX)
		slots = memory_new_cache(r->frames.memory, 2 * nr_old, sizeof(*slots));
	if (!slots) {
		for (size_t i = 0; i < nr_old; i++)
			old[i].frame = 0;
		r->nr_used = 0;
		return;
	}
	r->slots = slots;
	r->nr_slots = 2 * nr_old;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].frame)
			*free_slot(r, &old[i]) = old[i];
	memory_free(old);
}

static void remember_address(struct resolver *r, struct resolver_slot key, uint32_t frame)
{
	struct resolver_slot *slot;

	make_room(r);
	slot = find_slot(r, &key);
	r->nr_used += !slot->frame;
	key.frame = frame + 1;
	*slot = key;
}

/* Interns the frame of one function at an address; `line` NULL: its line is unknown. */
static uint32_t intern_frame(struct resolver *r, const struct location *at,
			     const struct srcline_frame *line, struct frame *frame)
{
	if (r->lines != LINE_NONE) {
		frame->line = line_names_find(symbols_line_names(r->symbols), at, line, r->lines);
		if (!frame->line)
			return FRAME_NONE;
	}
	return frames_intern(&r->frames, frame);
}

/* Interns the frames from the outermost function, which is *frame, to the innermost one. */
static uint32_t intern_inlined(struct resolver *r, const struct location *at,
			       const struct srcline_place *lines, struct frame *frame)
{
	uint32_t number = intern_frame(r, at, &lines->frames[lines->nr - 1], frame);

	for (size_t i = lines->nr - 1; number != FRAME_NONE && i > 0; i--) {
		const struct srcline_frame *line = &lines->frames[i - 1];

		frame->symbol = inlined_find(symbols_inlined(r->symbols), at->sym, line->function);
		if (!frame->symbol)
			return FRAME_NONE;
		frame->around = number + 1;
		number = intern_frame(r, at, line, frame);
	}
	return number;
}

static bool is_late(struct resolver *r, const struct module *m)
{
	if (!r->is_hasty || !m || !module_would_wait(m))
		return false;
	r->waited = m;
	return true;
}

static uint32_t resolve_address(struct resolver *r, const struct frame_place *place, uint32_t mode,
				uint64_t addr)
{
	const struct srcline_place *lines = NULL;
	struct location at;
	struct frame frame;

	symbols_resolve(r->symbols, place->pid, (uint16_t)mode, addr, place->time_ns, &at);
	frame = (struct frame){.symbol = at.sym, .module = at.module, .level = at.level};
	if (!frame.symbol || r->by_address) {
		frame.ip = addr;
		frame.addr = at.addr;
	}
	if (r->lines != LINE_NONE || mode & MODE_INLINED)
		lines = symbols_lines(&at);
	if (lines && at.sym && mode & MODE_INLINED)
		return intern_inlined(r, &at, lines, &frame);
	return intern_frame(r, &at, lines ? &lines->frames[0] : NULL, &frame);
}

static uint32_t find_frame(struct resolver *r, const struct frame_place *place, uint32_t mode,
			   uint64_t addr, const struct resolver_slot *key)
{
	const struct resolver_slot *slot = find_slot(r, key);
	uint32_t frame;

	if (slot->frame)
		return slot->frame - 1;
	if ((uint16_t)mode == PERF_RECORD_MISC_KERNEL && is_late(r, symbols_kernel(r->symbols)))
		return FRAME_LATE;
	frame = resolve_address(r, place, mode, addr);
	if (frame != FRAME_NONE)
		remember_address(r, *key, frame);
	return frame;
}

/* Does the frame contain the sampled address? Another process may have another one. */
static bool has_sampled_ip(const struct resolver *r, uint32_t frame)
{
	return r->frames.items[frame].ip;
}

/*
 * Finds a frame by its place in the module. If the frame contains the sampled address, the slot of
 * that place remembers the frame of the last process. The frames of other processes are found by
 * both addresses.
 */
static uint32_t find_in_module(struct resolver *r, const struct frame_place *place, uint32_t mode,
			       uint64_t addr, const struct code_span *code)
{
	struct resolver_slot key = {addr + code->shift, (uintptr_t)code->module, code->shift,
				    mode | MODE_MODULE, 0};
	const struct resolver_slot *slot = find_slot(r, &key);
	uint32_t frame;

	if (slot->frame && (slot->mode & MODE_ANYWHERE || slot->shift == code->shift))
		return slot->frame - 1;
	if (is_late(r, code->module))
		return FRAME_LATE;
	if (slot->frame) {
		const struct resolver_slot sampled = {addr, key.where, key.shift,
						      mode | MODE_SAMPLED, 0};

		frame = find_frame(r, place, mode, addr, &sampled);
	} else {
		frame = resolve_address(r, place, mode, addr);
	}
	if (frame == FRAME_NONE)
		return FRAME_NONE;
	if (!has_sampled_ip(r, frame))
		key.mode |= MODE_ANYWHERE;
	remember_address(r, key, frame);
	return frame;
}

static uint32_t find_user(struct resolver *r, const struct frame_place *place, uint32_t mode,
			  uint64_t addr)
{
	const struct code_span *code =
		code_spans_find(&r->runs, place->pid, place->space, addr, place->time_ns);

	if (code->is_shared)
		return find_in_module(r, place, mode, addr, code);
	return find_frame(r, place, mode, addr,
			  &(struct resolver_slot){addr, place->space, 0, mode, 0});
}

static uint32_t find_any(struct resolver *r, const struct frame_place *place, uint32_t mode,
			 uint64_t addr)
{
	if ((uint16_t)mode == PERF_RECORD_MISC_USER)
		return find_user(r, place, mode, addr);
	return find_frame(r, place, mode, addr,
			  &(struct resolver_slot){addr, place->kernel_space, 0, mode, 0});
}

uint32_t resolver_find(struct resolver *r, const struct frame_place *place, uint32_t cpumode,
		       uint64_t addr)
{
	return find_any(r, place, cpumode, addr);
}

uint32_t resolver_find_inlined(struct resolver *r, const struct frame_place *place,
			       uint32_t cpumode, uint64_t addr)
{
	return find_any(r, place, cpumode | MODE_INLINED, addr);
}
