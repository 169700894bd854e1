// SPDX-License-Identifier: Apache-2.0
#include "reader/dump/dump_record.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct exit_record {
	struct perf_event_header hdr;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

static char *text_of(struct ts_bytes *b)
{
	ts_bytes_zero(b, 1);
	return (char *)b->data;
}

Test(dump_record, shows_place_bytes_and_printable_characters)
{
	const struct exit_record r = {.hdr = {PERF_RECORD_EXIT, 0, sizeof(r)}, .pid = 0x4142};
	struct ts_bytes b = {0};

	dump_bytes(&r.hdr, "cap/data.0", 0x248, &b);
	cr_assert_str_eq(
		text_of(&b),
		"\n0x248@cap/data.0 [0x20]: event: 4\n.\n. ... raw event: size 32 bytes\n"
		".  0000:  04 00 00 00 00 00 20 00 42 41 00 00 00 00 00 00  ...... .BA......\n"
		".  0010:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................\n\n");
	ts_bytes_release(&b);
}

Test(dump_record, tells_who_exited_where_and_when)
{
	const struct exit_record r = {
		.hdr = {PERF_RECORD_EXIT, 0, sizeof(r)}, .pid = 7, .tid = 8, .ppid = 1, .ptid = 1};
	const struct ts_sample_id sid = {.cpu = 3, .time_ns = 99};
	const struct ts_events none = {0};
	struct ts_bytes b = {0};

	dump_meaning(&r.hdr, 0x40, &sid, NULL, &none, &b);
	cr_assert_str_eq(text_of(&b), "3 99 0x40 [0x20]: PERF_RECORD_EXIT(7:8):(1:1)\n");
	ts_bytes_release(&b);
}

/* A record of every type, cut at every size that a header can state: nothing beyond it is read. */
Test(dump_record, reads_nothing_beyond_the_end_of_a_record)
{
	const struct ts_sample_id sid = {0};
	const struct ts_events none = {0};

	for (unsigned int type = 0; type < 90; type++) {
		for (uint16_t size = 8; size <= 128; size += 8) {
			struct perf_event_header *hdr = malloc(size);
			struct ts_bytes b = {0};

			memset(hdr, 0xff, size);
			*hdr = (struct perf_event_header){type, 0xffff, size};
			dump_bytes(hdr, "f", 0, &b);
			dump_meaning(hdr, 0, &sid, NULL, &none, &b);
			cr_assert_not(ts_bytes_failed(&b));
			ts_bytes_release(&b);
			free(hdr);
		}
	}
}
