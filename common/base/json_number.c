// SPDX-License-Identifier: Apache-2.0
#include "common/base/json_number.h"

void ts_json_put_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}
