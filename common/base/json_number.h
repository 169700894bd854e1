/* SPDX-License-Identifier: Apache-2.0 */
/* A number as a member of a JSON object. Threads: none of its own. */
#ifndef TS_COMMON_BASE_JSON_NUMBER_H
#define TS_COMMON_BASE_JSON_NUMBER_H

#include <json-c/json.h>
#include <stdint.h>

void ts_json_put_number(struct json_object *o, const char *key, uint64_t value);

#endif
