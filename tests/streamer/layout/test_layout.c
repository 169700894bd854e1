// SPDX-License-Identifier: Apache-2.0
#include "streamer/layout/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cpus.h"
#include "streamer/layout/print_layout.h"

#define BIG    "package:4 numa:2 core:16 pu:2" /* 256 CPUs, 8 nodes of 32 */
#define WIDE   "numa:1 core:192 pu:1"
#define CACHED "package:1 numa:1 l3:12 core:8 pu:2" /* 192 CPUs, L3s of 16 */
#define SMALL  "package:2 core:2 pu:2"		    /* CPUs 0-7, nodes of 4 */
#define NODES  "numa:2 core:4 pu:1"
#define EIGHT  "package:1 core:8 pu:1"
#define SPARSE "package:2 core:2 pu:2(indexes=0,2,16,18,32,34,48,50)"

struct given {
	const char *topology, *spec, *monitored, *offline, *isolated, *forbidden;
};

#define ON(on_topology, on_spec, on_monitored)                                                     \
	((struct given){.topology = on_topology, .spec = on_spec, .monitored = on_monitored})

struct machine { /* what `struct given` describes */
	hwloc_topology_t topology;
	hwloc_bitmap_t present, online, allowed, isolated, monitored;
};

static hwloc_bitmap_t set_of(const char *list)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct ts_error err;

	cr_assert_eq(ts_cpus_parse(list ? list : "", set, &err), 0);
	return set;
}

static void machine_init(struct machine *m, const struct given *given)
{
	hwloc_bitmap_t off = set_of(given->offline), forbidden = set_of(given->forbidden);

	cr_assert_eq(hwloc_topology_init(&m->topology), 0);
	cr_assert_eq(hwloc_topology_set_synthetic(m->topology, given->topology), 0);
	cr_assert_eq(hwloc_topology_load(m->topology), 0);
	m->present = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(m->topology));
	m->online = hwloc_bitmap_dup(m->present);
	hwloc_bitmap_andnot(m->online, m->online, off);
	m->allowed = hwloc_bitmap_dup(m->present);
	hwloc_bitmap_andnot(m->allowed, m->allowed, forbidden);
	m->isolated = set_of(given->isolated);
	m->monitored = given->monitored ? set_of(given->monitored) : NULL;
	hwloc_bitmap_free(off);
	hwloc_bitmap_free(forbidden);
}

static void machine_release(struct machine *m)
{
	hwloc_topology_destroy(m->topology);
	hwloc_bitmap_free(m->present);
	hwloc_bitmap_free(m->online);
	hwloc_bitmap_free(m->allowed);
	hwloc_bitmap_free(m->isolated);
	hwloc_bitmap_free(m->monitored);
}

static int lay_out(const struct machine *m, const struct given *given, struct layout *layout,
		   struct ts_notes *notes, struct ts_error *err)
{
	struct layout_input in = {.topology = m->topology,
				  .spec = given->spec,
				  .present = m->present,
				  .online = m->online,
				  .monitored = m->monitored,
				  .allowed = m->allowed,
				  .isolated = m->isolated};

	return layout_init(layout, &in, notes, err);
}

/* Every rule that holds for every plan. */
static void check_invariants(const struct machine *m, const struct layout *layout)
{
	hwloc_bitmap_t samples = hwloc_bitmap_alloc(), sideband = hwloc_bitmap_alloc();
	hwloc_bitmap_t wanted = hwloc_bitmap_dup(m->monitored ? m->monitored : m->online);

	hwloc_bitmap_and(wanted, wanted, m->online);
	cr_assert_gt(layout->nr, 0);
	for (size_t i = 0; i < layout->nr; i++) {
		const struct layout_writer *w = &layout->writers[i];

		cr_assert(!hwloc_bitmap_intersects(samples, w->cpus));
		cr_assert(!hwloc_bitmap_intersects(sideband, w->sideband_cpus));
		cr_assert(!hwloc_bitmap_iszero(w->cpus));
		cr_assert(!hwloc_bitmap_iszero(w->affinity));
		cr_assert(hwloc_bitmap_isincluded(w->affinity, m->allowed));
		cr_assert(hwloc_bitmap_isincluded(w->cpus, w->sideband_cpus));
		hwloc_bitmap_or(samples, samples, w->cpus);
		hwloc_bitmap_or(sideband, sideband, w->sideband_cpus);
	}
	cr_assert(hwloc_bitmap_isequal(samples, wanted));
	cr_assert(hwloc_bitmap_isequal(sideband, m->online));
	hwloc_bitmap_free(samples);
	hwloc_bitmap_free(sideband);
	hwloc_bitmap_free(wanted);
}

