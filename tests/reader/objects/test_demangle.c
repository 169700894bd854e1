// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* f<p<int, int>, p<the previous, the previous>, ...>: each is twice as long as the previous one. */
static void double_often(char name[1024], unsigned int times)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = (size_t)snprintf(name, 1024, "_Z1fI1pIiiE");

	for (unsigned int i = 1; i <= times; i++)
		len += (size_t)snprintf(name + len, 1024 - len, "S0_IS%c_S%c_E", digits[i],
					digits[i]);
	snprintf(name + len, 1024 - len, "Evv");
}

Test(demangle, leaves_a_name_that_would_fill_the_memory)
{
	char name[1024];

	double_often(name, 2);
	expect(name, "f<p<int, int>, p<p<int, int>, p<int, int> >, p<p<p<int, int>, p<int, int> >, "
		     "p<p<int, int>, p<int, int> > > >");
	double_often(name, 35);
	expect(name, NULL);
}

Test(demangle, knows_both_kinds_of_names_of_rust)
{
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect("_RNvC6_123foo3bar", "123foo::bar");
}
