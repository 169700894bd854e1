// SPDX-License-Identifier: Apache-2.0
#include "common/base/path.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect(const char *path, const char *folder, const char *name)
{
	char *got = ts_path_folder(path);

	cr_assert_not_null(got);
	cr_expect_str_eq(got, folder, "%s: %s", path, got);
	cr_expect_str_eq(ts_path_name(path), name, "%s: %s", path, ts_path_name(path));
	free(got);
}

Test(path, has_a_folder_and_a_name)
{
	expect("cap/data.0", "cap", "data.0");
	expect("/tmp/cap/data", "/tmp/cap", "data");
	expect("./cap", ".", "cap");
}

Test(path, without_a_slash_is_a_name_in_the_working_directory)
{
	expect("cap", ".", "cap");
	expect("", ".", "");
}

Test(path, of_the_root_keeps_its_slash)
{
	expect("/cap", "/", "cap");
	expect("/", "/", "");
}

Test(path, that_ends_with_a_slash_has_no_name)
{
	expect("cap/", "cap", "");
}
