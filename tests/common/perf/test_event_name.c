// SPDX-License-Identifier: Apache-2.0
#include "common/perf/event_name.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

static const char *name_of(struct perf_event_attr attr)
{
	static char buf[TS_EVENT_NAME_BYTES];

	ts_event_name(&attr, buf, sizeof(buf));
	return buf;
}

static struct perf_event_attr user_only(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type, .config = config, .exclude_kernel = 1, .exclude_hv = 1};

	return attr;
}

Test(event_name, names_software_and_hardware_events)
{
	struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE};
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE, .exclude_guest = 1};

	cr_assert_str_eq(name_of(clock), "cpu-clock:HG");
	cr_assert_str_eq(name_of(cycles), "cycles");
	cr_assert_str_eq(name_of(user_only(PERF_TYPE_HARDWARE, 1)), "instructions:u");
}

Test(event_name, shows_precision_with_the_host_and_guest_marks_that_perf_adds)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .precise_ip = 2};

	cr_assert_str_eq(name_of(attr), "cycles:pp");
	attr.exclude_guest = 1;
	cr_assert_str_eq(name_of(attr), "cycles:ppH");
}

Test(event_name, names_caches_breakpoints_and_raw_events)
{
	struct perf_event_attr mem = {
		.type = PERF_TYPE_BREAKPOINT, .bp_addr = 0x1234, .bp_type = 3, .exclude_guest = 1};

	cr_assert_str_eq(name_of(user_only(PERF_TYPE_HW_CACHE, 0x10002)), "LLC-load-misses:u");
	cr_assert_str_eq(name_of(mem), "mem:0x1234:rw");
	cr_assert_str_eq(name_of(user_only(PERF_TYPE_RAW, 0x1c2)), "raw 0x1c2:u");
}

Test(event_name, says_what_it_cannot_name)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = 300};

	cr_assert_str_eq(name_of(attr), "unknown tracepoint");
	attr.type = 42;
	cr_assert_str_eq(name_of(attr), "unknown attr type: 42");
	cr_assert_str_eq(name_of(user_only(PERF_TYPE_HARDWARE, 9999)), "unknown-hardware:u");
	cr_assert_str_eq(name_of(user_only(PERF_TYPE_HW_CACHE, 0xffffff)),
			 "unknown-ext-hardware-cache-type:u");
}

Test(event_name, never_writes_beyond_the_buffer)
{
	struct perf_event_attr attr = user_only(PERF_TYPE_HW_CACHE, 0xffffff);
	char buf[8];

	memset(buf, '#', sizeof(buf));
	ts_event_name(&attr, buf, 4);
	cr_assert_str_eq(buf, "unk");
	cr_assert_eq(buf[4], '#');
}