/* Expects a plan, as print_layout() writes it. */
static void expect(struct given given, const char *expected)
{
	struct ts_error err = {0};
	struct layout layout;
	struct machine m;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, NULL, &err), 0, "%s", err.text);
	check_invariants(&m, &layout);
	print_layout(&layout, out);
	fclose(out);
	cr_expect_str_eq(text, expected);
	free(text);
	layout_release(&layout);
	machine_release(&m);
}

static void expect_note(struct given given, const char *note)
{
	struct ts_notes notes = {0};
	struct ts_error err = {0};
	struct layout layout;
	struct machine m;

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, &notes, &err), 0, "%s", err.text);
	check_invariants(&m, &layout);
	cr_assert_eq(notes.nr, 1);
	cr_expect_str_eq(notes.items[0], note);
	ts_notes_release(&notes);
	layout_release(&layout);
	machine_release(&m);
}

/* Expects a refusal whose sentence ends so. */
static void refuse(struct given given, const char *end)
{
	struct ts_error err = {0};
	struct layout layout;
	struct machine m;
	size_t len;

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, NULL, &err), -EINVAL, "%s",
		     given.spec ? given.spec : "");
	len = strlen(err.text);
	cr_expect(len > strlen(end) && !strcmp(err.text + len - strlen(end), end), "%s", err.text);
	cr_expect_null(layout.writers);
	machine_release(&m);
}

/* Expects this many writers, of equal size each. */
static void expect_equal(struct given given, size_t nr, int cpus_each, int affinity_each)
{
	struct ts_error err = {0};
	struct layout layout;
	struct machine m;

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, NULL, &err), 0, "%s", err.text);
	check_invariants(&m, &layout);
	cr_expect_eq(layout.nr, nr, "%s on %s: %zu writers", given.spec ? given.spec : "default",
		     given.topology, layout.nr);
	for (size_t i = 0; i < layout.nr; i++) {
		cr_expect_eq(hwloc_bitmap_weight(layout.writers[i].cpus), cpus_each);
		cr_expect_eq(hwloc_bitmap_weight(layout.writers[i].affinity), affinity_each);
	}
	layout_release(&layout);
	machine_release(&m);
}

Test(layout, makes_a_group_of_each_object_of_a_large_machine)
{
	expect_equal(ON(BIG, "cpu", NULL), 256, 1, 1);
	expect_equal(ON(BIG, "", NULL), 256, 1, 1);
	expect_equal(ON(BIG, "core", NULL), 128, 2, 2);
	expect_equal(ON(BIG, "l3", NULL), 4, 64, 64); /* no L3: by package */
	expect_equal(ON(BIG, "die", NULL), 4, 64, 64);
	expect_equal(ON(BIG, "socket", NULL), 4, 64, 64);
	expect_equal(ON(BIG, "package", NULL), 4, 64, 64);
	expect_equal(ON(BIG, "numa", NULL), 8, 32, 32);
	expect_equal(ON(BIG, "node", NULL), 8, 32, 32);
	expect_equal(ON(CACHED, "l3", NULL), 12, 16, 16);
}

Test(layout, takes_keywords_in_either_case_and_with_something_behind)
{
	expect_equal(ON(BIG, "CPU", NULL), 256, 1, 1);
	expect_equal(ON(BIG, "Cores", NULL), 128, 2, 2);
	expect_equal(ON(BIG, "NUMA", NULL), 8, 32, 32);
}

