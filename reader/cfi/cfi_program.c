// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/cfi_program.h"

#include <dwarf.h>
#include <string.h>

#define REMEMBERED    16 /* states that a program may push; compilers push one or two */
#define GNU_ARGS_SIZE 0x2e
#define GNU_NEGATIVE  0x2f

struct state {
	struct unwind_rule rule; /* saves[] by register; nr_saves is set when it is added */
};

/* A program while it runs. */
struct run {
	const struct cfi_rules *rules;
	const struct cfi_fde *fde;
	uint64_t addr;
	struct state now, initial;
	uint32_t touched;	  /* registers that have had any rule so far */
	struct state *remembered; /* room for REMEMBERED */
	unsigned int nr_remembered;
	bool is_bad;
};

static void add_range(const struct run *r, uint64_t to)
{
	const struct cfi_rules *c = r->rules;
	const uint64_t start = r->addr;
	struct unwind_rule rule = {0};

	memcpy(&rule, &r->now.rule, offsetof(struct unwind_rule, saves));
	rule.nr_saves = 0;
	for (uint32_t left = r->touched; left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctz(left);
		struct unwind_save save = r->now.rule.saves[reg];
		bool is_kept = UNWIND_CALLEE_SAVED >> reg & 1;

		if (save.value == UNWIND_DEFAULT || (save.value == UNWIND_SAME && is_kept) ||
		    (save.value == UNWIND_UNDEFINED && !is_kept && reg != UNWIND_RA))
			continue;
		if (save.value == UNWIND_COMPLEX)
			rule.how = UNWIND_ASK;
		if (save.value == UNWIND_UNDEFINED && reg == UNWIND_RA)
			rule.how = rule.how == UNWIND_ASK ? UNWIND_ASK : UNWIND_END;
		save.to = reg;
		rule.saves[rule.nr_saves++] = save;
	}
	for (size_t i = 0; i < c->nr_segments; i++) {
		const struct cfi_segment *s = &c->segments[i];

		if (start >= s->vaddr && to > start && to - s->vaddr <= s->size)
			unwind_table_add(c->table, start - s->vaddr + s->offset,
					 to - s->vaddr + s->offset, &rule);
	}
}

static void advance(struct run *r, uint64_t by)
{
	uint64_t end = r->fde->start + r->fde->size;
	uint64_t to = r->addr + by * r->fde->cie->code_align;

	if (to < r->addr || to > end) {
		r->is_bad = true;
		return;
	}
	add_range(r, to);
	r->addr = to;
}

static void set_save(struct run *r, uint64_t reg, enum unwind_value value, uint64_t base,
		     int64_t offset)
{
	struct unwind_save *save;

	if (reg >= UNWIND_REGS) /* not needed to unwind: vectors, flags */
		return;
	r->touched |= 1u << reg;
	save = &r->now.rule.saves[reg];
	memset(save, 0, sizeof(*save));
	save->value = (uint8_t)value;
	save->base = (uint8_t)base;
	save->offset = (int32_t)offset;
	if (base >= UNWIND_REGS || offset != (int32_t)offset)
		*save = (struct unwind_save){.value = UNWIND_COMPLEX};
}

static void set_cfa(struct run *r, enum unwind_cfa cfa, uint64_t reg, int64_t offset)
{
	struct unwind_rule *rule = &r->now.rule;

	rule->how = UNWIND_STEP;
	rule->cfa = (uint8_t)cfa;
	rule->cfa_reg = reg < UNWIND_REGS ? (uint8_t)reg : 0;
	rule->cfa_offset = (int32_t)offset;
	rule->cfa_offset2 = 0;
	if (reg >= UNWIND_REGS || offset != (int32_t)offset)
		rule->how = UNWIND_ASK;
}

/* A register that an expression begins with, plus an offset. */
static bool get_reg_plus(struct cfi_bytes *e, uint64_t *ret_reg, int64_t *ret_offset)
{
	uint8_t op = (uint8_t)cfi_bytes_fixed(e, 1);

	if (op < DW_OP_breg0 || op >= DW_OP_breg0 + UNWIND_REGS)
		return false;
	*ret_reg = op - DW_OP_breg0;
	*ret_offset = cfi_bytes_sleb(e);
	return !e->is_bad;
}

/*
 * The linker's rule for a PLT, whose slots push one word in the middle:
 * rsp + 8 + ((rip & 15) >= N) * 8.
 */
