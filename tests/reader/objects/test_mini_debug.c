// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/mini_debug.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <lzma.h>
#include <string.h>

#define TEXT_BYTES 200000

struct compressed {
	uint8_t text[TEXT_BYTES];
	uint8_t xz[TEXT_BYTES];
	size_t size;
};

static void compress_text(struct compressed *c)
{
	for (size_t i = 0; i < TEXT_BYTES; i++)
		c->text[i] = (uint8_t)(i * i / 1000);
	c->size = 0;
	cr_assert_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, c->text, TEXT_BYTES, c->xz,
					     &c->size, sizeof(c->xz)),
		     LZMA_OK);
}

static int expand(const struct compressed *c, size_t size, size_t most, struct ts_bytes *ret,
		  struct ts_error *err)
{
	*ret = (struct ts_bytes){0};
	return mini_debug_expand(c->xz, size, most, "it", ret, err);
}

Test(mini_debug, expands_up_to_its_bound)
{
	static struct compressed c;
	struct ts_bytes got;
	struct ts_error err;

	compress_text(&c);
	cr_assert_eq(expand(&c, c.size, TEXT_BYTES, &got, &err), 0, "%s", err.text);
	cr_assert_eq(got.len, TEXT_BYTES);
	cr_expect_arr_eq(got.data, c.text, TEXT_BYTES);
	ts_bytes_release(&got);
}

Test(mini_debug, stops_beyond_its_bound)
{
	static struct compressed c;
	struct ts_bytes got;
	struct ts_error err;

	compress_text(&c);
	cr_expect_eq(expand(&c, c.size, TEXT_BYTES - 1, &got, &err), -EFBIG);
	cr_expect_eq(got.len, TEXT_BYTES);
	ts_bytes_release(&got);
}

Test(mini_debug, refuses_what_is_cut_off_or_of_something_else)
{
	static struct compressed c;
	struct ts_bytes got;
	struct ts_error err;

	compress_text(&c);
	for (size_t size = 0; size < c.size; size += 1 + size / 7) {
		cr_expect_eq(expand(&c, size, TEXT_BYTES, &got, &err), -EINVAL);
		cr_expect_str_eq(err.text, "cannot expand .gnu_debugdata of it: it is cut off");
		ts_bytes_release(&got);
	}
	c.xz[0]++;
	cr_expect_eq(expand(&c, c.size, TEXT_BYTES, &got, &err), -EINVAL);
	cr_expect_str_eq(err.text, "cannot expand .gnu_debugdata of it: it is not of xz");
	ts_bytes_release(&got);
}

Test(mini_debug, refuses_what_is_damaged)
{
	static struct compressed c;
	struct ts_bytes got;
	struct ts_error err;

	compress_text(&c);
	for (size_t at = 0; at < c.size; at += 97) {
		c.xz[at] ^= 0x10;
		cr_expect_lt(expand(&c, c.size, TEXT_BYTES, &got, &err), 0);
		ts_bytes_release(&got);
		c.xz[at] ^= 0x10;
	}
}
