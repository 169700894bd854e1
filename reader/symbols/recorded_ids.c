// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/recorded_ids.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
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

static int add_id(struct recorded_ids *r, const char *name, const struct ts_build_id *id)
{
	uint32_t nr_before = r->names.nr, number;

	if (nr_before == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct ts_build_id *grown = reallocarray(r->items, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		r->items = grown;
		r->cap = cap;
	}
	number = name_table_intern(&r->names, name);
	if (number == nr_before)
		r->items[number] = *id;
	return number == NAME_TABLE_NONE ? -ENOMEM : 0;
}

int recorded_ids_init(struct recorded_ids *r, const struct ts_header *header)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_BUILD_ID);
	struct ts_build_id id;
	const char *name;
	int rc = 0;

	*r = (struct recorded_ids){0};
	while (!rc && next_id(&c, &id, &name))
		rc = add_id(r, name, &id);
	return rc;
}

void recorded_ids_release(struct recorded_ids *r)
{
	name_table_release(&r->names);
	free(r->items);
	*r = (struct recorded_ids){0};
}

bool recorded_ids_find(const struct recorded_ids *r, const char *filename, struct ts_build_id *ret)
{
	uint32_t number = name_table_find(&r->names, filename);

	if (number == NAME_TABLE_NONE)
		return false;
	*ret = r->items[number];
	return true;
}

bool recorded_ids_search(const struct ts_header *header, const char *filename,
			 struct ts_build_id *ret)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_BUILD_ID);
	const char *name;

	while (next_id(&c, ret, &name))
		if (!strcmp(name, filename))
			return true;
	return false;
}
