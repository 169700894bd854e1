// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_perf_options.h"

#define SWITCHES "no event switches the report on and off"
#define BRANCHES "branch stacks are not read"
#define CODE	 "no code is shown"

#define WITH_PERF "perf report reads the same capture"
#define BY_TIME	  "--time selects by time"

static const struct ts_perf_option table[] = {
	{"force", 'f', TS_NO_VALUE, TS_CHANGES_NOTHING, "whose the capture is does not matter",
	 NULL},
	{"demangle", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, NULL, NULL},
	{"no-demangle-kernel", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, NULL, NULL},
	{"skip-empty", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, NULL, NULL},
	{"ignore-vmlinux", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "a vmlinux is only read where --vmlinux names it", NULL},
	{"modules", 'm', TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "symbols of kernel modules are always read", NULL},
	{"stdio-color", 0, TS_ANY_VALUE, TS_CHANGES_NOTHING, "rows have no colours", NULL},
	{"tui", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, "the report is text, shown by $PAGER", NULL},
	{"samples", 0, TS_NUMBER, TS_CHANGES_NOTHING, "it is of perf's browser", NULL},
	{"percent-type", 0, TS_ANY_VALUE, TS_CHANGES_NOTHING, CODE, NULL},
	{"asm-raw", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, CODE, NULL},
	{"source", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, CODE, NULL},
	{"objdump", 0, TS_ANY_VALUE, TS_CHANGES_NOTHING, CODE, NULL},
	{"disassembler-style", 'M', TS_ANY_VALUE, TS_CHANGES_NOTHING, CODE, NULL},
	{"prefix", 0, TS_ANY_VALUE, TS_CHANGES_NOTHING, CODE, NULL},
	{"prefix-strip", 0, TS_NUMBER, TS_CHANGES_NOTHING, CODE, NULL},

	{"reltime", 0, TS_NO_VALUE, TS_NOT_HERE, "rows have no time of their own",
	 "tstream script --reltime prints samples so; -s time counts by time"},
	{"deltatime", 0, TS_NO_VALUE, TS_NOT_HERE, "rows have no time of their own",
	 "tstream script --deltatime prints samples so; -s time counts by time"},
	{"stop-bt", 0, TS_ANY_VALUE, TS_NOT_HERE, "call chains are counted as a whole",
	 "--ignore-callees=REGEX cuts them, tstream script has --stop-bt"},
	{"show-task-events", 0, TS_NO_VALUE, TS_NOT_HERE, "report prints rows",
	 "tstream script --show-task-events does; --tasks shows the tree"},
	{"show-mmap-events", 0, TS_NO_VALUE, TS_NOT_HERE, "report prints rows",
	 "tstream script --show-mmap-events does"},
	{"gtk", 0, TS_NO_VALUE, TS_NOT_HERE, "the report is text", "leave it out"},
	{"branch-stack", 'b', TS_NO_VALUE, TS_NOT_HERE, BRANCHES, WITH_PERF},
	{"branch-history", 0, TS_NO_VALUE, TS_NOT_HERE, BRANCHES, WITH_PERF},
	{"stitch-lbr", 0, TS_NO_VALUE, TS_NOT_HERE, BRANCHES, WITH_PERF},
	{"total-cycles", 0, TS_NO_VALUE, TS_NOT_HERE, BRANCHES, WITH_PERF},
	{"itrace", 0, TS_MAYBE_VALUE, TS_NOT_HERE, "processor traces are not decoded", WITH_PERF},
	{"mem-mode", 0, TS_NO_VALUE, TS_NOT_HERE, "accesses to memory are not told apart",
	 WITH_PERF},
	{"show-info", 'I', TS_NO_VALUE, TS_NOT_HERE, "--header shows all that is shown of it",
	 "give --header"},
	{"no-demangle", 0, TS_NO_VALUE, TS_NOT_HERE, "symbols are always demangled", WITH_PERF},
	{"demangle-kernel", 0, TS_NO_VALUE, TS_NOT_HERE,
	 "symbols of the kernel are shown as they are", "leave it out"},
	{"threads", 'T', TS_NO_VALUE, TS_NOT_HERE, "counters of threads are not shown",
	 "-s pid -n counts the samples of each thread"},
	{"pretty", 0, TS_ANY_VALUE, TS_NOT_HERE, "counters of threads are not shown",
	 "-s pid -n counts the samples of each thread"},
	{"socket-filter", 0, TS_NUMBER, TS_NOT_HERE, "samples are selected by CPU",
	 "-C selects the CPUs of a socket, -s socket shows them all"},
	{"show-ref-call-graph", 0, TS_NO_VALUE, TS_NOT_HERE,
	 "an event has its own call chains only", "leave it out"},
	{"disable-order", 0, TS_NO_VALUE, TS_NOT_HERE, "records are dumped in the order of time",
	 "leave it out"},
	{"show-on-off-events", 0, TS_NO_VALUE, TS_NOT_HERE, SWITCHES, BY_TIME},
	{"switch-on", 0, TS_ANY_VALUE, TS_NOT_HERE, SWITCHES, BY_TIME},
	{"switch-off", 0, TS_ANY_VALUE, TS_NOT_HERE, SWITCHES, BY_TIME},
};

void report_perf_options_init(struct ts_perf_options *p)
{
	ts_perf_options_init(p, table, sizeof(table) / sizeof(table[0]));
}
