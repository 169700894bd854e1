// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reader/export/export_folded.h"

static const struct export_format formats[] = {
	{
		.name = "folded",
		.suffix = "folded",
		.opener = "flamegraph.pl draws it, and www.speedscope.app opens it, in the browser",
		.write = export_folded_write,
	},
};

void export_format_hint(struct ts_error *err)
{
	char names[128] = "";

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 i ? ", " : "", formats[i].name);
	ts_error_hint(err, "the formats are: %s", names);
}

const struct export_format *export_format_find(const char *name, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	ts_error_set(err, EINVAL, "cannot export as '%s': no such format", name);
	export_format_hint(err);
	return NULL;
}
