// SPDX-License-Identifier: Apache-2.0
/* perf's results for the same words were taken from `perf record -vv` and `perf evlist` of 6.1. */
#include "streamer/events/event.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"

static struct scratch folder;
static char tracefs[128], pmus[128];
static const struct event_roots roots = {.tracefs = tracefs, .pmus = pmus};

static void make_roots(void)
{
	scratch_make(&folder);
	snprintf(tracefs, sizeof(tracefs), "%s/trace", folder.path);
	snprintf(pmus, sizeof(pmus), "%s/pmus", folder.path);
	scratch_put(&folder, "trace/events/sched/sched_switch/id", "370\n");
	scratch_put(&folder, "trace/events/sched/sched_wakeup/id", "371\n");
	scratch_put(&folder, "trace/events/sched/enable", "0\n");
	scratch_put(&folder, "trace/events/irq/irq_entry/id", "12\n");
	scratch_put(&folder, "pmus/cpu/type", "4\n");
	scratch_put(&folder, "pmus/cpu/format/event", "config:0-7,32-35\n");
	scratch_put(&folder, "pmus/cpu/format/umask", "config:8-15\n");
	scratch_put(&folder, "pmus/cpu/format/ldlat", "config1:0-15\n");
	scratch_put(&folder, "pmus/cpu/format/new", "config3:0-15\n");
	scratch_put(&folder, "pmus/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	scratch_put(&folder, "pmus/cpu/events/open", "event=0x1,ldlat=?\n");
	scratch_put(&folder, "pmus/uncore_imc_0/type", "24\n");
	scratch_put(&folder, "pmus/uncore_imc_0/cpumask", "0,4\n");
	scratch_put(&folder, "pmus/uncore_imc_0/format/event", "config:0-7\n");
	scratch_put(&folder, "pmus/uncore_imc_1/type", "25\n");
	scratch_put(&folder, "pmus/uncore_imc_1/format/event", "config:0-7\n");
}

static void remove_roots(void)
{
	scratch_remove(&folder);
}

TestSuite(event, .init = make_roots, .fini = remove_roots);

static struct event_list parse(const char *text)
{
	struct event_list list = {0};
	struct ts_error err = {0};

	cr_assert_eq(event_parse(&list, text, &roots, &err), 0, "%s: %s", text, err.text);
	return list;
}

static void expect_one(const char *text, uint32_t type, uint64_t config, const char *name)
{
	struct event_list list = parse(text);

	cr_expect_eq(list.nr, 1, "%s", text);
	cr_expect_eq(list.items[0].attr.type, type, "%s: type %u", text, list.items[0].attr.type);
	cr_expect_eq(list.items[0].attr.config, config, "%s: config %llx", text,
		     list.items[0].attr.config);
	cr_expect_str_eq(list.items[0].name, name);
	event_list_release(&list);
}

/* The exclusions: user kernel hv host guest idle, then precise_ip, pinned, exclusive. */
static void expect_modifiers(const char *text, const char *expected)
{
	struct event_list list = parse(text);
	const struct perf_event_attr *a = &list.items[0].attr;
	char actual[64];

	snprintf(actual, sizeof(actual), "%u%u%u%u%u%u %u%u%u", a->exclude_user, a->exclude_kernel,
		 a->exclude_hv, a->exclude_host, a->exclude_guest, a->exclude_idle, a->precise_ip,
		 a->pinned, a->exclusive);
	cr_expect_str_eq(actual, expected, "%s: %s", text, actual);
	event_list_release(&list);
}

static void refuse(const char *text, const char *end)
{
	struct event_list list = parse("cpu-clock");
	struct ts_error err = {0};
	size_t len;
	int rc = event_parse(&list, text, &roots, &err);

	cr_expect_lt(rc, 0, "%s is taken", text);
	len = strlen(err.text);
	cr_expect(len >= strlen(end) && !strcmp(err.text + len - strlen(end), end), "%s: %s", text,
		  err.text);
	cr_expect_eq(list.nr, 1);
	event_list_release(&list);
}

Test(event, knows_the_generic_names)
{
	expect_one("cycles", PERF_TYPE_HARDWARE, 0, "cycles");
	expect_one("cpu-cycles", PERF_TYPE_HARDWARE, 0, "cpu-cycles");
	expect_one("branches", PERF_TYPE_HARDWARE, 4, "branches");
	expect_one("idle-cycles-frontend", PERF_TYPE_HARDWARE, 7, "idle-cycles-frontend");
	expect_one("cpu-clock", PERF_TYPE_SOFTWARE, 0, "cpu-clock");
	expect_one("cs:u", PERF_TYPE_SOFTWARE, 3, "cs:u");
	expect_one(" faults ", PERF_TYPE_SOFTWARE, 2, "faults");
	expect_one("cgroup-switches", PERF_TYPE_SOFTWARE, 11, "cgroup-switches");
}

Test(event, knows_the_cache_names)
{
	expect_one("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, "L1-dcache-load-misses");
	expect_one("LLC-loads", PERF_TYPE_HW_CACHE, 2, "LLC-loads");
	expect_one("l1d-read", PERF_TYPE_HW_CACHE, 0, "l1d-read");
	expect_one("dTLB-store-misses", PERF_TYPE_HW_CACHE, 0x10103, "dTLB-store-misses");
	expect_one("branch-loads", PERF_TYPE_HW_CACHE, 5, "branch-loads");
	expect_one("node", PERF_TYPE_HW_CACHE, 6, "node");
	refuse("L1-dcache-", "there is no event of that name");
	refuse("L1-dcache-loads-loads", "there is no event of that name");
}

Test(event, takes_raw_events)
{
	expect_one("r1a2", PERF_TYPE_RAW, 0x1a2, "r1a2");
	expect_one("r1A2:u", PERF_TYPE_RAW, 0x1a2, "r1A2:u");
	expect_one("r1/name=x/", PERF_TYPE_RAW, 1, "x");
	refuse("rxyz", "there is no event of that name");
	refuse("r11112222333344445", "there is no event of that name");
}

Test(event, takes_breakpoints)
{
	struct event_list list = parse("mem:0x1000,mem:0x2000/8:w:u,mem:4096:x");

	cr_assert_eq(list.nr, 3);
	cr_expect(list.items[0].attr.bp_addr == 0x1000 && list.items[0].attr.bp_len == 4);
	cr_expect(list.items[0].attr.bp_type == 3 && list.items[0].attr.exclude_guest);
	cr_expect(list.items[1].attr.bp_addr == 0x2000 && list.items[1].attr.bp_len == 8);
	cr_expect(list.items[1].attr.bp_type == 2 && list.items[1].attr.exclude_kernel);
	cr_expect(list.items[2].attr.bp_addr == 4096 && list.items[2].attr.bp_len == sizeof(long));
	cr_expect_eq(list.items[2].attr.bp_type, 4);
	event_list_release(&list);
	refuse("mem:", "'' is not an address[/length]");
	refuse("mem:0x1000:q",
	       "the access must be r, w, x or a combination of them; modifiers follow it");
}

Test(event, gives_modifiers_perfs_meaning)
{
	expect_modifiers("cycles", "000010 000");
	expect_modifiers("cycles:u", "011010 000");
	expect_modifiers("cycles:k", "101000 000");
	expect_modifiers("cycles:h", "110000 000");
	expect_modifiers("cycles:H", "000010 000");
	expect_modifiers("cycles:G", "000100 000");
	expect_modifiers("cycles:I", "000001 000");
	expect_modifiers("cycles:p", "000010 100");
	expect_modifiers("cycles:ppp", "000010 300");
	expect_modifiers("cycles:D", "000000 010");
	expect_modifiers("cycles:e", "000000 001");
	expect_modifiers("cycles:uk", "001010 000");
	expect_modifiers("cycles:kppu", "001010 200");
	expect_modifiers("cycles:hp", "110010 100");
	refuse("cycles:pppp", "the highest precision is ppp");
	refuse("cycles:R", "'R' is not a list of modifiers (u k h G H I p P D e)");
	refuse("cycles:", "there is no modifier after the ':'");
	refuse("cycles:S", "the modifier S (groups, counting) is not supported");
}

Test(event, finds_tracepoints_by_name_and_pattern)
{
	struct event_list list;

	expect_one("sched:sched_switch", PERF_TYPE_TRACEPOINT, 370, "sched:sched_switch");
	expect_one("sched:sched_s*", PERF_TYPE_TRACEPOINT, 370, "sched:sched_switch");
	expect_one("sched:sched_switch:u", PERF_TYPE_TRACEPOINT, 370, "sched:sched_switch");
	expect_one("i?q:*entry", PERF_TYPE_TRACEPOINT, 12, "irq:irq_entry");
	expect_one("irq:irq_entry/name=entry/", PERF_TYPE_TRACEPOINT, 12, "entry");
	list = parse("*:*");
	cr_expect_eq(list.nr, 3);
	for (size_t i = 0; i < list.nr; i++)
		cr_expect(list.items[i].system && list.items[i].tracepoint);
	event_list_release(&list);
	refuse("sched:nope", "this kernel has no such tracepoint");
	refuse("nope:*", "this kernel has no such tracepoint");
	refuse("..:events", "this kernel has no such tracepoint");
}

Test(event, applies_terms)
{
	struct event_list list =
		parse("cpu-clock/freq=100,call-graph=dwarf,stack-size=4097/u,faults/period=0x10,"
		      "name='a,b',max-stack=7,no-inherit/,page-faults/config=5/");

	cr_assert_eq(list.nr, 3);
	cr_expect_str_eq(list.items[0].name,
			 "cpu-clock/freq=100,call-graph=dwarf,stack-size=4097/u");
	cr_expect(list.items[0].freq == 100 && list.items[0].stack_bytes == 4104);
	cr_expect_eq(list.items[0].callgraph, EVENT_CALLGRAPH_DWARF);
	cr_expect(list.items[0].attr.exclude_kernel);
	cr_expect_str_eq(list.items[1].name, "a,b");
	cr_expect(list.items[1].period == 16 && list.items[1].max_stack == 7);
	cr_expect(list.items[1].no_inherit);
	cr_expect_eq(list.items[2].attr.config, 5);
	event_list_release(&list);
}

Test(event, takes_a_path_for_the_map_of_bpf_output)
{
	struct event_list list = parse("bpf-output/map=/sys/fs/bpf/a/,bpf-output/map=/b,name=x/,"
				       "bpf-output/name=y,map='/c,d/e'/,bpf-output/map=f/,faults");

	cr_assert_eq(list.nr, 5);
	cr_expect_str_eq(list.items[0].map, "/sys/fs/bpf/a");
	cr_expect_str_eq(list.items[0].name, "bpf-output/map=/sys/fs/bpf/a/");
	cr_expect_str_eq(list.items[1].map, "/b");
	cr_expect_str_eq(list.items[1].name, "x");
	cr_expect_str_eq(list.items[2].map, "/c,d/e");
	cr_expect_str_eq(list.items[3].map, "f");
	cr_expect_null(list.items[4].map);
	event_list_release(&list);
}

Test(event, refuses_terms_that_cannot_be)
{
	refuse("bpf-output/map/", "the term map needs a value");
	refuse("bpf-output/map=/a/x", "'x' is not a list of modifiers (u k h G H I p P D e)");
	refuse("cpu-clock/map=/a/", "only bpf-output events can go into a map");
	refuse("cpu-clock/foo=1/", "there is no term 'foo'");
	refuse("cpu-clock/freq/", "the term freq needs a value");
	refuse("cpu-clock/freq=x/", "'x' is not a valid value for the term freq");
	refuse("cpu-clock/freq=0/", "'0' is not a valid value for the term freq");
	refuse("cpu-clock/freq=1,period=1/", "it has both a period and a frequency");
	refuse("cpu-clock/stack-size=65536/",
	       "'65536' is not a valid value for the term stack-size");
	refuse("cpu-clock/call-graph=lbr/",
	       "'lbr' is not a valid value for the term call-graph (fp, dwarf, no)");
	refuse("cpu-clock/no-inherit=1/", "the term no-inherit takes no value");
	refuse("cpu-clock/percore/", "the term percore is not supported");
	refuse("cpu-clock/freq=1", "the '/' after its terms is missing");
	refuse("cpu-clock/,,freq=1/", "it has an empty term");
}

Test(event, follows_the_formats_of_a_pmu)
{
	struct event_list list = parse("cpu/event=0x3fc,umask=0x12,ldlat=7,name=x/pp");

	cr_assert_eq(list.nr, 1);
	cr_expect_eq(list.items[0].attr.type, 4);
	cr_expect_eq(list.items[0].attr.config, 0x3000012fcULL);
	cr_expect_eq(list.items[0].attr.config1, 7);
	cr_expect_eq(list.items[0].attr.precise_ip, 2);
	cr_expect_null(list.items[0].cpus);
	event_list_release(&list);
	expect_one("cpu/r1a2/", 4, 0x1a2, "cpu/r1a2/");
	expect_one("cpu/config=7/", 4, 7, "cpu/config=7/");
	refuse("cpu/event=0x10000/", "'0x10000' has more bits than the term event");
	refuse("cpu/nope/", "the PMU cpu has no term or event 'nope'");
	refuse("cpu/new=1/", "the PMU cpu describes the term new in a way that is not supported");
	refuse("nope/event=1/", "this machine has no PMU 'nope'");
}

Test(event, follows_the_named_events_of_a_pmu)
{
	expect_one("cpu/mem-loads/", 4, 0x1cd, "cpu/mem-loads/");
	expect_one("cpu/mem-loads,umask=0x2/", 4, 0x3cd, "cpu/mem-loads,umask=0x2/");
	expect_one("mem-loads:u", 4, 0x1cd, "mem-loads:u");
	expect_one("cpu/open,ldlat=9/", 4, 1, "cpu/open,ldlat=9/");
	refuse("cpu/open/", "it needs a value for 'ldlat'");
}

Test(event, opens_a_numbered_pmu_by_its_common_name)
{
	struct event_list list = parse("imc/event=4/");

	cr_assert_eq(list.nr, 2);
	cr_expect_eq(list.items[0].attr.type + list.items[1].attr.type, 24 + 25);
	for (size_t i = 0; i < 2; i++)
		if (list.items[i].attr.type == 24)
			cr_expect(list.items[i].cpus &&
				  hwloc_bitmap_weight(list.items[i].cpus) == 2);
		else
			cr_expect_null(list.items[i].cpus);
	event_list_release(&list);
	list = parse("uncore_imc_*/event=4/");
	cr_expect_eq(list.nr, 2);
	event_list_release(&list);
}

Test(event, says_what_it_does_not_record)
{
	refuse("", "cannot record an event without a name");
	refuse("cpu-clock,", "cannot record an event without a name");
	refuse("cpu-clock,,faults", "cannot record an event without a name");
	refuse("nope", "'nope': there is no event of that name");
	refuse("{cpu-clock", "groups are not recorded; list the events without braces");
	refuse("intel_pt//", "tstream does not record AUX area events; perf record does");
	refuse("prog.o", "tstream does not load BPF programs");
}

Test(event, filters_the_tracepoints_of_the_last_option)
{
	struct event_list list = {0};
	struct ts_error err;

	cr_expect_eq(event_set_filter(&list, "a==1", &err), -EINVAL);
	cr_assert_eq(event_parse(&list, "irq:irq_entry", &roots, &err), 0);
	cr_assert_eq(event_parse(&list, "sched:*", &roots, &err), 0);
	cr_assert_eq(event_set_filter(&list, "a==1", &err), 0);
	cr_assert_eq(event_set_filter(&list, "b==2", &err), 0);
	cr_expect_null(list.items[0].filter);
	cr_expect_str_eq(list.items[1].filter, "(a==1) && (b==2)");
	cr_expect_str_eq(list.items[2].filter, "(a==1) && (b==2)");
	cr_assert_eq(event_parse(&list, "cpu-clock", &roots, &err), 0);
	cr_expect_eq(event_set_filter(&list, "a==1", &err), -EINVAL);
	cr_expect_str_eq(
		err.text,
		"cannot filter 'a==1': cpu-clock, the event before it, is not a tracepoint");
	event_list_release(&list);
	event_list_release(&list);
}

Test(event, takes_no_filter_whose_parentheses_or_quotes_have_no_partner)
{
	static const char *const bad[] = {"a==1) || (a==2", "a==1)",   "((a==1)",
					  "c==\"x",	    "c=='x\"", "c==\"x\\\"y\""};
	static const char *const good[] = {"(a==1) || (a==2)", "c==\"x)\" || c=='(\"'", "a==1"};
	struct event_list list = {0};
	struct ts_error err;

	cr_assert_eq(event_parse(&list, "irq:irq_entry", &roots, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(event_set_filter(&list, bad[i], &err), -EINVAL, "%s", bad[i]);
		cr_expect(strstr(err.text, "unbalanced"), "%s", err.text);
	}
	cr_expect_null(list.items[0].filter);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		cr_expect_eq(event_set_filter(&list, good[i], &err), 0, "%s", good[i]);
	event_list_release(&list);
}

Test(event, names_what_an_ordinary_user_gets)
{
	struct event_list list =
		parse("cpu-clock,faults:p,cs/name=x/,cs:u,cs:k,sched:sched_switch");
	static const char *const expected[] = {"cpu-clock:u", "faults:pu", "x:u",
					       "cs:u",	      "cs:k",	   "sched:sched_switch"};
	char name[64];

	for (size_t i = 0; i < list.nr; i++) {
		cr_expect_eq(event_user_name(&list.items[i], name, sizeof(name)), i != 4);
		cr_expect_str_eq(name, expected[i]);
	}
	event_list_release(&list);
}

Test(event, is_found_by_its_name_with_or_without_modifiers)
{
	struct event_list list = parse("cpu-clock:u,sched:sched_switch");

	cr_expect(event_is_named(&list.items[0], "cpu-clock"));
	cr_expect(event_is_named(&list.items[0], "cpu-clock:u"));
	cr_expect(!event_is_named(&list.items[0], "cpu"));
	cr_expect(event_is_named(&list.items[1], "sched:sched_switch"));
	cr_expect(!event_is_named(&list.items[1], "sched"));
	event_list_release(&list);
}

static void expect_hint(const char *text, const char *hint)
{
	struct event_list list = {0};
	struct ts_error err = {0};

	cr_expect_eq(event_parse(&list, text, &roots, &err), -ENOENT, "%s", text);
	cr_expect_str_eq(err.hint, hint);
	event_list_release(&list);
}

Test(event, says_what_may_have_been_meant)
{
	expect_hint("cpu_clock", "did you mean 'cpu-clock'?");
	expect_hint("cycle", "did you mean 'cycles'?");
	expect_hint("irq_entry", "write the tracepoint with its system: irq:irq_entry");
	expect_hint("cyc", "'tstream list' shows the events of this machine");
}
