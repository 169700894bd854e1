// SPDX-License-Identifier: Apache-2.0
#include "common/base/notes.h"

#include <criterion/criterion.h>

Test(notes, keeps_each_sentence_once_in_order)
{
	struct ts_notes notes = {0};

	ts_notes_add(&notes, "CPU %d is offline", 5);
	ts_notes_add(&notes, "rings were halved");
	ts_notes_add(&notes, "CPU %d is offline", 5);
	cr_assert_eq(notes.nr, 2);
	cr_assert_str_eq(notes.items[0], "CPU 5 is offline");
	cr_assert_str_eq(notes.items[1], "rings were halved");
	ts_notes_release(&notes);
	ts_notes_release(&notes);
	cr_assert_eq(notes.nr, 0);
}

Test(notes, keeps_a_sentence_of_another_thing_again)
{
	struct ts_notes notes = {0};

	ts_notes_add_again(&notes, "jit-%d.dump cannot be used", 1);
	ts_notes_add_again(&notes, "jit-%d.dump cannot be used", 1);
	cr_assert_eq(notes.nr, 2);
	cr_assert_str_eq(notes.items[1], "jit-1.dump cannot be used");
	ts_notes_release(&notes);
}

Test(notes, may_be_told_to_nobody)
{
	ts_notes_add_again(NULL, "nor this");
	ts_notes_add(NULL, "nobody reads this");
}
