// SPDX-License-Identifier: Apache-2.0
/*
 * The records of synthesis that belong to no task: the kernel, ids, targets that were asked for,
 * clocks, losses.
 */
#include "streamer/synthesis/synthesis.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "common/perf/record.h"
#include "tests/support/synthesized.h"

Test(synthesis_machine, tells_where_the_kernel_lies)
{
	struct synthesis_options options = test_options();
	struct kallsyms symbols = {
		.reference = "_text", .start = 0xffffffff81000000, .end = 0xffffffff82206448};
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	size_t at = 0;

	synthesis_kernel(&out, &symbols, &options, NULL);
	h = next(&out, &at);
	cr_assert_eq(h->type, PERF_RECORD_MMAP);
	cr_assert_eq(h->misc, PERF_RECORD_MISC_KERNEL);
	cr_assert_eq(h->size, 96);
	cr_assert_eq(u32_at(h, PID), UINT32_MAX);
	cr_assert_eq(u32_at(h, TID), 0);
	cr_assert_eq(u64_at(h, MAP_ADDR), symbols.start);
	cr_assert_eq(u64_at(h, MAP_LEN), symbols.end - symbols.start);
	cr_assert_eq(u64_at(h, MAP_PGOFF), symbols.start);
	cr_assert_str_eq(name_at(h, MMAP_NAME), "[kernel.kallsyms]_text");
	ts_bytes_release(&out);
}

Test(synthesis_machine, notes_that_the_kernel_hides_its_addresses)
{
	struct synthesis_options options = test_options();
	struct kallsyms symbols = {.hidden = true};
	struct ts_notes notes = {0};
	struct ts_bytes out = {0};

	synthesis_kernel(&out, &symbols, &options, &notes);
	cr_assert_eq(out.len, 0);
	cr_assert_eq(notes.nr, 1);
	cr_assert_not_null(strstr(notes.items[0], "kernel.kptr_restrict"));
	ts_notes_release(&notes);
}

Test(synthesis_machine, splits_an_id_index_that_no_record_holds)
{
	enum { COUNT = 5000 };
	static struct synthesis_id ids[COUNT];
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	size_t at = 0;
	uint64_t seen = 0;

	for (int i = 0; i < COUNT; i++)
		ids[i] = (struct synthesis_id){
			.id = 1000 + (uint64_t)i, .idx = 3, .cpu = i, .tid = -1};
	synthesis_id_index(&out, ids, COUNT);
	while ((h = next(&out, &at))) {
		cr_assert_eq(h->type, TS_RECORD_ID_INDEX);
		cr_assert_eq(h->size, 16 + 32 * u64_at(h, 8));
		for (uint64_t i = 0; i < u64_at(h, 8); i++, seen++) {
			cr_assert_eq(u64_at(h, 16 + 32 * i), 1000 + seen);
			cr_assert_eq(u64_at(h, 32 + 32 * i), seen);
			cr_assert_eq(u64_at(h, 40 + 32 * i), UINT64_MAX);
		}
	}
	cr_assert_eq(seen, COUNT);
	ts_bytes_release(&out);
}

Test(synthesis_machine, tells_which_tasks_and_cpus_were_asked_for)
{
	static const uint32_t cpus[] = {0, 2, 5};
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	pid_t self = getpid();
	size_t at = 0;

	synthesis_thread_map(&out, NULL, 0);
	synthesis_thread_map(&out, &self, 1);
	synthesis_cpu_map(&out, cpus, 3);
	h = next(&out, &at);
	cr_assert_eq(h->type, TS_RECORD_THREAD_MAP);
	cr_assert_eq(u64_at(h, 16), UINT64_MAX);
	h = next(&out, &at);
	cr_assert_eq(u64_at(h, 16), (uint64_t)self);
	cr_assert_gt(strlen(name_at(h, 24)), 0);
	h = next(&out, &at);
	cr_assert_eq(h->type, TS_RECORD_CPU_MAP);
	cr_assert_eq(ts_record_load_u16(name_at(h, 10)), 3);
	cr_assert_eq(ts_record_load_u16(name_at(h, 16)), 5);
	ts_bytes_release(&out);
}

Test(synthesis_machine, tells_the_unit_of_a_clock_and_of_no_other_event)
{
	struct perf_event_attr switches = test_attr;
	struct ts_bytes out = {0};
	const struct perf_event_header *h;
	size_t at = 0;
	double scale;

	switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	synthesis_event_update(&out, &switches, "context-switches", 7);
	cr_assert_eq(out.len, 0);
	synthesis_event_update(&out, &test_attr, "cpu-clock", 7);
	h = next(&out, &at);
	cr_assert_eq(h->type, TS_RECORD_EVENT_UPDATE);
	cr_assert_eq(u64_at(h, 8), 0);
	cr_assert_eq(u64_at(h, 16), 7);
	cr_assert_str_eq(name_at(h, 24), "msec");
	h = next(&out, &at);
	cr_assert_eq(u64_at(h, 8), 1);
	memcpy(&scale, name_at(h, 24), sizeof(scale));
	cr_assert_eq(scale, 1e-6);
	ts_bytes_release(&out);
}

Test(synthesis_machine, tells_what_a_descriptor_lost_with_its_id_and_cpu)
{
	struct ts_events events = {0};
	struct ts_bytes out = {0};
	struct ts_sample_id sid;
	struct ts_error err;
	const uint64_t ids[] = {41, 42};
	const struct perf_event_header *h;
	size_t at = 0;

	cr_assert_eq(ts_events_add(&events, &test_attr, "cpu-clock", ids, 2, &err), 0);
	cr_assert_eq(ts_events_index(&events, &err), 0);
	synthesis_lost_samples(&out, &test_attr, 41, 3, 0);
	cr_assert_eq(out.len, 0);
	synthesis_lost_samples(&out, &test_attr, 42, 3, 99);
	h = next(&out, &at);
	cr_assert_eq(h->type, PERF_RECORD_LOST_SAMPLES);
	cr_assert_eq(u64_at(h, 8), 99);
	cr_assert_eq(ts_decode_trailer(&events, h, &sid), TS_DECODE_OK);
	cr_assert_eq(sid.id, 42);
	cr_assert_eq(sid.cpu, 3);
	cr_assert_eq(sid.time_ns, 0);
	ts_events_release(&events);
	ts_bytes_release(&out);
}
