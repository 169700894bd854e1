// SPDX-License-Identifier: Apache-2.0
#include "reader/script/script_perf_options.h"

#define SCRIPTS	 "no script is run over the samples"
#define FILTERS	 "no program is loaded to filter samples"
#define AUX	 "processor traces are not decoded"
#define GUESTS	 "samples of guests are not resolved"
#define SWITCHES "no event switches the output on and off"

#define READ_LINES "give lines with the fields of -F to a program that reads lines"
#define WITH_PERF  "perf script reads the same capture"
#define BY_TIME	   "--time selects by time"

const struct ts_option script_perf_rows[] = {
	{TS_OPTION_NOTED, "force", 'f', NULL, .why = "the owner of a capture is not checked"},
	{TS_OPTION_NOTED, .name = "demangle"},
	{TS_OPTION_NOTED, .name = "no-demangle-kernel"},
	{TS_OPTION_NOTED, "show-kernel-path", 0, NULL, .why = "the kernel has one name"},
	{TS_OPTION_NOTED, "max-blocks", 0, "N", .why = "no blocks of code are printed"},
	{TS_OPTION_NOTED, "stitch-lbr", 0, NULL,
	 .why = "call chains of branch records are not printed"},

	{TS_OPTION_REFUSED, "json", 0, NULL, .why = "script prints lines of text",
	 .instead = "use tstream report --json for rows; -F selects the fields of a line"},
	{TS_OPTION_REFUSED, "stats", 0, NULL, .why = "script prints samples",
	 .instead = "use tstream report --stats"},
	{TS_OPTION_REFUSED, "tasks", 0, NULL, .why = "script prints samples",
	 .instead = "use tstream report --tasks; --show-task-events prints the records"},
	{TS_OPTION_REFUSED, "loss", 0, NULL, .why = "script prints samples",
	 .instead = "use tstream report --loss"},
	{TS_OPTION_REFUSED, "sort", 0, "VALUE", .why = "samples are printed in the order of time",
	 .instead = "tstream report --sort counts them"},
	{TS_OPTION_REFUSED, "children", 0, NULL, .why = "script prints samples, no rows",
	 .instead = "tstream report --children counts callers"},
	{TS_OPTION_REFUSED, "no-children", 0, NULL, .why = "script prints samples, no rows",
	 .instead = "tstream report --no-children leaves callers out"},
	{TS_OPTION_REFUSED, "call-graph", 0, "[VALUE]",
	 .why = "samples that have call chains are printed with them",
	 .instead = "-G hides them; tstream report -g draws graphs"},
	{TS_OPTION_REFUSED, "jobs", 'j', "VALUE", .why = "script uses every CPU that it may use",
	 .instead = "taskset -c 0 tstream script prints with one thread"},
	{TS_OPTION_REFUSED, "no-demangle", 0, NULL, .why = "symbols are always demangled",
	 .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "demangle-kernel", 0, NULL,
	 .why = "symbols of the kernel are shown as they are", .instead = "leave it out"},
	{TS_OPTION_REFUSED, "gen-script", 'g', "VALUE", .why = SCRIPTS, .instead = READ_LINES},
	{TS_OPTION_REFUSED, "script", 's', "VALUE", .why = SCRIPTS, .instead = READ_LINES},
	{TS_OPTION_REFUSED, "list", 'l', NULL, .why = SCRIPTS, .instead = READ_LINES},
	{TS_OPTION_REFUSED, "dlfilter", 0, "VALUE", .why = FILTERS, .instead = READ_LINES},
	{TS_OPTION_REFUSED, "dlarg", 0, "VALUE", .why = FILTERS, .instead = READ_LINES},
	{TS_OPTION_REFUSED, "list-dlfilters", 0, NULL, .why = FILTERS, .instead = READ_LINES},
	{TS_OPTION_REFUSED, "addr-range", 0, "N", .why = "functions are selected by name",
	 .instead = "-S NAME selects one"},
	{TS_OPTION_REFUSED, "debug-mode", 0, NULL,
	 .why = "script does not check the order of samples", .instead = "use tstream check"},
	{TS_OPTION_REFUSED, "dump-unsorted-raw-trace", 0, NULL,
	 .why = "records are dumped in the order of time", .instead = "-D does"},
	{TS_OPTION_REFUSED, "per-event-dump", 0, NULL, .why = "all events go to one output",
	 .instead = "-F event shows the event of each line"},
	{TS_OPTION_REFUSED, "show-on-off-events", 0, NULL, .why = SWITCHES, .instead = BY_TIME},
	{TS_OPTION_REFUSED, "switch-on", 0, "VALUE", .why = SWITCHES, .instead = BY_TIME},
	{TS_OPTION_REFUSED, "switch-off", 0, "VALUE", .why = SWITCHES, .instead = BY_TIME},
	{TS_OPTION_REFUSED, "show-round-events", 0, NULL,
	 .why = "tstream does not record rounds, which perf uses to sort",
	 .instead = "-D shows the rounds of perf's files"},
	{TS_OPTION_REFUSED, "show-text-poke-events", 0, NULL,
	 .why = "changes of the kernel's code are not printed",
	 .instead = "-D shows that such records exist"},
	{TS_OPTION_REFUSED, "graph-function", 0, "VALUE", .why = AUX, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "call-trace", 0, "[VALUE]", .why = AUX, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "call-ret-trace", 0, "[VALUE]", .why = AUX, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "insn-trace", 0, "[VALUE]", .why = AUX, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "itrace", 0, "[VALUE]", .why = AUX, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "xed", 0, "[VALUE]", .why = AUX, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "guest-code", 0, NULL, .why = GUESTS, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "guestmount", 0, "VALUE", .why = GUESTS, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "guestvmlinux", 0, "VALUE", .why = GUESTS, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "guestkallsyms", 0, "VALUE", .why = GUESTS, .instead = WITH_PERF},
	{TS_OPTION_REFUSED, "guestmodules", 0, "VALUE", .why = GUESTS, .instead = WITH_PERF},
	{0},
};
