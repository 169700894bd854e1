// SPDX-License-Identifier: Apache-2.0
/*
 *	section:  length | CIE: augmentation, alignment factors, program for the start of every frame
 *	          length | FDE: -> CIE, first address, length, program of this function
 *	          ...
 *
 * For each FDE the program of its CIE is run, then its own. When an instruction advances the
 * address, the rule that held up to there becomes a range of the table.
 */
#include "reader/cfi/cfi.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define REMEMBERED	16 /* states that a program may push; compilers push one or two */
#define GNU_ARGS_SIZE	0x2e
#define GNU_NEGATIVE	0x2f
#define LENGTH_OF_64BIT 0xffffffffu

/*
 * Bytes that are not read yet. A read beyond their end makes them bad; from then on they read as 0.
 */
struct bytes {
	const uint8_t *at, *end;
	bool is_bad;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	struct bytes program;
	uint8_t encoding; /* of addresses in its FDEs */
	bool has_augmentation, is_signal;
	bool is_good; /* everything in it was understood */
};

struct fde {
	const struct cie *cie;
	uint64_t start, size; /* addresses */
	struct bytes program;
};

/* The compiler of a section into a table. */
struct compiler {
	struct unwind_table *table;
	const struct cfi_section *section;
	const struct cfi_segment *segments;
	size_t nr_segments;
	struct cie cie; /* of the previous function; most functions share it */
	uint64_t cie_offset;
};

/* A program while it runs. */
struct state {
	struct unwind_rule rule; /* saves[] by register; nr_saves is set when it is added */
};

struct run {
	const struct compiler *compiler;
	const struct fde *fde;
	uint64_t addr;
	struct state now, initial;
	uint32_t touched;	  /* registers that have had any rule so far */
	struct state *remembered; /* room for REMEMBERED */
	unsigned int nr_remembered;
	bool is_bad;
};

/* --- reading --- */

static uint64_t get_fixed(struct bytes *b, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->is_bad = true;
		b->at = b->end;
		return 0;
	}
	memcpy(&value, b->at, size); /* little-endian, as the machines that tables are made for */
	b->at += size;
	return value;
}

static int64_t get_signed(struct bytes *b, size_t size)
{
	const unsigned int unused = 64 - 8 * (unsigned int)size;

	return (int64_t)(get_fixed(b, size) << unused) >> unused;
}

static uint64_t get_leb(struct bytes *b, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)get_fixed(b, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->is_bad);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~0ULL << shift;
	return value;
}

static uint64_t get_uleb(struct bytes *b)
{
	return get_leb(b, false);
}

static int64_t get_sleb(struct bytes *b)
{
	return (int64_t)get_leb(b, true);
}

/* The next `size` bytes, to be read on their own. */
static struct bytes get_part(struct bytes *b, uint64_t size)
{
	struct bytes part = {b->at, b->at, false};

	if (size > (uint64_t)(b->end - b->at)) {
		b->is_bad = part.is_bad = true;
		b->at = b->end;
		return part;
	}
	part.end = b->at += size;
	return part;
}

static uint64_t get_by_format(struct bytes *b, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return get_fixed(b, 8);
	case DW_EH_PE_udata4:
		return get_fixed(b, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)get_signed(b, 4);
	case DW_EH_PE_udata2:
		return get_fixed(b, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)get_signed(b, 2);
	case DW_EH_PE_uleb128:
		return get_uleb(b);
	case DW_EH_PE_sleb128:
		return (uint64_t)get_sleb(b);
	default:
		b->is_bad = true;
		return 0;
	}
}

static uint64_t get_address(const struct cfi_section *s, struct bytes *b, uint8_t encoding)
{
	uint64_t here = s->vaddr + (uint64_t)(b->at - s->bytes);
	uint64_t value = get_by_format(b, encoding);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value + here;
	default: /* relative to a base that the section does not have, or through memory */
		b->is_bad = true;
		return 0;
	}
}

/* --- entries --- */

