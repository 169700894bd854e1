// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/buffer_supply.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BUFFER_BYTES (64u * 1024)

static struct buffer_supply supply;
static struct buffer_pool pool;
static struct buffer_supply_slot *slot;
static uint8_t *memory[BUFFER_SUPPLY_BATCH_MAX];
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
	cr_assert_eq(buffer_supply_init(&supply, 2, nr_buffers * BUFFER_BYTES, &err), 0);
	bell = eventfd(0, EFD_CLOEXEC);
	slot = buffer_supply_slot(&supply, 1, &pool, bell);
}

static void tear_down(void)
{
	buffer_supply_release(&supply);
	buffer_supply_release(&supply);
	buffer_pool_release(&pool);
	close(bell);
}

Test(supply, gives_what_was_asked_for_and_wakes_the_writer)
{
	set_up_for(8);
	cr_expect_not(is_readable(supply.fd));
	buffer_supply_ask(&supply, slot, 3);
	cr_expect(is_readable(supply.fd));
	cr_expect_eq(buffer_supply_take(slot, memory), 0);
	buffer_supply_serve(&supply);
	cr_expect_not(is_readable(supply.fd));
	cr_expect(is_readable(bell));
	cr_assert_eq(buffer_supply_take(slot, memory), 3);
	cr_expect_eq(buffer_supply_take(slot, memory), 0);
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
	buffer_supply_ask(&supply, slot, 2);
	buffer_supply_serve(&supply);
	cr_assert_eq(buffer_supply_take(slot, memory), 2);
	buffer_pool_add(&pool, memory[0]);
	buffer_pool_add(&pool, memory[1]);
	buffer_supply_ask(&supply, slot, 4);
	buffer_supply_serve(&supply);
	cr_assert_eq(buffer_supply_take(slot, memory), 1);
	buffer_pool_add(&pool, memory[0]);
	buffer_supply_ask(&supply, slot, 1);
	buffer_supply_serve(&supply);
	cr_expect_eq(buffer_supply_take(slot, memory), 0);
	buffer_supply_ask(&supply, slot, 1);
	cr_expect_not(is_readable(supply.fd), "asked again though nothing is left");
	tear_down();
}

Test(supply, unmaps_what_nobody_took)
{
	set_up_for(8);
	buffer_supply_ask(&supply, slot, 8);
	buffer_supply_serve(&supply);
	cr_expect_eq(supply.bytes, 8 * BUFFER_BYTES);
	tear_down();
}

Test(supply, keeps_to_a_part_of_the_memory_of_the_machine)
{
	cr_expect_gt(buffer_supply_default_bytes(), 0);
	cr_expect_leq(buffer_supply_default_bytes(), 256ull << 20);
}
