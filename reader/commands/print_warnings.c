// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/print_warnings.h"

#include "common/base/log.h"

void print_warnings(struct ts_notes *warnings)
{
	for (size_t i = 0; i < warnings->nr; i++)
		ts_log_warn("%s", warnings->items[i]);
	ts_notes_release(warnings);
}
