// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/unwind_module.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <link.h>
#include <string.h>

/* --- the answer of libdw for an address --- */

static bool is_breg(const Dwarf_Op *op, const struct unwind_rule *rule)
{
	return op->atom == DW_OP_breg0 + rule->cfa_reg &&
	       (int64_t)op->number == (int64_t)rule->cfa_offset;
}

static bool has_same_cfa(Dwarf_Frame *frame, const struct unwind_rule *rule)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr))
		return false;
	if (rule->cfa == UNWIND_CFA_REG && nr == 1 && ops[0].atom == DW_OP_bregx)
		return ops[0].number == rule->cfa_reg &&
		       (int64_t)ops[0].number2 == (int64_t)rule->cfa_offset;
	if (rule->cfa == UNWIND_CFA_REG)
		return nr == 1 && is_breg(&ops[0], rule);
	if (rule->cfa == UNWIND_CFA_DEREF)
		return nr == 2 && is_breg(&ops[0], rule) && ops[1].atom == DW_OP_deref;
	return nr == 9 && ops[0].atom == DW_OP_breg0 + UNWIND_RSP &&
	       ops[4].atom == DW_OP_lit0 + rule->cfa_offset;
}

static const struct unwind_save *save_of(const struct unwind_rule *rule, unsigned int reg)
{
	for (uint32_t i = 0; i < rule->nr_saves; i++)
		if (rule->saves[i].to == reg)
			return &rule->saves[i];
	return NULL;
}

/* For a register that functions must preserve. */
static bool has_same_value(Dwarf_Frame *frame, const struct unwind_rule *rule, int reg)
{
	const struct unwind_save *save = save_of(rule, (unsigned int)reg);
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return false;
	/* libdw 0.188 takes rax, instead of rbx, for a register that functions preserve. */
	if (!nr && ops == mem)
		return save ? save->value == UNWIND_UNDEFINED : reg == UNWIND_RA || reg == 3;
	if (!nr)
		return !save || save->value == UNWIND_SAME;
	if (!save)
		return false;
	if (save->value == UNWIND_AT_CFA)
		return ops[0].atom == DW_OP_call_frame_cfa &&
		       (nr == 1 ? !save->offset : (int64_t)ops[1].number == (int64_t)save->offset);
	if (save->value == UNWIND_REG_PLUS && ops[0].atom == DW_OP_regx)
		return ops[0].number == save->base && !save->offset;
	/* The CFA is pushed before an expression runs. */
	return save->value == UNWIND_AT_REG && nr == 2 && ops[1].atom == DW_OP_breg0 + save->base &&
	       (int64_t)ops[1].number == (int64_t)save->offset;
}

static void compare_at(Dwarf_CFI *cfi, struct unwind_module *m, uint64_t vaddr, uint64_t offset)
{
	const struct unwind_rule *rule = unwind_module_find(m, offset);
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(cfi, vaddr, &frame)) {
		cr_assert_eq(rule->how, UNWIND_UNKNOWN, "%#lx", vaddr);
		return;
	}
	cr_assert_neq(rule->how, UNWIND_UNKNOWN, "%#lx", vaddr);
	if (rule->how == UNWIND_ASK) {
		free(frame);
		return;
	}
	cr_assert(has_same_cfa(frame, rule), "%#lx", vaddr);
	for (int reg = 0; reg < UNWIND_REGS; reg++)
		if (UNWIND_CALLEE_SAVED >> reg & 1 || reg == UNWIND_RA)
			cr_assert(has_same_value(frame, rule, reg), "register %d at %#lx", reg,
				  vaddr);
	free(frame);
}

struct compared {
	size_t nr, nr_asked;
};

static void compare_offset(Dwarf_CFI *cfi, struct unwind_module *m, uint64_t offset,
			   struct compared *compared)
{
	uint64_t vaddr;

	if (!unwind_module_vaddr(m, offset, &vaddr))
		return;
	compare_at(cfi, m, vaddr, offset);
	compared->nr++;
	compared->nr_asked += unwind_module_find(m, offset)->how == UNWIND_ASK;
}

