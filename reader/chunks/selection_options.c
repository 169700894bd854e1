// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/selection_options.h"

#include <errno.h>

#define AT(field) .at = offsetof(struct selection_text, field)

const struct ts_option selection_rows[] = {
	{TS_OPTION_TEXT, "comms", 'c', "LIST", .group = "Only", AT(comms)},
	{TS_OPTION_ALIAS, .name = "comm"},
	{TS_OPTION_TEXT, "dsos", 'd', "LIST", .is_beside = true, AT(dsos)},
	{TS_OPTION_ALIAS, .name = "dso"},
	{TS_OPTION_TEXT, "symbols", 'S', "LIST", .is_beside = true, AT(symbols)},
	{TS_OPTION_ALIAS, .name = "symbol"},
	{TS_OPTION_TEXT, "symbol-filter", 0, "TEXT", .is_beside = true, AT(symbol_part)},
	{TS_OPTION_TEXT, "pid", 0, "LIST", AT(pids)},
	{TS_OPTION_TEXT, "tid", 0, "LIST", .is_beside = true, AT(tids)},
	{TS_OPTION_TEXT, "cpu", 'C', "LIST", .is_beside = true, AT(cpus)},
	{TS_OPTION_TEXT, "time", 0, "TIMES", "START,STOP in seconds, 10%-20%, 10%/2", AT(time)},
	{TS_OPTION_TEXT, "last", 0, "TIME", "30s", .is_beside = true, AT(last)},
	{0},
};

int selection_check_dump(const struct selection_text *t, struct ts_error *err)
{
	if (t->dsos || t->symbols || t->symbol_part || t->is_known)
		return ts_error_set(
			err, EINVAL,
			"cannot dump by object or function: select by --time, --cpu, --pid, "
			"--tid or --comm");
	return 0;
}
