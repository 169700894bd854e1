// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/kept_error.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(kept_error, has_code_sentence_and_hint)
{
	struct kept_error kept = {0};
	struct ts_error err, got;

	ts_error_set(&err, ENOENT, "cannot open /a");
	kept_error_set(&kept, &err);
	ts_error_set(&err, EACCES, "cannot read /b");
	ts_error_hint(&err, "run as root");
	kept_error_set(&kept, &err);
	cr_assert_eq(kept_error_get(&kept, &got), -EACCES);
	cr_assert_str_eq(got.text, "cannot read /b");
	cr_assert_str_eq(got.hint, "run as root");
	kept_error_release(&kept);
	kept_error_release(&kept);
}

Test(kept_error, is_none_where_nothing_failed)
{
	struct kept_error kept = {0};
	struct ts_error err = {0}, got;

	kept_error_set(&kept, &err);
	cr_assert_eq(kept_error_get(&kept, &got), 0);
	cr_assert_eq(got.code, 0);
	cr_assert_null(kept.text);
}

Test(kept_error, without_a_sentence_has_its_code)
{
	const struct kept_error kept = {.code = ENOMEM};
	struct ts_error got;

	cr_assert_eq(kept_error_get(&kept, &got), -ENOMEM);
	cr_assert_str_eq(got.text, "cannot read symbols: Cannot allocate memory");
}
