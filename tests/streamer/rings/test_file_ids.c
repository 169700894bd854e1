// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/file_ids.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "common/perf/record.h"

#define STRAY PERF_RECORD_MISC_MMAP_BUILD_ID

static struct file_ids ids;
static struct ts_error err;
static uint8_t taken[FILE_IDS_RECORD_BYTES];
static const struct ts_build_id id = {.bytes = "abcdefghijklmnopqrst", .len = 20};

/* An MMAP2 of code of /x, as the kernel writes it: 72 bytes, the name, a trailer of 32. */
static void make_map(uint8_t record[112], uint64_t ino, uint16_t misc)
{
	const struct perf_event_header hdr = {
		.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | misc, .size = 112};
	const uint32_t prot = PROT_READ | PROT_EXEC, maj = 254;

	memset(record, 0, 112);
	memcpy(record, &hdr, sizeof(hdr));
	memcpy(record + 40, &maj, sizeof(maj));
	memcpy(record + 48, &ino, sizeof(ino));
	memcpy(record + 64, &prot, sizeof(prot));
	memcpy(record + 72, "/x", 3);
}

static bool has_flag(const uint8_t *record)
{
	return ts_record_load_header(record).misc & STRAY;
}

static void set_up(void)
{
	cr_assert_eq(file_ids_init(&ids, &err), 0);
}

static void tear_down(void)
{
	file_ids_release(&ids);
}

TestSuite(file_ids, .init = set_up, .fini = tear_down);

Test(file_ids, asks_once_for_a_file_and_puts_the_answer_into_later_maps)
{
	_Alignas(8) uint8_t run[224];

	make_map(run, 7, 0);
	make_map(run + 112, 7, 0);
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert(file_ids_take(&ids, taken));
	cr_assert_eq(memcmp(taken, run, 112), 0);
	cr_assert_not(file_ids_take(&ids, taken));
	file_ids_answer(&ids, taken, true, &id);
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert(has_flag(run) && has_flag(run + 112));
	cr_assert_eq(run[40], 20);
	cr_assert_eq(memcmp(run + 44, id.bytes, 20), 0);
}

Test(file_ids, takes_away_a_flag_that_was_set_for_another_listener)
{
	_Alignas(8) uint8_t run[112], wanted[112];

	make_map(run, 7, STRAY);
	make_map(wanted, 7, 0);
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert_eq(memcmp(run, wanted, sizeof(run)), 0);
}

Test(file_ids, asks_again_a_few_times_for_a_file_that_could_not_be_read)
{
	const struct ts_build_id none = {.len = 0};
	_Alignas(8) uint8_t run[112];
	int nr = 0;

	for (int i = 0; i < 20; i++) {
		make_map(run, 7, 0);
		file_ids_put_run(&ids, run, sizeof(run));
		if (!file_ids_take(&ids, taken))
			continue;
		nr++;
		file_ids_answer(&ids, taken, false, &none);
	}
	cr_assert_eq(nr, 8);
	cr_assert_not(has_flag(run));
}

Test(file_ids, does_not_count_shortages_as_tries)
{
	const struct ts_build_id none = {.len = 0};
	_Alignas(8) uint8_t run[112];

	for (int i = 0; i < 20; i++) {
		make_map(run, 7, 0);
		file_ids_put_run(&ids, run, sizeof(run));
		cr_assert(file_ids_take(&ids, taken));
		file_ids_answer(&ids, taken, -EMFILE, &none);
	}
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert(file_ids_take(&ids, taken));
	file_ids_answer(&ids, taken, 1, &id);
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert(has_flag(run));
}

/* Puts a map of the file and answers what is asked; true if the map got a build-id. */
static bool put_and_answer(uint64_t ino)
{
	_Alignas(8) uint8_t run[112];

	make_map(run, ino, 0);
	file_ids_put_run(&ids, run, sizeof(run));
	while (file_ids_take(&ids, taken))
		file_ids_answer(&ids, taken, true, &id);
	return has_flag(run);
}

Test(file_ids, asks_for_each_file_of_a_burst)
{
	_Alignas(8) uint8_t run[112];
	uint64_t nr = 0;

	for (uint64_t ino = 1; ino <= 8000; ino++) {
		make_map(run, ino, 0);
		file_ids_put_run(&ids, run, sizeof(run));
	}
	while (file_ids_take(&ids, taken))
		cr_assert_eq(ts_record_load_u64(taken + 48), ++nr);
	cr_assert_eq(nr, 8000);
}

Test(file_ids, knows_new_files_however_many_there_were)
{
	for (uint64_t ino = 1; ino <= 100000; ino++) {
		cr_assert_not(put_and_answer(ino));
		cr_assert(put_and_answer(ino), "file %llu", (unsigned long long)ino);
	}
}

Test(file_ids, hands_nothing_over_when_main_is_behind_until_it_has_taken)
{
	_Alignas(8) uint8_t run[112];
	uint64_t nr = 0;

	for (uint64_t ino = 1; ino <= 100000; ino++) {
		make_map(run, ino, 0);
		file_ids_put_run(&ids, run, sizeof(run));
	}
	for (; file_ids_take(&ids, taken); nr++)
		file_ids_answer(&ids, taken, true, &id);
	cr_assert(nr > 8000 && nr < 100000);
	cr_assert_not(put_and_answer(100000));
	cr_assert(put_and_answer(100000));
}

Test(file_ids, leaves_damaged_and_other_records_alone)
{
	_Alignas(8) uint8_t run[112], before[112];

	make_map(run, 7, STRAY);
	run[6] = 80; /* too short for a name and a trailer */
	memcpy(before, run, sizeof(run));
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert_eq(memcmp(run, before, sizeof(run)), 0);
	make_map(run, 0, 0);
	file_ids_put_run(&ids, run, sizeof(run));
	cr_assert_not(file_ids_take(&ids, taken), "memory without a file");
}
