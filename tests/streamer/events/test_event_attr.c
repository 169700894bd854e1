// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_attr.h"
#include "streamer/events/event_regs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "streamer/events/print_event_attr.h"

/* The attr of one event, under options that are settled first. */
static struct perf_event_attr attr_of(const char *text, struct event_options options)
{
	struct event_list list = {0};
	struct perf_event_attr attr;
	struct ts_error err = {0};

	cr_assert_eq(event_parse(&list, text, NULL, &err), 0, "%s", err.text);
	if (!strncmp(text, "r7", 2)) { /* stands for a tracepoint, which not every machine shows */
		list.items[0].system = strdup("calls");
		list.items[0].tracepoint = strdup("enter");
	}
	cr_assert_eq(event_options_settle(&options, 100000, NULL, &err), 0, "%s", err.text);
	event_attr(&list.items[0], &options, &attr);
	event_list_release(&list);
	return attr;
}

static const struct event_options none = {.inherit = true};

Test(event_attr, always_lays_id_and_time_at_the_same_place)
{
	struct perf_event_attr a = attr_of("cpu-clock", none);

	cr_expect_eq(a.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
					    PERF_SAMPLE_PERIOD);
	cr_expect_eq(a.size, 120);
	cr_expect(a.disabled && a.sample_id_all && a.inherit);
	cr_expect(!a.mmap && !a.comm && !a.task && !a.mmap2 && !a.ksymbol);
	cr_expect_eq(a.read_format, PERF_FORMAT_ID | PERF_FORMAT_LOST);
}

Test(event_attr, samples_by_frequency_period_or_every_time)
{
	struct event_options f = {.freq = 99}, c = {.period = 7};
	struct perf_event_attr a = attr_of("cpu-clock", none);

	cr_expect(a.freq && a.sample_freq == 4000);
	a = attr_of("cpu-clock", f);
	cr_expect(a.freq && a.sample_freq == 99);
	a = attr_of("cpu-clock", c);
	cr_expect(!a.freq && a.sample_period == 7);
	a = attr_of("r7", none);
	cr_expect(!a.freq && a.sample_period == 1 && (a.sample_type & PERF_SAMPLE_RAW));
	a = attr_of("r7", f);
	cr_expect(a.freq && a.sample_freq == 99);
	a = attr_of("mem:0x1000", none);
	cr_expect(!a.freq && a.sample_period == 1);
	a = attr_of("cpu-clock/period=5/", f);
	cr_expect(!a.freq && a.sample_period == 5);
	a = attr_of("cpu-clock/freq=5/", c);
	cr_expect(a.freq && a.sample_freq == 5);
}

Test(event_attr, lowers_a_frequency_that_the_kernel_does_not_allow)
{
	struct event_options high = {.freq = 200000}, max = {.freq = EVENT_FREQ_MAX};
	struct event_options both = {.freq = 1, .period = 1};
	struct ts_notes notes = {0};
	struct ts_error err;

	cr_expect_eq(event_options_settle(&high, 100000, &notes, &err), 0);
	cr_expect_eq(high.freq, 100000);
	cr_assert_eq(notes.nr, 1);
	cr_expect_str_eq(notes.items[0], "the sampling frequency is 100000 Hz, not 200000: "
					 "kernel.perf_event_max_sample_rate allows no more");
	cr_expect_eq(event_options_settle(&max, 50000, NULL, &err), 0);
	cr_expect_eq(max.freq, 50000);
	max.freq = EVENT_FREQ_MAX;
	cr_expect_eq(event_options_settle(&max, 0, NULL, &err), -EINVAL);
	cr_expect_eq(event_options_settle(&both, 100000, NULL, &err), -EINVAL);
	ts_notes_release(&notes);
}

Test(event_attr, asks_for_call_graphs)
{
	struct event_options fp = {.callgraph = EVENT_CALLGRAPH_FP};
	struct event_options dwarf = {.callgraph = EVENT_CALLGRAPH_DWARF, .stack_bytes = 4096};
	struct perf_event_attr a = attr_of("cpu-clock", fp);
	uint64_t stack = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CALLCHAIN |
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;

	cr_expect(a.sample_type & PERF_SAMPLE_CALLCHAIN && !a.exclude_callchain_user);
	a = attr_of("cpu-clock", dwarf);
	cr_expect_eq(a.sample_type & stack, stack);
	cr_expect(a.exclude_callchain_user && a.sample_stack_user == 4096);
#ifdef __x86_64__
	cr_expect_eq(a.sample_regs_user, 0xff0fff);
#endif
	a = attr_of("cpu-clock/call-graph=no/", dwarf);
	cr_expect_eq(a.sample_type & stack, 0);
	a = attr_of("cpu-clock/call-graph=dwarf,stack-size=64,max-stack=9/", none);
	cr_expect(a.sample_stack_user == 64 && a.sample_max_stack == 9);
}

