// SPDX-License-Identifier: Apache-2.0
/*
 * The input is an .eh_frame, or where its first byte is odd a .debug_frame. Rows are in order, rules
 * name registers that there are, and every address has a rule.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "reader/cfi/cfi.h"
#include "tests/fuzz/fuzz.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_rule(const struct unwind_rule *rule)
{
	check(rule->cfa_reg < UNWIND_REGS && rule->nr_saves <= UNWIND_REGS);
	for (uint32_t i = 0; i < rule->nr_saves; i++)
		check(rule->saves[i].to < UNWIND_REGS && rule->saves[i].base < UNWIND_REGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cfi_segment code[] = {{0x1000, 0x1000, 0x10000}, {0x20000, 0x18000, 0x10000}};
	struct cfi_functions functions = {0};
	struct cfi_section section;
	struct unwind_table t;

	if (!size)
		return 0;
	section = (struct cfi_section){.bytes = data + 1,
				       .size = size - 1,
				       .vaddr = 0x30000,
				       .is_eh_frame = !(data[0] & 1)};
	cfi_list(&functions, &section, code, 2);
	unwind_table_init(&t, 0x1000);
	cfi_compile(&t, &section, code, 2, functions.items, functions.nr);
	cfi_functions_release(&functions);
	unwind_table_finish(&t);
	for (size_t i = 0; i < t.nr; i++) {
		check(!i || t.rows[i - 1].start < t.rows[i].start);
		check(t.rows[i].rule < t.nr_rules);
		check_rule(unwind_table_find(&t, t.base + t.rows[i].start));
	}
	check(unwind_table_find(&t, 0)->how == UNWIND_UNKNOWN);
	unwind_table_release(&t);
	return 0;
}

static void put_u32(struct ts_bytes *out, uint32_t value)
{
	ts_bytes_put(out, &value, sizeof(value));
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	static const uint8_t cie[] = {1,
				      'z',
				      'R',
				      0,
				      1,
				      0x78,
				      16,
				      1,
				      DW_EH_PE_udata4,
				      DW_CFA_def_cfa,
				      7,
				      8,
				      DW_CFA_offset | 16,
				      1,
				      0,
				      0};
	static const uint8_t program[] = {0,
					  DW_CFA_advance_loc | 1,
					  DW_CFA_def_cfa_offset,
					  16,
					  DW_CFA_offset | 6,
					  2,
					  DW_CFA_advance_loc | 3,
					  DW_CFA_remember_state,
					  DW_CFA_def_cfa_register,
					  6,
					  DW_CFA_advance_loc1,
					  9,
					  DW_CFA_restore_state,
					  DW_CFA_def_cfa_expression,
					  3,
					  DW_OP_breg0 + 6,
					  0x78,
					  DW_OP_deref};
	const uint8_t kind = nr & 1;

	ts_bytes_put(out, &kind, 1);
	put_u32(out, 4 + sizeof(cie));
	put_u32(out, kind ? UINT32_MAX : 0);
	ts_bytes_put(out, cie, sizeof(cie));
	put_u32(out, 4 + 8 + sizeof(program));
	put_u32(out, kind ? 0 : 4 + 4 + sizeof(cie) + 4);
	put_u32(out, 0x1000 + 16 * nr);
	put_u32(out, 0x100);
	ts_bytes_put(out, program, sizeof(program));
}
