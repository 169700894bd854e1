// SPDX-License-Identifier: Apache-2.0
#include "reader/page/stack_paths.h"

#include <criterion/criterion.h>
#include <string.h>

#include "reader/runtime/text.h"

/* --- an aggregate of a few stacks --- */

enum { MAIN, READ, READ_KERNEL, OTHER_READ, NAMELESS, LOST, INLINED, MADE, NR_FRAMES };

static const struct symbol symbols[] = {
	{.name = "main"}, {.name = "read"}, {.name = "push;back"}, {.name = "jitted"}};
static const struct module_name program = {"prog", "/bin/prog"};
static const struct module_name library = {"libc.so.6", "/lib/libc.so.6"};
static const struct module_name kernel = {"[kernel.kallsyms]", "[kernel.kallsyms]"};
static const struct module_name jit = {"[JIT] tid 7", "/tmp/perf-7.map"};

static struct frame frames[NR_FRAMES] = {
	[MAIN] = {.symbol = &symbols[0], .module = &program, .level = '.'},
	[READ] = {.symbol = &symbols[1], .module = &library, .level = '.'},
	[READ_KERNEL] = {.symbol = &symbols[1], .module = &kernel, .level = 'k'},
	[OTHER_READ] = {.symbol = &symbols[1], .module = &program, .level = '.', .addr = 5},
	[NAMELESS] = {.module = &library, .level = '.', .ip = 16},
	[LOST] = {.level = '.', .ip = 17},
	[INLINED] = {.symbol = &symbols[2], .module = &program, .level = '.', .around = 1},
	[MADE] = {.symbol = &symbols[3], .module = &jit, .level = '.'},
};
static char *comms[] = {"sh", "cat", "blank ", "", "blank"};
static uint32_t chains[] = {READ, MAIN, OTHER_READ, MAIN, READ_KERNEL, READ, MAIN};
static struct stack items[] = {
	{.key = {.comm = 0, .leaf = READ},
	 .nr_frames = 2,
	 .first_frame = 0,
	 .period = 10,
	 .nr_samples = 1},
	{.key = {.comm = 0, .leaf = OTHER_READ},
	 .nr_frames = 2,
	 .first_frame = 2,
	 .period = 20,
	 .nr_samples = 2},
	{.key = {.comm = 0, .leaf = READ_KERNEL},
	 .nr_frames = 3,
	 .first_frame = 4,
	 .period = 5,
	 .nr_samples = 4},
	{.key = {.comm = 1, .leaf = MAIN}, .period = 7, .nr_samples = 7},
	{.key = {.event = 1, .comm = 1, .leaf = MAIN}, .period = 9, .nr_samples = 9},
};
static struct stacks part = {.items = items, .nr = 5, .frames = chains, .nr_frames = 7};
static const struct aggregate made = {
	.parts = &part,
	.nr_parts = 1,
	.frames = {.items = frames, .nr = NR_FRAMES},
	.comms = {.items = comms, .nr = 5},
};

static struct frame_looks looks;
static struct stack_paths paths;

static void make_of(struct frame_looks_plan plan, struct stack_paths_plan wanted)
{
	cr_assert_eq(frame_looks_init(&looks, &made, &plan), 0);
	cr_assert_eq(stack_paths_init(&paths, &made, &looks, &wanted), 0);
}

static void make(struct frame_looks_plan plan, uint32_t event)
{
	make_of(plan, (struct stack_paths_plan){.events = {event}, .nr_sides = 1});
}

static void fini(void)
{
	stack_paths_release(&paths);
	frame_looks_release(&looks);
}

TestSuite(stack_paths, .fini = fini);

