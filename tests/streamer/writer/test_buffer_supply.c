// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/buffer_supply.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BUFFER_BYTES (64u * 1024)

static struct supply supply;
static struct buffer_pool pool;
static struct supply_slot *slot;
static uint8_t *memory[SUPPLY_BATCH_MAX];
static int bell;

static bool is_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void set_up_for(uint64_t nr_buffers)
{
	struct ts_error err;

	cr_assert_eq(buffer_pool_init(&pool, 2, BUFFER_BYTES, NULL, &err), 0);
	cr_assert_eq(buffer_pool_reserve(&pool, 64, &err), 0);
	cr_assert_eq(supply_init(&supply, 2, nr_buffers * BUFFER_BYTES, &err), 0);
	bell = eventfd(0, EFD_CLOEXEC);
	slot = supply_slot(&supply, 1, &pool, bell);
}

static void tear_down(void)
{
	supply_release(&supply);
	supply_release(&supply);
	buffer_pool_release(&pool);
	close(bell);
}

Test(supply, gives_what_was_asked_for_and_wakes_the_writer)
{
	set_up_for(8);
	cr_expect_not(is_readable(supply.fd));
	supply_ask(&supply, slot, 3);
	cr_expect(is_readable(supply.fd));
	cr_expect_eq(supply_take(slot, memory), 0);
	supply_serve(&supply);
	cr_expect_not(is_readable(supply.fd));
	cr_expect(is_readable(bell));
	cr_assert_eq(supply_take(slot, memory), 3);
	cr_expect_eq(supply_take(slot, memory), 0);
	for (int i = 0; i < 3; i++) {
		memory[i][BUFFER_BYTES - 1] = 1;
		buffer_pool_add(&pool, memory[i]);
	}
	cr_expect_eq(pool.nr_free, 5);
	for (int i = 0; i < 5; i++)
		cr_expect_not_null(buffer_take(&pool));
	cr_expect_null(buffer_take(&pool));
	tear_down();
}

Test(supply, has_a_bound_over_all_its_writers)
{
	set_up_for(3);
	supply_ask(&supply, slot, 2);
	supply_serve(&supply);
	cr_assert_eq(supply_take(slot, memory), 2);
	buffer_pool_add(&pool, memory[0]);
	buffer_pool_add(&pool, memory[1]);
	supply_ask(&supply, slot, 4);
	supply_serve(&supply);
	cr_assert_eq(supply_take(slot, memory), 1);
	buffer_pool_add(&pool, memory[0]);
	supply_ask(&supply, slot, 1);
	supply_serve(&supply);
	cr_expect_eq(supply_take(slot, memory), 0);
	supply_ask(&supply, slot, 1);
	cr_expect_not(is_readable(supply.fd), "asked again though nothing is left");
	tear_down();
}

Test(supply, unmaps_what_nobody_took)
{
	set_up_for(8);
	supply_ask(&supply, slot, 8);
	supply_serve(&supply);
	cr_expect_eq(supply.bytes, 8 * BUFFER_BYTES);
	tear_down();
}

Test(supply, keeps_to_a_part_of_the_memory_of_the_machine)
{
	cr_expect_gt(supply_default_bytes(), 0);
	cr_expect_leq(supply_default_bytes(), 256ull << 20);
}
