// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/explain_no_match.h"

#include <criterion/criterion.h>

static struct frame items[8];
static struct module_name modules[8];

/* The explanation for `word`, where objects of these names were found in this order. */
static const char *explain(const char *word, const char *const *names, uint32_t nr)
{
	static char buf[EXPLAIN_NO_MATCH_BYTES];
	const struct frames frames = {.items = items, .nr = nr};
	const struct selection selection = {.text.dso_names = {.items = &word, .nr = 1}};
	struct tasks *tasks = tasks_new(NULL);

	for (uint32_t i = 0; i < nr; i++) {
		modules[i] = (struct module_name){.short_name = names[i]};
		items[i] = (struct frame){.module = &modules[i]};
	}
	explain_no_match_text(&(struct explain_no_match){&selection, tasks, &frames}, buf);
	tasks_free(tasks);
	return buf;
}

/* Workers find names in any order. */
Test(explain_no_match, names_have_one_order)
{
	const char *const ways[][4] = {{"libz", "bash", "libm", "bash"},
				       {"libm", "bash", "bash", "libz"},
				       {"bash", "libz", "bash", "libm"}};

	for (size_t i = 0; i < 3; i++)
		cr_expect_str_eq(explain("nothing", ways[i], 4),
				 ": no object of a sample is called 'nothing'; there are bash, "
				 "libm, libz");
}

Test(explain_no_match, of_equally_near_names_the_first)
{
	const char *const ways[][2] = {{"libz", "libm"}, {"libm", "libz"}};

	for (size_t i = 0; i < 2; i++)
		cr_expect_str_eq(explain("libx", ways[i], 2),
				 ": no object of a sample is called 'libx'; did you mean libm?");
}

Test(explain_no_match, many_names_are_not_listed)
{
	const char *const names[] = {"g", "f", "e", "d", "c", "b", "a"};

	cr_expect_str_eq(explain("nothing", names, 7),
			 ": no object of a sample is called 'nothing'; tstream report --sort dso "
			 "lists them");
	cr_expect_str_eq(explain("nothing", names, 6),
			 ": no object of a sample is called 'nothing'; there are b, c, d, e, f, g");
}