Test(layout, without_the_option_each_of_few_cpus_or_cores_has_a_writer)
{
	struct given given = {.topology = EIGHT, .forbidden = "0"};

	expect_equal(ON(EIGHT, NULL, NULL), 8, 1, 1);
	expect_equal(ON(SMALL, NULL, NULL), 8, 1, 1);
	expect_equal(ON("numa:1 core:16 pu:2", NULL, NULL), 32, 1, 1);
	expect_equal(ON("numa:1 core:17 pu:2", NULL, NULL), 17, 2, 2);
	expect_equal(ON("pack:2 core:16 pu:2", NULL, NULL), 32, 2, 2);
	expect_equal(ON("numa:1 core:33 pu:1", NULL, "0-31"), 32, 1, 1); /* recorded ones count */
	expect_equal(given, 1, 8, 7); /* where none may run on CPU 0: few enough for one */
	given = (struct given){.topology = EIGHT, .isolated = "6-7"};
	expect_equal(given, 1, 8, 6);
}

Test(layout, without_the_option_no_writer_of_a_large_machine_serves_more_than_16_cpus)
{
	expect_equal(ON(BIG, NULL, NULL), 16, 16, 16);
	expect_equal(ON(WIDE, NULL, NULL), 12, 16, 16);
	expect_equal(ON(CACHED, NULL, NULL), 12, 16, 16);
	expect_equal(ON("numa:1 l3:10 core:4 pu:2", NULL, NULL), 5, 16,
		     16);						/* L3s of 8, two a writer */
	expect_equal(ON("numa:1 core:42 pu:1", NULL, NULL), 3, 14, 14); /* not 16, 16 and 10 */
}

Test(layout, keeps_cores_whole_when_it_splits)
{
	/* no writer may run on the first core, so that the rule for few cores does not hold */
	expect((struct given){.topology = "numa:1 core:3 pu:6", .forbidden = "0-5"},
	       "writer 0: samples 0-11, side-band 0-11, runs on 6-11, node 0\n"
	       "writer 1: samples 12-17, side-band 12-17, runs on 12-17, node 0\n");
}

Test(layout, limits_samples_but_not_where_writers_run)
{
	expect(ON(SMALL, "core", "0,4,2,6"),
	       "writer 0: samples 0, side-band 0-1, runs on 0-1, node 0\n"
	       "writer 1: samples 2, side-band 2-3, runs on 2-3, node 0\n"
	       "writer 2: samples 4, side-band 4-5, runs on 4-5, node 0\n"
	       "writer 3: samples 6, side-band 6-7, runs on 6-7, node 0\n");
	expect(ON("numa:2 core:4 pu:1", "numa", "0,4,2,6"),
	       "writer 0: samples 0,2, side-band 0-3, runs on 0-3, node 0\n"
	       "writer 1: samples 4,6, side-band 4-7, runs on 4-7, node 1\n");
	expect(ON(BIG, "numa", "0,4,2,6"),
	       "writer 0: samples 0,2,4,6, side-band 0-255, runs on 0-31, node 0\n");
	expect(ON(BIG, "cpu", "7"), "writer 0: samples 7, side-band 0-255, runs on 7, node 0\n");
	expect(ON(BIG, "socket", "70,200"),
	       "writer 0: samples 70, side-band 0-191, runs on 64-127, nodes 2-3\n"
	       "writer 1: samples 200, side-band 192-255, runs on 192-255, nodes 6-7\n");
	expect(ON(BIG, NULL, "100"),
	       "writer 0: samples 100, side-band 0-255, runs on 100, node 3\n");
}

