// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_format.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "reader/export/export_folded.h"

static const struct export_format formats[] = {
	{
		.name = "folded",
		.suffix = "folded",
		.opener = "'flamegraph.pl %s > flame.svg' draws it, and speedscope.app opens it in "
			  "the browser",
		.write = export_folded_write,
	},
};

const struct export_format *export_format_find(const char *name, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	ts_error_set(err, EINVAL, "cannot export as '%s': no such format", name);
	ts_error_hint(err, "give --format=folded");
	return NULL;
}
