/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON object that nobody trusts. Threads: none of its own. */
#ifndef TS_COMMON_BASE_JSON_MEMBER_H
#define TS_COMMON_BASE_JSON_MEMBER_H

#include <json-c/json.h>
#include <stdint.h>

/*
 * The member of that type, which still belongs to the object. NULL: no such member, or `o` is no
 * object.
 */
struct json_object *ts_json_member(struct json_object *o, const char *key, enum json_type type);
/* A count; 0 if the member is missing or is no possible count. */
uint64_t ts_json_number(struct json_object *o, const char *key);
void ts_json_put_number(struct json_object *o, const char *key, uint64_t value);

#endif
