// SPDX-License-Identifier: Apache-2.0
/*
 * A frame has 17 registers, by DWARF's numbers, and a mask of the known ones. Its rule tells where
 * the canonical frame address is (the value of rsp before the call) and where registers were saved.
 * Registers without a rule are unchanged if the ABI makes a function preserve them, else unknown.
 */
#include "reader/samples/unwind.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "reader/samples/unwind_elf.h"
#include "reader/samples/unwind_regs.h"
#include "reader/symbols/module.h"

struct frame_state {
	uint64_t regs[UNWIND_REGS]; /* regs[UNWIND_RA]: the pc */
	uint32_t known;		    /* bit by register */
};

/* --- what a sample brings --- */

static bool is_to_unwind(const struct ts_event *event)
{
	const uint64_t needed = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (event->attr.sample_type & needed) == needed;
}

enum unwind_way unwind_way_of(const struct ts_header *header, enum unwind_way wanted)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_ARCH);
	const char *machine;

	if (ts_cursor_string(&c, &machine) && strcmp(machine, "x86_64") != 0)
		return UNWIND_NOT;
	for (size_t i = 0; i < header->events.nr; i++)
		if (is_to_unwind(&header->events.items[i]))
			return wanted;
	return UNWIND_NOT;
}

/* False: the sample has no registers or no stack to begin with. */
static bool read_state(struct unwinder *u, const struct ts_sample *sample, struct frame_state *ret)
{
	const struct ts_event *event = &u->events->items[sample->sid.event];
	uint64_t mask = event->attr.sample_regs_user;

	ret->known = 0;
	if (!is_to_unwind(event) || !sample->user_stack || !sample->user_stack_dyn)
		return false;
	if (sample->user_abi == PERF_SAMPLE_REGS_ABI_32)
		u->counts.nr_foreign++;
	if (sample->user_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (uint64_t i = 0; mask && i < sample->user_regs.nr; i++, mask &= mask - 1) {
		int reg = unwind_regs_dwarf((unsigned int)__builtin_ctzll(mask));

		if (reg < 0)
			continue;
		ret->regs[reg] = ts_word(&sample->user_regs, i);
		ret->known |= 1u << reg;
	}
	return ret->known >> UNWIND_RA & 1 && ret->known >> UNWIND_RSP & 1;
}

static void stack_of(const struct ts_sample *sample, uint64_t sp, struct unwind_stack *ret)
{
	uint64_t size = sample->user_stack_dyn;

	if (size > sample->user_stack_size)
		size = sample->user_stack_size;
	*ret = (struct unwind_stack){.bytes = sample->user_stack, .start = sp, .size = size};
}

/* --- rules --- */

static const struct unwind_rule *find_rule(struct unwinder *u, const struct ts_sample_id *sid,
					   uint64_t space, uint64_t pc)
{
	static const struct unwind_rule unknown = {.how = UNWIND_UNKNOWN};
	const struct code_span *code = code_spans_find(&u->runs, sid->pid, space, pc, sid->time_ns);
	const uint64_t addr = pc + code->shift;
	const uint64_t hash = (addr ^ (uintptr_t)code->module) * 0x9e3779b97f4a7c15ull;
	struct unwind_slot *slot = &u->slots[hash >> 40 & (UNWIND_SLOTS - 1)];

	if (!code->module)
		return &unknown;
	if (slot->rule && slot->addr == addr && slot->module == code->module)
		return slot->rule;
	*slot = (struct unwind_slot){addr, code->module, module_unwind_rule(code->module, addr)};
	return slot->rule;
}

static bool is_known(const struct frame_state *f, unsigned int reg)
{
	return f->known >> reg & 1;
}

static bool find_cfa(const struct unwind_rule *rule, const struct frame_state *f,
		     const struct unwind_stack *stack, uint64_t *ret)
{
	uint64_t cfa = f->regs[rule->cfa_reg];

	if (!is_known(f, rule->cfa_reg))
		return false;
	switch ((enum unwind_cfa)rule->cfa) {
	case UNWIND_CFA_REG:
		*ret = cfa + (uint64_t)(int64_t)rule->cfa_offset;
		return true;
	case UNWIND_CFA_PLT:
		*ret = cfa + ((f->regs[UNWIND_RA] & 15) >= (uint64_t)rule->cfa_offset ? 16 : 8);
		return true;
	case UNWIND_CFA_DEREF:
		if (!unwind_stack_read(stack, cfa + (uint64_t)(int64_t)rule->cfa_offset, ret))
			return false;
		*ret += (uint64_t)(int64_t)rule->cfa_offset2;
		return true;
	}
	return false;
}

/* The caller's value of a register that the rule lists; false: unknown. */
static bool find_value(const struct unwind_save *save, uint64_t cfa, const struct frame_state *f,
		       const struct unwind_stack *stack, uint64_t *ret)
{
	uint64_t offset = (uint64_t)(int64_t)save->offset;

	switch ((enum unwind_value)save->value) {
	case UNWIND_AT_CFA:
		return unwind_stack_read(stack, cfa + offset, ret);
	case UNWIND_CFA_PLUS:
		*ret = cfa + offset;
		return true;
	case UNWIND_AT_REG:
		return is_known(f, save->base) &&
		       unwind_stack_read(stack, f->regs[save->base] + offset, ret);
	case UNWIND_REG_PLUS:
		*ret = f->regs[save->base] + offset;
		return is_known(f, save->base);
	case UNWIND_SAME:
		*ret = f->regs[save->to];
		return is_known(f, save->to);
	default:
		return false;
	}
}

/* False: there is no caller, or its address lies beyond the dump. */
static bool step_by_rule(const struct unwind_rule *rule, struct frame_state *f,
			 const struct unwind_stack *stack, bool *ret_is_cut)
{
	uint64_t cfa, values[UNWIND_REGS];
	uint32_t found = 0; /* bit by save */

	if (!find_cfa(rule, f, stack, &cfa)) {
		*ret_is_cut = rule->cfa == UNWIND_CFA_DEREF;
		return false;
	}
	for (uint32_t i = 0; i < rule->nr_saves; i++)
		found |= (uint32_t)find_value(&rule->saves[i], cfa, f, stack, &values[i]) << i;
	f->regs[UNWIND_RSP] = cfa;
	f->known = (f->known & UNWIND_CALLEE_SAVED) | 1u << UNWIND_RSP;
	for (uint32_t i = 0; i < rule->nr_saves; i++) {
		const uint8_t to = rule->saves[i].to;

		f->known &= ~(1u << to);
		if (!(found >> i & 1))
			continue;
		f->regs[to] = values[i];
		f->known |= 1u << to;
	}
	*ret_is_cut = !is_known(f, UNWIND_RA);
	return is_known(f, UNWIND_RA) && f->regs[UNWIND_RA];
}

/*
 * Code without a rule may keep a frame pointer: rbp of the caller at [rbp], its address at [rbp +
 * 8].
 */
static bool step_by_pointer(struct frame_state *f, const struct unwind_stack *stack)
{
	const uint64_t rbp = f->regs[UNWIND_RBP];
	const uint64_t rsp = is_known(f, UNWIND_RSP) ? f->regs[UNWIND_RSP] : 0;
	uint64_t before = 0, ra;

	if (!is_known(f, UNWIND_RBP) || rbp + 16 <= rsp || !unwind_stack_read(stack, rbp + 8, &ra))
		return false;
	unwind_stack_read(stack, rbp, &before);
	f->regs[UNWIND_RBP] = before;
	f->regs[UNWIND_RSP] = rbp + 16;
	f->regs[UNWIND_RA] = ra;
	f->known = 1u << UNWIND_RBP | 1u << UNWIND_RSP | 1u << UNWIND_RA;
	return ra != 0;
}

/* --- a sample --- */

/* Finds *ret_nr frames by the table. False: libdw must unwind this sample. */
static bool walk_frames(struct unwinder *u, const struct ts_sample *sample, uint64_t space,
			struct frame_state *f, const struct unwind_stack *stack, uint64_t *ret_ips,
			uint32_t *ret_nr)
{
	bool is_return = false, is_cut = false, goes_on = true;
	uint32_t nr = 0;

	while (goes_on && nr < u->max_frames) {
		uint64_t pc = f->regs[UNWIND_RA] - is_return;
		const struct unwind_rule *rule;

		rule = find_rule(u, &sample->sid, space, pc);
		/*
		 * The kernel enters the signal trampoline, no call does: its address is not one
		 * behind a call.
		 */
		ret_ips[nr++] = pc + (is_return && rule->is_signal);
		is_return = true;
		switch ((enum unwind_how)rule->how) {
		case UNWIND_STEP:
			is_return = !rule->is_signal;
			goes_on = step_by_rule(rule, f, stack, &is_cut);
			break;
		case UNWIND_UNKNOWN:
			goes_on = step_by_pointer(f, stack);
			u->counts.nr_guessed += goes_on;
			break;
		case UNWIND_ASK:
			return false;
		case UNWIND_END:
			goes_on = false;
			break;
		}
	}
	u->counts.nr_cut += is_cut;
	*ret_nr = nr;
	return true;
}

static uint32_t ask_elf(struct unwinder *u, const struct unwind_elf_sample *s, uint64_t *ret_ips)
{
	if (!u->elf)
		u->elf = unwind_elf_new(u->symbols);
	if (!u->elf)
		symbols_note_fault(u->symbols, ENOMEM);
	return u->elf ? unwind_elf_sample(u->elf, s, ret_ips, u->max_frames) : 0;
}

/*
 * Finds the addresses of the user frames of a sample, leaf first: the sampled address, then return
 * addresses minus one, as in perf, because each then lies in the call. Returns their number; 0: the
 * sample has no dump.
 */
static uint32_t unwind_user(struct unwinder *u, const struct ts_sample *sample, uint64_t *ret_ips)
{
	struct unwind_elf_sample by_elf = {.sid = &sample->sid};
	struct frame_state f;
	uint64_t space;
	uint32_t nr = 0;
	bool is_done = false;

	if (!read_state(u, sample, &f))
		return 0;
	space = thread_moments_find(&u->moments, &sample->sid)->moment.space;
	memcpy(by_elf.regs, f.regs, sizeof(by_elf.regs));
	by_elf.known = f.known;
	by_elf.space = space;
	stack_of(sample, f.regs[UNWIND_RSP], &by_elf.stack);
	u->counts.nr_samples++;
	if (u->way != UNWIND_BY_ELF)
		is_done = walk_frames(u, sample, space, &f, &by_elf.stack, ret_ips, &nr);
	if (!is_done) {
		nr = ask_elf(u, &by_elf, ret_ips);
		u->counts.nr_asked++;
		if (!nr)
			ret_ips[nr++] = by_elf.regs[UNWIND_RA];
	} else if (u->way == UNWIND_BY_BOTH) {
		uint32_t nr_others = ask_elf(u, &by_elf, u->others);

		u->counts.nr_compared += nr_others > 0;
		u->counts.nr_differ +=
			nr_others > 0 &&
			(nr != nr_others || memcmp(ret_ips, u->others, nr * sizeof(*ret_ips)) != 0);
	}
	u->counts.nr_frames += nr;
	return nr;
}

void unwind_join(struct unwinder *u, struct ts_sample *sample)
{
	const uint64_t marker = (uint64_t)PERF_CONTEXT_USER;
	uint64_t nr = sample->callchain.data ? sample->callchain.nr : 0;
	uint32_t nr_user;

	if (nr > UNWIND_WORDS_MAX - 1)
		return;
	nr_user = unwind_user(u, sample, u->words + nr + 1);
	if (!nr_user)
		return;
	if (nr)
		memcpy(u->words, sample->callchain.data, nr * sizeof(*u->words));
	u->words[nr] = marker;
	sample->callchain.data = (const uint8_t *)u->words;
	sample->callchain.nr = nr + 1 + nr_user;
}

/* --- life --- */

int unwinder_init(struct unwinder *u, const struct ts_events *events, const struct tasks *tasks,
		  struct symbols *symbols, enum unwind_way way, uint32_t max_frames)
{
	*u = (struct unwinder){.events = events,
			       .symbols = symbols,
			       .way = way,
			       .max_frames = max_frames,
			       .moments.tasks = tasks,
			       .runs.symbols = symbols};
	if (way == UNWIND_NOT)
		return 0;
	u->slots = calloc(UNWIND_SLOTS, sizeof(*u->slots));
	u->words = calloc(UNWIND_WORDS_MAX + max_frames, sizeof(*u->words));
	u->others = calloc(max_frames, sizeof(*u->others));
	if (u->slots && u->words && u->others)
		return 0;
	unwinder_release(u);
	return -ENOMEM;
}

void unwinder_release(struct unwinder *u)
{
	unwind_elf_free(u->elf);
	free(u->slots);
	free(u->words);
	free(u->others);
	*u = (struct unwinder){.way = UNWIND_NOT};
}

void unwind_counts_add(struct unwind_counts *to, const struct unwind_counts *more)
{
	to->nr_samples += more->nr_samples;
	to->nr_frames += more->nr_frames;
	to->nr_asked += more->nr_asked;
	to->nr_guessed += more->nr_guessed;
	to->nr_cut += more->nr_cut;
	to->nr_foreign += more->nr_foreign;
	to->nr_compared += more->nr_compared;
	to->nr_differ += more->nr_differ;
}