Test(layout, follows_user_masks)
{
	expect(ON(EIGHT, "0-3/3:4-7/4", NULL),
	       "writer 0: samples 0-3, side-band 0-3, runs on 3, node 0\n"
	       "writer 1: samples 4-7, side-band 4-7, runs on 4, node 0\n");
	expect(ON(EIGHT, "0-3/3:4-7/4", "2,5"),
	       "writer 0: samples 2, side-band 0-3, runs on 3, node 0\n"
	       "writer 1: samples 5, side-band 4-7, runs on 4, node 0\n");
	expect(ON(EIGHT, "0-3/3:4-7/4", "3,4"),
	       "writer 0: samples 3, side-band 0-3, runs on 3, node 0\n"
	       "writer 1: samples 4, side-band 4-7, runs on 4, node 0\n");
	expect(ON(EIGHT, "1-3,/0,:4-7/5-6:", "1-6"),
	       "writer 0: samples 1-3, side-band 0-3, runs on 0, node 0\n"
	       "writer 1: samples 4-6, side-band 4-7, runs on 5-6, node 0\n");
}

Test(layout, numbers_cpus_as_the_system_does)
{
	expect(ON(SPARSE, "core", NULL),
	       "writer 0: samples 0,2, side-band 0,2, runs on 0,2, node 0\n"
	       "writer 1: samples 16,18, side-band 16,18, runs on 16,18, node 0\n"
	       "writer 2: samples 32,34, side-band 32,34, runs on 32,34, node 0\n"
	       "writer 3: samples 48,50, side-band 48,50, runs on 48,50, node 0\n");
	expect(ON(SPARSE, "socket", "18,48"),
	       "writer 0: samples 18, side-band 0,2,16,18, runs on 0,2,16,18, node 0\n"
	       "writer 1: samples 48, side-band 32,34,48,50, runs on 32,34,48,50, node 0\n");
	expect(ON(SPARSE, "0,2,16,18/50:32,34,48,50/0", NULL),
	       "writer 0: samples 0,2,16,18, side-band 0,2,16,18, runs on 50, node 0\n"
	       "writer 1: samples 32,34,48,50, side-band 32,34,48,50, runs on 0, node 0\n");
}

Test(layout, refuses_cpus_that_nobody_or_two_would_drain)
{
	refuse(ON(EIGHT, "0-3/3", NULL),
	       "[--threads=0-3/3]: CPUs 4-7 are recorded, but not in the mask of any writer");
	refuse(ON(EIGHT, "0-3/3:3-7/4", NULL), "CPU 3 is in the masks of two writers");
	refuse(ON(EIGHT, "0-3/3:4-7/3", NULL), "CPU 3 is in the affinities of two writers");
	refuse(ON(EIGHT, "0-3/3:4-7/4", "1"), "pair 2 has none of the recorded CPUs");
}

Test(layout, refuses_what_is_no_spec)
{
	refuse(ON(EIGHT, "foo", NULL), "'foo' is not a layout, and has no '/' before an affinity");
	refuse(ON(EIGHT, ":", NULL), "':' names no CPU");
	refuse(ON(EIGHT, "/", NULL), "'/' names no CPU on one side of the '/'");
	refuse(ON(EIGHT, "0-7/", NULL), "'0-7/' names no CPU on one side of the '/'");
	refuse(ON(EIGHT, "0-7/x", NULL), "in '0-7/x', a number is expected at 'x'");
	refuse(ON(EIGHT, "0-7/0/1", NULL), "'0-7/0/1' has more than one '/'");
	refuse(ON(EIGHT, "0-9/0", NULL), "CPUs 8-9 are not on this machine");
	refuse(ON(EIGHT, "0-7/9", NULL), "CPU 9 is not on this machine");
	refuse(ON(EIGHT, "cpu", "8"), "[-C]: CPU 8 is not on this machine");
}

Test(layout, leaves_offline_cpus_out_with_a_note)
{
	struct given pair = {.topology = EIGHT, .spec = "0-3/3:4-7/4,5", .offline = "4"};
	struct given dead = {.topology = EIGHT, .spec = "0-3/3:4-7/4", .offline = "4"};

	expect_note(pair, "CPU 4 is offline and left out");
	expect(pair, "writer 0: samples 0-3, side-band 0-3, runs on 3, node 0\n"
		     "writer 1: samples 5-7, side-band 5-7, runs on 5, node 0\n");
	refuse(dead, "'4-7/4' names only CPUs that are offline");
	expect_note(
		(struct given){
			.topology = EIGHT, .spec = "cpu", .monitored = "2-4", .offline = "4"},
		"CPU 4 is offline and left out");
	refuse((struct given){.topology = EIGHT, .monitored = "4", .offline = "4"},
	       "all CPUs to be recorded are offline");
	expect_equal((struct given){.topology = EIGHT, .spec = "cpu", .offline = "4"}, 7, 1, 1);
}

