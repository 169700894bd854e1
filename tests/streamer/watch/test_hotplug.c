// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/hotplug.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cpus.h"

static struct hotplug plug;
static struct ts_error err;

static hwloc_bitmap_t set_of(const char *list)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	cr_assert_eq(ts_cpus_parse(list, set, &err), 0);
	return set;
}

static void open_with(const char *online)
{
	hwloc_bitmap_t set = set_of(online);

	cr_assert_eq(hotplug_open(&plug, set, &err), 0);
	hwloc_bitmap_free(set);
}

static void compare_with(const char *online)
{
	hwloc_bitmap_t set = set_of(online);

	hotplug_compare(&plug, set);
	hwloc_bitmap_free(set);
}

static void expect(const char *went, const char *came)
{
	char *is_gone = ts_cpus_text(plug.went), *is_back = ts_cpus_text(plug.came);

	cr_expect_str_eq(is_gone, went);
	cr_expect_str_eq(is_back, came);
	free(is_gone);
	free(is_back);
	hwloc_bitmap_zero(plug.went);
	hwloc_bitmap_zero(plug.came);
}

static void tell(const char *text)
{
	hotplug_take_message(&plug, text, strlen(text) + 1);
}

Test(hotplug, sees_who_went_and_who_came)
{
	open_with("0-3");
	compare_with("0-3");
	expect("", "");
	compare_with("0,2-3,5");
	expect("1", "5");
	compare_with("0-3,5");
	expect("", "1");
	hotplug_close(&plug);
	hotplug_close(&plug);
}

Test(hotplug, knows_of_one_that_is_back_already)
{
	open_with("0-130");
	tell("offline@/devices/system/cpu/cpu128");
	compare_with("0-130");
	expect("128", "128");
	hotplug_close(&plug);
}

Test(hotplug, takes_nothing_from_other_messages)
{
	open_with("0-3");
	tell("online@/devices/system/cpu/cpu1");
	tell("offline@/devices/system/cpu/cpu");
	tell("offline@/devices/system/cpu/cpux");
	tell("offline@/devices/system/cpu/cpu1/cache");
	tell("offline@/devices/system/memory/memory1");
	tell("offline@/devices/system/cpu/cpu9999999");
	tell("");
	compare_with("0-3");
	expect("", "");
	hotplug_close(&plug);
}

Test(hotplug, looks_at_this_machine)
{
	hwloc_bitmap_t online = hwloc_bitmap_alloc();

	cr_assert_eq(ts_cpus_online(online, &err), 0);
	cr_assert_eq(hotplug_open(&plug, online, &err), 0);
	hotplug_look(&plug);
	cr_expect(hwloc_bitmap_isequal(plug.online, online));
	hwloc_bitmap_free(online);
	hotplug_close(&plug);
}
