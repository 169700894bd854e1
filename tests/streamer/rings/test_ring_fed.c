// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/ring_fed.h"

#include <criterion/criterion.h>
#include <string.h>

#include "streamer/rings/ring_kind.h"

#define NR 3

static const struct ring_id id = {.number = 7, .cpu = 1, .kind = TS_RING_SIDEBAND};
static uint64_t run[2 * NR];
static uint8_t got[sizeof(run)];
static struct ring ring;
static const struct ring_kind *kind;

static void give(void)
{
	const struct perf_event_header hdr = {.type = PERF_RECORD_COMM, .size = 16};

	ring_fed_init(&ring, &id);
	kind = ring_kind_of(&ring);
	for (uint64_t i = 0; i < NR; i++) {
		memcpy(&run[2 * i], &hdr, sizeof(hdr));
		run[2 * i + 1] = i;
	}
	ring_fed_give(&ring, run, sizeof(run));
}

Test(ring_fed, gives_whole_records_as_room_is)
{
	size_t len = 0;

	give();
	cr_assert_eq(kind->pending(&ring), sizeof(run));
	cr_assert_eq(kind->copy(&ring, got, 40, &len), RING_COPY_DONE);
	cr_assert_eq(len, 32);
	cr_assert_not(ring_fed_is_free(&ring));
	cr_assert_eq(kind->pending(&ring), 16);
	cr_assert_eq(kind->copy(&ring, got + len, 40, &len), RING_COPY_DONE);
	cr_assert_eq(memcmp(got, run, sizeof(run)), 0);
	cr_assert(ring_fed_is_free(&ring));
	cr_assert_eq(kind->copy(&ring, got, 40, &len), RING_COPY_EMPTY);
}

Test(ring_fed, is_free_until_it_is_given_something)
{
	ring_fed_init(&ring, &id);
	cr_assert(ring_fed_is_free(&ring));
	ring_fed_give(&ring, run, 0);
	cr_assert(ring_fed_is_free(&ring));
	cr_assert_eq(ring_fed_pending(&ring), 0);
}

Test(ring_fed, has_no_room_for_a_part_of_a_record)
{
	size_t len;

	give();
	cr_assert_eq(kind->copy(&ring, got, 15, &len), RING_COPY_NO_ROOM);
	cr_assert_eq(kind->pending(&ring), sizeof(run));
}
