// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/measure_info.h"

#include <inttypes.h>

#include "common/base/bytes.h"
#include "common/base/json_member.h"

static struct json_object *put_object(struct json_object *o, const char *key)
{
	struct json_object *child = json_object_new_object();

	json_object_object_add(o, key, child);
	return child;
}

/* In one line, up to the last bucket that is not 0. */
static void put_buckets(struct json_object *o, const struct histogram_counts *c)
{
	struct json_object *row = json_object_new_object();
	unsigned int nr = HISTOGRAM_BUCKETS;
	struct ts_bytes text = {0};

	while (nr > 1 && !c->buckets[nr - 1])
		nr--;
	for (unsigned int i = 0; i < nr; i++)
		ts_bytes_printf(&text, "%s%" PRIu64, i ? "," : "[", c->buckets[i]);
	ts_bytes_printf(&text, "]%c", '\0');
	if (row && !ts_bytes_failed(&text)) {
		json_object_set_serializer(row, json_object_userdata_to_json_string, text.data,
					   json_object_free_userdata);
		json_object_object_add(o, "by_power_of_two_us", row);
		return;
	}
	json_object_put(row);
	ts_bytes_release(&text);
}

static void put_histogram(struct json_object *writer, const char *key,
			  const struct histogram_counts *c)
{
	struct json_object *o;

	if (!c->nr)
		return;
	o = put_object(writer, key);
	ts_json_put_number(o, "median_ns", histogram_percentile_ns(c, 50));
	ts_json_put_number(o, "p99_ns", histogram_percentile_ns(c, 99));
	ts_json_put_number(o, "max_ns", c->max_ns);
	put_buckets(o, c);
}

void measure_info_put(struct json_object *writer, const struct writer_measures *m)
{
	struct json_object *cpu = put_object(writer, "cpu");

	ts_json_put_number(cpu, "user_ns", m->user_ns);
	ts_json_put_number(cpu, "system_ns", m->system_ns);
	ts_json_put_number(cpu, "helpers_ns", m->helpers_ns);
	ts_json_put_number(writer, "memory_bytes", m->memory_bytes);
	put_histogram(writer, "lag", &m->lag);
	put_histogram(writer, "write", &m->write);
}
