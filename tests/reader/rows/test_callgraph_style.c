// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/callgraph_style.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct callgraph_style read_text(const char *text)
{
	struct callgraph_style style;
	struct ts_error err;

	callgraph_style_init(&style);
	cr_expect_eq(callgraph_style_read(&style, text, &err), 0, "%s", text);
	return style;
}

Test(callgraph_style, is_perfs_default_without_words)
{
	struct callgraph_style style = read_text("");

	cr_expect_eq(style.type, CALLGRAPH_GRAPH);
	cr_expect_eq(style.order, CALLGRAPH_ORDER_DEFAULT);
	cr_expect_eq(style.value, CALLGRAPH_PERCENT);
	cr_expect_float_eq(style.min_share, 0.005, 1e-9);
	cr_expect_eq(style.print_limit, 0);
	cr_expect(!style.by_address);
}

Test(callgraph_style, takes_all_words_in_any_order)
{
	struct callgraph_style style = read_text("count,address,fractal,2.5,callee,7");

	cr_expect_eq(style.type, CALLGRAPH_FRACTAL);
	cr_expect_eq(style.order, CALLGRAPH_CALLEE);
	cr_expect_eq(style.value, CALLGRAPH_COUNT);
	cr_expect_float_eq(style.min_share, 0.025, 1e-9);
	cr_expect_eq(style.print_limit, 7);
	cr_expect(style.by_address);
}

Test(callgraph_style, takes_abbreviations_as_perf_does)
{
	static const struct {
		const char *text;
		enum callgraph_type type;
	} cases[] = {{"n", CALLGRAPH_OFF},	{"g", CALLGRAPH_GRAPH},	  {"f", CALLGRAPH_FLAT},
		     {"fr", CALLGRAPH_FRACTAL}, {"fo", CALLGRAPH_FOLDED}, {"fun", CALLGRAPH_GRAPH}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(read_text(cases[i].text).type, cases[i].type, "%s", cases[i].text);
	cr_expect_eq(read_text("c").order, CALLGRAPH_CALLER);
	cr_expect_eq(read_text("co").value, CALLGRAPH_COUNT);
	cr_expect_eq(read_text("p").value, CALLGRAPH_PERCENT);
}

Test(callgraph_style, adds_to_what_was_read_before)
{
	struct callgraph_style style = read_text("folded,3");
	struct ts_error err;

	cr_expect_eq(callgraph_style_read(&style, "caller", &err), 0);
	cr_expect_eq(style.type, CALLGRAPH_FOLDED);
	cr_expect_eq(style.order, CALLGRAPH_CALLER);
	cr_expect_float_eq(style.min_share, 0.03, 1e-9);
	cr_expect_eq(callgraph_style_read(&style, "none", &err), 0);
	cr_expect_eq(callgraph_style_read(&style, "", &err), 0);
	cr_expect_eq(style.type, CALLGRAPH_GRAPH, "-g after -g none draws again");
}

Test(callgraph_style, refuses_what_means_nothing)
{
	static const char *const wrong[] = {"sideways",	     "101",   "-1",    "nan",	  "1,2,x",
					    "1,-2",	     "5x",    "1,2.5", "srcline", "branch",
					    "1,99999999999", "graphs"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct callgraph_style style;
		struct ts_error err = {0};

		callgraph_style_init(&style);
		cr_expect_eq(callgraph_style_read(&style, wrong[i], &err), -EINVAL, "%s", wrong[i]);
		cr_expect(!strncmp(err.text, "cannot draw call graphs ", 24), "%s", err.text);
	}
}
