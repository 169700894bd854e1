// SPDX-License-Identifier: Apache-2.0
#include "streamer/perf_options.h"

#include <errno.h>
#include <string.h>

#include "common/units.h"

#define KEY_FIRST 0x1000 /* of those without a letter: behind the parent's */

enum fate {
	CHANGES_NOTHING, /* its purpose is always met: a note */
	NOT_HERE,	 /* refused, with what to do instead */
	NOT_YET,	 /* refused, until it is there */
	NO_AUX,		 /* refused: of AUX areas */
	NO_BPF,		 /* refused: of BPF programs in C */
};

enum value { NO_VALUE, ANY_VALUE, MAYBE_VALUE, NUMBER, SIZE };

struct perf_option {
	const char *name;
	char letter; /* 0: none */
	enum value value;
	enum fate fate;
	const char *why;     /* behind the ':' of the sentence or note */
	const char *instead; /* the hint; NULL: none */
};

#define PAST "keeping only the newest records is not there yet"
#define NEXT "going on in another output is not there yet"

static const struct perf_option table[] = {
	{"no-buildid", 'B', NO_VALUE, CHANGES_NOTHING,
	 "build-ids come with the maps, and no file is read for them", NULL},
	{"namespaces", 0, NO_VALUE, CHANGES_NOTHING,
	 "namespaces are always told of, where the user may (CAP_SYS_ADMIN)", NULL},
	{"bpf-event", 0, NO_VALUE, CHANGES_NOTHING,
	 "BPF programs are always told of, where the user may", NULL},
	{"timestamp-boundary", 0, NO_VALUE, CHANGES_NOTHING,
	 "the times of the first and the last sample are always noted", NULL},
	{"mmap-flush", 0, SIZE, CHANGES_NOTHING,
	 "a ring is copied when a part of it is full, or after --flush", NULL},
	{"num-thread-synthesize", 0, NUMBER, CHANGES_NOTHING,
	 "what exists is always looked for by several threads", NULL},
	{"vmlinux", 0, ANY_VALUE, CHANGES_NOTHING,
	 "symbols are looked for when the capture is read; the kernel's build-id is in it", NULL},
	{"running-time", 0, NO_VALUE, CHANGES_NOTHING,
	 "it is of groups (:S), which are not recorded", NULL},

	{"branch-any", 'b', NO_VALUE, NOT_HERE, "branch stacks are not recorded",
	 "-g records call chains; perf record -b records branches"},
	{"branch-filter", 'j', ANY_VALUE, NOT_HERE, "branch stacks are not recorded",
	 "-g records call chains; perf record -j records branches"},
	{"cgroup", 'G', ANY_VALUE, NOT_HERE, "events are not opened for one cgroup",
	 "-a records everybody; -p takes the processes of its cgroup.procs"},
	{"intr-regs", 'I', MAYBE_VALUE, NOT_HERE, "registers are recorded with stacks only",
	 "--call-graph dwarf records the user's registers; perf record -I others"},
	{"user-regs", 0, MAYBE_VALUE, NOT_HERE, "registers are recorded with stacks only",
	 "--call-graph dwarf records the user's registers"},
	{"per-thread", 0, NO_VALUE, NOT_HERE, "each ring is one of a CPU",
	 "leave it out: -p and -t record the same threads wherever they run; with -i without what "
	 "they start, as --per-thread does"},
	{"group", 0, NO_VALUE, NOT_HERE, "groups of events are not recorded",
	 "leave it out, or give fewer events than the machine has counters"},
	{"no-buffering", 0, NO_VALUE, NOT_HERE, "records are written in blocks",
	 "--flush 1ms writes them after a millisecond"},
	{"no-bpf-event", 0, NO_VALUE, NOT_HERE, "BPF programs are always told of",
	 "leave it out: it takes no room among the samples"},
	{"synth", 0, ANY_VALUE, NOT_HERE, "what exists at the start is always recorded",
	 "leave it out: it is done by several threads before sampling begins"},
	{"all-cgroups", 0, NO_VALUE, NOT_HERE, "the cgroup of a sample is not recorded",
	 "perf record --all-cgroups records it"},
	{"switch-events", 0, NO_VALUE, NOT_HERE, "switches are not recorded beside the samples",
	 "-e sched:sched_switch or -e context-switches records them as samples"},
	{"kcore", 0, NO_VALUE, NOT_HERE, "/proc/kcore is not copied",
	 "perf record --kcore copies it"},
	{"off-cpu", 0, NO_VALUE, NOT_HERE, "no BPF program is loaded to measure waiting",
	 "-e sched:sched_switch -g shows where tasks begin to wait"},
	{"off-cpu-thresh", 0, ANY_VALUE, NOT_HERE, "no BPF program is loaded to measure waiting",
	 "-e sched:sched_switch -g shows where tasks begin to wait"},
	{"setup-filter", 0, ANY_VALUE, NOT_HERE, "no BPF program is loaded to filter samples",
	 "--filter filters tracepoints in the kernel"},
	{"latency", 0, NO_VALUE, NOT_HERE, "switches are not recorded beside the samples",
	 "-e sched:sched_switch records them as samples"},
	{"debuginfod", 0, MAYBE_VALUE, NOT_HERE, "recording fetches nothing",
	 "give it to what reads the capture: build-ids are in it"},

	{"snapshot", 'S', MAYBE_VALUE, NO_AUX, NULL, NULL},
	{"aux-sample", 0, MAYBE_VALUE, NO_AUX, NULL, NULL},
	{"clang-path", 0, ANY_VALUE, NO_BPF, NULL, NULL},
	{"clang-opt", 0, ANY_VALUE, NO_BPF, NULL, NULL},

	{"overwrite", 0, NO_VALUE, NOT_YET, PAST, NULL},
	{"memory", 'M', ANY_VALUE, NOT_YET, PAST, NULL},
	{"switch-output", 0, MAYBE_VALUE, NOT_YET, NEXT, NULL},
	{"switch-output-event", 0, ANY_VALUE, NOT_YET, NEXT, NULL},
	{"switch-max-files", 0, ANY_VALUE, NOT_YET, NEXT, NULL},
	{"tail-synthesize", 0, NO_VALUE, NOT_YET, PAST, NULL},
	{"timestamp-filename", 0, NO_VALUE, NOT_YET, NEXT, NULL},
};

