// SPDX-License-Identifier: Apache-2.0
/*
 * The account of a merged directory. The accounts of its parts are added up if no record is in two
 * parts; otherwise it is computed from the chunk headers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_member.h"
#include "common/directory/directory.h"
#include "common/stream/checksum.h"
#include "common/stream/timeline_json.h"
#include "reader/merge/merge.h"
#include "reader/trust/loss.h"

/* NULL-terminated lists of members. */
static const char *const ledger_sums[] = {"offered", "kept", "lost_at_unknown_time", NULL};
static const char *const lost_sums[] = {"ring_full", "compression", "disk", NULL};
static const char *const ring_sums[] = {
	"records", "samples",	"raw_bytes",	    "chunks",
	"lost",	   "lost_disk", "lost_compression", "lost_at_unknown_time",
	NULL};
static const char *const ring_maxima[] = {"bytes", "fill_max_bytes", NULL};
static const char *const writer_sums[] = {"records",   "samples", "own_samples", "raw_bytes",
					  "chunks",    "blocks",  "lost",	 "unwritten",
					  "throttles", "wakeups", "plain_bytes", "compress_ns",
					  "syncs",     "rests",	  "starved_ns",	 NULL};
static const char *const writer_maxima[] = {"buffers", "sync_max_ns", "write_max_ns",
					    "drain_gap_max_ns", NULL};
static const char *const self_sums[] = {"samples", NULL};
/* the recorder goes on: each directory has the totals so far */
static const char *const self_maxima[] = {"user_ns", "system_ns", "max_resident_bytes",
					  "context_switches", NULL};
static const char *const sums[] = {"duration_ns", NULL};
static const char *const no_members[] = {NULL};
/* those of one part would be taken for those of all parts */
static const char *const writer_of_part[] = {"cpu", "lag", "write", NULL};

/* --- members --- */

static const char *json_text_of(struct json_object *o, const char *key)
{
	struct json_object *value = ts_json_member(o, key, json_type_string);

	return value ? json_object_get_string(value) : "";
}

static void copy_member(struct json_object *to, struct json_object *from, const char *key)
{
	struct json_object *value;

	if (json_object_object_get_ex(from, key, &value))
		json_object_object_add(to, key, json_object_get(value));
	else
		json_object_object_del(to, key);
}

static void add_members(struct json_object *to, struct json_object *from, const char *const *added,
			const char *const *highest)
{
	if (!json_object_is_type(to, json_type_object))
		return;
	for (; *added; added++)
		if (ts_json_member(from, *added, json_type_int))
			ts_json_put_number(to, *added,
					   ts_json_number(to, *added) +
						   ts_json_number(from, *added));
	for (; *highest; highest++)
		if (ts_json_number(from, *highest) > ts_json_number(to, *highest))
			ts_json_put_number(to, *highest, ts_json_number(from, *highest));
}

/* --- parts of the note --- */

/* Turns a member that was made to be written into one that can be read again. */
static void make_plain(struct json_object *o, const char *key)
{
	struct json_object *value, *plain;

	if (!json_object_object_get_ex(o, key, &value))
		return;
	plain = json_tokener_parse(json_object_to_json_string(value));
	if (plain)
		json_object_object_add(o, key, plain);
}

/* Adds the timeline of `from`. Records of a slot are spread over its time. */
static void add_times(struct json_object *to, struct json_object *from)
{
	struct ts_timeline sum, more;

	ts_timeline_from_json(to, &sum);
	ts_timeline_from_json(from, &more);
	for (uint32_t i = 0; i < more.nr; i++) {
		uint64_t begin = (more.first + i) * more.step_ns;

		for (unsigned int cause = 0; cause < TS_LOSS_NR; cause++)
			if (more.slots[i].nr[cause])
				ts_timeline_add(&sum, cause, more.slots[i].nr[cause], begin,
						begin + more.step_ns - 1);
	}
	ts_timeline_to_json(to, &sum);
	make_plain(to, "times");
}

static bool is_alike(struct json_object *a, struct json_object *b, const char *key)
{
	return ts_json_number(a, key) == ts_json_number(b, key) &&
	       !strcmp(json_text_of(a, key), json_text_of(b, key));
}

/*
 * The item of an array with the same key, a number or a text; NULL: none. The search begins at
 * `place`, where it usually is.
 */
static struct json_object *find_alike(struct json_object *list, size_t place,
				      struct json_object *item, const char *key)
{
	size_t nr = json_object_array_length(list);

	for (size_t i = 0; i < nr; i++) {
		struct json_object *known = json_object_array_get_idx(list, (place + i) % nr);

		if (is_alike(known, item, key))
			return known;
	}
	return NULL;
}

static void add_ring(struct json_object *to, struct json_object *from)
{
	add_members(to, from, ring_sums, ring_maxima);
	add_times(to, from);
}

static void add_writer(struct json_object *to, struct json_object *from)
{
	add_members(to, from, writer_sums, writer_maxima);
}

