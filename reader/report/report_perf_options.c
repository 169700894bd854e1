// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_perf_options.h"

#define SWITCHES "no event switches the report on and off"
#define BRANCHES "branch stacks are not read"
#define CODE	 "no code is shown"

#define WITH_PERF "perf report reads the same capture"
#define BY_TIME	  "--time selects by time"

const struct ts_option report_perf_rows[] = {
	{TS_OPTION_NOTED, .name = "demangle"},
	{TS_OPTION_NOTED, .name = "no-demangle-kernel"},
	{TS_OPTION_NOTED, .name = "skip-empty"},
	{TS_OPTION_NOTED, "ignore-vmlinux", 0, NULL,
	 .why = "a vmlinux is only read where --vmlinux names it"},
	{TS_OPTION_NOTED, "modules", 'm', NULL, .why = "symbols of kernel modules are always read"},
	{TS_OPTION_NOTED, "stdio-color", 0, "VALUE", .why = "rows have no colours"},
	{TS_OPTION_NOTED, "tui", 0, NULL, .why = "the report is text, shown by $PAGER"},
	{TS_OPTION_NOTED, "samples", 0, "N", .why = "it belongs to perf's browser"},
	{TS_OPTION_NOTED, "percent-type", 0, "VALUE", .why = CODE},
	{TS_OPTION_NOTED, "asm-raw", 0, NULL, .why = CODE},
	{TS_OPTION_NOTED, "source", 0, NULL, .why = CODE},
	{TS_OPTION_NOTED, "objdump", 0, "VALUE", .why = CODE},
	{TS_OPTION_NOTED, "disassembler-style", 'M', "VALUE", .why = CODE},
	{TS_OPTION_NOTED, "prefix", 0, "VALUE", .why = CODE},
	{TS_OPTION_NOTED, "prefix-strip", 0, "N", .why = CODE},

	{TS_OPTION_REFUSED, "reltime", 0, NULL, .why = "rows have no time of their own",
	 .instead = "use tstream script --reltime to print samples, or -s time to count by time"},
	{TS_OPTION_REFUSED, "deltatime", 0, NULL, .why = "rows have no time of their own",
	 .instead = "use tstream script --deltatime to print samples, or -s time to count by time"},
	{TS_OPTION_REFUSED, "stop-bt", 0, "VALUE", .why = "call chains are counted as a whole",
	 .instead = "cut them with --ignore-callees=REGEX, or use tstream script --stop-bt"},
	{TS_OPTION_REFUSED, "show-task-events", 0, NULL, .why = "report prints rows",
	 .instead = "use tstream script --show-task-events; --tasks shows the tree"},
	{TS_OPTION_REFUSED, "show-mmap-events", 0, NULL, .why = "report prints rows",
	 .instead = "use tstream script --show-mmap-events"},
	{TS_OPTION_REFUSED, "gtk", 0, NULL, .why = "the report is text", .instead = "leave it out"},
	{TS_OPTION_REFUSED, "branch-stack", 'b', NULL, .why = BRANCHES, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "branch-history", 0, NULL, .why = BRANCHES, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "stitch-lbr", 0, NULL, .why = BRANCHES, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "total-cycles", 0, NULL, .why = BRANCHES, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "itrace", 0, "[VALUE]", .why = "processor traces are not decoded",
	 .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "mem-mode", 0, NULL, .why = "memory accesses are not distinguished",
	 .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "show-info", 'I', NULL,
	 .why = "--header already shows everything that report prints of it",
	 .instead = "give --header"},
	{TS_OPTION_REFUSED, "no-demangle", 0, NULL, .why = "symbols are always demangled",
	 .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "demangle-kernel", 0, NULL,
	 .why = "symbols of the kernel are shown as they are", .instead = "leave it out"},
	{TS_OPTION_REFUSED, "threads", 'T', NULL, .why = "counters of threads are not shown",
	 .instead = "-s pid -n counts the samples of each thread"},
	{TS_OPTION_REFUSED, "pretty", 0, "VALUE", .why = "counters of threads are not shown",
	 .instead = "-s pid -n counts the samples of each thread"},
	{TS_OPTION_REFUSED, "socket-filter", 0, "N", .why = "samples are selected by CPU",
	 .instead = "-C selects the CPUs of a socket, -s socket shows them all"},
	{TS_OPTION_REFUSED, "show-ref-call-graph", 0, NULL,
	 .why = "an event has its own call chains only", .instead = "leave it out"},
	{TS_OPTION_REFUSED, "disable-order", 0, NULL,
	 .why = "records are dumped in the order of time", .instead = "leave it out"},
	{TS_OPTION_REFUSED, "show-on-off-events", 0, NULL, .why = SWITCHES, .instead = BY_TIME},
	{TS_OPTION_REFUSED, "switch-on", 0, "VALUE", .why = SWITCHES, .instead = BY_TIME},
	{TS_OPTION_REFUSED, "switch-off", 0, "VALUE", .why = SWITCHES, .instead = BY_TIME},
	{0},
};