/* The bytes of the entry at an offset, without its length; *ret_is_64 tells the size of offsets. */
static struct bytes entry_at(const struct cfi_section *s, uint64_t offset, bool *ret_is_64)
{
	struct bytes b = {s->bytes + (offset < s->size ? offset : s->size), s->bytes + s->size,
			  false};
	uint64_t length = get_fixed(&b, 4);

	*ret_is_64 = length == LENGTH_OF_64BIT;
	if (*ret_is_64)
		length = get_fixed(&b, 8);
	return get_part(&b, length);
}

static bool is_cie(const struct cfi_section *s, uint64_t id, bool is_64)
{
	if (s->is_eh_frame)
		return !id;
	return id == (is_64 ? UINT64_MAX : UINT32_MAX);
}

static void read_augmentation(struct cie *cie, const char *text, struct bytes *b)
{
	struct bytes data;
	uint8_t encoding;

	cie->has_augmentation = true;
	data = get_part(b, get_uleb(b));
	for (text++; *text; text++) {
		switch (*text) {
		case 'L': /* how the function's own data is found */
			get_fixed(&data, 1);
			break;
		case 'P': /* its personality: nearly always through memory, and not needed */
			encoding = (uint8_t)get_fixed(&data, 1);
			get_by_format(&data, encoding);
			break;
		case 'R':
			cie->encoding = (uint8_t)get_fixed(&data, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		default: /* the rest cannot be decoded */
			cie->is_good = false;
			return;
		}
	}
	if (data.is_bad)
		cie->is_good = false;
}

static void read_cie(const struct compiler *c, uint64_t offset, struct cie *ret)
{
	bool is_64;
	struct bytes b = entry_at(c->section, offset, &is_64);
	uint64_t id = get_fixed(&b, is_64 ? 8 : 4);
	uint8_t version = (uint8_t)get_fixed(&b, 1);
	const char *augmentation = (const char *)b.at;

	*ret = (struct cie){.encoding = DW_EH_PE_absptr};
	if (b.is_bad || !is_cie(c->section, id, is_64) ||
	    !memchr(b.at, '\0', (size_t)(b.end - b.at)))
		return;
	b.at += strlen(augmentation) + 1;
	ret->is_good = version == 1 || version == 3 || version == 4;
	if (version == 4) /* sizes of addresses and of segment selectors */
		ret->is_good = get_fixed(&b, 1) == 8 && !get_fixed(&b, 1);
	ret->code_align = get_uleb(&b);
	ret->data_align = get_sleb(&b);
	ret->ra = version == 1 ? get_fixed(&b, 1) : get_uleb(&b);
	if (*augmentation == 'z')
		read_augmentation(ret, augmentation, &b);
	else if (*augmentation)
		ret->is_good = false;
	ret->program = b;
	ret->is_good = ret->is_good && !b.is_bad && ret->ra == UNWIND_RA;
}

/* --- programs --- */

static void add_range(const struct run *r, uint64_t to)
{
	const struct compiler *c = r->compiler;
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
static bool get_reg_plus(struct bytes *e, uint64_t *ret_reg, int64_t *ret_offset)
{
	uint8_t op = (uint8_t)get_fixed(e, 1);

	if (op < DW_OP_breg0 || op >= DW_OP_breg0 + UNWIND_REGS)
		return false;
	*ret_reg = op - DW_OP_breg0;
	*ret_offset = get_sleb(e);
	return !e->is_bad;
}

/*
 * The linker's rule for a PLT, whose slots push one word in the middle:
 * rsp + 8 + ((rip & 15) >= N) * 8.
 */
static bool is_of_plt(const struct bytes *e, int64_t *ret_from)
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

static void set_cfa_expression(struct run *r, struct bytes e)
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
			plus = get_uleb(&e);
			r->now.rule.cfa_offset2 = (int32_t)plus;
			if (!e.is_bad && e.at == e.end && plus <= INT32_MAX)
				return;
		}
	}
	r->now.rule.how = UNWIND_ASK;
}