#define NR_OPTIONS (sizeof(table) / sizeof(table[0]))

_Static_assert(NR_OPTIONS <= PERF_OPTIONS_MAX, "struct perf_options has room for the table");

static int key_of(size_t i)
{
	return table[i].letter ? table[i].letter : KEY_FIRST + (int)i;
}

/* -b (--branch-any), or --group. */
static const char *words_of(const struct perf_option *o, char *buf, size_t len)
{
	if (o->letter)
		snprintf(buf, len, "-%c (--%s)", o->letter, o->name);
	else
		snprintf(buf, len, "--%s", o->name);
	return buf;
}

static int check_value(const struct perf_option *o, const char *text, struct ts_error *err)
{
	uint64_t n;

	if ((o->value == NUMBER && ts_parse_u64(text, &n) < 0) ||
	    (o->value == SIZE && ts_parse_size(text, &n) < 0))
		return ts_error_set(err, EINVAL, "cannot use --%s '%s': it must be a %s", o->name,
				    text, o->value == SIZE ? "size" : "number");
	return 0;
}

static const char *reason_of(const struct perf_option *o)
{
	switch (o->fate) {
	case NO_AUX:
		return "AUX areas are not recorded";
	case NO_BPF:
		return "BPF programs are not compiled";
	default:
		return o->why;
	}
}

static const char *hint_of(const struct perf_option *o)
{
	switch (o->fate) {
	case NOT_YET:
		return "leave it out; --max-size and --min-free bound a capture";
	case NO_AUX:
		return "perf record records processor traces";
	case NO_BPF:
		return "leave it out";
	default:
		return o->instead;
	}
}

static error_t take(const struct perf_option *o, const char *value,
		    const struct perf_options_input *in)
{
	char words[64];

	words_of(o, words, sizeof(words));
	if (o->fate != CHANGES_NOTHING) {
		ts_error_set(in->err, EINVAL, "cannot use %s: %s", words, reason_of(o));
		ts_error_hint(in->err, "%s", hint_of(o));
		return EINVAL;
	}
	if (check_value(o, value, in->err) < 0)
		return EINVAL;
	ts_notes_add(in->notes, "%s changes nothing: %s", words, o->why);
	return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (key == key_of(i))
			return take(&table[i], value, state->input);
	return ARGP_ERR_UNKNOWN;
}

void perf_options_init(struct perf_options *p)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		p->options[i].name = table[i].name;
		p->options[i].key = key_of(i);
		p->options[i].arg = table[i].value == NO_VALUE ? NULL : "VALUE";
		p->options[i].flags = table[i].value == MAYBE_VALUE ? OPTION_ARG_OPTIONAL : 0;
	}
	p->argp.options = p->options;
	p->argp.parser = parse;
	p->children[0].argp = &p->argp;
}
