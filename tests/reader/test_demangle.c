// SPDX-License-Identifier: Apache-2.0
#include "reader/demangle.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect(const char *name, const char *expected)
{
	char *plain = demangle(name);

	if (expected)
		cr_assert_str_eq(plain ? plain : "(none)", expected);
	else
		cr_assert_null(plain);
	free(plain);
}

Test(demangle, leaves_out_parameters)
{
	expect("_ZN4llvm3sys7unicode15columnWidthUTF8ENS_9StringRefE",
	       "llvm::sys::unicode::columnWidthUTF8");
}

Test(demangle, keeps_what_stands_behind_the_name)
{
	expect("_Znwm@plt", "operator new@plt");
	expect("_ZN4llvm3sys7unicode15columnWidthUTF8ENS_9StringRefE@plt",
	       "llvm::sys::unicode::columnWidthUTF8@plt");
	expect("_Znwm@@GLIBCXX_3.4", "operator new@@GLIBCXX_3.4");
}

Test(demangle, knows_a_name_that_is_not_mangled)
{
	expect("main", NULL);
	expect("read@plt", NULL);
	expect("_start", NULL);
	expect("_start@plt", NULL);
	expect("_Z@plt", NULL);
}
