// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/memory_limit.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader/runtime/temporary_file.h"

#define LARGE (1u << 20)

static struct memory memory;

static void fini(void)
{
	memory_release(&memory);
}

TestSuite(memory, .fini = fini);

/* A process has more than this when it starts, so every large block goes to a file. */
static void forbid_private(void)
{
	memory_init(&memory, 4096, "/var/tmp");
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

Test(memory, gives_zeros_of_any_size)
{
	for (size_t nr = 1; nr <= 4 * LARGE; nr = 3 * nr + 1) {
		uint8_t *block = memory_new(NULL, nr, 1);

		cr_assert_not_null(block);
		cr_expect(is_zero(block, nr), "%zu bytes", nr);
		memory_free(block);
	}
}

Test(memory, gives_zeros_in_a_file)
{
	uint8_t *block;

	forbid_private();
	block = memory_new(&memory, LARGE, 1);
	cr_assert_not_null(block);
	cr_expect(memory.file_bytes >= LARGE);
	cr_expect(is_zero(block, LARGE));
	memory_free(block);
	cr_expect_eq(memory.file_bytes, 0);
}

static void grow_and_check(struct memory *s)
{
	uint32_t *words = NULL;
	size_t nr = 0;

	for (size_t more = 16; more <= LARGE; more *= 2) {
		words = memory_resize(s, words, more, sizeof(*words));
		cr_assert_not_null(words);
		fill(words, nr, more);
		nr = more;
	}
	cr_expect(is_filled(words, nr));
	words = memory_resize(s, words, nr / 4, sizeof(*words));
	cr_expect(is_filled(words, nr / 4));
	memory_free(words);
}

Test(memory, keeps_what_is_in_a_block_that_grows)
{
	grow_and_check(NULL);
	memory_init(&memory, 0, NULL);
	grow_and_check(&memory);
	cr_expect_eq(memory.most_file_bytes, 0);
	cr_expect_eq(memory.private_bytes, 0);
	cr_expect_eq(memory.untouched_bytes, 0);
}

Test(memory, keeps_what_is_in_a_block_that_moves_to_a_file)
{
	forbid_private();
	grow_and_check(&memory);
	cr_expect(memory.most_file_bytes > LARGE);
	cr_expect_eq(memory.file_bytes, 0);
	cr_expect_eq(memory.private_bytes, 0);
	cr_expect_eq(memory.untouched_bytes, 0);
}

Test(memory, keeps_what_was_trimmed)
{
	uint32_t *words;

	forbid_private();
	words = memory_new(&memory, LARGE, sizeof(*words));
	fill(words, 0, LARGE);
	memory_trim(&memory);
	cr_expect(is_filled(words, LARGE));
	memory_free(words);
}

/* The window is full of another mapping, as of a capture: trimming again and again would not help. */
Test(memory, is_trimmed_only_where_that_helps)
{
	uint8_t *block, *other;
	size_t bytes;
	int fd;

	memory_init(&memory, 4096, "/var/tmp");
	bytes = memory.window_bytes + LARGE;
	fd = temporary_file_open("/var/tmp");
	cr_assert_eq(ftruncate(fd, (off_t)bytes), 0);
	other = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert(other != MAP_FAILED);
	memset(other, 1, bytes);
	block = memory_new_file(&memory, bytes, 1);
	cr_assert_not_null(block);
	cr_expect(memory_is_wide(&memory));
	memory_trim(&memory);
	cr_expect_not(memory_is_wide(&memory));
	memset(block, 1, bytes / 2);
	cr_expect(memory_is_wide(&memory));
	memory_free(block);
	munmap(other, bytes);
	close(fd);
}

Test(memory, gives_no_room_to_caches_beyond_the_limit)
{
	void *small;

	forbid_private();
	small = memory_new_cache(&memory, 64, 1);
	cr_expect_not_null(small);
	cr_expect_null(memory_new_cache(&memory, LARGE, 1));
	cr_expect_eq(memory.file_bytes, 0);
	cr_expect_eq(memory.untouched_bytes, 0);
	memory_free(small);
}

Test(memory, holds_text_that_grows)
{
	struct ts_bytes text = {0};

	forbid_private();
	memory_hold(&memory, &text);
	for (uint32_t i = 0; i < LARGE; i++)
		ts_bytes_u32(&text, i * 2654435761u);
	cr_expect_not(ts_bytes_failed(&text));
	cr_expect(is_filled((const void *)text.data, LARGE));
	cr_expect(memory.file_bytes >= 4 * LARGE);
	ts_bytes_release(&text);
	cr_expect_eq(memory.file_bytes, 0);
	ts_bytes_u32(&text, 1);
	ts_bytes_release(&text);
	cr_expect_eq(memory.private_bytes, 0);
}

Test(memory, says_where_no_file_can_be_made)
{
	struct ts_error err;

	memory_init(&memory, 4096, "/proc");
	cr_expect_eq(memory_failed(&memory, &err), 0);
	cr_expect_null(memory_new(&memory, LARGE, 1));
	cr_expect_lt(memory_failed(&memory, &err), 0);
	cr_expect(strstr(err.text, "to a file in /proc: "), "%s", err.text);
	cr_expect(strstr(err.hint, "TMPDIR"));
}

Test(memory, keeps_a_block_that_could_not_grow)
{
	uint32_t *words;

	memory_init(&memory, 4096, "/proc");
	words = memory_new(&memory, 1000, sizeof(*words));
	fill(words, 0, 1000);
	cr_expect_null(memory_resize(&memory, words, LARGE, sizeof(*words)));
	cr_expect(is_filled(words, 1000));
	memory_free(words);
}

Test(memory, refuses_sizes_that_nobody_has)
{
	cr_expect_null(memory_new(NULL, SIZE_MAX / 2, 16));
	cr_expect_null(memory_resize(NULL, NULL, SIZE_MAX, SIZE_MAX));
}

Test(memory, says_what_a_limit_must_be_at_least)
{
	struct ts_error err;

	forbid_private();
	cr_expect_eq(memory_check(&memory, "cap", 2, &err), -EFBIG);
	cr_expect(strstr(err.text, "cannot read cap with 4K of memory"), "%s", err.text);
	cr_expect(strstr(err.hint, "--mem-limit="));
	cr_expect_eq(memory_check(NULL, "cap", 2, &err), 0);
}
