// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/kept_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kept_error_set(struct kept_error *kept, const struct ts_error *err)
{
	const size_t bytes = strlen(err->text) + 1;

	kept_error_release(kept);
	if (!err->code)
		return;
	kept->text = malloc(bytes + strlen(err->hint) + 1);
	kept->code = kept->text ? err->code : ENOMEM;
	if (kept->text)
		strcpy(strcpy(kept->text, err->text) + bytes, err->hint);
}

int kept_error_get(const struct kept_error *kept, struct ts_error *ret)
{
	if (!kept->text)
		return kept->code ? ts_error_sys(ret, kept->code, "cannot read symbols")
				  : ts_error_set(ret, 0, "%s", "");
	ts_error_set(ret, kept->code, "%s", kept->text);
	return ts_error_hint(ret, "%s", kept->text + strlen(kept->text) + 1);
}

void kept_error_release(struct kept_error *kept)
{
	free(kept->text);
	*kept = (struct kept_error){0};
}
