// SPDX-License-Identifier: Apache-2.0
#include "common/base/spelling.h"

#include <criterion/criterion.h>

static void expect(const char *word, const char *meant)
{
	static const char *const names[] = {"cycles", "cpu-clock", "cs", "record",
					    "report", "tid",	   "pid"};
	struct ts_spelling near = {.word = word};
	const char *found;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ts_spelling_try(&near, names[i]);
	found = ts_spelling_found(&near);
	cr_expect_eq(!found, !meant, "%s: %s", word, found);
	if (found && meant)
		cr_expect_str_eq(found, meant);
}

Test(near, finds_what_a_slip_made)
{
	expect("cycels", "cycles");
	expect("cycle", "cycles");
	expect("cyclles", "cycles");
	expect("cpuclock", "cpu-clock");
	expect("recrod", "record");
	expect("reprot", "report");
	expect("repotr", "report");
}

/* The kernel's tgid is a process, not a thread. */
Test(near, knows_words_with_another_name)
{
	expect("tgid", "pid");
	expect("tidd", "tid");
}

Test(near, leaves_out_what_is_too_far)
{
	expect("", NULL);
	expect("c", NULL);
	expect("ss", NULL);
	expect("clock", NULL);
	expect("no-such-event", NULL);
	expect("a-word-that-is-longer-than-any-name-that-anybody-would-give-to-it", NULL);
}

Test(near, prefers_the_nearer)
{
	struct ts_spelling near = {.word = "context-swiches"};

	ts_spelling_try(&near, "context-riches");
	ts_spelling_try(&near, "context-switches");
	ts_spelling_try(&near, "context-snitches");
	cr_expect_str_eq(ts_spelling_found(&near), "context-switches");
}
