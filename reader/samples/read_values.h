/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PERF_SAMPLE_READ puts into a sample: the value of its counter, or those of all its group.
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

struct ts_read_value { /* 0 where the format has none */
	uint64_t value, id, lost;
};

struct ts_read_values {	 /* over the words of a sample, which it points to */
	uint64_t format; /* PERF_FORMAT_* */
	uint64_t enabled_ns, running_ns;
	struct ts_words words;
	uint64_t nr; /* counters; 0 where the sample has no such block */
};

/* Of ts_sample.read; read_format is the attr's. */
struct ts_read_values ts_read_values(const struct ts_words *read, uint64_t read_format);
/* i < nr */
struct ts_read_value ts_read_value(const struct ts_read_values *r, uint64_t i);

/*
 * Do samples of this event stand for samples of the counters that were read at them? Then each has
 * its id.
 */
static inline bool ts_attr_reads(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_ID;
}

#endif
