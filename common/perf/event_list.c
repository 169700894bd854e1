// SPDX-License-Identifier: Apache-2.0
/*
 * struct ts_events of common/perf/record.h: the attrs with their names and ids, the table from id
 * to event, and the place of the id in a record.
 */
#include "common/perf/record.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/keyed_hash.h"
#include "common/perf/event_name.h"
#include "common/perf/record_words.h"

static int no_memory(struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot add an event to the list");
}

static void copy_attr(struct ts_event *ev, const struct perf_event_attr *from)
{
	struct perf_event_attr *to = &ev->attr;
	size_t size =
		ts_record_load_u32((const uint8_t *)from + offsetof(struct perf_event_attr, size));

	ev->is_longer = size > TS_KNOWN_ATTR_BYTES;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size > sizeof(*to))
		size = sizeof(*to);
	memset(to, 0, sizeof(*to));
	memcpy(to, from, size);
	to->size = (uint32_t)size;
}

static char *copy_name(const struct perf_event_attr *attr, const char *name)
{
	char made[TS_EVENT_NAME_BYTES];

	if (name)
		return strdup(name);
	ts_event_name(attr, made, sizeof(made));
	return strdup(made);
}

static int init_event(struct ts_event *ev, const struct perf_event_attr *attr, const char *name,
		      const void *ids, size_t nr_ids)
{
	copy_attr(ev, attr);
	ev->name = copy_name(&ev->attr, name);
	ev->ids = nr_ids ? calloc(nr_ids, sizeof(*ev->ids)) : NULL;
	ev->nr_ids = nr_ids;
	if (!ev->name || (nr_ids && !ev->ids)) {
		free(ev->name);
		free(ev->ids);
		return -ENOMEM;
	}
	if (nr_ids)
		memcpy(ev->ids, ids, nr_ids * sizeof(*ev->ids));
	return 0;
}

int ts_events_add(struct ts_events *evs, const struct perf_event_attr *attr, const char *name,
		  const void *ids, size_t nr_ids, struct ts_error *err)
{
	struct ts_event *items = reallocarray(evs->items, evs->nr + 1, sizeof(*items));

	if (!items)
		return no_memory(err);
	evs->items = items;
	if (init_event(&items[evs->nr], attr, name, ids, nr_ids))
		return no_memory(err);
	evs->nr++;
	return 0;
}

/* Byte offset of the id from the start of a SAMPLE; 0 if it has none. */
static uint32_t id_off_of(const struct perf_event_attr *attr)
{
	uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (attr->sample_type & PERF_SAMPLE_ID)
		return 8 + 8 * ts_record_words(attr->sample_type & before);
	return 0;
}

/* Byte offset of the id, counted back from the end of any record but a SAMPLE; 0 if it has none. */
static uint32_t id_tail_of(const struct perf_event_attr *attr)
{
	uint64_t from = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (!attr->sample_id_all)
		return 0;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (attr->sample_type & PERF_SAMPLE_ID)
		return 8 * ts_record_words(attr->sample_type & from);
	return 0;
}

static int check_agreement(const struct ts_events *evs, struct ts_error *err)
{
	const struct perf_event_attr *first = &evs->items[0].attr;

	if (evs->nr > 1 && !id_off_of(first))
		return ts_error_set(err, EINVAL,
				    "cannot tell %zu events apart: their samples carry no id",
				    evs->nr);
	for (size_t i = 1; i < evs->nr; i++) {
		const struct perf_event_attr *attr = &evs->items[i].attr;

		if (attr->sample_id_all != first->sample_id_all)
			return ts_error_set(err, EINVAL,
					    "cannot decode events '%s' and '%s' together: only "
					    "one has sample_id_all",
					    evs->items[0].name, evs->items[i].name);
		if (id_off_of(attr) != id_off_of(first) || id_tail_of(attr) != id_tail_of(first))
			return ts_error_set(err, EINVAL,
					    "cannot decode events '%s' and '%s' together: their "
					    "ids stand at different places",
					    evs->items[0].name, evs->items[i].name);
	}
	return 0;
}

static bool trailers_alike(const struct ts_events *evs)
{
	for (size_t i = 1; i < evs->nr; i++) {
		if ((evs->items[i].attr.sample_type ^ evs->items[0].attr.sample_type) &
		    TS_TRAILER_BITS)
			return false;
	}
	return true;
}

/* The slot of an id, or the free slot for it. The table always has a free slot. */
static struct ts_event_id *slot_of(const struct ts_events *evs, uint64_t id)
{
	size_t at = ts_keyed_hash(evs->hash_key, id) & (evs->nr_slots - 1);

	while (evs->slots[at].id && evs->slots[at].id != id)
		at = (at + 1) & (evs->nr_slots - 1);
	return &evs->slots[at];
}

static int make_slots(struct ts_events *evs, struct ts_error *err)
{
	struct ts_event_id *slots;
	size_t nr_ids = 0, nr = 16;

	for (size_t i = 0; i < evs->nr; i++)
		nr_ids += evs->items[i].nr_ids;
	while (nr < 2 * nr_ids)
		nr *= 2;
	slots = calloc(nr, sizeof(*slots));
	if (!slots)
		return no_memory(err);
	free(evs->slots);
	evs->slots = slots;
	evs->nr_slots = nr;
	evs->hash_key = ts_keyed_hash_key();
	return 0;
}

int ts_events_index(struct ts_events *evs, struct ts_error *err)
{
	int ret;

	if (!evs->nr)
		return ts_error_set(err, EINVAL, "cannot decode records: there are no events");
	ret = check_agreement(evs, err);
	if (ret)
		return ret;
	ret = make_slots(evs, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < evs->nr; i++) {
		for (size_t j = 0; j < evs->items[i].nr_ids; j++) {
			uint64_t id = evs->items[i].ids[j];
			struct ts_event_id *slot = id ? slot_of(evs, id) : NULL;

			if (slot && !slot->id)
				*slot = (struct ts_event_id){.id = id, .event = (uint32_t)i};
		}
	}
	evs->sample_id_all = evs->items[0].attr.sample_id_all;
	evs->id_off = id_off_of(&evs->items[0].attr);
	evs->id_tail = id_tail_of(&evs->items[0].attr);
	evs->same_trailer = trailers_alike(evs);
	evs->trailer_bytes = 0;
	if (evs->same_trailer && evs->sample_id_all)
		evs->trailer_bytes =
			8 * ts_record_words(evs->items[0].attr.sample_type & TS_TRAILER_BITS);
	return 0;
}

void ts_events_release(struct ts_events *evs)
{
	for (size_t i = 0; i < evs->nr; i++) {
		free(evs->items[i].name);
		free(evs->items[i].ids);
	}
	free(evs->items);
	free(evs->slots);
	*evs = (struct ts_events){0};
}

uint32_t ts_events_find(const struct ts_events *evs, uint64_t id)
{
	const struct ts_event_id *slot;

	if (evs->nr == 1 || (!id && evs->nr))
		return 0;
	if (!evs->nr_slots)
		return TS_NO_EVENT;
	slot = slot_of(evs, id);
	return slot->id ? slot->event : TS_NO_EVENT;
}
