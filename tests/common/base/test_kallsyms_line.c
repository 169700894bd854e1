// SPDX-License-Identifier: Apache-2.0
#include "common/base/kallsyms_line.h"

#include <criterion/criterion.h>
#include <string.h>

Test(kallsyms_line, of_a_module_is_taken_apart)
{
	const char *text = "ffffffffc0123000 t nf_hook\t[nf_tables]";
	struct ts_kallsyms_line l;

	cr_assert(ts_kallsyms_parse(text, strlen(text), &l));
	cr_assert_eq(l.addr, 0xffffffffc0123000);
	cr_assert_eq(l.type, 't');
	cr_assert_eq(l.name_len, 7);
	cr_assert_eq(memcmp(l.name, "nf_hook", 7), 0);
	cr_assert_eq(l.module_len, 9);
	cr_assert_eq(memcmp(l.module, "nf_tables", 9), 0);
}

Test(kallsyms_line, of_another_form_is_refused)
{
	static const char *const wrong[] = {"",	    "ffffffff81000000",	     "x T name",
					    "12 T", "11111111111111111 T a", "12  T a"};
	struct ts_kallsyms_line l;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_not(ts_kallsyms_parse(wrong[i], strlen(wrong[i]), &l), "%s", wrong[i]);
}
