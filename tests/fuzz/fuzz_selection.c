// SPDX-License-Identifier: Apache-2.0
/*
 * The input is what a person may type behind the options that select: a kind, then the text. It is
 * refused in a sentence, or opened and asked.
 */
#include "reader/chunks/selection.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

#define TEXT_MAX 4096

static void check(int holds)
{
	if (!holds)
		abort();
}

static void ask(struct selection *s, uint64_t at)
{
	struct ts_sample_id sid = {.pid = 5, .tid = 5, .cpu = 1, .time_ns = 1000 + at};
	struct ts_bytes out = {0};
	struct ts_error err;

	if (selection_takes_record(s, &sid))
		check(selection_may_match(s, sid.time_ns, sid.time_ns, sid.cpu));
	selection_takes_thread(s, 5, 5, "name");
	selection_takes_place(s, NULL, NULL, NULL);
	selection_takes_place(s, "libc.so.6", "/lib/libc.so.6", "main");
	selection_print(s, &out);
	ts_bytes_release(&out);
	check(!selection_end_at(s, 1500, &err));
	sid.time_ns = 1501 + at;
	check(!selection_takes_record(s, &sid));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct selection_text text = {0};
	const char **members[] = {&text.time, &text.last,  &text.cpus, &text.pids,
				  &text.tids, &text.comms, &text.dsos, &text.symbols};
	struct ts_events events = seed_events(0);
	struct ts_error err = {0};
	char given[TEXT_MAX + 1];
	struct selection s;

	if (size < 1 || size > TEXT_MAX)
		goto end;
	memcpy(given, data + 1, size - 1);
	given[size - 1] = '\0';
	*members[data[0] % 8] = given;
	if (selection_settle(&text, &err)) {
		check(err.code && err.text[0]);
	} else if (selection_open(&s, &text, &events, 1000, 2000, &err)) {
		check(err.code && err.text[0]);
	} else {
		ask(&s, size);
		selection_close(&s);
	}
end:
	selection_text_release(&text);
	ts_events_release(&events);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	static const char *const texts[] = {
		"10%-20%",
		"10%/2",
		"0%-10%,30%-40%",
		"0.000001,0.000002",
		"1,2 5,6",
		",3.5",
		"30s",
		"500ms",
		"0-3,8",
		"all",
		"17,18",
		"name,other",
		"lib*.so",
		"[kernel]",
		"4294967296,-1",
		"18446744073709551616.5,",
		"1e9,0x10",
		"%",
		"99999999999999999999%/1",
		"\xff\x80",
	};
	const char *word = texts[nr / 8 % (sizeof(texts) / sizeof(texts[0]))];
	const uint8_t kind = (uint8_t)(nr % 8);

	ts_bytes_put(out, &kind, 1);
	ts_bytes_put(out, word, strlen(word));
}