Test(layout, keeps_writers_off_isolated_cpus_unless_a_mask_names_them)
{
	struct given given = {.topology = "numa:2 core:4 pu:1",
			      .spec = "cpu",
			      .monitored = "1,5",
			      .isolated = "5-7"};

	expect(given, "writer 0: samples 1, side-band 0-4,6-7, runs on 1, node 0\n"
		      "writer 1: samples 5, side-band 5, runs on 4, node 1\n");
	expect_note(given,
		    "CPU 5 is isolated or outside the allowed cpuset: the writer runs elsewhere");
	given.isolated = "4-7";
	expect(given, "writer 0: samples 1, side-band 0-4,6-7, runs on 1, node 0\n"
		      "writer 1: samples 5, side-band 5, runs on 0-3, node 0\n");
	given.spec = "1/6:5/5";
	expect(given, "writer 0: samples 1, side-band 0-4,6-7, runs on 6, node 1\n"
		      "writer 1: samples 5, side-band 5, runs on 5, node 1\n");
	expect((struct given){.topology = EIGHT, .spec = "socket", .isolated = "2-7"},
	       "writer 0: samples 0-7, side-band 0-7, runs on 0-1, node 0\n");
}

Test(layout, keeps_writers_inside_the_allowed_cpuset)
{
	struct given given = {.topology = "numa:2 core:2 pu:1", .spec = "cpu", .forbidden = "0,2"};

	expect(given, "writer 0: samples 0, side-band 0, runs on 1, node 0\n"
		      "writer 1: samples 1, side-band 1, runs on 1, node 0\n"
		      "writer 2: samples 2, side-band 2, runs on 3, node 1\n"
		      "writer 3: samples 3, side-band 3, runs on 3, node 1\n");
	given.spec = "0-1/0:2-3/3";
	refuse(given, "CPU 0 is outside the cpuset that tstream may run on");
	given.spec = "0-1/0-1:2-3/3";
	expect_note(given, "CPU 0 is outside the allowed cpuset: no writer runs there");
}

Test(layout, drains_side_band_also_of_cpus_without_samples)
{
	struct given given = {.topology = EIGHT, .spec = "0-3/3:4-7/4", .monitored = "2,5"};
	struct ts_error err = {0};
	struct layout layout;
	struct machine m;

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, NULL, &err), 0);
	cr_assert(hwloc_bitmap_isset(layout.writers[1].cpus, 5));
	cr_assert_not(hwloc_bitmap_isset(layout.writers[0].cpus, 6));
	cr_assert_not(hwloc_bitmap_isset(layout.writers[1].cpus, 6));
	cr_assert(hwloc_bitmap_isset(layout.writers[1].sideband_cpus, 6));
	layout_release(&layout);
	layout_release(&layout);
	machine_release(&m);
}

Test(layout, takes_the_machine_that_hwloc_synthetic_describes)
{
	struct layout_machine machine;
	struct ts_error err = {0};

	setenv("HWLOC_SYNTHETIC", EIGHT, 1);
	cr_assert_eq(layout_machine_init(&machine, &err), 0, "%s", err.text);
	cr_assert(machine.is_synthetic);
	cr_assert_eq(hwloc_bitmap_weight(machine.online), 8);
	layout_machine_release(&machine);
	setenv("HWLOC_SYNTHETIC", "no topology", 1);
	cr_assert_eq(layout_machine_init(&machine, &err), -EINVAL);
	unsetenv("HWLOC_SYNTHETIC");
	cr_assert_eq(layout_machine_init(&machine, &err), 0, "%s", err.text);
	cr_assert(!machine.is_synthetic);
	layout_machine_release(&machine);
	layout_machine_release(&machine);
}