static void expect_path(size_t i, const char *wanted, uint64_t nr_samples, uint64_t period)
{
	struct ts_bytes text = {0};
	const struct stack_path *p = &paths.items[i];

	cr_assert_lt(i, paths.nr);
	for (uint32_t k = 0; k < p->nr; k++) {
		ts_bytes_put(&text, "/", 1);
		text_put(&text, looks.items[paths.numbers[p->first + k]].name);
	}
	ts_bytes_put(&text, "", 1);
	cr_expect_str_eq((char *)text.data, wanted);
	cr_expect_eq(p->weight[STACK_NEW].nr_samples, nr_samples, "%s", wanted);
	cr_expect_eq(p->weight[STACK_NEW].period, period, "%s", wanted);
	ts_bytes_release(&text);
}

static void expect_run(size_t path, uint32_t look, unsigned int least, unsigned int most)
{
	const struct stack_run *run = &paths.runs[paths.items[path].first + look];

	cr_expect_eq(run->least, least, "path %zu, look %u: %u", path, look, run->least);
	cr_expect_eq(run->most, most, "path %zu, look %u: %u", path, look, run->most);
}

Test(stack_paths, are_sorted_and_join_what_looks_the_same)
{
	make((struct frame_looks_plan){0}, 0);
	cr_expect_eq(paths.nr, 3);
	expect_path(0, "/cat/main", 7, 7);
	expect_path(1, "/sh/main/read", 3, 30);
	expect_path(2, "/sh/main/read/read", 4, 5);
	cr_expect_eq(paths.weight[STACK_NEW].nr_samples, 14);
	cr_expect_eq(paths.weight[STACK_NEW].period, 42);
}

Test(stack_paths, tell_objects_and_kinds_apart_if_asked)
{
	make((struct frame_looks_plan){.by_object = true, .by_kind = true}, 0);
	cr_expect_eq(paths.nr, 4);
	expect_path(1, "/sh/main/read", 1, 10); /* libc.so.6 is before prog */
	expect_path(2, "/sh/main/read/read", 4, 5);
	expect_path(3, "/sh/main/read", 2, 20);
}

Test(stack_paths, may_be_without_commands)
{
	make_of((struct frame_looks_plan){0},
		(struct stack_paths_plan){.nr_sides = 1, .is_bare = true});
	cr_expect_eq(paths.nr, 3);
	expect_path(0, "/main", 7, 7);
	expect_path(1, "/main/read", 3, 30);
	expect_path(2, "/main/read/read", 4, 5);
}

Test(stack_paths, are_found_by_their_stacks)
{
	const uint32_t wanted[] = {1, 1, 2, 0, STACK_PATHS_NONE};

	make_of((struct frame_looks_plan){0},
		(struct stack_paths_plan){.nr_sides = 1, .with_places = true});
	for (uint32_t i = 0; i < 5; i++)
		cr_expect_eq(stack_paths_find(&paths, 0, i), wanted[i], "stack %u", i);
}

Test(stack_paths, of_other_events_weigh_nothing)
{
	const uint32_t wanted[] = {1, 1, 2, 0, 0};

	make_of((struct frame_looks_plan){0},
		(struct stack_paths_plan){.nr_sides = 1, .with_others = true, .with_places = true});
	cr_expect_eq(paths.nr, 3);
	expect_path(0, "/cat/main", 7, 7);
	expect_path(1, "/sh/main/read", 3, 30);
	cr_expect_eq(paths.weight[STACK_NEW].nr_samples, 14);
	for (uint32_t i = 0; i < 5; i++)
		cr_expect_eq(stack_paths_find(&paths, 0, i), wanted[i], "stack %u", i);
	stack_paths_release(&paths);
	frame_looks_release(&looks);
	make_of((struct frame_looks_plan){0},
		(struct stack_paths_plan){.events = {1}, .nr_sides = 1, .with_others = true});
	cr_expect_eq(paths.nr, 3);
	expect_path(0, "/cat/main", 9, 9);
	expect_path(1, "/sh/main/read", 0, 0);
	cr_expect_eq(paths.weight[STACK_NEW].period, 9);
}