static void compare_table(Dwarf_CFI *cfi, struct unwind_module *m, const struct unwind_table *t,
			  struct compared *compared)
{
	for (size_t i = 0; i < t->nr; i++) {
		compare_offset(cfi, m, t->base + t->rows[i].start, compared);
		if (i + 1 < t->nr && t->rows[i + 1].start > t->rows[i].start + 1)
			compare_offset(cfi, m, t->base + t->rows[i].start + 1, compared);
	}
}

static void compare(const char *path)
{
	struct unwind_module m = {0};
	struct elf_file object;
	struct ts_error err;
	Dwarf_CFI *cfi;
	struct compared compared = {0};

	cr_assert_eq(elf_file_open(&object, path, HARMLESS_OWN, &err), 0, "%s", err.text);
	unwind_module_load(&m, &object);
	cr_assert_gt(m.eh.functions.nr, 5);
	cfi = dwarf_getcfi_elf(object.elf);
	cr_assert_not_null(cfi);
	for (size_t i = 0; i < m.eh.nr_blocks; i++)
		compare_table(cfi, &m, unwind_section_table(&m.eh, i), &compared);
	for (size_t i = 0; i < m.eh.functions.nr; i++)
		compare_offset(cfi, &m, m.eh.functions.items[i].offset, &compared);
	cr_expect_gt(compared.nr, 10);
	cr_expect_leq(compared.nr_asked, compared.nr / 100, "%zu of %zu rows are left to libdw",
		      compared.nr_asked, compared.nr);
	dwarf_cfi_end(cfi);
	unwind_module_release(&m);
	elf_file_close(&object);
}

#ifdef __x86_64__

Test(cfi, says_of_this_program_what_libdw_says)
{
	compare("/proc/self/exe");
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libc.so"))
		strncpy(arg, info->dlpi_name, 4095);
	return 0;
}

/* libc has signal frames, a PLT, and assembly that was annotated by hand. */
Test(cfi, says_of_libc_what_libdw_says)
{
	char path[4096] = "";

	dl_iterate_phdr(find_libc, path);
	if (!*path)
		cr_skip("this program has no libc of its own");
	compare(path);
}

#endif

/* --- sections made here --- */

static const struct cfi_segment code = {.vaddr = 0x1000, .offset = 0x1000, .size = 0x1000};

/*
 * A CIE (version 1, "zR", absolute addresses of 8 bytes; rsp + 8, return address at CFA - 8), then
 * an FDE of [0x1000, 0x1100) with this program.
 */
static size_t make_section(uint8_t *to, const uint8_t *program, size_t len)
{
	static const uint8_t cie[] = {20,
				      0,
				      0,
				      0,
				      0,
				      0,
				      0,
				      0,
				      1,
				      'z',
				      'R',
				      0,
				      1,
				      0x78,
				      16,
				      1,
				      DW_EH_PE_absptr,
				      DW_CFA_def_cfa,
				      7,
				      8,
				      DW_CFA_offset | 16,
				      1,
				      0,
				      0};
	uint32_t length = (uint32_t)(4 + 16 + 1 + len), back = sizeof(cie) + 4;
	const uint64_t range[2] = {0x1000, 0x100};
	size_t at = sizeof(cie);

	memcpy(to, cie, sizeof(cie));
	memcpy(to + at, &length, 4);
	memcpy(to + at + 4, &back, 4);
	memcpy(to + at + 8, range, 16);
	to[at + 24] = 0;
	memcpy(to + at + 25, program, len);
	return at + 4 + length;
}

static size_t compile_section(struct unwind_table *t, const struct cfi_section *section)
{
	struct cfi_functions functions = {0};
	size_t nr_bad;

	cfi_list(&functions, section, &code, 1);
	unwind_table_init(t, 0x1000);
	nr_bad = cfi_compile(t, section, &code, 1, functions.items, functions.nr);
	unwind_table_finish(t);
	cfi_functions_release(&functions);
	return nr_bad;
}

