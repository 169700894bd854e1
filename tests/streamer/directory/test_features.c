// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/features.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/clock.h"

static struct ts_feature_set set;
static struct ts_bytes file;
static struct ts_header header;

static void collect(void)
{
	static const char *const words[] = {"record", "-a", "sleep 1"};
	struct features_facts facts = {.version = "9.8", .words = words, .nr_words = 3};
	struct ts_error err;

	cr_assert_eq(features_collect(&set, &facts, &err), 0);
}

/* Packs the set into a file and parses that again, so that tests see what a reader sees. */
static struct ts_cursor packed(enum ts_feature bit)
{
	struct perf_event_attr attr = {.size = TS_ATTR_SIZE};
	struct ts_events events = {0};
	const uint64_t id = 1;
	struct ts_error err;

	cr_assert_eq(ts_events_add(&events, &attr, "x", &id, 1, &err), 0);
	ts_bytes_clear(&file);
	cr_assert_eq(ts_header_pack(&events, NULL, 0, &set, &file, &err), 0);
	ts_header_release(&header);
	cr_assert_eq(ts_header_parse(file.data, file.len, "data", &header, &err), 0, "%s",
		     err.text);
	ts_events_release(&events);
	cr_assert_not_null(header.features[bit].data, "feature %d is absent", bit);
	return ts_header_feature_cursor(&header, bit);
}

static const char *string(struct ts_cursor *c)
{
	const char *s = NULL;

	cr_assert(ts_cursor_string(c, &s));
	return s;
}

static uint32_t u32(struct ts_cursor *c)
{
	uint32_t v = 0;

	cr_assert(ts_cursor_u32(c, &v));
	return v;
}

static uint64_t u64(struct ts_cursor *c)
{
	uint64_t v = 0;

	cr_assert(ts_cursor_u64(c, &v));
	return v;
}

static void release(void)
{
	ts_header_release(&header);
	ts_bytes_release(&file);
	ts_feature_set_release(&set);
}

TestSuite(features, .fini = release);

Test(features, name_the_machine_and_the_program)
{
	struct ts_cursor c;
	struct utsname uts;

	uname(&uts);
	collect();
	c = packed(TS_FEAT_HOSTNAME);
	cr_assert_str_eq(string(&c), uts.nodename);
	c = packed(TS_FEAT_OSRELEASE);
	cr_assert_str_eq(string(&c), uts.release);
	c = packed(TS_FEAT_ARCH);
	cr_assert_str_eq(string(&c), uts.machine);
	c = packed(TS_FEAT_VERSION);
	cr_assert_str_eq(string(&c), "9.8");
}

Test(features, tell_the_command_line_word_by_word)
{
	char exe[4096] = "";
	struct ts_cursor c;

	collect();
	cr_assert_gt(readlink("/proc/self/exe", exe, sizeof(exe) - 1), 0);
	c = packed(TS_FEAT_CMDLINE);
	cr_assert_eq(u32(&c), 4);
	cr_assert_str_eq(string(&c), exe);
	cr_assert_str_eq(string(&c), "record");
	cr_assert_str_eq(string(&c), "-a");
	cr_assert_str_eq(string(&c), "sleep 1");
	cr_assert_eq(c.left, 0);
}

