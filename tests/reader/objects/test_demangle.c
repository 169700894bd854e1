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

/* An older name of Rust: an identifier, the hash, and what stands behind it. */
static void expect_rust(const char *identifier, const char *behind, const char *expected)
{
	char name[256];

	snprintf(name, sizeof(name), "_ZN%zu%s3mal17hb2d9e7b5b4f6a0c1E%s", strlen(identifier),
		 identifier, behind);
	expect(name, expected);
}

/* rustc escapes each letter that an assembler may refuse. */
Test(demangle, knows_every_letter_of_older_names_of_rust)
{
	expect_rust("a$u20$b$C$c", "", "a b,c::mal");
	expect_rust("_$LT$u..K$ue4$se$u20$as$u20$u..Gr$uf6$$udf$e$GT$", "",
		    "<u::Käse as u::Größe>::mal");
	expect_rust("a$u4e2d$$u1f600$", "", "a中😀::mal");
	expect_rust("a$ue9$b", ".llvm.12", "aéb::mal");
	expect_rust("a$ue9$b", "@plt", "aéb::mal@plt");
}

Test(demangle, leaves_what_is_no_letter)
{
	expect_rust("a$ue9$$u1b$b", "", "aé$u1b$b::mal");
	expect_rust("a$ue9$$ud800$b", "", "aé$ud800$b::mal");
	expect_rust("a$ue9$$u110000$b", "", "aé$u110000$b::mal");
	expect_rust("a$ue9$$u1000000000000000020$b", "", "aé$u1000000000000000020$b::mal");
	expect_rust("a$ue9$$u$", "", "aé$u$::mal");
	expect_rust("a$ue9$$ub", "", "aé$ub::mal");
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
