// SPDX-License-Identifier: Apache-2.0
/*
 * How a plan is made:
 *
 *	1. whose samples are wanted: -C without what is offline, else every online CPU
 *	2. masks: groups of the topology for a keyword, the user's pairs, or without either a group
 *	   for each CPU or core as long as those are few, else groups by load
 *	3. where each writer runs: its own group, inside the cpuset and off isolated CPUs, or the
 *	   user's affinity
 *	4. a writer's samples: its mask without what nobody wants; one left with none is dropped
 *	   (keyword) or an error (user)
 *	5. side-band: every online CPU goes to the writer whose mask has it, else to the first
 */
#include "streamer/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cpus.h"
#include "streamer/cpu_groups.h"

struct keyword {
	const char *name;
	hwloc_obj_type_t type;
};

/* perf takes every value that begins with the word, in either case; so do we. */
static const struct keyword keywords[] = {
	{"cpu", HWLOC_OBJ_PU},	      {"core", HWLOC_OBJ_CORE},	     {"l3", HWLOC_OBJ_L3CACHE},
	{"die", HWLOC_OBJ_DIE},	      {"socket", HWLOC_OBJ_PACKAGE}, {"package", HWLOC_OBJ_PACKAGE},
	{"numa", HWLOC_OBJ_NUMANODE}, {"node", HWLOC_OBJ_NUMANODE},
};

struct draft { /* what the steps share */
	const struct layout_input *in;
	struct layout *layout;
	hwloc_bitmap_t wanted; /* whose samples are recorded; all online */
	const char *option;    /* what the sentences blame: "-C", "--threads=..." */
	struct ts_notes *notes;
	struct ts_error *err;
};

static int no_memory(struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot lay out the writers");
}

/* The error "cannot lay out the writers [OPTION]: CPUs 4-7 are ..."; 0 if the set is empty. */
static int refuse_cpus(const struct draft *draft, hwloc_const_bitmap_t set, const char *are_what)
{
	bool several = hwloc_bitmap_weight(set) != 1;
	char *text;

	if (hwloc_bitmap_iszero(set))
		return 0;
	text = ts_cpus_text(set);
	if (!text)
		return no_memory(draft->err);
	ts_error_set(draft->err, EINVAL, "cannot lay out the writers [%s]: CPU%s %s %s %s",
		     draft->option, several ? "s" : "", text, several ? "are" : "is", are_what);
	free(text);
	return -EINVAL;
}

static void note_cpus(const struct draft *draft, hwloc_const_bitmap_t set, const char *are_what)
{
	bool several = hwloc_bitmap_weight(set) != 1;
	char *text = hwloc_bitmap_iszero(set) ? NULL : ts_cpus_text(set);

	if (text)
		ts_notes_add(draft->notes, "CPU%s %s %s %s", several ? "s" : "", text,
			     several ? "are" : "is", are_what);
	free(text);
}

/* Removes the offline CPUs from a set that a person named; refuses what the machine lacks. */
static int settle_named(const struct draft *draft, hwloc_bitmap_t set)
{
	hwloc_bitmap_t off = hwloc_bitmap_alloc();
	int rc;

	if (!off || hwloc_bitmap_andnot(off, set, draft->in->present)) {
		hwloc_bitmap_free(off);
		return no_memory(draft->err);
	}
	rc = refuse_cpus(draft, off, "not on this machine");
	if (!rc && hwloc_bitmap_andnot(off, set, draft->in->online))
		rc = no_memory(draft->err);
	if (!rc) {
		note_cpus(draft, off, "offline and left out");
		hwloc_bitmap_and(set, set, draft->in->online);
	} else if (rc == -EINVAL) {
		char *present = ts_cpus_text(draft->in->present);

		ts_error_hint(draft->err, "it has CPUs %s", present ? present : "of other numbers");
		free(present);
	}
	hwloc_bitmap_free(off);
	return rc;
}