static bool is_of_plt(const struct cfi_bytes *e, int64_t *ret_from)
{
	static const uint8_t before[] = {
		DW_OP_breg0 + UNWIND_RSP, 8, DW_OP_breg0 + UNWIND_RA, 0, DW_OP_lit15, DW_OP_and};
	static const uint8_t behind[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
	const size_t at = sizeof(before);

	if ((size_t)(e->end - e->at) != at + 1 + sizeof(behind) || memcmp(e->at, before, at) != 0 ||
	    memcmp(e->at + at + 1, behind, sizeof(behind)) != 0 || e->at[at] < DW_OP_lit0 ||
	    e->at[at] > DW_OP_lit15)
		return false;
	*ret_from = e->at[at] - DW_OP_lit0;
	return true;
}

static void set_cfa_expression(struct run *r, struct cfi_bytes e)
{
	uint64_t reg = 0;
	int64_t offset = 0;

	if (is_of_plt(&e, &offset)) {
		set_cfa(r, UNWIND_CFA_PLT, UNWIND_RSP, offset);
		return;
	}
	if (get_reg_plus(&e, &reg, &offset)) {
		bool is_deref = e.at < e.end && *e.at == DW_OP_deref;

		set_cfa(r, is_deref ? UNWIND_CFA_DEREF : UNWIND_CFA_REG, reg, offset);
		e.at += is_deref;
		if (e.at == e.end)
			return;
		if (is_deref && *e.at == DW_OP_plus_uconst) {
			uint64_t plus;

			e.at++;
			plus = cfi_bytes_uleb(&e);
			r->now.rule.cfa_offset2 = (int32_t)plus;
			if (!e.is_bad && e.at == e.end && plus <= INT32_MAX)
				return;
		}
	}
	r->now.rule.how = UNWIND_ASK;
}

static void set_expression(struct run *r, uint64_t to, struct cfi_bytes e, enum unwind_value value)
{
	uint64_t reg = 0;
	int64_t offset = 0;

	if (get_reg_plus(&e, &reg, &offset) && e.at == e.end)
		set_save(r, to, value, reg, offset);
	else
		set_save(r, to, UNWIND_COMPLEX, 0, 0);
}

static void restore(struct run *r, uint64_t reg)
{
	if (reg < UNWIND_REGS)
		r->now.rule.saves[reg] = r->initial.rule.saves[reg];
}

static void remember(struct run *r)
{
	if (r->nr_remembered == REMEMBERED)
		r->is_bad = true;
	else
		r->remembered[r->nr_remembered++] = r->now;
}

static void recall(struct run *r)
{
	if (!r->nr_remembered)
		r->is_bad = true;
	else
		r->now = r->remembered[--r->nr_remembered];
}

static int64_t times(int64_t factor, int64_t by)
{
	int64_t product;

	/* An offset that overflows cannot be one of a frame. */
	return __builtin_mul_overflow(factor, by, &product) ? INT64_MAX : product;
}

/* Instructions that tell where the value of a register is. */
static bool run_save(struct run *r, uint8_t op, struct cfi_bytes *b)
{
	const int64_t align = r->fde->cie->data_align;
	uint64_t reg, base;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = cfi_bytes_uleb(b);
		set_save(r, reg, UNWIND_AT_CFA, 0, times((int64_t)cfi_bytes_uleb(b), align));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = cfi_bytes_uleb(b);
		set_save(r, reg, UNWIND_AT_CFA, 0, times(cfi_bytes_sleb(b), align));
		return true;
	case GNU_NEGATIVE:
		reg = cfi_bytes_uleb(b);
		set_save(r, reg, UNWIND_AT_CFA, 0,
			 times(-(int64_t)(cfi_bytes_uleb(b) >> 1 << 1), align));
		return true;
	case DW_CFA_val_offset:
		reg = cfi_bytes_uleb(b);
		set_save(r, reg, UNWIND_CFA_PLUS, 0, times((int64_t)cfi_bytes_uleb(b), align));
		return true;
	case DW_CFA_val_offset_sf:
		reg = cfi_bytes_uleb(b);
		set_save(r, reg, UNWIND_CFA_PLUS, 0, times(cfi_bytes_sleb(b), align));
		return true;
	case DW_CFA_register:
		reg = cfi_bytes_uleb(b);
		base = cfi_bytes_uleb(b);
		set_save(r, reg, UNWIND_REG_PLUS, base, 0);
		return true;
	case DW_CFA_undefined:
		set_save(r, cfi_bytes_uleb(b), UNWIND_UNDEFINED, 0, 0);
		return true;
	case DW_CFA_same_value:
		set_save(r, cfi_bytes_uleb(b), UNWIND_SAME, 0, 0);
		return true;
	case DW_CFA_restore_extended:
		restore(r, cfi_bytes_uleb(b));
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = cfi_bytes_uleb(b);
		set_expression(r, reg, cfi_bytes_part(b, cfi_bytes_uleb(b)),
			       op == DW_CFA_expression ? UNWIND_AT_REG : UNWIND_REG_PLUS);
		return true;
	default:
		return false;
	}
}

