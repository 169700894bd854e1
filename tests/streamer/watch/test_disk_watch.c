// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/disk_watch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/scratch.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static struct ts_error err;

static uint64_t bytes_of(const char *text, uint64_t filesystem)
{
	struct disk_min_free m = {.kind = MIN_FREE_DEFAULT};

	cr_assert_eq(disk_min_free_parse(text, &m), 0, "%s", text);
	return disk_min_free_bytes(&m, filesystem);
}

Test(disk_watch, keeps_by_default_the_smaller_of_a_gigabyte_and_two_percent)
{
	const struct disk_min_free unset = {.kind = MIN_FREE_DEFAULT};

	cr_expect_eq(disk_min_free_bytes(&unset, 10000 * MIB), 200 * MIB);
	cr_expect_eq(disk_min_free_bytes(&unset, 100 * GIB), GIB);
}

Test(disk_watch, takes_a_size_a_part_or_nothing)
{
	cr_expect_eq(bytes_of("500M", GIB), 500 * MIB);
	cr_expect_eq(bytes_of("4096", GIB), 4096);
	cr_expect_eq(bytes_of("5%", 200 * MIB), 10 * MIB);
	cr_expect_eq(bytes_of("0", GIB), 0);
	cr_expect_eq(bytes_of("0%", GIB), 0);
}

Test(disk_watch, refuses_what_is_neither)
{
	static const char *const bad[] = {"",	  "%",	  "x",	 "-1",	       "5%%",
					  "100%", "1.5G", "5 %", "1000000000%"};
	struct disk_min_free m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(disk_min_free_parse(bad[i], &m), -EINVAL, "%s", bad[i]);
}

/* One that was looked at a second ago, with looks a second apart. */
static struct disk_watch watch_with(uint64_t min_free, uint64_t free_bytes)
{
	return (struct disk_watch){
		.min_free_bytes = min_free,
		.free_bytes = free_bytes,
		.looked_ns = TS_NS_PER_SEC,
		.interval_ns = TS_NS_PER_SEC,
	};
}

/* A look that found that much free: is it time to end? */
static bool look(struct disk_watch *d, uint64_t now_ns, uint64_t free_bytes, uint64_t written_bytes)
{
	disk_watch_note(d, now_ns, free_bytes, written_bytes);
	return disk_watch_leaves_too_little(d);
}

Test(disk_watch, goes_on_while_the_next_second_leaves_enough)
{
	struct disk_watch d = watch_with(100 * MIB, 400 * MIB);

	cr_expect_not(look(&d, 2 * TS_NS_PER_SEC, 300 * MIB, 100 * MIB));
	cr_expect_eq(d.next_ns, 3 * TS_NS_PER_SEC);
	cr_expect_not(look(&d, 3 * TS_NS_PER_SEC, 200 * MIB, 200 * MIB));
}

Test(disk_watch, ends_before_the_second_in_which_the_bound_would_be_passed)
{
	struct disk_watch d = watch_with(100 * MIB, 299 * MIB);

	cr_expect(look(&d, 2 * TS_NS_PER_SEC, 199 * MIB, 100 * MIB));
}

Test(disk_watch, counts_what_others_take_and_what_the_filesystem_has_yet_to_find_room_for)
{
	struct disk_watch others = watch_with(100 * MIB, 300 * MIB);
	struct disk_watch delayed = watch_with(100 * MIB, 190 * MIB);

	cr_expect(look(&others, 2 * TS_NS_PER_SEC, 199 * MIB, 0));
	cr_expect(look(&delayed, 2 * TS_NS_PER_SEC, 190 * MIB, 91 * MIB));
}

Test(disk_watch, ends_below_the_bound_however_slow)
{
	struct disk_watch d = watch_with(100 * MIB, 100 * MIB);

	cr_expect_not(look(&d, 2 * TS_NS_PER_SEC, 100 * MIB, 0));
	cr_expect(look(&d, 3 * TS_NS_PER_SEC, 100 * MIB - 1, 0));
}

Test(disk_watch, never_ends_when_it_is_off)
{
	struct disk_watch d = watch_with(0, 100 * MIB);

	cr_expect_not(look(&d, 2 * TS_NS_PER_SEC, 0, 100 * MIB));
}

Test(disk_watch, looks_sooner_at_the_beginning)
{
	struct disk_watch d = watch_with(1, GIB);
	uint64_t now_ns = TS_NS_PER_SEC;

	d.interval_ns = 100 * TS_NS_PER_MS;
	for (uint64_t ms = 200; ms <= 800; ms *= 2) {
		now_ns += d.interval_ns;
		cr_expect_not(look(&d, now_ns, GIB, 0));
		cr_expect_eq(d.next_ns - now_ns, ms * TS_NS_PER_MS);
	}
	cr_expect_not(look(&d, now_ns, GIB, 0));
	cr_expect_eq(d.next_ns - now_ns, TS_NS_PER_SEC);
}

Test(disk_watch, refuses_to_begin_where_too_little_is_free)
{
	const struct disk_min_free all = {MIN_FREE_BYTES, UINT64_MAX};
	const struct disk_min_free off = {MIN_FREE_BYTES, 0};
	struct disk_watch d;
	int fd = open("/tmp", O_RDONLY | O_DIRECTORY);

	cr_expect_eq(disk_watch_open(&d, fd, "cap", &all, &err), -ENOSPC);
	cr_expect_not_null(strstr(err.text, "cap"));
	cr_expect_not_null(strstr(err.text, "--min-free"));
	cr_expect_eq(disk_watch_open(&d, fd, "cap", &off, &err), 0);
	cr_expect_eq(disk_watch_look(&d, d.next_ns, 0, &err), 0);
	close(fd);
}

Test(disk_watch, says_that_the_directory_is_gone)
{
	const struct disk_min_free off = {MIN_FREE_BYTES, 0};
	struct scratch place;
	struct disk_watch d;
	int fd;

	scratch_make(&place);
	fd = open(place.path, O_RDONLY | O_DIRECTORY);
	cr_assert_eq(disk_watch_open(&d, fd, place.path, &off, &err), 0);
	cr_expect_eq(disk_watch_look(&d, d.next_ns, 0, &err), 0);
	scratch_remove(&place);
	cr_expect_eq(disk_watch_look(&d, d.next_ns, 0, &err), -ENOENT);
	cr_expect_not_null(strstr(err.text, place.path));
	close(fd);
}

/* FUSE may say 0 names of everything; a directory that is gone already says the same. */
Test(disk_watch, takes_nothing_for_removed_where_names_are_not_counted)
{
	const struct disk_min_free off = {MIN_FREE_BYTES, 0};
	struct scratch place;
	struct disk_watch d;
	int fd;

	scratch_make(&place);
	fd = open(place.path, O_RDONLY | O_DIRECTORY);
	scratch_remove(&place);
	cr_assert_eq(disk_watch_open(&d, fd, place.path, &off, &err), 0);
	cr_expect_eq(disk_watch_look(&d, d.next_ns, 0, &err), 0);
	close(fd);
}

Test(disk_watch, has_nothing_to_look_at_where_nothing_is_written)
{
	const struct disk_min_free all = {MIN_FREE_BYTES, UINT64_MAX};
	struct disk_watch d;

	cr_expect_eq(disk_watch_open(&d, -1, "/dev/null", &all, &err), 0);
	cr_expect_eq(d.next_ns, TS_TIME_NEVER);
}
