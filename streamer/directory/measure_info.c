// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/measure_info.h"

/* Up to the last bucket that is not 0. */
static void put_buckets(struct ts_json *o, const struct histogram_counts *c)
{
	struct ts_json *row = ts_json_put_array(o, "by_power_of_two_us");
	unsigned int nr = HISTOGRAM_BUCKETS;

	while (nr > 1 && !c->buckets[nr - 1])
		nr--;
	for (unsigned int i = 0; i < nr; i++)
		ts_json_put_number(row, NULL, c->buckets[i]);
}

static void put_histogram(struct ts_json *writer, const char *key, const struct histogram_counts *c)
{
	struct ts_json *o;

	if (!c->nr)
		return;
	o = ts_json_put_object(writer, key);
	ts_json_put_number(o, "median_ns", histogram_percentile_ns(c, 50));
	ts_json_put_number(o, "p99_ns", histogram_percentile_ns(c, 99));
	ts_json_put_number(o, "max_ns", c->max_ns);
	put_buckets(o, c);
}

void measure_info_put(struct ts_json *writer, const struct writer_measures *m)
{
	struct ts_json *cpu = ts_json_put_object(writer, "cpu");

	ts_json_put_number(cpu, "user_ns", m->user_ns);
	ts_json_put_number(cpu, "system_ns", m->system_ns);
	ts_json_put_number(cpu, "helpers_ns", m->helpers_ns);
	ts_json_put_number(writer, "memory_bytes", m->memory_bytes);
	put_histogram(writer, "lag", &m->lag);
	put_histogram(writer, "write", &m->write);
}