static void set_expression(struct run *r, uint64_t to, struct bytes e, enum unwind_value value)
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
static bool run_save(struct run *r, uint8_t op, struct bytes *b)
{
	const int64_t align = r->fde->cie->data_align;
	uint64_t reg, base;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = get_uleb(b);
		set_save(r, reg, UNWIND_AT_CFA, 0, times((int64_t)get_uleb(b), align));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = get_uleb(b);
		set_save(r, reg, UNWIND_AT_CFA, 0, times(get_sleb(b), align));
		return true;
	case GNU_NEGATIVE:
		reg = get_uleb(b);
		set_save(r, reg, UNWIND_AT_CFA, 0, times(-(int64_t)(get_uleb(b) >> 1 << 1), align));
		return true;
	case DW_CFA_val_offset:
		reg = get_uleb(b);
		set_save(r, reg, UNWIND_CFA_PLUS, 0, times((int64_t)get_uleb(b), align));
		return true;
	case DW_CFA_val_offset_sf:
		reg = get_uleb(b);
		set_save(r, reg, UNWIND_CFA_PLUS, 0, times(get_sleb(b), align));
		return true;
	case DW_CFA_register:
		reg = get_uleb(b);
		base = get_uleb(b);
		set_save(r, reg, UNWIND_REG_PLUS, base, 0);
		return true;
	case DW_CFA_undefined:
		set_save(r, get_uleb(b), UNWIND_UNDEFINED, 0, 0);
		return true;
	case DW_CFA_same_value:
		set_save(r, get_uleb(b), UNWIND_SAME, 0, 0);
		return true;
	case DW_CFA_restore_extended:
		restore(r, get_uleb(b));
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = get_uleb(b);
		set_expression(r, reg, get_part(b, get_uleb(b)),
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
static bool run_cfa(struct run *r, uint8_t op, struct bytes *b)
{
	const int64_t align = r->fde->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = get_uleb(b);
		set_cfa(r, UNWIND_CFA_REG, reg, (int64_t)get_uleb(b));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = get_uleb(b);
		set_cfa(r, UNWIND_CFA_REG, reg, times(get_sleb(b), align));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa_part(r, get_uleb(b), r->now.rule.cfa_offset);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa_part(r, r->now.rule.cfa_reg, (int64_t)get_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_part(r, r->now.rule.cfa_reg, times(get_sleb(b), align));
		return true;
	case DW_CFA_def_cfa_expression:
		set_cfa_expression(r, get_part(b, get_uleb(b)));
		return true;
	default:
		return false;
	}
}

static void run_other(struct run *r, uint8_t op, struct bytes *b)
{
	switch (op) {
	case DW_CFA_nop:
		return;
	case DW_CFA_advance_loc1:
		advance(r, get_fixed(b, 1));
		return;
	case DW_CFA_advance_loc2:
		advance(r, get_fixed(b, 2));
		return;
	case DW_CFA_advance_loc4:
		advance(r, get_fixed(b, 4));
		return;
	case DW_CFA_remember_state:
		remember(r);
		return;
	case DW_CFA_restore_state:
		recall(r);
		return;
	case GNU_ARGS_SIZE:
		get_uleb(b);
		return;
	default:
		r->is_bad = true;
	}
}

static void run_program(struct run *r, struct bytes b)
{
	while (b.at < b.end && !b.is_bad && !r->is_bad) {
		uint8_t op = (uint8_t)get_fixed(&b, 1), low = op & 0x3f;

		if ((op & 0xc0) == DW_CFA_advance_loc)
			advance(r, low);
		else if ((op & 0xc0) == DW_CFA_offset)
			set_save(r, low, UNWIND_AT_CFA, 0,
				 times((int64_t)get_uleb(&b), r->fde->cie->data_align));
		else if ((op & 0xc0) == DW_CFA_restore)
			restore(r, low);
		else if (!run_save(r, op, &b) && !run_cfa(r, op, &b))
			run_other(r, op, &b);
	}
	r->is_bad |= b.is_bad;
}

/* --- functions --- */

/*
 * Reads the entry at an offset. False: it is not of a function, or not understood. *ret_next is the
 * offset of the next entry; 0: none, or it cannot be found.
 */
static bool read_fde(struct compiler *c, uint64_t offset, uint64_t *ret_next, struct fde *ret)
{
	bool is_64;
	struct bytes b = entry_at(c->section, offset, &is_64);
	const uint64_t begin = (uint64_t)(b.at - c->section->bytes);
	uint64_t id;

	*ret_next = b.is_bad ? 0 : (uint64_t)(b.end - c->section->bytes);
	if (b.at == b.end) {
		if (c->section->is_eh_frame) /* the terminator */
			*ret_next = 0;
		return false;
	}
	id = get_fixed(&b, is_64 ? 8 : 4);
	if (b.is_bad || is_cie(c->section, id, is_64))
		return false;
	if (c->section->is_eh_frame) /* the distance back to the CIE */
		id = begin - id;
	if (id != c->cie_offset) {
		read_cie(c, id, &c->cie);
		c->cie_offset = id;
	}
	if (!c->cie.is_good)
		return false;
	*ret = (struct fde){.cie = &c->cie};
	ret->start = get_address(c->section, &b, c->cie.encoding);
	ret->size = get_by_format(&b, c->cie.encoding & 0x0f);
	if (c->cie.has_augmentation)
		get_part(&b, get_uleb(&b));
	ret->program = b;
	return !b.is_bad && ret->start + ret->size >= ret->start;
}

static bool find_offset(const struct compiler *c, uint64_t vaddr, uint64_t *ret)
{
	for (size_t i = 0; i < c->nr_segments; i++) {
		const struct cfi_segment *s = &c->segments[i];

		if (vaddr < s->vaddr || vaddr - s->vaddr >= s->size)
			continue;
		*ret = vaddr - s->vaddr + s->offset;
		return true;
	}
	return false;
}

static bool add_function(struct cfi_functions *f, uint64_t offset, uint64_t entry)
{
	if (f->nr == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : 256;
		struct cfi_function *items = reallocarray(f->items, cap, sizeof(*items));

		if (!items)
			return false;
		f->items = items;
		f->cap = cap;
	}
	f->items[f->nr++] = (struct cfi_function){offset, entry};
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct cfi_function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

void cfi_list(struct cfi_functions *f, const struct cfi_section *section,
	      const struct cfi_segment *segments, size_t nr_segments)
{
	struct compiler c = {NULL, section, segments, nr_segments, {0}, UINT64_MAX};
	uint64_t entry = 0, next = 0, offset;
	bool is_sorted = true;
	struct fde fde;

	for (; entry < section->size; entry = next) {
		/* Code that the linker dropped still has an entry, at 0 or nowhere. */
		if (read_fde(&c, entry, &next, &fde) && find_offset(&c, fde.start, &offset)) {
			is_sorted &= !f->nr || f->items[f->nr - 1].offset <= offset;
			if (!add_function(f, offset, entry))
				break;
		}
		if (!next)
			break;
	}
	if (!is_sorted)
		qsort(f->items, f->nr, sizeof(*f->items), by_offset);
}

void cfi_functions_release(struct cfi_functions *f)
{
	free(f->items);
	*f = (struct cfi_functions){0};
}

/* False: the function's program could not be understood; its rows up to there stay. */
static bool compile_function(const struct compiler *c, const struct fde *fde)
{
	struct run r = {.compiler = c, .fde = fde, .addr = fde->start};
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

size_t cfi_compile(struct unwind_table *t, const struct cfi_section *section,
		   const struct cfi_segment *segments, size_t nr_segments,
		   const struct cfi_function *functions, size_t nr)
{
	struct compiler c = {t, section, segments, nr_segments, {0}, UINT64_MAX};
	size_t nr_bad = 0;
	uint64_t ignored;
	struct fde fde;

	for (size_t i = 0; i < nr; i++)
		nr_bad += !read_fde(&c, functions[i].entry, &ignored, &fde) ||
			  !compile_function(&c, &fde);
	return nr_bad;
}