static size_t compile(struct unwind_table *t, const uint8_t *program, size_t len)
{
	uint8_t bytes[256];
	const struct cfi_section section = {
		.bytes = bytes, .size = make_section(bytes, program, len), .is_eh_frame = true};

	return compile_section(t, &section);
}

Test(cfi, follows_a_program_from_instruction_to_instruction)
{
	const uint8_t program[] = {
		DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset,	 16, DW_CFA_offset | 6, 2,
		DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6};
	const struct unwind_rule *rule;
	struct unwind_table t;

	cr_assert_eq(compile(&t, program, sizeof(program)), 0);
	rule = unwind_table_find(&t, 0x1000);
	cr_expect_eq(rule->how, UNWIND_STEP);
	cr_expect_eq(rule->cfa_offset, 8);
	cr_expect_eq(rule->nr_saves, 1);
	rule = unwind_table_find(&t, 0x1003);
	cr_expect_eq(rule->cfa_offset, 16);
	cr_expect_eq(rule->cfa_reg, UNWIND_RSP);
	cr_expect_eq(rule->nr_saves, 2);
	rule = unwind_table_find(&t, 0x10ff);
	cr_expect_eq(rule->cfa_reg, UNWIND_RBP);
	cr_expect_eq(unwind_table_find(&t, 0x1100)->how, UNWIND_UNKNOWN);
	cr_expect_eq(unwind_table_find(&t, 0xfff)->how, UNWIND_UNKNOWN);
	unwind_table_release(&t);
}

Test(cfi, leaves_expressions_that_it_does_not_know_to_libdw)
{
	const uint8_t program[] = {DW_CFA_def_cfa_expression, 3, DW_OP_breg0 + 7, 8, DW_OP_neg};
	struct unwind_table t;

	cr_assert_eq(compile(&t, program, sizeof(program)), 0);
	cr_expect_eq(unwind_table_find(&t, 0x1000)->how, UNWIND_ASK);
	unwind_table_release(&t);
}

Test(cfi, knows_where_a_stack_ends)
{
	const uint8_t program[] = {DW_CFA_undefined, UNWIND_RA};
	struct unwind_table t;

	cr_assert_eq(compile(&t, program, sizeof(program)), 0);
	cr_expect_eq(unwind_table_find(&t, 0x1000)->how, UNWIND_END);
	unwind_table_release(&t);
}

Test(cfi, ends_a_function_at_what_it_does_not_understand)
{
	const uint8_t beyond[] = {DW_CFA_advance_loc2, 0, 2};
	const uint8_t unknown[] = {DW_CFA_advance_loc | 4, 0x3e};
	const uint8_t cut[] = {DW_CFA_def_cfa_expression, 200, 1};
	const uint8_t empty[] = {DW_CFA_restore_state};
	struct unwind_table t;

	cr_expect_eq(compile(&t, beyond, sizeof(beyond)), 1);
	unwind_table_release(&t);
	cr_expect_eq(compile(&t, cut, sizeof(cut)), 1);
	unwind_table_release(&t);
	cr_expect_eq(compile(&t, empty, sizeof(empty)), 1);
	unwind_table_release(&t);
	cr_expect_eq(compile(&t, unknown, sizeof(unknown)), 1);
	cr_expect_eq(unwind_table_find(&t, 0x1003)->how, UNWIND_STEP);
	cr_expect_eq(unwind_table_find(&t, 0x1004)->how, UNWIND_UNKNOWN);
	unwind_table_release(&t);
}

Test(cfi, survives_lengths_that_lie)
{
	uint8_t bytes[256] = {0};
	const uint8_t program[] = {DW_CFA_nop};
	struct cfi_section section = {.bytes = bytes, .is_eh_frame = true};
	const size_t whole = make_section(bytes, program, sizeof(program));
	struct unwind_table t;

	for (section.size = 0; section.size < whole; section.size++) {
		compile_section(&t, &section);
		cr_expect_eq(t.nr, 0);
		unwind_table_release(&t);
	}
}
