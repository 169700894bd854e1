// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/buffer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(buffer, goes_round_its_states)
{
	struct buffer_pool pool;
	struct ts_error err;
	struct buffer *b;

	cr_assert_eq(buffer_pool_init(&pool, 2, 65536, NULL, &err), 0);
	b = buffer_take(&pool);
	cr_assert_eq(b->state, BUFFER_FILLING);
	memset(b->data, 1, 65536);
	buffer_queue(&pool, b);
	cr_assert_eq(b->state, BUFFER_QUEUED);
	cr_assert_eq(buffer_next(&pool), b);
	cr_assert_eq(b->state, BUFFER_IN_FLIGHT);
	buffer_free(&pool, b);
	cr_assert_eq(b->state, BUFFER_FREE);
	buffer_pool_release(&pool);
	buffer_pool_release(&pool);
}

Test(buffer, queues_in_the_order_of_filling)
{
	struct buffer_pool pool;
	struct ts_error err;
	struct buffer *b[3];

	cr_assert_eq(buffer_pool_init(&pool, 3, 4096, NULL, &err), 0);
	for (int i = 0; i < 3; i++)
		b[i] = buffer_take(&pool);
	buffer_queue(&pool, b[2]);
	buffer_queue(&pool, b[0]);
	cr_assert_eq(buffer_next(&pool), b[2]);
	buffer_queue(&pool, b[1]);
	cr_assert_eq(buffer_next(&pool), b[0]);
	cr_assert_eq(buffer_next(&pool), b[1]);
	cr_assert_null(buffer_next(&pool));
	buffer_pool_release(&pool);
}

Test(buffer, says_when_none_is_free)
{
	struct buffer_pool pool;
	struct ts_error err;
	struct buffer *b;

	cr_assert_eq(buffer_pool_init(&pool, 2, 4096, NULL, &err), 0);
	b = buffer_take(&pool);
	b->nr_records = 5;
	cr_assert_not_null(buffer_take(&pool));
	cr_assert_null(buffer_take(&pool));
	buffer_free(&pool, b);
	cr_assert_eq(buffer_take(&pool), b);
	cr_assert_eq(b->nr_records, 0);
	buffer_pool_release(&pool);
}

Test(buffer, refuses_fewer_than_two_and_parts_of_pages)
{
	struct buffer_pool pool;
	struct ts_error err;

	cr_assert_eq(buffer_pool_init(&pool, 1, 4096, NULL, &err), -EINVAL);
	cr_assert_eq(buffer_pool_init(&pool, 2, 4000, NULL, &err), -EINVAL);
	cr_assert_eq(buffer_pool_init(&pool, 2, (size_t)1 << 62, NULL, &err), -EINVAL);
	cr_assert(strstr(err.text, "cannot make 2 copy buffers"));
}

Test(buffer, knows_the_last_chunk_before_a_cut)
{
	struct buffer_pool pool;
	struct ts_error err;
	struct buffer *b;

	cr_assert_eq(buffer_pool_init(&pool, 2, 4096, NULL, &err), 0);
	b = buffer_take(&pool);
	buffer_mark(b, 1000, 10, 9);
	buffer_mark(b, 3000, 5, 0);
	cr_assert_eq(b->nr_records, 15);
	cr_assert_eq(buffer_mark_before(b, 999).end, 0);
	cr_assert_eq(buffer_mark_before(b, 1000).nr_records, 10);
	cr_assert_eq(buffer_mark_before(b, 2999).nr_samples, 9);
	cr_assert_eq(buffer_mark_before(b, 4096).nr_records, 15);
	buffer_pool_release(&pool);
}
