// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_elements.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reader/html/base64.h"
#include "tests/support/scratch.h"

#define MOST (1u << 20)

static struct scratch scratch;
static char path[512];
static struct progress progress;
static struct ts_error err;
static struct html_elements elements;

static void init(void)
{
	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/out", scratch.path);
	cr_assert_eq(progress_init(&progress, &err), 0);
}

static void fini(void)
{
	html_elements_release(&elements);
	html_elements_release(&elements);
	progress_release(&progress);
	scratch_remove(&scratch);
}

TestSuite(html_elements, .init = init, .fini = fini);

/* --- reading them back --- */

static size_t write_all(char *ret)
{
	struct result_file to = RESULT_FILE_NONE;
	FILE *file;
	size_t len;

	cr_assert_eq(result_file_open(&to, path, true, &err), 0, "%s", err.text);
	cr_assert_eq(html_elements_write(&elements, &progress, &to, &err), 0);
	cr_assert_eq(result_file_publish(&to, &err), 0);
	result_file_release(&to);
	file = fopen(path, "r");
	cr_assert_not_null(file);
	len = fread(ret, 1, MOST - 1, file);
	ret[len] = '\0';
	fclose(file);
	return len;
}

static int value_of(char letter)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = letter ? strchr(letters, letter) : NULL;

	return at ? (int)(at - letters) : -1;
}

/* Up to the first '=' or the end of the element. */
static size_t decode(const char *text, uint8_t *ret)
{
	uint32_t bits = 0;
	size_t len = 0, nr = 0;

	for (; value_of(text[nr]) >= 0; nr++) {
		bits = bits << 6 | (uint32_t)value_of(text[nr]);
		if (nr % 4)
			ret[len++] = (uint8_t)(bits >> (6 - 2 * (nr % 4)));
	}
	return len;
}

/* The bytes of an element of the page. */
static size_t read_element(const char *page, const char *id, uint8_t *ret)
{
	static uint8_t packed[MOST];
	uLongf len = MOST;
	char begin[96];
	const char *at;

	snprintf(begin, sizeof(begin), "<script type=\"application/octet-stream\" id=\"%s\">", id);
	at = strstr(page, begin);
	cr_assert_not_null(at, "%s", id);
	at += strlen(begin);
	cr_assert_eq(uncompress(ret, &len, packed, decode(at, packed)), Z_OK, "%s", id);
	at += strcspn(at, "=<");
	cr_expect(!strncmp(at + strspn(at, "="), "</script>\n", 10));
	return len;
}

/* --- tests --- */

static void put_squares(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	for (size_t i = 0; i < nr; i++)
		ret[i] = (from + i) * (from + i) + *(const uint64_t *)source;
}

Test(html_elements, cut_numbers_into_planes)
{
	enum { NR = 5000 };
	static const uint64_t more = 3;
	static char page[MOST];
	static uint8_t planes[4][MOST];

	cr_assert_eq(html_elements_add_column(&elements, "row.x", put_squares, &more, NR,
					      (NR - 1ull) * (NR - 1) + more),
		     4);
	cr_assert_eq(html_elements_pack(&elements, &progress, 3, &err), 0);
	cr_expect_eq(html_elements_bytes(&elements) / 16, (write_all(page) + 8) / 16);
	for (unsigned int i = 0; i < 4; i++) {
		char id[16];

		snprintf(id, sizeof(id), "row.x.%u", i);
		cr_assert_eq(read_element(page, id, planes[i]), NR);
	}
	for (uint64_t i = 0; i < NR; i++)
		cr_assert_eq(i * i + more, planes[0][i] | planes[1][i] << 8 | planes[2][i] << 16 |
						   (uint64_t)planes[3][i] << 24);
}

Test(html_elements, have_no_plane_of_zeros)
{
	static const uint64_t none;

	cr_expect_eq(html_elements_add_column(&elements, "x", put_squares, &none, 1, 0), 0);
	cr_expect_eq(html_elements_add_column(&elements, "y", put_squares, &none, 9, 255), 1);
	cr_expect_eq(html_elements_add_column(&elements, "z", put_squares, &none, 9, UINT64_MAX),
		     8);
	cr_expect_eq(elements.nr, 9);
}

