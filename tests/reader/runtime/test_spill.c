// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/spill_limit.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#define LARGE (1u << 20)

static struct spill spill;

static void fini(void)
{
	spill_release(&spill);
}

TestSuite(spill, .fini = fini);

/* A process has more than this when it starts, so every large block goes to a file. */
static void forbid_private(void)
{
	spill_init(&spill, 4096, "/var/tmp");
}

static void fill(uint32_t *words, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		words[i] = (uint32_t)(i * 2654435761u);
}

static bool is_filled(const uint32_t *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (words[i] != (uint32_t)(i * 2654435761u))
			return false;
	return true;
}

static bool is_zero(const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i])
			return false;
	return true;
}

Test(spill, gives_zeros_of_any_size)
{
	for (size_t nr = 1; nr <= 4 * LARGE; nr = 3 * nr + 1) {
		uint8_t *block = spill_new(NULL, nr, 1);

		cr_assert_not_null(block);
		cr_expect(is_zero(block, nr), "%zu bytes", nr);
		spill_free(block);
	}
}

Test(spill, gives_zeros_in_a_file)
{
	uint8_t *block;

	forbid_private();
	block = spill_new(&spill, LARGE, 1);
	cr_assert_not_null(block);
	cr_expect(spill.file_bytes >= LARGE);
	cr_expect(is_zero(block, LARGE));
	spill_free(block);
	cr_expect_eq(spill.file_bytes, 0);
}

static void grow_and_check(struct spill *s)
{
	uint32_t *words = NULL;
	size_t nr = 0;

	for (size_t more = 16; more <= LARGE; more *= 2) {
		words = spill_resize(s, words, more, sizeof(*words));
		cr_assert_not_null(words);
		fill(words, nr, more);
		nr = more;
	}
	cr_expect(is_filled(words, nr));
	words = spill_resize(s, words, nr / 4, sizeof(*words));
	cr_expect(is_filled(words, nr / 4));
	spill_free(words);
}

Test(spill, keeps_what_is_in_a_block_that_grows)
{
	grow_and_check(NULL);
	spill_init(&spill, 0, NULL);
	grow_and_check(&spill);
	cr_expect_eq(spill.most_file_bytes, 0);
	cr_expect_eq(spill.private_bytes, 0);
	cr_expect_eq(spill.untouched_bytes, 0);
}

Test(spill, keeps_what_is_in_a_block_that_moves_to_a_file)
{
	forbid_private();
	grow_and_check(&spill);
	cr_expect(spill.most_file_bytes > LARGE);
	cr_expect_eq(spill.file_bytes, 0);
	cr_expect_eq(spill.private_bytes, 0);
	cr_expect_eq(spill.untouched_bytes, 0);
}

Test(spill, keeps_what_was_trimmed)
{
	uint32_t *words;

	forbid_private();
	words = spill_new(&spill, LARGE, sizeof(*words));
	fill(words, 0, LARGE);
	spill_trim(&spill);
	cr_expect(is_filled(words, LARGE));
	spill_free(words);
}

Test(spill, gives_no_room_to_caches_beyond_the_limit)
{
	void *small;

	forbid_private();
	small = spill_new_cache(&spill, 64, 1);
	cr_expect_not_null(small);
	cr_expect_null(spill_new_cache(&spill, LARGE, 1));
	cr_expect_eq(spill.file_bytes, 0);
	cr_expect_eq(spill.untouched_bytes, 0);
	spill_free(small);
}

Test(spill, holds_text_that_grows)
{
	struct ts_bytes text = {0};

	forbid_private();
	spill_hold(&spill, &text);
	for (uint32_t i = 0; i < LARGE; i++)
		ts_bytes_u32(&text, i * 2654435761u);
	cr_expect_not(ts_bytes_failed(&text));
	cr_expect(is_filled((const void *)text.data, LARGE));
	cr_expect(spill.file_bytes >= 4 * LARGE);
	ts_bytes_release(&text);
	cr_expect_eq(spill.file_bytes, 0);
	ts_bytes_u32(&text, 1);
	ts_bytes_release(&text);
	cr_expect_eq(spill.private_bytes, 0);
}

Test(spill, says_where_no_file_can_be_made)
{
	struct ts_error err;

	spill_init(&spill, 4096, "/proc");
	cr_expect_eq(spill_failed(&spill, &err), 0);
	cr_expect_null(spill_new(&spill, LARGE, 1));
	cr_expect_lt(spill_failed(&spill, &err), 0);
	cr_expect(strstr(err.text, "to a file in /proc: "), "%s", err.text);
	cr_expect(strstr(err.hint, "TMPDIR"));
}

Test(spill, keeps_a_block_that_could_not_grow)
{
	uint32_t *words;

	spill_init(&spill, 4096, "/proc");
	words = spill_new(&spill, 1000, sizeof(*words));
	fill(words, 0, 1000);
	cr_expect_null(spill_resize(&spill, words, LARGE, sizeof(*words)));
	cr_expect(is_filled(words, 1000));
	spill_free(words);
}

Test(spill, refuses_sizes_that_nobody_has)
{
	cr_expect_null(spill_new(NULL, SIZE_MAX / 2, 16));
	cr_expect_null(spill_resize(NULL, NULL, SIZE_MAX, SIZE_MAX));
}

Test(spill, says_what_a_limit_must_be_at_least)
{
	struct ts_error err;

	forbid_private();
	cr_expect_eq(spill_check(&spill, "cap", 2, &err), -EFBIG);
	cr_expect(strstr(err.text, "cannot read cap with 4K of memory"), "%s", err.text);
	cr_expect(strstr(err.hint, "--mem-limit="));
	cr_expect_eq(spill_check(NULL, "cap", 2, &err), 0);
}