Test(stack_paths, have_one_event)
{
	make((struct frame_looks_plan){0}, 1);
	cr_expect_eq(paths.nr, 1);
	expect_path(0, "/cat/main", 9, 9);
}

Test(stack_paths, begin_with_the_leaf_if_asked)
{
	make_of((struct frame_looks_plan){0},
		(struct stack_paths_plan){.events = {0}, .nr_sides = 1, .leaf_first = true});
	cr_expect_eq(paths.nr, 3);
	expect_path(0, "/main/cat", 7, 7);
	expect_path(1, "/read/main/sh", 3, 30);
	expect_path(2, "/read/read/main/sh", 4, 5);
}

Test(stack_paths, join_unknown_frames_if_asked)
{
	static uint32_t frames_of[] = {READ, LOST, LOST, MAIN,	   READ,     LOST, LOST, LOST, LOST,
				       MAIN, READ, LOST, NAMELESS, NAMELESS, LOST, READ, READ};
	static struct stack towers[] = {
		{.key = {.leaf = READ}, .nr_frames = 4, .first_frame = 0, .nr_samples = 1},
		{.key = {.leaf = READ}, .nr_frames = 6, .first_frame = 4, .nr_samples = 2},
		{.key = {.leaf = READ}, .nr_frames = 5, .first_frame = 10, .nr_samples = 4},
		{.key = {.leaf = READ}, .nr_frames = 2, .first_frame = 15, .nr_samples = 8},
		{.key = {.leaf = LOST}, .nr_samples = 16},
	};
	const struct stacks kept = part;

	part = (struct stacks){.items = towers, .nr = 5, .frames = frames_of, .nr_frames = 17};
	make_of((struct frame_looks_plan){0}, (struct stack_paths_plan){.nr_sides = 1,
									.with_places = true,
									.joins_unknown = true});
	part = kept;
	cr_assert_eq(paths.nr, 4);
	expect_path(0, "/sh/[unknown]", 16, 0);
	expect_path(1, "/sh/[unknown]/[libc.so.6]/[unknown]/read", 4, 0);
	expect_path(2, "/sh/main/[unknown]/read", 3, 0);
	expect_path(3, "/sh/read/read", 8, 0);
	expect_run(1, 2, 2, 2);
	expect_run(1, 3, 1, 1);
	expect_run(2, 1, 1, 1);
	expect_run(2, 2, 2, 4);
	expect_run(3, 2, 1, 1);
	cr_expect_eq(stack_paths_find(&paths, 0, 1), 2);
}

Test(stack_paths, have_two_events_side_by_side)
{
	make_of((struct frame_looks_plan){0},
		(struct stack_paths_plan){.events = {0, 1}, .nr_sides = 2});
	cr_expect_eq(paths.nr, 3);
	expect_path(0, "/cat/main", 7, 7);
	cr_expect_eq(paths.items[0].weight[STACK_OLD].nr_samples, 9);
	cr_expect_eq(paths.items[1].weight[STACK_OLD].nr_samples, 0);
	cr_expect_eq(paths.weight[STACK_OLD].period, 9);
}

static void expect_look(uint32_t frame, const char *name, enum frame_kind kind)
{
	const struct frame_look *look = &looks.items[looks.of_frame[frame]];

	cr_expect_str_eq(look->name, name);
	cr_expect_eq(look->kind, kind, "%s", name);
}

Test(stack_paths, fold_names_if_asked)
{
	make((struct frame_looks_plan){.is_folded = true}, 0);
	expect_look(INLINED, "push:back", FRAME_KIND_USER);
	cr_expect_str_eq(looks.items[looks.of_comm[2]].name, "blank");
	cr_expect_str_eq(looks.items[looks.of_comm[3]].name, "[no name]");
	cr_expect_eq(looks.of_comm[4], looks.of_comm[2], "names that are shown the same are one");
}