Test(features, count_more_cpus_than_any_number_of_one)
{
	struct ts_cursor c;
	uint32_t available;

	collect();
	c = packed(TS_FEAT_NRCPUS);
	available = u32(&c);
	cr_assert_geq(available, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	cr_assert_eq(u32(&c), (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	cr_assert_eq(header.nr_cpus_avail, available);
}

/* Every section must be consumed to its end, or a reader would take it for a newer form. */
Test(features, fill_the_topology_exactly)
{
	struct ts_cursor c;
	uint32_t nr_cpus;

	collect();
	c = packed(TS_FEAT_NRCPUS);
	nr_cpus = u32(&c);
	c = packed(TS_FEAT_CPU_TOPOLOGY);
	for (uint32_t list = 0; list < 2; list++)
		for (uint32_t i = u32(&c); i > 0; i--)
			cr_assert_gt(strlen(string(&c)), 0);
	for (uint32_t i = 0; i < 2 * nr_cpus; i++)
		u32(&c);
	if (c.left) {
		for (uint32_t i = u32(&c); i > 0; i--)
			cr_assert_gt(strlen(string(&c)), 0);
		for (uint32_t i = 0; i < nr_cpus; i++)
			u32(&c);
	}
	cr_assert_eq(c.left, 0);
}

Test(features, tell_caches_by_ascending_level)
{
	struct ts_cursor c;
	uint32_t nr, level = 0;

	if (access("/sys/devices/system/cpu/cpu0/cache/index0/level", R_OK))
		cr_skip_test("this machine tells nothing of its caches");
	collect();
	c = packed(TS_FEAT_CACHE);
	cr_assert_eq(u32(&c), 1);
	for (nr = u32(&c); nr > 0; nr--) {
		uint32_t this_level = u32(&c);

		cr_assert_geq(this_level, level);
		level = this_level;
		cr_assert_gt(u32(&c), 0);
		u32(&c);
		u32(&c);
		cr_assert_gt(strlen(string(&c)), 0);
		cr_assert_gt(strlen(string(&c)), 0);
		cr_assert_gt(strlen(string(&c)), 0);
	}
	cr_assert_eq(c.left, 0);
	cr_assert_geq(level, 1);
}

Test(features, have_no_group_section_as_nothing_is_grouped)
{
	collect();
	packed(TS_FEAT_HOSTNAME);
	cr_assert_null(header.features[TS_FEAT_GROUP_DESC].data);
	cr_assert(header.is_directory);
}

Test(features, replace_what_was_set_before)
{
	struct ts_cursor c;

	collect();
	features_set_sample_time(&set, 10, 20);
	features_set_compressed(&set, 3, 0, 0);
	features_set_compressed(&set, 3, 1000, 390);
	c = packed(TS_FEAT_SAMPLE_TIME);
	cr_assert_eq(u64(&c), 10);
	cr_assert_eq(u64(&c), 20);
	cr_assert_eq(c.left, 0);
	c = packed(TS_FEAT_COMPRESSED);
	cr_assert_eq(c.left, 20);
	cr_assert_eq(u32(&c), 0);
	cr_assert_eq(u32(&c), 1);
	cr_assert_eq(u32(&c), 3);
	cr_assert_eq(u32(&c), 3); /* 2.56, rounded */
	cr_assert_geq(header.compressed_mmap_len, 65536);
}

Test(features, read_the_wall_clock_with_the_clock_of_the_events)
{
	uint64_t mono_before_ns, mono_after_ns, before_ns, after_ns, at_ns;
	struct ts_cursor c;
	struct ts_error err;

	before_ns = ts_clock_ns(CLOCK_REALTIME);
	mono_before_ns = ts_clock_ns(CLOCK_MONOTONIC);
	cr_assert_eq(features_set_clock(&set, CLOCK_MONOTONIC, &err), 0);
	mono_after_ns = ts_clock_ns(CLOCK_MONOTONIC);
	after_ns = ts_clock_ns(CLOCK_REALTIME);
	c = packed(TS_FEAT_CLOCK_DATA);
	cr_assert_eq(u32(&c), 1);
	cr_assert_eq(u32(&c), CLOCK_MONOTONIC);
	at_ns = u64(&c);
	cr_assert(before_ns <= at_ns && at_ns <= after_ns);
	at_ns = u64(&c);
	cr_assert(mono_before_ns <= at_ns && at_ns <= mono_after_ns);
	c = packed(TS_FEAT_CLOCKID);
	cr_assert_geq(u64(&c), 1);
}

Test(features, refuse_a_clock_that_does_not_exist)
{
	struct ts_error err;

	cr_assert_eq(features_set_clock(&set, 999, &err), -EINVAL);
	cr_assert_null(set.payload[TS_FEAT_CLOCKID].data);
}

Test(features, hold_the_build_id_of_the_running_kernel)
{
	struct ts_error err;
	struct ts_cursor c;
	const uint8_t *b;
	bool kernel = false, vdso = false;

	if (access("/sys/kernel/notes", R_OK))
		cr_skip_test("this kernel does not tell its build-id");
	cr_assert_eq(features_set_build_ids(&set, true, NULL, &err), 0);
	cr_assert_eq(features_set_build_ids(&set, true, NULL, &err), 0);
	c = packed(TS_FEAT_BUILD_ID);
	while (c.left) {
		struct perf_event_header h;

		cr_assert_geq(c.left, sizeof(h));
		memcpy(&h, c.at, sizeof(h));
		cr_assert(ts_cursor_bytes(&c, h.size, &b));
		cr_assert_eq(h.type, 0);
		cr_assert_eq((h.size - 36) % 64, 0);
		cr_assert_eq(b[32], 20);
		if (!strcmp((const char *)b + 36, "[kernel.kallsyms]")) {
			cr_assert_not(kernel);
			cr_assert_eq(h.misc, 0x8001);
			kernel = true;
		}
		vdso = vdso || !strcmp((const char *)b + 36, "[vdso]");
	}
	cr_assert(kernel);
	cr_assert(vdso);
}
