// SPDX-License-Identifier: Apache-2.0
#include "reader/parquet/thrift_compact.h"

#include <criterion/criterion.h>
#include <string.h>

static struct ts_bytes out;
static struct thrift t;

static void init(void)
{
	t = (struct thrift){.out = &out};
}

static void fini(void)
{
	ts_bytes_release(&out);
}

TestSuite(thrift_compact, .init = init, .fini = fini);

static void expect(const void *bytes, size_t len)
{
	cr_assert_eq(out.len, len, "%zu bytes, %zu wanted", out.len, len);
	cr_expect(!memcmp(out.data, bytes, len));
}

#define EXPECT(bytes) expect(bytes, sizeof(bytes) - 1)

Test(thrift_compact, has_numbers_of_seven_bits_a_byte)
{
	ts_bytes_varint(&out, 0);
	ts_bytes_varint(&out, 300);
	ts_bytes_varint(&out, UINT64_MAX);
	EXPECT("\0\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

Test(thrift_compact, has_small_bytes_for_small_negative_numbers)
{
	thrift_zigzag(&out, -1);
	thrift_zigzag(&out, 1);
	thrift_zigzag(&out, INT64_MIN);
	EXPECT("\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

Test(thrift_compact, counts_fields_from_the_one_before)
{
	thrift_i32(&t, 1, 7);
	thrift_bool(&t, 3, true);
	thrift_i64(&t, 4, -2);
	thrift_text(&t, 12, "ab");
	thrift_end(&t);
	EXPECT("\x15\x0e\x21\x16\x03\x88\x02"
	       "ab\0");
}

Test(thrift_compact, begins_anew_in_a_struct)
{
	thrift_struct(&t, 2);
	thrift_i32(&t, 1, 0);
	thrift_end(&t);
	thrift_i32(&t, 3, 0);
	thrift_end(&t);
	EXPECT("\x2c\x15\0\0\x15\0\0");
}

Test(thrift_compact, has_lists_without_headers_of_elements)
{
	thrift_list(&t, 1, THRIFT_I32, 2);
	thrift_i32(&t, 0, 1);
	thrift_i32(&t, 0, -1);
	thrift_list(&t, 2, THRIFT_STRUCT, 15);
	EXPECT("\x19\x25\x02\x01\x19\xfc\x0f");
}
