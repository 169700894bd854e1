// SPDX-License-Identifier: Apache-2.0
#include "common/perf/cursor.h"

#include <string.h>

#include "common/perf/record.h"

bool ts_cursor_bytes(struct ts_cursor *c, size_t len, const uint8_t **ret)
{
	if (len > c->left)
		return false;
	*ret = c->at;
	c->at += len;
	c->left -= len;
	return true;
}

bool ts_cursor_u32(struct ts_cursor *c, uint32_t *ret)
{
	const uint8_t *at;

	if (!ts_cursor_bytes(c, sizeof(*ret), &at))
		return false;
	*ret = ts_record_load_u32(at);
	return true;
}

bool ts_cursor_u64(struct ts_cursor *c, uint64_t *ret)
{
	const uint8_t *at;

	if (!ts_cursor_bytes(c, sizeof(*ret), &at))
		return false;
	*ret = ts_record_load_u64(at);
	return true;
}

bool ts_cursor_string(struct ts_cursor *c, const char **ret)
{
	struct ts_cursor next = *c;
	const uint8_t *at;
	uint32_t len;

	if (!ts_cursor_u32(&next, &len) || !ts_cursor_bytes(&next, len, &at) ||
	    !memchr(at, '\0', len))
		return false;
	*ret = (const char *)at;
	*c = next;
	return true;
}
