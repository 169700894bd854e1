// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_account.h"

#include <criterion/criterion.h>

Test(print_account, counts_each_damaged_section_of_the_header)
{
	struct capture_stream stream = {.path = "made"};
	struct capture capture = {.streams = &stream, .nr_streams = 1};

	cr_expect_eq(print_header_damage(&capture), 0);
	capture.header.nr_bad_features = 3;
	cr_expect_eq(print_header_damage(&capture), 3);
}

Test(print_account, counts_one_for_sections_that_a_cut_took)
{
	struct capture_stream stream = {.path = "made"};
	struct capture capture = {.streams = &stream, .nr_streams = 1};

	capture.header.data_cut = true;
	capture.header.nr_bad_features = 3;
	cr_expect_eq(print_header_damage(&capture), 1);
}