Test(html_elements, hold_bytes_of_any_length)
{
	static const size_t lengths[] = {0, 1, 2, 3, 4, 65535, 65536, 65537, 200000};
	static char page[MOST];
	static uint8_t text[MOST], back[MOST];
	const size_t nr = sizeof(lengths) / sizeof(*lengths);

	srand(1);
	for (size_t i = 0; i < MOST; i++)
		text[i] = (uint8_t)(rand() % 7 ? 0 : rand());
	for (size_t i = 0; i < nr; i++) {
		struct ts_bytes bytes = {0};
		char id[16];

		snprintf(id, sizeof(id), "b%zu", i);
		ts_bytes_put(&bytes, text, lengths[i]);
		html_elements_add(&elements, id, &bytes);
		cr_expect_eq(bytes.len, 0);
		ts_bytes_release(&bytes);
	}
	cr_assert_eq(html_elements_pack(&elements, &progress, 2, &err), 0);
	write_all(page);
	for (size_t i = 0; i < nr; i++) {
		char id[16];

		snprintf(id, sizeof(id), "b%zu", i);
		cr_assert_eq(read_element(page, id, back), lengths[i]);
		cr_expect(!memcmp(back, text, lengths[i]));
	}
}

Test(html_elements, are_the_same_for_any_number_of_threads)
{
	static char one[MOST], many[MOST];
	static const uint64_t more = 1;
	const unsigned int workers[] = {1, 40};
	char *pages[] = {one, many};

	for (int i = 0; i < 2; i++) {
		html_elements_add_column(&elements, "x", put_squares, &more, 30000, 1 << 30);
		cr_assert_eq(html_elements_pack(&elements, &progress, workers[i], &err), 0);
		write_all(pages[i]);
		html_elements_release(&elements);
	}
	cr_expect_str_eq(one, many);
}

Test(html_elements, are_packed_once_and_can_be_cut)
{
	static const uint64_t more = 1;
	uint64_t first;

	html_elements_add_column(&elements, "x", put_squares, &more, 100, 255);
	cr_assert_eq(html_elements_pack(&elements, &progress, 2, &err), 0);
	first = html_elements_bytes(&elements);
	html_elements_add_column(&elements, "y", put_squares, &more, 100, 65535);
	cr_assert_eq(html_elements_pack(&elements, &progress, 2, &err), 0);
	cr_expect_gt(html_elements_bytes(&elements), first);
	html_elements_cut(&elements, 1);
	cr_expect_eq(html_elements_bytes(&elements), first);
}

Test(html_elements, stop)
{
	static const uint64_t more = 1;

	html_elements_add_column(&elements, "x", put_squares, &more, 100, 255);
	ts_stop_raise(&progress.stop);
	cr_expect_eq(html_elements_pack(&elements, &progress, 2, &err), -EINTR);
}

Test(html_elements, tell_that_bytes_failed)
{
	struct ts_bytes bytes = {.failed = true};

	html_elements_add(&elements, "x", &bytes);
	cr_expect_eq(html_elements_pack(&elements, &progress, 2, &err), -ENOMEM);
	cr_expect_not_null(strstr(err.text, "cannot compress"));
}

/* The pairs of RFC 4648, section 10. */
Test(base64, has_the_letters_of_its_standard)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct ts_bytes out = {0};

		base64_put(&out, (const uint8_t *)pairs[i][0], strlen(pairs[i][0]));
		cr_expect_eq(out.len, strlen(pairs[i][1]));
		cr_expect_eq(base64_bytes(strlen(pairs[i][0])), out.len);
		cr_expect(!out.len || !memcmp(out.data, pairs[i][1], out.len), "%s", pairs[i][1]);
		ts_bytes_release(&out);
	}
}
