// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/sample_tag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/keyed_hash.h"

#define SLOTS_FIRST 256
/*
 * Number of payloads whose values are remembered; power of two. To turn a payload into text costs a
 * hundred times as much as to hash it, and most tracepoints repeat the same payloads.
 */
#define MEMOS 1024

struct memo {
	uint64_t low, high; /* of event and payload; both 0: free */
	uint64_t values[TAGS_MAX];
};

struct tags_memo {
	struct memo items[MEMOS];
};

/* --- numbering --- */

static bool is_same(const struct tags *t, uint32_t tag, const uint64_t *values)
{
	return !memcmp(t->values + (size_t)tag * t->plan->nr, values,
		       t->plan->nr * sizeof(*values));
}

static size_t find_slot(const struct tags *t, const uint64_t *values)
{
	size_t at = XXH3_64bits_withSeed(values, t->plan->nr * sizeof(*values), t->key) &
		    (t->nr_slots - 1);

	while (t->slots[at] && !is_same(t, t->slots[at] - 1, values))
		at = (at + 1) & (t->nr_slots - 1);
	return at;
}

static int grow_tags(struct tags *t)
{
	size_t nr = t->nr_slots ? 2 * t->nr_slots : SLOTS_FIRST;
	uint64_t *values;
	uint32_t *slots;

	if (t->nr_slots > 2 * (size_t)t->nr)
		return 0;
	values = memory_resize(t->texts.memory, t->values, nr / 2 * t->plan->nr, sizeof(*values));
	if (!values)
		return -ENOMEM;
	t->values = values;
	slots = memory_new(t->texts.memory, nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	memory_free(t->slots);
	t->slots = slots;
	t->nr_slots = nr;
	for (uint32_t i = 0; i < t->nr; i++)
		slots[find_slot(t, values + (size_t)i * t->plan->nr)] = i + 1;
	return 0;
}

static uint32_t intern_tag(struct tags *t, const uint64_t *values)
{
	size_t at;

	if (grow_tags(t))
		return SAMPLE_TAG_NONE;
	at = find_slot(t, values);
	if (t->slots[at])
		return t->slots[at] - 1;
	memcpy(t->values + (size_t)t->nr * t->plan->nr, values, t->plan->nr * sizeof(*values));
	t->slots[at] = ++t->nr;
	return t->nr - 1;
}

int tags_share(struct tags *t, const struct tags *from, uint32_t *ret)
{
	const struct tags_plan *plan = t->plan;
	uint64_t values[TAGS_MAX];

	for (uint32_t tag = 0; tag < from->nr; tag++) {
		for (size_t i = 0; i < plan->nr; i++) {
			values[i] = tags_value(from, tag, i);
			if (sample_tag_is_text(plan->columns[i].kind))
				values[i] = name_table_intern(&t->texts, tags_text(from, tag, i));
			if (sample_tag_is_text(plan->columns[i].kind) &&
			    values[i] == NAME_TABLE_NONE)
				return -ENOMEM;
		}
		ret[tag] = intern_tag(t, values);
		if (ret[tag] == SAMPLE_TAG_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* --- values --- */

static bool is_of_payload(enum sample_tag_kind kind)
{
	return kind == SAMPLE_TAG_TRACE || kind == SAMPLE_TAG_FIELD;
}

static uint64_t config_of(const struct tags *t, const struct ts_sample *s)
{
	return t->source->header->events.items[s->sid.event].attr.config;
}

static bool is_tracepoint(const struct tags *t, const struct ts_sample *s)
{
	return t->source->header->events.items[s->sid.event].attr.type == PERF_TYPE_TRACEPOINT;
}

/* Writes the text of the tracepoint into t->text; false: it has none. */
static bool put_trace(struct tags *t, const struct ts_sample *s)
{
	return is_tracepoint(t, s) && s->raw &&
	       trace_fields_print(t->fields, config_of(t, s), s->raw, s->raw_size, s->sid.cpu,
				  &t->text);
}

/* The number of the sample's event in the report. */
static uint32_t event_of(const struct tags *t, const struct ts_sample *s)
{
	return t->source->events ? t->source->events[s->sid.event] : s->sid.event;
}

static void put_field(struct tags *t, const struct sample_tag_column *column,
		      const struct ts_sample *s)
{
	if (column->event == event_of(t, s) && s->raw)
		trace_fields_print_field(t->fields, config_of(t, s), column->name, column->is_raw,
					 s->raw, s->raw_size, &t->text);
}

static const char *text_of_payload(struct tags *t, const struct sample_tag_column *column,
				   const struct ts_sample *s)
{
	ts_bytes_clear(&t->text);
	if (column->kind == SAMPLE_TAG_FIELD)
		put_field(t, column, s);
	else if (!put_trace(t, s))
		ts_bytes_put(&t->text, "N/A", 3);
	ts_bytes_zero(&t->text, 1);
	return ts_bytes_failed(&t->text) ? NULL : (const char *)t->text.data;
}

/* 0 or -ENOMEM. */
static int value_of(struct tags *t, const struct sample_tag_column *column,
		    const struct ts_sample *s, uint64_t *ret)
{
	const char *text = NULL;

	switch (column->kind) {
	case SAMPLE_TAG_CPU:
		*ret = s->sid.cpu;
		return 0;
	case SAMPLE_TAG_SOCKET:
		*ret = (uint64_t)capture_facts_socket(t->source, s->sid.cpu);
		return 0;
	case SAMPLE_TAG_NODE:
		*ret = (uint64_t)capture_facts_node(t->source, s->sid.cpu);
		return 0;
	case SAMPLE_TAG_TIME:
		*ret = s->sid.time_ns / t->plan->quantum_ns * t->plan->quantum_ns;
		return 0;
	case SAMPLE_TAG_CGROUP:
		text = capture_facts_cgroup(t->source, s->cgroup);
		break;
	case SAMPLE_TAG_EVENT:
		text = t->source->header->events.items[s->sid.event].name;
		break;
	case SAMPLE_TAG_HOST:
		text = t->source->host;
		break;
	case SAMPLE_TAG_TRACE:
	case SAMPLE_TAG_FIELD:
		text = text_of_payload(t, column, s);
		break;
	}
	*ret = text ? name_table_intern(&t->texts, text) : NAME_TABLE_NONE;
	return *ret == NAME_TABLE_NONE ? -ENOMEM : 0;
}

static int put_values(struct tags *t, const struct ts_sample *s, bool of_payload, uint64_t *ret)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->plan->nr; i++)
		if (is_of_payload(t->plan->columns[i].kind) == of_payload)
			rc = value_of(t, &t->plan->columns[i], s, &ret[i]);
	return rc;
}

static int recall_payload(struct tags *t, const struct ts_sample *s, uint64_t *ret)
{
	XXH128_hash_t hash =
		XXH3_128bits_withSeed(s->raw, s->raw ? s->raw_size : 0, s->sid.event + 1);
	struct memo *memo = &t->memo->items[hash.low64 & (MEMOS - 1)];
	int rc;

	if (memo->low != hash.low64 || memo->high != hash.high64) {
		memo->low = memo->high = 0;
		rc = put_values(t, s, true, memo->values);
		if (rc)
			return rc;
		memo->low = hash.low64;
		memo->high = hash.high64;
	}
	for (size_t i = 0; i < t->plan->nr; i++)
		if (is_of_payload(t->plan->columns[i].kind))
			ret[i] = memo->values[i];
	return 0;
}

uint32_t tags_number(struct tags *t, const struct ts_sample *sample)
{
	uint64_t values[TAGS_MAX];

	if (put_values(t, sample, false, values) || (t->memo && recall_payload(t, sample, values)))
		return SAMPLE_TAG_NONE;
	return intern_tag(t, values);
}

/* --- the whole --- */

int tags_init(struct tags *t, const struct tags_plan *plan, const struct capture_facts *source,
	      struct symbols *symbols, struct ts_error *err)
{
	bool has_payload = false;

	*t = (struct tags){.plan = plan, .source = source, .key = ts_keyed_hash_key()};
	for (size_t i = 0; i < plan->nr; i++)
		has_payload |= is_of_payload(plan->columns[i].kind);
	if (!has_payload || !source)
		return 0;
	t->fields = trace_fields_new(source->header, symbols, err);
	if (!t->fields)
		return -err->code;
	trace_fields_set_raw(t->fields, source->raw_trace);
	t->memo = calloc(1, sizeof(*t->memo));
	return t->memo ? 0 : ts_error_sys(err, ENOMEM, "cannot sort by tracepoints");
}

void tags_release(struct tags *t)
{
	trace_fields_free(t->fields);
	free(t->memo);
	memory_free(t->values);
	memory_free(t->slots);
	name_table_release(&t->texts);
	ts_bytes_release(&t->text);
	*t = (struct tags){0};
}
