// SPDX-License-Identifier: Apache-2.0
#include "reader/script/script_perf_options.h"

#define SCRIPTS	 "no script is run over the samples"
#define FILTERS	 "no program is loaded to filter samples"
#define AUX	 "processor traces are not decoded"
#define GUESTS	 "samples of guests are not resolved"
#define SWITCHES "no event switches the output on and off"

#define READ_LINES "-F gives the fields of a line to any program that reads lines"
#define WITH_PERF  "perf script reads the same capture"
#define BY_TIME	   "--time selects by time"

static const struct ts_perf_option table[] = {
	{"force", 'f', TS_NO_VALUE, TS_CHANGES_NOTHING, "whose the capture is does not matter",
	 NULL},
	{"demangle", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, NULL, NULL},
	{"no-demangle-kernel", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, NULL, NULL},
	{"show-kernel-path", 0, TS_NO_VALUE, TS_CHANGES_NOTHING, "the kernel has one name", NULL},
	{"max-blocks", 0, TS_NUMBER, TS_CHANGES_NOTHING, "no blocks of code are printed", NULL},
	{"stitch-lbr", 0, TS_NO_VALUE, TS_CHANGES_NOTHING,
	 "call chains of branch records are not printed", NULL},

	{"json", 0, TS_NO_VALUE, TS_NOT_HERE, "script prints lines of text",
	 "tstream report --json prints rows as JSON; -F gives the fields of a line"},
	{"stats", 0, TS_NO_VALUE, TS_NOT_HERE, "script prints samples",
	 "tstream report --stats does"},
	{"tasks", 0, TS_NO_VALUE, TS_NOT_HERE, "script prints samples",
	 "tstream report --tasks does; --show-task-events prints the records"},
	{"loss", 0, TS_NO_VALUE, TS_NOT_HERE, "script prints samples",
	 "tstream report --loss does"},
	{"sort", 0, TS_ANY_VALUE, TS_NOT_HERE, "samples are printed in the order of time",
	 "tstream report --sort counts them"},
	{"children", 0, TS_NO_VALUE, TS_NOT_HERE, "script prints samples, no rows",
	 "tstream report --children counts callers"},
	{"no-children", 0, TS_NO_VALUE, TS_NOT_HERE, "script prints samples, no rows",
	 "tstream report --no-children leaves callers out"},
	{"call-graph", 0, TS_MAYBE_VALUE, TS_NOT_HERE,
	 "call chains are printed where there are any",
	 "-G hides them; tstream report -g draws graphs"},
	{"jobs", 'j', TS_ANY_VALUE, TS_NOT_HERE, "every CPU that it may use is used",
	 "taskset -c 0 tstream script prints with one thread"},
	{"no-demangle", 0, TS_NO_VALUE, TS_NOT_HERE, "symbols are always demangled", WITH_PERF},
	{"demangle-kernel", 0, TS_NO_VALUE, TS_NOT_HERE,
	 "symbols of the kernel are shown as they are", "leave it out"},
	{"gen-script", 'g', TS_ANY_VALUE, TS_NOT_HERE, SCRIPTS, READ_LINES},
	{"script", 's', TS_ANY_VALUE, TS_NOT_HERE, SCRIPTS, READ_LINES},
	{"list", 'l', TS_NO_VALUE, TS_NOT_HERE, SCRIPTS, READ_LINES},
	{"dlfilter", 0, TS_ANY_VALUE, TS_NOT_HERE, FILTERS, READ_LINES},
	{"dlarg", 0, TS_ANY_VALUE, TS_NOT_HERE, FILTERS, READ_LINES},
	{"list-dlfilters", 0, TS_NO_VALUE, TS_NOT_HERE, FILTERS, READ_LINES},
	{"addr-range", 0, TS_NUMBER, TS_NOT_HERE, "functions are selected by name",
	 "-S NAME selects one"},
	{"debug-mode", 0, TS_NO_VALUE, TS_NOT_HERE, "the order of samples is not judged here",
	 "tstream check does"},
	{"dump-unsorted-raw-trace", 0, TS_NO_VALUE, TS_NOT_HERE,
	 "records are dumped in the order of time", "-D does"},
	{"per-event-dump", 0, TS_NO_VALUE, TS_NOT_HERE, "all events go to one output",
	 "-F event shows which line is whose"},
	{"show-on-off-events", 0, TS_NO_VALUE, TS_NOT_HERE, SWITCHES, BY_TIME},
	{"switch-on", 0, TS_ANY_VALUE, TS_NOT_HERE, SWITCHES, BY_TIME},
	{"switch-off", 0, TS_ANY_VALUE, TS_NOT_HERE, SWITCHES, BY_TIME},
	{"show-round-events", 0, TS_NO_VALUE, TS_NOT_HERE,
	 "rounds are perf's way to sort, and not recorded here", "-D shows those of perf's files"},
	{"show-text-poke-events", 0, TS_NO_VALUE, TS_NOT_HERE,
	 "changes of the kernel's code are not printed", "-D shows that they are there"},
	{"graph-function", 0, TS_ANY_VALUE, TS_NOT_HERE, AUX, WITH_PERF},
	{"call-trace", 0, TS_MAYBE_VALUE, TS_NOT_HERE, AUX, WITH_PERF},
	{"call-ret-trace", 0, TS_MAYBE_VALUE, TS_NOT_HERE, AUX, WITH_PERF},
	{"insn-trace", 0, TS_MAYBE_VALUE, TS_NOT_HERE, AUX, WITH_PERF},
	{"itrace", 0, TS_MAYBE_VALUE, TS_NOT_HERE, AUX, WITH_PERF},
	{"xed", 0, TS_MAYBE_VALUE, TS_NOT_HERE, AUX, WITH_PERF},
	{"guest-code", 0, TS_NO_VALUE, TS_NOT_HERE, GUESTS, WITH_PERF},
	{"guestmount", 0, TS_ANY_VALUE, TS_NOT_HERE, GUESTS, WITH_PERF},
	{"guestvmlinux", 0, TS_ANY_VALUE, TS_NOT_HERE, GUESTS, WITH_PERF},
	{"guestkallsyms", 0, TS_ANY_VALUE, TS_NOT_HERE, GUESTS, WITH_PERF},
	{"guestmodules", 0, TS_ANY_VALUE, TS_NOT_HERE, GUESTS, WITH_PERF},
};

void script_perf_options_init(struct ts_perf_options *p)
{
	ts_perf_options_init(p, table, sizeof(table) / sizeof(table[0]));
}
