// SPDX-License-Identifier: Apache-2.0
#include "reader/page/look_objects.h"

#include <criterion/criterion.h>

Test(look_objects, are_numbered_from_1_as_looks_meet_them)
{
	struct frame_look items[] = {
		{"sh", "", FRAME_KIND_COMMAND},	       {"read", "/lib/libc.so", FRAME_KIND_USER},
		{"main", "/bin/sh", FRAME_KIND_USER},  {"write", "/lib/libc.so", FRAME_KIND_USER},
		{"[unknown]", "", FRAME_KIND_UNKNOWN},
	};
	const struct frame_looks looks = {.items = items, .nr = 5};
	const uint32_t wanted[] = {0, 1, 2, 1, 0};
	struct look_objects objects;

	cr_assert_eq(look_objects_init(&objects, &looks, NULL), 0);
	cr_expect_arr_eq(objects.of_look, wanted, sizeof(wanted));
	cr_assert_eq(objects.names.nr, 2);
	cr_expect_str_eq(objects.names.items[0], "/lib/libc.so");
	cr_expect_str_eq(objects.names.items[1], "/bin/sh");
	look_objects_release(&objects);
	look_objects_release(&objects);
}

Test(look_objects, may_be_none)
{
	const struct frame_looks looks = {0};
	struct look_objects objects;

	cr_assert_eq(look_objects_init(&objects, &looks, NULL), 0);
	cr_expect_eq(objects.names.nr, 0);
	look_objects_release(&objects);
}
