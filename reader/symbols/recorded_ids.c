// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/recorded_ids.h"

#include <linux/perf_event.h>
#include <string.h>

#define BUILD_ID_HAS_LEN 0x8000 /* misc of a build-id record: its length is stored */

/*
 * One record of the BUILD_ID feature: perf_event_header, s32 pid, u8 id[20], u8 id_bytes, 3 bytes,
 * filename. False: no whole record is left.
 */
static bool next_id(struct ts_cursor *c, struct ts_build_id *ret_id, const char **ret_filename)
{
	const size_t fixed = 36;
	struct perf_event_header hdr;
	const uint8_t *record;

	if (c->left < fixed)
		return false;
	memcpy(&hdr, c->at, sizeof(hdr));
	if (hdr.size <= fixed || !ts_cursor_bytes(c, hdr.size, &record))
		return false;
	*ret_id = (struct ts_build_id){.len = sizeof(ret_id->bytes)};
	if (hdr.misc & BUILD_ID_HAS_LEN)
		ret_id->len = record[32] <= TS_BUILD_ID_MAX ? record[32] : TS_BUILD_ID_MAX;
	memcpy(ret_id->bytes, record + 12, sizeof(ret_id->bytes));
	*ret_filename = (const char *)record + fixed;
	return memchr(*ret_filename, '\0', hdr.size - fixed) != NULL;
}

bool recorded_ids_find(const struct ts_header *header, const char *filename,
		       struct ts_build_id *ret)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_BUILD_ID);
	const char *name;

	while (next_id(&c, ret, &name))
		if (!strcmp(name, filename))
			return true;
	return false;
}