/* Step 1. */
static int settle_wanted(struct draft *draft)
{
	const struct layout_input *in = draft->in;
	int rc;

	draft->wanted = hwloc_bitmap_dup(in->monitored ? in->monitored : in->online);
	if (!draft->wanted)
		return no_memory(draft->err);
	rc = settle_named(draft, draft->wanted);
	if (!rc && hwloc_bitmap_iszero(draft->wanted))
		rc = ts_error_set(draft->err, EINVAL,
				  "cannot lay out the writers: no CPU that is to be recorded is "
				  "online");
	return rc;
}

/* Adds a writer with empty sets. */
static struct layout_writer *add_writer(struct draft *draft)
{
	struct layout *layout = draft->layout;
	struct layout_writer *writers, *writer;

	writers = reallocarray(layout->writers, layout->nr + 1, sizeof(*writers));
	if (!writers)
		return NULL;
	layout->writers = writers;
	writer = &writers[layout->nr];
	*writer = (struct layout_writer){.cpus = hwloc_bitmap_alloc(),
					 .sideband_cpus = hwloc_bitmap_alloc(),
					 .affinity = hwloc_bitmap_alloc()};
	layout->nr++;
	return writer->cpus && writer->sideband_cpus && writer->affinity ? writer : NULL;
}

static void release_writer(struct layout_writer *writer)
{
	hwloc_bitmap_free(writer->cpus);
	hwloc_bitmap_free(writer->sideband_cpus);
	hwloc_bitmap_free(writer->expected_cpus);
	hwloc_bitmap_free(writer->expected_sideband_cpus);
	hwloc_bitmap_free(writer->affinity);
	hwloc_bitmap_free(writer->nodes);
}

/*
 * Step 3 for a group: its own CPUs; if the cpuset or isolation leaves none of them, the others of
 * its memory node; then any that is allowed.
 */
static int place(const struct draft *draft, hwloc_const_bitmap_t group, hwloc_bitmap_t ret)
{
	const struct layout_input *in = draft->in;
	hwloc_bitmap_t node = hwloc_bitmap_alloc(), usable = hwloc_bitmap_alloc();
	int rc = -1;

	if (!node || !usable || hwloc_bitmap_and(usable, in->allowed, in->online))
		goto out;
	hwloc_bitmap_and(ret, usable, group);
	if (hwloc_bitmap_andnot(ret, ret, in->isolated))
		goto out;
	rc = 0;
	if (!hwloc_bitmap_iszero(ret))
		goto out;
	note_cpus(draft, group,
		  "isolated or outside the allowed cpuset: the writer runs elsewhere");
	cpu_groups_node(in->topology, hwloc_bitmap_first(group), node);
	hwloc_bitmap_and(ret, usable, node);
	hwloc_bitmap_andnot(ret, ret, in->isolated);
	if (hwloc_bitmap_iszero(ret))
		hwloc_bitmap_andnot(ret, usable, in->isolated);
	if (hwloc_bitmap_iszero(ret))
		hwloc_bitmap_copy(ret, hwloc_bitmap_iszero(usable) ? in->allowed : usable);
out:
	hwloc_bitmap_free(node);
	hwloc_bitmap_free(usable);
	return rc ? no_memory(draft->err) : 0;
}

/* Step 2 and 3 for groups of the topology; cpus is the whole group until step 4. */
static int add_groups(struct draft *draft, const struct cpu_groups *groups)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < groups->nr; i++) {
		struct layout_writer *writer;

		if (!hwloc_bitmap_intersects(groups->sets[i], draft->wanted))
			continue;
		writer = add_writer(draft);
		if (!writer || hwloc_bitmap_copy(writer->cpus, groups->sets[i]))
			rc = no_memory(draft->err);
		else
			rc = place(draft, groups->sets[i], writer->affinity);
	}
	return rc;
}

