// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/record_perf_options.h"

static const struct ts_perf_option table[] = {
	{"no-buildid", 'B', TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "build-ids come with the maps, and no file is read for them", NULL},
	{"namespaces", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "namespaces are always told of, where the user may (CAP_SYS_ADMIN)", NULL},
	{"bpf-event", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "BPF programs are always told of, where the user may", NULL},
	{"timestamp-boundary", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "the times of the first and the last sample are always noted", NULL},
	{"mmap-flush", 0, TS_SIZE, TS_CHANGES_NOTHING,
	 "a ring is copied when a part of it is full, or after --flush", NULL},
	{"num-thread-synthesize", 0, TS_NUMBER, TS_CHANGES_NOTHING,
	 "what exists is always looked for by several threads", NULL},
	{"vmlinux", 0, TS_ANY_VALUE, TS_CHANGES_NOTHING,
	 "symbols are looked for when the capture is read; the kernel's build-id is in it", NULL},
	{"tail-synthesize", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "each directory begins with what there was, names and maps are never overwritten", NULL},
	{"running-time", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "it is of groups (:S), which are not recorded", NULL},

	{"per-thread", 0, TS_NO_VALUE, TS_NOT_HERE, "each ring is one of a CPU",
	 "leave it out: -p and -t record the same threads wherever they run; with -i without what "
	 "they start, as --per-thread does"},
	{"group", 0, TS_NO_VALUE, TS_NOT_HERE, "groups of events are not recorded",
	 "leave it out, or give fewer events than the machine has counters"},
	{"no-buffering", 0, TS_NO_VALUE, TS_NOT_HERE, "records are written in blocks",
	 "--flush 1ms writes them after a millisecond"},
	{"no-bpf-event", 0, TS_NO_VALUE, TS_NOT_HERE, "BPF programs are always told of",
	 "leave it out: it takes no room among the samples"},
	{"synth", 0, TS_ANY_VALUE, TS_NOT_HERE, "what exists at the start is always recorded",
	 "leave it out: it is done by several threads before sampling begins"},
	{"kcore", 0, TS_NO_VALUE, TS_NOT_HERE, "/proc/kcore is not copied",
	 "perf record --kcore copies it"},
	{"off-cpu", 0, TS_NO_VALUE, TS_NOT_HERE, "no BPF program is loaded to measure waiting",
	 "-e sched:sched_switch -g shows where tasks begin to wait"},
	{"off-cpu-thresh", 0, TS_ANY_VALUE, TS_NOT_HERE,
	 "no BPF program is loaded to measure waiting",
	 "-e sched:sched_switch -g shows where tasks begin to wait"},
	{"setup-filter", 0, TS_ANY_VALUE, TS_NOT_HERE, "no BPF program is loaded to filter samples",
	 "--filter filters tracepoints in the kernel"},
	{"latency", 0, TS_NO_VALUE, TS_NOT_HERE, "switches are not recorded beside the samples",
	 "-e sched:sched_switch records them as samples"},
	{"debuginfod", 0, TS_MAYBE_VALUE, TS_NOT_HERE, "recording fetches nothing",
	 "give it to what reads the capture: build-ids are in it"},

	{"snapshot", 'S', TS_MAYBE_VALUE, TS_NOT_HERE, "AUX areas are not recorded",
	 "perf record records processor traces"},
	{"aux-sample", 0, TS_MAYBE_VALUE, TS_NOT_HERE, "AUX areas are not recorded",
	 "perf record records processor traces"},
	{"clang-path", 0, TS_ANY_VALUE, TS_NOT_HERE, "BPF programs are not compiled",
	 "leave it out"},
	{"clang-opt", 0, TS_ANY_VALUE, TS_NOT_HERE, "BPF programs are not compiled",
	 "leave it out"},

};

void record_perf_options_init(struct ts_perf_options *p)
{
	ts_perf_options_init(p, table, sizeof(table) / sizeof(table[0]));
}
