// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a tstream.json. Its members must be usable, or not be there.
 */
#include <stdlib.h>
#include <string.h>

#include "common/directory/capture_note.h"
#include "reader/capture/account.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

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

/* A printed note is parsed to the same note. */
static void check_copy(const struct ts_json *note)
{
	struct ts_bytes text = {0}, again = {0};
	struct ts_json *copy;
	size_t offset;

	if (!note)
		return;
	check(!ts_json_print(note, &text));
	check(!ts_json_parse((const char *)text.data, text.len, SIZE_MAX, &copy, &offset));
	check(!ts_json_print(copy, &again));
	check(text.len == again.len && !memcmp(text.data, again.data, text.len));
	ts_json_free(copy);
	ts_bytes_release(&text);
	ts_bytes_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_stream stream = {.path = (char *)(uintptr_t) "capture/data.0"};
	struct capture capture = {
		.path = (char *)(uintptr_t) "capture", .streams = &stream, .nr_streams = 1};
	struct account account;
	struct ts_json *note;
	size_t offset;
	uint64_t missing;

	if (ts_capture_note_parse(&note, (const char *)data, size, &offset))
		check(!note && offset <= size);
	check(!account_take(&account, note));
	check_copy(note);
	check(!account.nr_streams || account.is_complete);
	for (size_t i = 0; i < account.nr_streams; i++) {
		check(memchr(account.streams[i].name, '\0', sizeof(account.streams[i].name)) !=
		      NULL);
		account_check(&account.streams[i], &capture, &missing);
	}
	for (size_t i = 0; i < account.nr_rings; i++)
		check_timeline(&account.rings[i].timeline);
	account_release(&account);
	ts_json_free(note);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	seed_note(nr, out);
}