static void set_cfa_part(struct run *r, uint64_t reg, int64_t offset)
{
	/* Register and offset can be changed alone only if the CFA is a register plus an offset. */
	if (r->now.rule.cfa != UNWIND_CFA_REG)
		r->is_bad = true;
	else
		set_cfa(r, UNWIND_CFA_REG, reg, offset);
}

/* Instructions that tell where the frame is. */
static bool run_cfa(struct run *r, uint8_t op, struct cfi_bytes *b)
{
	const int64_t align = r->fde->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cfi_bytes_uleb(b);
		set_cfa(r, UNWIND_CFA_REG, reg, (int64_t)cfi_bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cfi_bytes_uleb(b);
		set_cfa(r, UNWIND_CFA_REG, reg, times(cfi_bytes_sleb(b), align));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa_part(r, cfi_bytes_uleb(b), r->now.rule.cfa_offset);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa_part(r, r->now.rule.cfa_reg, (int64_t)cfi_bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_part(r, r->now.rule.cfa_reg, times(cfi_bytes_sleb(b), align));
		return true;
	case DW_CFA_def_cfa_expression:
		set_cfa_expression(r, cfi_bytes_part(b, cfi_bytes_uleb(b)));
		return true;
	default:
		return false;
	}
}

static void run_other(struct run *r, uint8_t op, struct cfi_bytes *b)
{
	switch (op) {
	case DW_CFA_nop:
		return;
	case DW_CFA_advance_loc1:
		advance(r, cfi_bytes_fixed(b, 1));
		return;
	case DW_CFA_advance_loc2:
		advance(r, cfi_bytes_fixed(b, 2));
		return;
	case DW_CFA_advance_loc4:
		advance(r, cfi_bytes_fixed(b, 4));
		return;
	case DW_CFA_remember_state:
		remember(r);
		return;
	case DW_CFA_restore_state:
		recall(r);
		return;
	case GNU_ARGS_SIZE:
		cfi_bytes_uleb(b);
		return;
	default:
		r->is_bad = true;
	}
}

static void run_program(struct run *r, struct cfi_bytes b)
{
	while (b.at < b.end && !b.is_bad && !r->is_bad) {
		uint8_t op = (uint8_t)cfi_bytes_fixed(&b, 1), low = op & 0x3f;

		if ((op & 0xc0) == DW_CFA_advance_loc)
			advance(r, low);
		else if ((op & 0xc0) == DW_CFA_offset)
			set_save(r, low, UNWIND_AT_CFA, 0,
				 times((int64_t)cfi_bytes_uleb(&b), r->fde->cie->data_align));
		else if ((op & 0xc0) == DW_CFA_restore)
			restore(r, low);
		else if (!run_save(r, op, &b) && !run_cfa(r, op, &b))
			run_other(r, op, &b);
	}
	r->is_bad |= b.is_bad;
}

bool cfi_program_run(const struct cfi_rules *rules, const struct cfi_fde *fde)
{
	struct run r = {.rules = rules, .fde = fde, .addr = fde->start};
	struct state remembered[REMEMBERED];

	r.remembered = remembered;
	r.now.rule.how = UNWIND_ASK; /* until a program tells where the frame is */
	r.now.rule.is_signal = fde->cie->is_signal;
	run_program(&r, fde->cie->program);
	if (r.is_bad || r.addr != fde->start)
		return false;
	r.initial = r.now;
	run_program(&r, fde->program);
	if (!r.is_bad)
		add_range(&r, fde->start + fde->size);
	return !r.is_bad;
}