static int add_keyword(struct draft *draft, const struct keyword *keyword)
{
	struct cpu_groups groups;
	int rc = cpu_groups_by_type(&groups, draft->in->topology, keyword->type, draft->in->online);

	if (rc)
		return no_memory(draft->err);
	draft->layout->kind = keyword->name;
	rc = add_groups(draft, &groups);
	cpu_groups_release(&groups);
	return rc;
}

/* Those with a recorded CPU are not too many, and each has a CPU that a writer may run on. */
static bool are_worth_a_writer(const struct draft *draft, const struct cpu_groups *groups)
{
	const struct layout_input *in = draft->in;
	hwloc_bitmap_t usable = hwloc_bitmap_alloc();
	bool can_run = usable && !hwloc_bitmap_and(usable, in->allowed, in->online) &&
		       !hwloc_bitmap_andnot(usable, usable, in->isolated);
	size_t nr = 0;

	for (size_t i = 0; can_run && i < groups->nr; i++) {
		if (!hwloc_bitmap_intersects(groups->sets[i], draft->wanted))
			continue;
		nr++;
		can_run = hwloc_bitmap_intersects(groups->sets[i], usable);
	}
	hwloc_bitmap_free(usable);
	return can_run && nr <= LAYOUT_WRITERS_FEW;
}

/* The finest of cpu, core and by load that does not make too many writers; see decision 34. */
static int group_by_size(const struct draft *draft, struct cpu_groups *groups)
{
	static const hwloc_obj_type_t types[] = {HWLOC_OBJ_PU, HWLOC_OBJ_CORE};
	const struct layout_input *in = draft->in;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		int rc = cpu_groups_by_type(groups, in->topology, types[i], in->online);

		if (rc || are_worth_a_writer(draft, groups))
			return rc;
		cpu_groups_release(groups);
	}
	return cpu_groups_by_load(groups, in->topology, LAYOUT_WRITER_CPUS, in->online);
}

static int add_by_size(struct draft *draft)
{
	struct cpu_groups groups;
	int rc = group_by_size(draft, &groups);

	if (rc)
		return no_memory(draft->err);
	draft->layout->kind = "auto";
	rc = add_groups(draft, &groups);
	cpu_groups_release(&groups);
	return rc;
}

static int refuse_pair(const struct draft *draft, const char *pair, const char *reason)
{
	ts_error_set(draft->err, EINVAL, "cannot lay out the writers [%s]: '%s' %s", draft->option,
		     pair, reason);
	return ts_error_hint(
		draft->err, "give cpu, core, l3, die, socket, numa, or CPUS/AFFINITY pairs such as "
			    "0-3/3:4-7/4");
}

/* One half of a pair: a list of CPUs that exist, without the offline ones, not empty. */
static int parse_half(const struct draft *draft, const char *pair, const char *list,
		      hwloc_bitmap_t ret)
{
	struct ts_error reason;
	int rc;

	if (ts_cpus_parse(list, ret, &reason))
		return refuse_pair(draft, pair,
				   strstr(reason.text, ": ") ? strstr(reason.text, ": ") + 2
							     : reason.text);
	if (hwloc_bitmap_iszero(ret))
		return refuse_pair(draft, pair, "names no CPU on one of its sides");
	rc = settle_named(draft, ret);
	if (!rc && hwloc_bitmap_iszero(ret))
		rc = refuse_pair(draft, pair, "names only CPUs that are offline");
	return rc;
}

/* The user's affinity: isolated CPUs are his choice, the cpuset is not. */
static int parse_affinity(const struct draft *draft, const char *pair, const char *list,
			  hwloc_bitmap_t ret)
{
	hwloc_bitmap_t outside = hwloc_bitmap_alloc();
	int rc = outside ? parse_half(draft, pair, list, ret) : no_memory(draft->err);

	if (!rc && (hwloc_bitmap_andnot(outside, ret, draft->in->allowed) ||
		    hwloc_bitmap_and(ret, ret, draft->in->allowed)))
		rc = no_memory(draft->err);
	if (!rc && hwloc_bitmap_iszero(ret))
		rc = refuse_cpus(draft, outside, "outside the cpuset that tstream may run on");
	else if (!rc)
		note_cpus(draft, outside, "outside the allowed cpuset: no writer runs there");
	hwloc_bitmap_free(outside);
	return rc;
}

