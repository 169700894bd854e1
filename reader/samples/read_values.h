/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PERF_SAMPLE_READ in a sample: the value of its counter, or the values of all counters of its
 * group.
 *
 *	one:    value [enabled] [running] [id] [lost]
 *	group:  nr [enabled] [running] nr times: value [id] [lost]
 *
 * Threads: pure functions.
 *
 * Source: include/uapi/linux/perf_event.h (struct read_format).
 */
#ifndef TS_READER_SAMPLES_READ_VALUES_H
#define TS_READER_SAMPLES_READ_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"

struct read_value { /* 0: the format does not have the field */
	uint64_t value, id, lost;
};

struct read_values {	 /* points into the words of a sample */
	uint64_t format; /* PERF_FORMAT_* */
	uint64_t enabled_ns, running_ns;
	struct ts_words words;
	uint64_t nr; /* counters; 0: the sample has no such block */
};

/* Parses ts_sample.read; read_format is that of the attr. */
struct read_values read_values(const struct ts_words *read, uint64_t read_format);
/* i < nr */
struct read_value read_value(const struct read_values *r, uint64_t i);

/*
 * Do samples of this event stand for samples of the counters that they read? Then each value has
 * its id.
 */
static inline bool read_values_stand_for_samples(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_ID;
}

#endif
