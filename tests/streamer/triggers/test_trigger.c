// SPDX-License-Identifier: Apache-2.0
#include "streamer/triggers/trigger.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct trigger_options options;
static struct ts_error err;

static void release(void)
{
	event_list_release(&options.events);
}

TestSuite(trigger, .fini = release);

static void expect_psi(const char *text, const char *resource, uint64_t stall_us,
		       uint64_t window_us, enum trigger_action action)
{
	const struct trigger_psi *psi = &options.psi[options.nr_psi];

	cr_assert_eq(trigger_add(&options, text, &err), 0, "%s", err.text);
	cr_expect_eq(psi->text, text);
	cr_expect_str_eq(psi->resource, resource);
	cr_expect_eq(psi->stall_us, stall_us);
	cr_expect_eq(psi->window_us, window_us);
	cr_expect_eq(psi->action, action);
}

Test(trigger, takes_pressure_of_each_resource_with_each_action)
{
	expect_psi("psi:memory:100ms/1s", "memory", 100000, 1000000, TRIGGER_SNAPSHOT);
	expect_psi("psi:cpu:1s/1s:snapshot", "cpu", 1000000, 1000000, TRIGGER_SNAPSHOT);
	expect_psi("psi:io:1us/2s:rotate", "io", 1, 2000000, TRIGGER_SNAPSHOT);
	expect_psi("psi:io:1ms/2s:stop", "io", 1000, 2000000, TRIGGER_STOP);
	cr_expect_eq(options.nr_psi, 4);
}

static void refuse(const char *text)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence),
		 "cannot use --trigger '%s': it must be event:EVENT, or psi:cpu, psi:memory or "
		 "psi:io followed by :STALL/WINDOW",
		 text);
	cr_assert_eq(trigger_add(&options, text, &err), -EINVAL, "'%s' is taken", text);
	cr_expect_str_eq(err.text, sentence);
	cr_expect_str_eq(err.hint,
			 "give for example psi:memory:100ms/1s; :stop may follow each of them");
	cr_expect_eq(options.nr_psi, 0);
}

Test(trigger, refuses_what_is_no_pressure)
{
	refuse("");
	refuse("tea");
	refuse("psi");
	refuse("psi:");
	refuse("PSI:cpu:1ms/1s");
	refuse("psi:disk:1ms/1s");
	refuse("psi:cpus:1ms/1s");
	refuse("psi:cpu/1ms/1s");
}

Test(trigger, refuses_times_that_cannot_be)
{
	refuse("psi:cpu:");
	refuse("psi:cpu:1ms");
	refuse("psi:cpu:/1s");
	refuse("psi:cpu:1ms/");
	refuse("psi:cpu:0/1s");
	refuse("psi:cpu:1ns/1s");
	refuse("psi:cpu:1ms/0s");
	refuse("psi:cpu:2s/1s");
	refuse("psi:cpu:-1ms/1s");
	refuse("psi:cpu:1x/1s");
	refuse("psi:cpu:1ms/1s/1s");
	refuse("psi:cpu:00000000000000000000000000000001ms/1s");
}

Test(trigger, refuses_other_actions)
{
	refuse("psi:cpu:1ms/1s:");
	refuse("psi:cpu:1ms/1s:dance");
	refuse("psi:cpu:1ms/1s:stop:stop");
	refuse("psi:cpu:1ms/1s:stops");
}

Test(trigger, takes_seven_and_no_more)
{
	for (int i = 0; i < TRIGGER_PSI_MAX; i++)
		expect_psi("psi:cpu:1ms/1s", "cpu", 1000, 1000000, TRIGGER_SNAPSHOT);
	cr_assert_eq(trigger_add(&options, "psi:io:1ms/1s", &err), -EINVAL);
	cr_expect_str_eq(
		err.text,
		"cannot use --trigger 'psi:io:1ms/1s': at most 7 pressure triggers are allowed");
	cr_expect_eq(options.nr_psi, TRIGGER_PSI_MAX);
}

Test(trigger, takes_events_that_something_fires)
{
	cr_assert_eq(trigger_add_events(&options, "faults,bpf-output/map=/a/b/", &err), 0, "%s",
		     err.text);
	cr_assert_eq(trigger_add_events(&options, "cpu-clock:u", &err), 0, "%s", err.text);
	cr_assert_eq(options.events.nr, 3);
	cr_expect_null(options.events.items[0].map);
	cr_expect_str_eq(options.events.items[1].map, "/a/b");
	cr_expect_str_eq(options.events.items[2].name, "cpu-clock:u");
}

Test(trigger, refuses_the_event_of_programs_that_could_not_find_it)
{
	cr_assert_eq(trigger_add_events(&options, "faults,bpf-output/name=x/", &err), -EINVAL);
	cr_expect_str_eq(
		err.text,
		"cannot use --switch-output-event 'x': BPF programs need a map to find it");
	cr_expect_str_eq(err.hint, "give the path where a perf event array is pinned: "
				   "bpf-output/map=PATH/");
}

Test(trigger, refuses_events_as_they_are_refused_elsewhere)
{
	cr_assert_eq(trigger_add_events(&options, "cpu-clock/foo=1/", &err), -EINVAL);
	cr_expect_str_eq(err.text,
			 "cannot record event 'cpu-clock/foo=1/': there is no term 'foo'");
	cr_assert_eq(trigger_add_events(&options, "nosuchevent", &err), -ENOENT);
	cr_expect_str_eq(err.text,
			 "cannot record event 'nosuchevent': there is no event of that name");
	cr_expect_eq(options.events.nr, 0);
}

Test(trigger, takes_events_with_each_action)
{
	cr_assert_eq(trigger_add(&options, "event:faults", &err), 0, "%s", err.text);
	cr_assert_eq(trigger_add(&options, "event:cpu-clock:u,task-clock:stop", &err), 0, "%s",
		     err.text);
	cr_assert_eq(trigger_add(&options, "event:faults:rotate", &err), 0, "%s", err.text);
	cr_expect_eq(options.events.nr, 4);
	cr_expect_eq(options.stops, 6);
	cr_expect_str_eq(options.events.items[1].name, "cpu-clock:u");
	cr_expect(trigger_makes_snapshots(&options));
}

Test(trigger, refuses_a_crowd_of_events)
{
	for (int i = 0; i < 64; i++)
		cr_assert_eq(trigger_add(&options, "event:faults", &err), 0, "%s", err.text);
	cr_assert_eq(trigger_add(&options, "event:faults:stop", &err), -EINVAL);
	cr_expect_eq(options.stops, 0);
}

Test(trigger, tells_those_that_make_snapshots)
{
	cr_expect_not(trigger_makes_snapshots(&options));
	cr_assert_eq(trigger_add(&options, "psi:cpu:1ms/1s:stop", &err), 0);
	cr_expect_not(trigger_makes_snapshots(&options));
	cr_assert_eq(trigger_add(&options, "psi:io:1ms/1s", &err), 0);
	cr_expect(trigger_makes_snapshots(&options));
	options.nr_psi = 0;
	cr_assert_eq(trigger_add_events(&options, "faults", &err), 0);
	cr_expect(trigger_makes_snapshots(&options));
}