static void add_list(struct json_object *to, struct json_object *from, const char *list,
		     const char *key, void (*add)(struct json_object *to, struct json_object *from))
{
	struct json_object *have = ts_json_member(to, list, json_type_array);
	struct json_object *more = ts_json_member(from, list, json_type_array);

	for (size_t i = 0; have && more && i < json_object_array_length(more); i++) {
		struct json_object *item = json_object_array_get_idx(more, i);
		struct json_object *known = find_alike(have, i, item, key), *copy = NULL;

		if (known)
			add(known, item);
		else if (!json_object_deep_copy(item, &copy, NULL))
			json_object_array_add(have, copy);
	}
}

static bool is_true(struct json_object *o, const char *key)
{
	struct json_object *value = ts_json_member(o, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}

/*
 * The last directory of a recording has the kernel's totals minus the losses of the earlier
 * directories. If `from` goes on where an earlier part ends, all losses are known as soon as `from`
 * knows its own.
 */
static void add_ledger(struct json_object *to, struct json_object *from, bool goes_on)
{
	bool is_exact = is_true(from, "counted_by_kernel");

	struct json_object *have = ts_json_member(to, "ring_full_by_event", json_type_array);
	struct json_object *more = ts_json_member(from, "ring_full_by_event", json_type_array);

	if (!to)
		return;
	is_exact &= goes_on || is_true(to, "counted_by_kernel");
	add_members(to, from, ledger_sums, no_members);
	add_members(ts_json_member(to, "lost", json_type_object),
		    ts_json_member(from, "lost", json_type_object), lost_sums, no_members);
	json_object_object_add(to, "counted_by_kernel", json_object_new_boolean(is_exact));
	for (size_t i = 0; have && more && i < json_object_array_length(more); i++)
		json_object_array_add(have, json_object_get(json_object_array_get_idx(more, i)));
}

static uint64_t merged_of(struct json_object *note)
{
	uint64_t nr = ts_json_number(note, "merged");

	return nr ? nr : 1;
}

/* The merged note ends as the later one does. */
static void take_end(struct json_object *to, struct json_object *from)
{
	struct json_object *rotation = ts_json_member(to, "rotation", json_type_object);
	struct json_object *later = ts_json_member(from, "rotation", json_type_object);

	copy_member(to, from, "ended_by");
	copy_member(to, from, "absences");
	if (!rotation || !later) {
		json_object_object_del(to, "rotation");
		return;
	}
	copy_member(rotation, later, "end_ns");
	copy_member(rotation, later, "cause");
}

static void add_note(struct json_object *to, struct json_object *from, bool goes_on)
{
	ts_json_put_number(to, "merged", merged_of(to) + merged_of(from));
	add_members(to, from, sums, no_members);
	add_list(to, from, "writers", "stream", add_writer);
	add_list(to, from, "rings", "number", add_ring);
	add_ledger(ts_json_member(to, "ledger", json_type_object),
		   ts_json_member(from, "ledger", json_type_object), goes_on);
	add_members(ts_json_member(to, "self", json_type_object),
		    ts_json_member(from, "self", json_type_object), self_sums, self_maxima);
	take_end(to, from);
}

/* --- the whole --- */

static bool is_additive(const struct merge *m)
{
	for (size_t i = 0; i < m->nr_parts; i++)
		if (m->parts[i].is_new && !m->parts[i].is_additive)
			return false;
	return true;
}

struct json_object *merge_note_new(const struct merge *m)
{
	struct json_object *note = NULL, *writers;

	if (!m->parts[0].note || json_object_deep_copy(m->parts[0].note, &note, NULL))
		return NULL;
	for (size_t i = 1; i < m->nr_parts; i++)
		if (m->parts[i].is_new && m->parts[i].note)
			add_note(note, m->parts[i].note, m->parts[i].goes_on);
	if (!is_additive(m))
		json_object_object_add(note, "writers", json_object_new_array());
	writers = ts_json_member(note, "writers", json_type_array);
	for (size_t i = 0; writers && i < json_object_array_length(writers); i++)
		for (const char *const *key = writer_of_part; *key; key++)
			json_object_object_del(json_object_array_get_idx(writers, i), *key);
	return note;
}

void merge_note_stream(struct json_object *note, unsigned int number, uint64_t bytes)
{
	struct json_object *writers = ts_json_member(note, "writers", json_type_array);
	struct json_object *item = json_object_new_object(), *known;
	char name[24];

	snprintf(name, sizeof(name), "data.%u", number);
	if (!writers || !item) {
		json_object_put(item);
		return;
	}
	json_object_object_add(item, "stream", json_object_new_string(name));
	known = find_alike(writers, 0, item, "stream");
	if (known)
		json_object_put(item);
	else
		json_object_array_add(writers, item);
	ts_json_put_number(known ? known : item, "stream_bytes", bytes);
}

static void print_sum(char sum[17], const void *data, size_t len)
{
	snprintf(sum, 17, "%016" PRIx64, ts_checksum(data, len));
}

bool merge_note_knows_data(struct json_object *note, const void *data, size_t len)
{
	struct json_object *known = ts_json_member(note, "data", json_type_object);
	char sum[17];

	if (!known)
		return true;
	print_sum(sum, data, len);
	return ts_json_number(known, "bytes") == len && !strcmp(json_text_of(known, "xxh3"), sum);
}

void merge_note_data(struct json_object *note, const void *data, size_t len)
{
	struct json_object *o = note ? json_object_new_object() : NULL;
	char sum[17];

	if (!o)
		return;
	print_sum(sum, data, len);
	ts_json_put_number(o, "bytes", len);
	json_object_object_add(o, "xxh3", json_object_new_string(sum));
	json_object_object_add(note, "data", o);
}

static struct json_object *ring_object(const struct loss_ring *r)
{
	struct json_object *o = json_object_new_object();

	ts_json_put_number(o, "number", r->number);
	ts_json_put_number(o, "cpu", r->cpu);
	json_object_object_add(o, "kind",
			       json_object_new_string(r->is_sideband ? "sideband" : "samples"));
	ts_json_put_number(o, "records", r->kept);
	ts_json_put_number(o, "lost", loss_ring_lost(r));
	ts_json_put_number(o, "lost_disk", r->lost[TS_LOSS_DISK]);
	ts_json_put_number(o, "lost_compression", r->lost[TS_LOSS_COMPRESSION]);
	ts_json_put_number(o, "lost_at_unknown_time", 0);
	ts_timeline_to_json(o, &r->timeline);
	return o;
}

static struct json_object *ledger_object(const struct merge *m, const struct loss *loss)
{
	static const enum ts_loss_cause causes[] = {TS_LOSS_RING_FULL, TS_LOSS_COMPRESSION,
						    TS_LOSS_DISK};
	struct json_object *ledger = json_object_new_object(), *lost = json_object_new_object();
	uint64_t all = 0;

	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		uint64_t nr = 0;

		for (size_t ring = 0; ring < loss->nr; ring++)
			nr += loss->rings[ring].lost[causes[i]];
		ts_json_put_number(lost, ts_loss_cause_name(causes[i]), nr);
		all += nr;
	}
	ts_json_put_number(ledger, "offered", m->nr_records + all);
	ts_json_put_number(ledger, "kept", m->nr_records);
	json_object_object_add(ledger, "lost", lost);
	ts_json_put_number(ledger, "lost_at_unknown_time", 0);
	json_object_object_add(ledger, "counted_by_kernel", json_object_new_boolean(false));
	return ledger;
}

