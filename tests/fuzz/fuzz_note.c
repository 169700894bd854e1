// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a tstream.json. What it says must be usable, or not be there.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/account.h"
#include "tests/fuzz/fuzz.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_timeline(const struct ts_timeline *t)
{
	check(t->nr <= TS_TIMELINE_SLOTS && (!t->nr || t->step_ns));
	check(!t->nr || t->first <= INT64_MAX / t->step_ns);
	for (unsigned int cause = 0; cause < TS_LOSS_NR; cause++)
		ts_timeline_sum(t, cause);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_stream stream = {.path = (char *)(uintptr_t) "capture/data.0"};
	struct capture capture = {
		.path = (char *)(uintptr_t) "capture", .streams = &stream, .nr_streams = 1};
	struct account account;
	uint64_t missing;

	account_parse(&account, (const char *)data, size);
	check(!account.nr_streams || account.is_complete);
	for (size_t i = 0; i < account.nr_streams; i++) {
		check(memchr(account.streams[i].name, '\0', sizeof(account.streams[i].name)) !=
		      NULL);
		account_check(&account.streams[i], &capture, &missing);
	}
	for (size_t i = 0; i < account.nr_rings; i++)
		check_timeline(&account.rings[i].timeline);
	account_release(&account);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	ts_bytes_printf(
		out,
		"{\"version\": 1, \"state\": \"%s\", \"flush_ns\": %u, \"self\": {\"samples\": 5}, "
		"\"writers\": [{\"stream\": \"data.%u\", \"stream_bytes\": 4096}], "
		"\"ledger\": {\"counted_by_kernel\": %s, \"lost_at_unknown_time\": 3, \"lost\": "
		"{\"ring_full\": %u, \"compression\": 1, \"disk\": 2}}, "
		"\"absences\": [{\"cpu\": 1, \"cause\": \"offline\", \"from_s\": 0.5, "
		"\"to_s\": 1.5}], \"rings\": [{\"number\": %u, \"cpu\": 1, \"kind\": \"samples\", "
		"\"records\": 100, \"lost\": 7, \"lost_disk\": 1, \"lost_at_unknown_time\": 2, "
		"\"times\": {\"start_s\": %u, \"step_s\": %u, \"kept\": [1, 2, %u], "
		"\"ring_full\": [0, 7, 0]}}]}",
		nr % 3 ? "complete" : "recording", nr % 1000, nr % 4, nr % 2 ? "true" : "false", nr,
		nr % 8, nr, 1u << nr % 5, nr % 17);
}