/* "CPUS/AFFINITY"; changes the text. */
static int add_pair(struct draft *draft, const char *pair, char *text)
{
	char *affinity = strchr(text, '/');
	struct layout_writer *writer;
	int rc;

	if (!affinity)
		return refuse_pair(draft, pair, "is no layout, and has no '/' before an affinity");
	*affinity++ = '\0';
	if (strchr(affinity, '/'))
		return refuse_pair(draft, pair, "has more than one '/'");
	writer = add_writer(draft);
	if (!writer)
		return no_memory(draft->err);
	rc = parse_half(draft, pair, text, writer->cpus);
	return rc ? rc : parse_affinity(draft, pair, affinity, writer->affinity);
}

static int add_masks(struct draft *draft)
{
	char *spec = strdup(draft->in->spec), *rest = spec, *text;
	int rc = spec ? 0 : no_memory(draft->err);

	draft->layout->kind = "mask";
	while (!rc && (text = strsep(&rest, ":"))) {
		char *pair;

		if (!*text) /* perf takes "0/0:" */
			continue;
		pair = strdup(text);
		rc = pair ? add_pair(draft, pair, text) : no_memory(draft->err);
		free(pair);
	}
	if (!rc && !draft->layout->nr)
		rc = refuse_pair(draft, draft->in->spec, "names no CPU");
	free(spec);
	return rc;
}

/* Step 2. */
static int add_writers(struct draft *draft)
{
	const char *spec = draft->in->spec;

	if (!spec)
		return add_by_size(draft);
	if (!*spec)
		spec = "cpu";
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (!strncasecmp(spec, keywords[i].name, strlen(keywords[i].name)))
			return add_keyword(draft, &keywords[i]);
	return add_masks(draft);
}

/* Step 5, while `cpus` is still the whole mask. */
static int assign_sideband(struct draft *draft)
{
	struct layout *layout = draft->layout;
	hwloc_bitmap_t rest = hwloc_bitmap_dup(draft->in->online);

	if (!rest)
		return no_memory(draft->err);
	for (size_t i = 0; i < layout->nr; i++) {
		hwloc_bitmap_and(layout->writers[i].sideband_cpus, layout->writers[i].cpus, rest);
		hwloc_bitmap_andnot(rest, rest, layout->writers[i].sideband_cpus);
	}
	hwloc_bitmap_or(layout->writers[0].sideband_cpus, layout->writers[0].sideband_cpus, rest);
	hwloc_bitmap_free(rest);
	return 0;
}

static int refuse_empty(const struct draft *draft, size_t writer)
{
	ts_error_set(draft->err, EINVAL,
		     "cannot lay out the writers [%s]: pair %zu has no CPU that is to be recorded",
		     draft->option, writer + 1);
	return ts_error_hint(draft->err, "widen -C, or drop that pair");
}

/* Step 4: who drains which samples; CPUs of nobody and of two are errors. */
static int assign_samples(struct draft *draft)
{
	struct layout *layout = draft->layout;
	hwloc_bitmap_t rest = hwloc_bitmap_dup(draft->wanted), twice = hwloc_bitmap_alloc();
	int rc = rest && twice ? 0 : no_memory(draft->err);

	for (size_t i = 0; !rc && i < layout->nr; i++) {
		hwloc_bitmap_t cpus = layout->writers[i].cpus;

		hwloc_bitmap_and(cpus, cpus, draft->wanted);
		if (hwloc_bitmap_iszero(cpus))
			rc = refuse_empty(draft, i);
		hwloc_bitmap_andnot(twice, cpus, rest);
		if (!rc)
			rc = refuse_cpus(draft, twice, "in the masks of two writers");
		hwloc_bitmap_andnot(rest, rest, cpus);
	}
	if (!rc && (rc = refuse_cpus(draft, rest, "recorded, but in the mask of no writer")))
		ts_error_hint(draft->err, "add them to a mask, or leave them out with -C");
	hwloc_bitmap_free(rest);
	hwloc_bitmap_free(twice);
	return rc;
}