/*
 * Computes rings and ledger from the headers of the kept chunks, because accounts cannot be added.
 */
static void count_again(struct merge *m, struct json_object *note)
{
	struct json_object *rings = json_object_new_array();
	struct ts_error err;
	struct loss loss;

	for (size_t i = 0; i < m->nr_entries; i++)
		if (m->entries[i].is_left_out) /* loss.c then ignores the chunk */
			m->table.chunks[m->entries[i].chunk].header_bytes = 0;
	if (loss_open(&loss, &m->capture, &m->table, &err))
		loss = (struct loss){0};
	for (size_t i = 0; i < loss.nr; i++)
		json_object_array_add(rings, ring_object(&loss.rings[i]));
	json_object_object_add(note, "rings", rings);
	json_object_object_add(note, "ledger", ledger_object(m, &loss));
	loss_close(&loss);
}

/* Corrects the times of rings whose recorder took wrong times from lengthened records. */
static void correct_times(const struct merge *m, struct json_object *note)
{
	struct json_object *rings = ts_json_member(note, "rings", json_type_array);

	for (size_t i = 0; rings && i < json_object_array_length(rings); i++) {
		struct json_object *ring = json_object_array_get_idx(rings, i);
		uint64_t number = ts_json_number(ring, "number");
		struct ts_timeline times;

		if (strcmp(json_text_of(ring, "kind"), "sideband") != 0 || number > UINT32_MAX ||
		    !loss_has_other_times(&m->table, (uint32_t)number))
			continue;
		loss_timeline(&m->table, (uint32_t)number, &times);
		ts_timeline_to_json(ring, &times);
	}
}

void merge_note_end(struct merge *m, struct json_object *note)
{
	bool is_sound = true;

	for (size_t i = 0; i < m->nr_parts; i++)
		is_sound &= !m->parts[i].is_new || m->parts[i].is_sound;
	if (is_sound && !is_additive(m))
		count_again(m, note);
	else if (is_sound)
		correct_times(m, note);
	if (is_sound)
		return;
	json_object_object_add(note, "state", json_object_new_string("repaired"));
	json_object_object_del(note, "data");
	json_object_object_del(note, "writers");
	json_object_object_del(note, "rings");
}