Test(stack_paths, have_looks_of_each_kind)
{
	make((struct frame_looks_plan){.by_kind = true}, 0);
	expect_look(MAIN, "main", FRAME_KIND_USER);
	expect_look(READ_KERNEL, "read", FRAME_KIND_KERNEL);
	expect_look(NAMELESS, "[libc.so.6]", FRAME_KIND_UNKNOWN);
	expect_look(LOST, "[unknown]", FRAME_KIND_UNKNOWN);
	expect_look(INLINED, "push;back", FRAME_KIND_INLINED);
	expect_look(MADE, "jitted", FRAME_KIND_JIT);
	cr_expect_eq(looks.items[looks.of_comm[1]].kind, FRAME_KIND_COMMAND);
	for (uint32_t i = 1; i < looks.nr; i++)
		cr_expect_leq(strcmp(looks.items[i - 1].name, looks.items[i].name), 0);
}

/* --- many stacks --- */

enum { MANY = 5000, LONGEST = 9 };

/* Stacks of 1 to 9 frames out of three: many are equal, and many go on from others. */
static void fill_many(struct stacks *many)
{
	uint32_t random = 1;

	for (uint32_t i = 0; i < MANY; i++) {
		struct stack *s = &many->items[i];

		random = random * 1664525 + 1013904223;
		*s = (struct stack){.nr_samples = 1,
				    .period = i,
				    .first_frame = i * LONGEST,
				    .nr_frames = 1 + random % 7919 % LONGEST};
		for (uint32_t k = 0; k < LONGEST; k++) {
			random = random * 1664525 + 1013904223;
			many->frames[i * LONGEST + k] = (random >> 16) % 3;
		}
		s->key.leaf = many->frames[s->first_frame];
	}
}

static int order_of(const struct stack_path *x, const struct stack_path *y, uint32_t *ret_alike)
{
	uint32_t i = 0;

	while (i < x->nr && i < y->nr && paths.numbers[x->first + i] == paths.numbers[y->first + i])
		i++;
	*ret_alike = i;
	if (i == x->nr || i == y->nr)
		return x->nr < y->nr ? -1 : x->nr > y->nr;
	return paths.numbers[x->first + i] < paths.numbers[y->first + i] ? -1 : 1;
}

Test(stack_paths, of_many_stacks_are_sorted_and_different)
{
	static struct stack stacks[MANY];
	static uint32_t all[MANY * LONGEST];
	struct stacks many = {
		.items = stacks, .nr = MANY, .frames = all, .nr_frames = MANY * LONGEST};
	struct aggregate a = made;
	uint64_t nr_nodes, samples = 0;
	uint32_t alike;

	fill_many(&many);
	a.parts = &many;
	cr_assert_eq(frame_looks_init(&looks, &a, &(struct frame_looks_plan){.by_object = true}),
		     0);
	cr_assert_eq(
		stack_paths_init(&paths, &a, &looks,
				 &(struct stack_paths_plan){.nr_sides = 1, .with_places = true}),
		0);
	nr_nodes = paths.items[0].nr;
	for (size_t i = 1; i < paths.nr; i++) {
		cr_expect_lt(order_of(&paths.items[i - 1], &paths.items[i], &alike), 0);
		nr_nodes += paths.items[i].nr - alike;
	}
	for (size_t i = 0; i < paths.nr; i++)
		samples += paths.items[i].weight[STACK_NEW].nr_samples;
	cr_expect(paths.nr > 500 && paths.nr < MANY, "%zu", paths.nr);
	cr_expect_eq(samples, MANY);
	cr_expect_eq(paths.nr_nodes, nr_nodes);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct stack_path *p = &paths.items[stack_paths_find(&paths, 0, i)];

		cr_expect_eq(p->nr, stacks[i].nr_frames + 1);
		cr_expect_eq(paths.numbers[p->first + p->nr - 1],
			     looks.of_frame[stacks[i].key.leaf]);
	}
}
