/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON object, of which nothing is trusted. Threads: none of its own. */
#ifndef TS_COMMON_BASE_JSON_MEMBER_H
#define TS_COMMON_BASE_JSON_MEMBER_H

#include <json-c/json.h>
#include <stdint.h>

/* A member of that type, still the object's; NULL: there is none, also where `o` is no object. */
struct json_object *ts_json_member(struct json_object *o, const char *key, enum json_type type);
/* A count; 0 where there is none, or one that cannot be. */
uint64_t ts_json_number(struct json_object *o, const char *key);
void ts_json_put_number(struct json_object *o, const char *key, uint64_t value);

#endif