Test(layout, is_not_recorded_by_on_another_machine)
{
	struct layout_machine machine;
	struct ts_error err = {0};

	setenv("HWLOC_SYNTHETIC", "core:1024 pu:8", 1);
	cr_assert_eq(layout_machine_init(&machine, &err), 0, "%s", err.text);
	cr_expect_eq(layout_machine_check(&machine, &err), -EINVAL);
	cr_expect_str_eq(err.hint, "use --dry-run to see the plan for such a machine");
	hwloc_bitmap_zero(machine.online);
	cr_assert_eq(ts_cpus_online(machine.online, &err), 0);
	cr_expect_eq(layout_machine_check(&machine, &err), 0);
	layout_machine_release(&machine);
	unsetenv("HWLOC_SYNTHETIC");
	cr_assert_eq(layout_machine_init(&machine, &err), 0);
	cr_expect_eq(layout_machine_check(&machine, &err), 0);
	layout_machine_release(&machine);
}

/* Expects who waits for CPUs that are offline; nodes: theirs, NULL: unknown. */
static void expect_waiting(struct given given, const int *nodes, const char *const *expected)
{
	struct ts_error err = {0};
	struct layout_input in;
	struct layout layout;
	struct machine m;

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, NULL, &err), 0, "%s", err.text);
	in = (struct layout_input){.spec = given.spec,
				   .present = m.present,
				   .online = m.online,
				   .monitored = m.monitored};
	cr_assert_eq(layout_expect(&layout, &in, nodes, &err), 0, "%s", err.text);
	check_invariants(&m, &layout);
	for (size_t i = 0; i < layout.nr; i++) {
		char *text = ts_cpus_text(layout.writers[i].expected_sideband_cpus);

		cr_expect_str_eq(text, expected[i], "writer %zu: %s", i, text);
		free(text);
	}
	layout_release(&layout);
	machine_release(&m);
}

Test(layout, has_a_writer_for_each_cpu_that_is_offline)
{
	struct given numa = {.topology = NODES, .spec = "numa", .offline = "2,3,6"};
	struct given cpu = {.topology = NODES, .spec = "cpu", .offline = "2,3,6"};
	struct given masks = {.topology = EIGHT, .spec = ":0-3/3:4-7/6", .offline = "1,4,5"};
	const int nodes[] = {1, 1, 0};

	/* by its node, no more for one than for another; by its number where that is unknown */
	expect_waiting(numa, nodes, (const char *[]){"6", "2-3"});
	expect_waiting(numa, NULL, (const char *[]){"2", "3,6"});
	expect_waiting(cpu, nodes, (const char *[]){"", "6", "2", "3", ""});
	/* the user's word */
	expect_waiting(masks, NULL, (const char *[]){"1", "4-5"});
}

Test(layout, wants_no_samples_of_an_offline_cpu_that_was_not_asked_for)
{
	struct given given = {
		.topology = EIGHT, .spec = "cpu", .monitored = "0,4", .offline = "4,5"};
	struct ts_error err = {0};
	struct layout_input in;
	struct layout layout;
	struct machine m;

	machine_init(&m, &given);
	cr_assert_eq(lay_out(&m, &given, &layout, NULL, &err), 0, "%s", err.text);
	in = (struct layout_input){
		.spec = "cpu", .present = m.present, .online = m.online, .monitored = m.monitored};
	cr_assert_eq(layout_expect(&layout, &in, NULL, &err), 0);
	cr_expect(hwloc_bitmap_isset(layout.writers[0].expected_cpus, 4));
	cr_expect(hwloc_bitmap_isset(layout.writers[0].expected_sideband_cpus, 5));
	cr_expect_not(hwloc_bitmap_isset(layout.writers[0].expected_cpus, 5));
	layout_add_cpu(&layout, 4);
	cr_expect(hwloc_bitmap_isset(layout.writers[0].cpus, 4));
	cr_expect(hwloc_bitmap_isset(layout.writers[0].sideband_cpus, 4));
	cr_expect_not(hwloc_bitmap_isset(layout.writers[0].expected_cpus, 4));
	layout_release(&layout);
	machine_release(&m);
}