/* Two user masks must not share a CPU to run on, as with perf: one would wait for the other. */
static int check_affinities(const struct draft *draft)
{
	struct layout *layout = draft->layout;
	hwloc_bitmap_t seen = hwloc_bitmap_alloc(), twice = hwloc_bitmap_alloc();
	int rc = seen && twice ? 0 : no_memory(draft->err);

	for (size_t i = 0; !rc && i < layout->nr; i++) {
		hwloc_bitmap_and(twice, seen, layout->writers[i].affinity);
		rc = refuse_cpus(draft, twice, "in the affinities of two writers");
		hwloc_bitmap_or(seen, seen, layout->writers[i].affinity);
	}
	hwloc_bitmap_free(seen);
	hwloc_bitmap_free(twice);
	return rc;
}

static int find_nodes(struct draft *draft)
{
	hwloc_topology_t topology = draft->in->topology;

	for (size_t i = 0; i < draft->layout->nr; i++) {
		struct layout_writer *writer = &draft->layout->writers[i];

		writer->nodes = hwloc_bitmap_alloc();
		if (!writer->nodes ||
		    hwloc_cpuset_to_nodeset(topology, writer->affinity, writer->nodes))
			return no_memory(draft->err);
	}
	return 0;
}

int layout_init(struct layout *layout, const struct layout_input *in, struct ts_notes *notes,
		struct ts_error *err)
{
	struct draft draft = {
		.in = in, .layout = layout, .notes = notes, .err = err, .option = "-C"};
	char option[128];
	int rc;

	*layout = (struct layout){0};
	snprintf(option, sizeof(option), "--threads%s%s", in->spec && *in->spec ? "=" : "",
		 in->spec ? in->spec : "");
	rc = settle_wanted(&draft);
	draft.option = option;
	if (!rc)
		rc = add_writers(&draft);
	if (!rc && !strcmp(layout->kind, "mask"))
		rc = check_affinities(&draft);
	if (!rc)
		rc = assign_sideband(&draft);
	if (!rc)
		rc = assign_samples(&draft);
	if (!rc)
		rc = find_nodes(&draft);
	hwloc_bitmap_free(draft.wanted);
	if (rc)
		layout_release(layout);
	return rc;
}

void layout_release(struct layout *layout)
{
	for (size_t i = 0; i < layout->nr; i++)
		release_writer(&layout->writers[i]);
	free(layout->writers);
	*layout = (struct layout){0};
}

static void print_cpus(const char *before, hwloc_const_bitmap_t set, FILE *out)
{
	char *text = ts_cpus_text(set);

	fprintf(out, "%s%s", before, !text ? "?" : *text ? text : "none");
	free(text);
}

void print_layout(const struct layout *layout, FILE *out)
{
	for (size_t i = 0; i < layout->nr; i++) {
		const struct layout_writer *writer = &layout->writers[i];

		fprintf(out, "writer %zu:", i);
		print_cpus(" samples ", writer->cpus, out);
		print_cpus(", side-band ", writer->sideband_cpus, out);
		if (writer->expected_sideband_cpus &&
		    !hwloc_bitmap_iszero(writer->expected_sideband_cpus))
			print_cpus(", once online ", writer->expected_sideband_cpus, out);
		print_cpus(", runs on ", writer->affinity, out);
		if (!hwloc_bitmap_iszero(writer->nodes))
			print_cpus(hwloc_bitmap_weight(writer->nodes) > 1 ? ", nodes " : ", node ",
				   writer->nodes, out);
		fputc('\n', out);
	}
}
