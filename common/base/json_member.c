// SPDX-License-Identifier: Apache-2.0
#include "common/base/json_member.h"

struct json_object *ts_json_member(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

uint64_t ts_json_number(struct json_object *o, const char *key)
{
	struct json_object *value = ts_json_member(o, key, json_type_int);

	/* json-c gives 0 for a negative number */
	return value ? json_object_get_uint64(value) : 0;
}

void ts_json_put_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}