Test(event_attr, takes_one_part_of_call_chains)
{
	struct event_options kernel = {.callgraph = EVENT_CALLGRAPH_FP, .kernel_callchains = true};
	struct event_options user = {.callgraph = EVENT_CALLGRAPH_DWARF, .user_callchains = true};
	struct perf_event_attr a = attr_of("cpu-clock", kernel);

	cr_expect(a.exclude_callchain_user && !a.exclude_callchain_kernel);
	a = attr_of("cpu-clock", user);
	cr_expect(a.exclude_callchain_user && a.exclude_callchain_kernel);
}

Test(event_attr, counts_threads_and_leaves_samples_out)
{
	struct event_options counts = {.thread_counts = true, .no_samples = true};
	struct perf_event_attr a = attr_of("cpu-clock", counts);

	cr_expect(a.inherit_stat && !a.sample_freq);
	cr_expect_eq(a.read_format, PERF_FORMAT_TOTAL_TIME_ENABLED |
					    PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
					    PERF_FORMAT_LOST);
	event_attr_sideband(&counts, false, &a);
	cr_expect(!a.inherit_stat);
}

Test(event_attr, refuses_a_frequency_that_is_to_be_met)
{
	struct event_options strict = {.freq = 200000, .strict_freq = true};
	struct ts_error err;

	cr_expect_eq(event_options_settle(&strict, 100000, NULL, &err), -EINVAL);
	cr_expect_eq(event_options_settle(&strict, 200000, NULL, &err), 0);
}

Test(event_attr, reads_the_value_of_call_graph)
{
	enum event_callgraph how;
	uint32_t bytes;
	struct ts_error err;

	cr_expect_eq(event_parse_callgraph("fp", &how, &bytes, &err), 0);
	cr_expect_eq(how, EVENT_CALLGRAPH_FP);
	cr_expect_eq(event_parse_callgraph("dwarf", &how, &bytes, &err), 0);
	cr_expect(how == EVENT_CALLGRAPH_DWARF && bytes == 8192);
	cr_expect_eq(event_parse_callgraph("dwarf,4097", &how, &bytes, &err), 0);
	cr_expect_eq(bytes, 4104);
	cr_expect_eq(event_parse_callgraph("dwarf,65528", &how, &bytes, &err), 0);
	cr_expect_eq(event_parse_callgraph("dwarf,65529", &how, &bytes, &err), -EINVAL);
	cr_expect_eq(event_parse_callgraph("dwarf,0", &how, &bytes, &err), -EINVAL);
	cr_expect_eq(event_parse_callgraph("dwarf,", &how, &bytes, &err), -EINVAL);
	cr_expect_eq(event_parse_callgraph("lbr", &how, &bytes, &err), -EINVAL);
	cr_expect_eq(event_parse_callgraph("foo", &how, &bytes, &err), -EINVAL);
}

Test(event_attr, reads_clocks)
{
	struct ts_error err;
	int clockid = -1;

	cr_expect_eq(event_parse_clock("mono", &clockid, &err), 0);
	cr_expect_eq(clockid, CLOCK_MONOTONIC);
	cr_expect_eq(event_parse_clock("CLOCK_TAI", &clockid, &err), 0);
	cr_expect_eq(clockid, CLOCK_TAI);
	cr_expect_eq(event_parse_clock("7", &clockid, &err), 0);
	cr_expect_eq(clockid, CLOCK_BOOTTIME);
	cr_expect_eq(event_parse_clock("99", &clockid, &err), -EINVAL);
	cr_expect_eq(event_parse_clock("foo", &clockid, &err), -EINVAL);
}

