/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags: the values that tell samples apart besides event, command, thread and place.
 *
 * A sort key that differs from sample to sample (CPU, time, field of a tracepoint) must be part of
 * the key of a stack. Otherwise the samples of a stack could no longer be told apart. A tag is one
 * number for the values of all such keys together. So a stack has room for any of them, and a
 * report without such keys pays nothing.
 *
 *	sample -> values, one per column -> number of the tag
 *
 * A value is a number. In columns of text it is the number of a text.
 *
 * Threads: a struct tags belongs to one thread; its plan and its source are shared and constant.
 */
#ifndef TS_READER_STACKS_SAMPLE_TAG_H
#define TS_READER_STACKS_SAMPLE_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/record.h"
#include "reader/runtime/name_table.h"
#include "reader/stacks/capture_facts.h"
#include "reader/symbols/symbol.h"
#include "reader/tracepoints/trace_fields.h"

#define TAGS_MAX	64 /* columns */
#define SAMPLE_TAG_NONE UINT32_MAX

enum sample_tag_kind {
	SAMPLE_TAG_CPU,
	SAMPLE_TAG_SOCKET,
	SAMPLE_TAG_NODE,
	SAMPLE_TAG_TIME, /* the beginning of a quantum, in ns */
	/* of text: */
	SAMPLE_TAG_CGROUP,
	SAMPLE_TAG_EVENT,
	SAMPLE_TAG_HOST,
	SAMPLE_TAG_TRACE, /* the text of a tracepoint */
	SAMPLE_TAG_FIELD, /* one field of a tracepoint */
};

struct sample_tag_column {
	enum sample_tag_kind kind;
	uint32_t event;	  /* SAMPLE_TAG_FIELD: the only event that has the field */
	const char *name; /* SAMPLE_TAG_FIELD: name of the field; lives as long as the plan */
	bool is_raw;	  /* SAMPLE_TAG_FIELD: the number itself, not its text in the tracepoint */
	unsigned int width; /* SAMPLE_TAG_FIELD: least width in columns */
};

struct tags_plan {
	struct sample_tag_column columns[TAGS_MAX];
	size_t nr;
	uint64_t quantum_ns; /* of SAMPLE_TAG_TIME, at least 1 */
};

static inline bool sample_tag_is_text(enum sample_tag_kind kind)
{
	return kind >= SAMPLE_TAG_CGROUP;
}

struct tags_memo; /* private: values of earlier payloads */

struct tags {
	const struct tags_plan *plan;
	const struct capture_facts *source; /* NULL: only shared tags are kept */
	uint64_t *values;		    /* plan->nr per tag */
	uint32_t nr, cap;
	uint32_t *slots; /* index + 1, 0 free; power of two */
	size_t nr_slots;
	uint64_t key; /* of the hash; see common/base/keyed_hash.h */
	struct name_table texts;
	struct tracefields *fields; /* if a column is of a tracepoint */
	struct tags_memo *memo;
	struct ts_bytes text; /* scratch */
};

/*
 * plan and source must outlive *t. Tracepoint payloads are parsed by the formats in the header of
 * the source. Returns 0, -ENOMEM, or -EINVAL with a sentence if formats are damaged.
 */
int tags_init(struct tags *t, const struct tags_plan *plan, const struct capture_facts *source,
	      struct symbols *symbols, struct ts_error *err);
void tags_release(struct tags *t); /* accepts a zeroed one; idempotent */

/* The number of the sample's tag; SAMPLE_TAG_NONE: out of memory. */
uint32_t tags_number(struct tags *t, const struct ts_sample *sample);
/*
 * Adds the tags of `from`, which has the same plan: ret[number in from] = number in t. Returns 0 or
 * -ENOMEM.
 */
int tags_share(struct tags *t, const struct tags *from, uint32_t *ret);

static inline uint64_t tags_value(const struct tags *t, uint32_t tag, size_t column)
{
	return t->values[tag * t->plan->nr + column];
}

/* The text of a column of text. */
static inline const char *tags_text(const struct tags *t, uint32_t tag, size_t column)
{
	return t->texts.items[tags_value(t, tag, column)];
}

#endif