static bool takes_mono(const char *clocksource, const char *event, uint64_t period)
{
	char path[] = "/tmp/tstream-clock.XXXXXX";
	struct event_options options = {.period = period};
	struct event_list list = {0};
	struct ts_error err;
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, clocksource, strlen(clocksource)), (ssize_t)strlen(clocksource));
	close(fd);
	cr_assert_eq(event_parse(&list, event, NULL, &err), 0);
	event_default_clock(&list, path, &options);
	unlink(path);
	event_list_release(&list);
	return options.use_clockid && options.clockid == CLOCK_MONOTONIC;
}

Test(event_attr, takes_the_monotonic_clock_where_it_is_cheap)
{
	cr_expect(takes_mono("tsc\n", "cpu-clock", 0));
	cr_expect(takes_mono("kvm-clock\n", "cycles:pp", 0));
	cr_expect(!takes_mono("hpet\n", "cpu-clock", 0));
	cr_expect(!takes_mono("tsc\n", "cycles:pp", 1000));
	cr_expect(!takes_mono("tsc\n", "cpu-clock,cycles/period=9/P", 0));
}

Test(event_attr, leaves_the_kernel_out_for_an_ordinary_user)
{
	struct event_options user = {.user_only = true};
	struct perf_event_attr a = attr_of("cpu-clock", user);

	cr_expect(a.exclude_kernel && a.exclude_hv && a.exclude_guest);
	a = attr_of("cpu-clock:k", user);
	cr_expect(!a.exclude_kernel && a.exclude_user);
	event_attr_owner(&user, 4096, false, &a);
	cr_expect(a.exclude_kernel && a.watermark && a.wakeup_watermark == 4096);
	event_attr_sideband(&user, false, &a);
	cr_expect(a.exclude_kernel && !a.namespaces);
}

Test(event_attr, asks_the_sideband_dummy_for_everything_about_tasks)
{
	struct event_options options = {.inherit = true,
					.namespaces = true,
					.use_clockid = true,
					.clockid = CLOCK_MONOTONIC};
	struct perf_event_attr a;

	event_attr_sideband(&options, true, &a);
	cr_expect(a.type == PERF_TYPE_SOFTWARE && a.config == PERF_COUNT_SW_DUMMY);
	cr_expect(a.mmap && a.mmap2 && a.mmap_data && a.comm && a.comm_exec && a.task);
	cr_expect(a.ksymbol && a.bpf_event && a.cgroup && a.namespaces && a.build_id);
	cr_expect(a.use_clockid && a.clockid == CLOCK_MONOTONIC && a.sample_id_all);
	cr_expect_eq(a.sample_type, EVENT_BASE_SAMPLE_TYPE);
	cr_expect(!a.context_switch);
	options.switch_events = true;
	event_attr_sideband(&options, true, &a);
	cr_expect(a.context_switch);
	cr_expect(a.inherit && !a.inherit_thread);
	options.inherit = false;
	event_attr_sideband(&options, true, &a);
	cr_expect(a.inherit && a.inherit_thread, "new threads map code for those that are sampled");
}

Test(event_attr, has_registers_beside_those_that_unwinding_needs)
{
	struct event_options options = {.user_regs = 1, .intr_regs = 2};
	struct perf_event_attr a = attr_of("cpu-clock", options);

	cr_expect(a.sample_regs_user == 1 && a.sample_regs_intr == 2);
	cr_expect(a.sample_type & PERF_SAMPLE_REGS_USER && a.sample_type & PERF_SAMPLE_REGS_INTR);
	options.callgraph = EVENT_CALLGRAPH_DWARF;
	a = attr_of("cpu-clock", options);
	cr_expect_eq(a.sample_regs_user, EVENT_REGS_ALL);
}

Test(event_attr, prints_an_attr_in_perfs_words)
{
	struct perf_event_attr a = attr_of("cycles:upp", none);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	print_event_attr(&a, out);
	fclose(out);
	cr_expect_str_eq(text,
			 "------------------------------------------------------------\n"
			 "perf_event_attr:\n"
			 "  size                             120\n"
			 "  { sample_period, sample_freq }   4000\n"
			 "  sample_type                      IP|TID|TIME|CPU|PERIOD|IDENTIFIER\n"
			 "  read_format                      ID|LOST\n"
			 "  disabled                         1\n"
			 "  inherit                          1\n"
			 "  exclude_kernel                   1\n"
			 "  exclude_hv                       1\n"
			 "  freq                             1\n"
			 "  precise_ip                       2\n"
			 "  sample_id_all                    1\n"
			 "  exclude_guest                    1\n"
			 "------------------------------------------------------------\n");
	free(text);
}
