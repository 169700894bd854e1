// SPDX-License-Identifier: Apache-2.0
/*
 * The account of a merged directory. The accounts of its parts are added up if no record is in two
 * parts; otherwise it is computed from the chunk headers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/keyed_hash.h"
#include "common/directory/directory.h"
#include "common/json/json.h"
#include "common/stream/checksum.h"
#include "common/stream/timeline_json.h"
#include "reader/merge/merge.h"
#include "reader/tasks/hash_index.h"
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

static const char *text_of(const struct ts_json *o, const char *key)
{
	const char *text = ts_json_text(o, key);

	return text ? text : "";
}

static void copy_member(struct ts_json *to, const struct ts_json *from, const char *key)
{
	ts_json_remove(to, key);
	ts_json_put_copy(to, key, ts_json_any(from, key));
}

static void add_members(struct ts_json *to, const struct ts_json *from, const char *const *added,
			const char *const *highest)
{
	for (; *added; added++)
		if (ts_json_member(from, *added, TS_JSON_INT))
			ts_json_put_number(to, *added,
					   ts_json_number(to, *added) +
						   ts_json_number(from, *added));
	for (; *highest; highest++)
		if (ts_json_number(from, *highest) > ts_json_number(to, *highest))
			ts_json_put_number(to, *highest, ts_json_number(from, *highest));
}

/* --- parts of the note --- */

/* Adds the timeline of `from`. Records of a slot are spread over its time. */
static void add_times(struct ts_json *to, const struct ts_json *from)
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
}

/* The items of an array by their key, a number or a text; of those with the same key the first. */
struct item_index {
	struct hash_index index;
	struct ts_json **items;
	const char *key;
};

struct item_key {
	const char *text; /* "" for a number */
	uint64_t number;
};

static struct item_key key_of(const struct item_index *x, const struct ts_json *item)
{
	return (struct item_key){text_of(item, x->key), ts_json_number(item, x->key)};
}

static uint32_t hash_key(struct item_index *x, struct item_key key)
{
	const uint32_t hash = hash_index_hash(&x->index, key.text, strlen(key.text));

	return (uint32_t)ts_keyed_hash(hash, key.number);
}

/* NULL: none. */
static struct ts_json *find_item(struct item_index *x, struct item_key key)
{
	struct hash_walk walk = hash_walk(&x->index, hash_key(x, key));
	struct item_key other;
	uint32_t at;

	while (hash_walk_next(&x->index, &walk, &at)) {
		other = key_of(x, x->items[at]);
		if (other.number == key.number && !strcmp(other.text, key.text))
			return x->items[at];
	}
	return NULL;
}

static int index_items(struct item_index *x, const struct ts_json *list)
{
	uint32_t nr = 0;

	x->items = calloc(ts_json_count(list) + 1, sizeof(struct ts_json *));
	if (!x->items)
		return -ENOMEM;
	for (struct ts_json *item = ts_json_first(list); item; item = ts_json_next(item)) {
		const struct item_key key = key_of(x, item);

		if (find_item(x, key))
			continue;
		x->items[nr] = item;
		if (hash_index_add(&x->index, hash_key(x, key), nr++))
			return -ENOMEM;
	}
	return 0;
}

static void add_ring(struct ts_json *to, const struct ts_json *from)
{
	add_members(to, from, ring_sums, ring_maxima);
	add_times(to, from);
}

static void add_writer(struct ts_json *to, const struct ts_json *from)
{
	add_members(to, from, writer_sums, writer_maxima);
}

/* Adds the items of `from` to those with the same key, or appends them. 0 or -ENOMEM. */
static int add_list(struct ts_json *to, const struct ts_json *from, const char *list,
		    const char *key, void (*add)(struct ts_json *to, const struct ts_json *from))
{
	struct ts_json *have = ts_json_member(to, list, TS_JSON_ARRAY), *known;
	struct ts_json *item = ts_json_first(ts_json_member(from, list, TS_JSON_ARRAY));
	struct item_index x = {.key = key};
	int rc = have ? index_items(&x, have) : 0;

	for (; !rc && have && item; item = ts_json_next(item)) {
		known = find_item(&x, key_of(&x, item));
		if (known)
			add(known, item);
		else
			ts_json_put_copy(have, NULL, item);
	}
	hash_index_release(&x.index);
	free(x.items);
	return rc;
}

/*
 * The last directory of a recording has the kernel's totals minus the losses of the earlier
 * directories. If `from` goes on where an earlier part ends, all losses are known as soon as `from`
 * knows its own.
 */
static void add_ledger(struct ts_json *to, const struct ts_json *from, bool goes_on)
{
	bool is_exact = ts_json_is_true(from, "counted_by_kernel");
	struct ts_json *have = ts_json_member(to, "ring_full_by_event", TS_JSON_ARRAY);
	struct ts_json *row =
		ts_json_first(ts_json_member(from, "ring_full_by_event", TS_JSON_ARRAY));

	is_exact &= goes_on || ts_json_is_true(to, "counted_by_kernel");
	add_members(to, from, ledger_sums, no_members);
	add_members(ts_json_member(to, "lost", TS_JSON_OBJECT),
		    ts_json_member(from, "lost", TS_JSON_OBJECT), lost_sums, no_members);
	ts_json_put_bool(to, "counted_by_kernel", is_exact);
	for (; row; row = ts_json_next(row))
		ts_json_put_copy(have, NULL, row);
}

static uint64_t merged_of(const struct ts_json *note)
{
	uint64_t nr = ts_json_number(note, "merged");

	return nr ? nr : 1;
}

/* The merged note ends as the later one does. */
static void take_end(struct ts_json *to, const struct ts_json *from)
{
	struct ts_json *rotation = ts_json_member(to, "rotation", TS_JSON_OBJECT);
	struct ts_json *later = ts_json_member(from, "rotation", TS_JSON_OBJECT);

	copy_member(to, from, "ended_by");
	copy_member(to, from, "absences");
	if (!rotation || !later) {
		ts_json_remove(to, "rotation");
		return;
	}
	copy_member(rotation, later, "end_ns");
	copy_member(rotation, later, "cause");
}

static void add_gap(struct ts_json *to, const struct ts_json *from)
{
	copy_member(to, from, "to_ns");
}

/* A gap that a cut divides is in both notes, and the later one has its end. */
static int add_gaps(struct ts_json *to, const struct ts_json *from)
{
	static const char key[] = "names_missing";

	if (ts_json_member(to, key, TS_JSON_ARRAY))
		return add_list(to, from, key, "from_ns", add_gap);
	copy_member(to, from, key);
	return 0;
}

static int add_note(struct ts_json *to, const struct ts_json *from, bool goes_on)
{
	int rc;

	ts_json_put_number(to, "merged", merged_of(to) + merged_of(from));
	add_members(to, from, sums, no_members);
	rc = add_list(to, from, "writers", "stream", add_writer);
	if (!rc)
		rc = add_list(to, from, "rings", "number", add_ring);
	add_ledger(ts_json_member(to, "ledger", TS_JSON_OBJECT),
		   ts_json_member(from, "ledger", TS_JSON_OBJECT), goes_on);
	add_members(ts_json_member(to, "self", TS_JSON_OBJECT),
		    ts_json_member(from, "self", TS_JSON_OBJECT), self_sums, self_maxima);
	if (!rc)
		rc = add_gaps(to, from);
	take_end(to, from);
	return rc;
}

/* --- the whole --- */

static bool is_additive(const struct merge *m)
{
	for (size_t i = 0; i < m->nr_parts; i++)
		if (m->parts[i].is_new && !m->parts[i].is_additive)
			return false;
	return true;
}

int merge_note_new(const struct merge *m, struct ts_json **ret)
{
	struct ts_json *note, *writer;
	int rc = 0;

	*ret = NULL;
	if (!m->parts[0].note)
		return 0;
	note = ts_json_copy(m->parts[0].note);
	if (!note)
		return -ENOMEM;
	for (size_t i = 1; !rc && i < m->nr_parts; i++)
		if (m->parts[i].is_new && m->parts[i].note) {
			rc = add_note(note, m->parts[i].note, m->parts[i].goes_on);
			account_put_damage(&note, &m->parts[i].account.damage);
		}
	if (rc) {
		ts_json_free(note);
		return rc;
	}
	if (!is_additive(m))
		ts_json_put_array(note, "writers");
	writer = ts_json_first(ts_json_member(note, "writers", TS_JSON_ARRAY));
	for (; writer; writer = ts_json_next(writer))
		for (const char *const *key = writer_of_part; *key; key++)
			ts_json_remove(writer, *key);
	*ret = note;
	return 0;
}

int merge_note_stream(struct merge *m, uint32_t number, uint64_t bytes, struct ts_error *err)
{
	const struct merge_stream stream = {number, bytes};

	ts_bytes_put(&m->streams, &stream, sizeof(stream));
	return ts_bytes_failed(&m->streams) ? merge_no_memory(m, err) : 0;
}

/* Sets the size of a stream at its writer; a stream that no part has noted gets a writer. */
static void put_stream(struct ts_json *writers, struct item_index *known,
		       const struct merge_stream *s)
{
	struct ts_json *writer;
	char name[24];

	snprintf(name, sizeof(name), "data.%" PRIu64, s->number);
	writer = find_item(known, (struct item_key){name, 0});
	if (!writer) {
		writer = ts_json_put_object(writers, NULL);
		ts_json_put_text(writer, "stream", name);
	}
	ts_json_put_number(writer, "stream_bytes", s->bytes);
}

static int put_streams(const struct merge *m, struct ts_json *note)
{
	struct ts_json *writers = ts_json_member(note, "writers", TS_JSON_ARRAY);
	const struct merge_stream *streams = (const void *)m->streams.data;
	struct item_index known = {.key = "stream"};
	int rc = writers ? index_items(&known, writers) : 0;

	for (size_t i = 0; !rc && writers && i < m->streams.len / sizeof(*streams); i++)
		put_stream(writers, &known, &streams[i]);
	hash_index_release(&known.index);
	free(known.items);
	return rc;
}

static void print_sum(char sum[17], const void *data, size_t len)
{
	snprintf(sum, 17, "%016" PRIx64, ts_checksum(data, len));
}

int merge_note_sum(const struct ts_json *note, uint64_t *ret)
{
	struct ts_bytes text = {0};
	int rc = note ? ts_json_print(note, &text) : 0;

	if (!rc)
		*ret = note ? ts_checksum(text.data, text.len) : 0;
	ts_bytes_release(&text);
	return rc ? -ENOMEM : 0;
}

bool merge_note_knows_data(struct ts_json *note, const void *data, size_t len)
{
	struct ts_json *known = ts_json_member(note, "data", TS_JSON_OBJECT);
	char sum[17];

	if (!known)
		return true;
	print_sum(sum, data, len);
	return ts_json_number(known, "bytes") == len && !strcmp(text_of(known, "xxh3"), sum);
}

void merge_note_data(struct ts_json *note, const void *data, size_t len)
{
	struct ts_json *o = ts_json_put_object(note, "data");
	char sum[17];

	print_sum(sum, data, len);
	ts_json_put_number(o, "bytes", len);
	ts_json_put_text(o, "xxh3", sum);
}

static void put_ring(struct ts_json *rings, const struct loss_ring *r)
{
	struct ts_json *o = ts_json_put_object(rings, NULL);

	ts_json_put_number(o, "number", r->number);
	ts_json_put_number(o, "cpu", r->cpu);
	ts_json_put_text(o, "kind", r->is_sideband ? "sideband" : "samples");
	ts_json_put_number(o, "records", r->kept);
	ts_json_put_number(o, "lost", loss_ring_lost(r));
	ts_json_put_number(o, "lost_disk", r->lost[TS_LOSS_DISK]);
	ts_json_put_number(o, "lost_compression", r->lost[TS_LOSS_COMPRESSION]);
	ts_json_put_number(o, "lost_at_unknown_time", 0);
	ts_timeline_to_json(o, &r->timeline);
}

static void put_ledger(struct ts_json *note, const struct merge *m, const struct loss *loss)
{
	static const enum ts_loss_cause causes[] = {TS_LOSS_RING_FULL, TS_LOSS_COMPRESSION,
						    TS_LOSS_DISK};
	struct ts_json *ledger = ts_json_put_object(note, "ledger");
	struct ts_json *lost = ts_json_put_object(ledger, "lost");
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
	ts_json_put_number(ledger, "lost_at_unknown_time", 0);
	ts_json_put_bool(ledger, "counted_by_kernel", false);
}

/*
 * Computes rings and ledger from the headers of the kept chunks, because accounts cannot be added.
 */
static int count_again(struct merge *m, struct ts_json *note, struct ts_error *err)
{
	struct ts_json *rings = ts_json_put_array(note, "rings");
	struct loss loss;
	int rc;

	for (size_t i = 0; i < m->nr_entries; i++)
		if (m->entries[i].is_left_out) /* loss.c then ignores the chunk */
			m->table.chunks[m->entries[i].chunk].header_bytes = 0;
	rc = loss_open(&loss, &m->capture, &m->table, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < loss.nr; i++)
		put_ring(rings, &loss.rings[i]);
	put_ledger(note, m, &loss);
	loss_close(&loss);
	return 0;
}

/* Corrects the times of rings whose recorder took wrong times from lengthened records. */
static void correct_times(const struct merge *m, struct ts_json *note)
{
	struct ts_json *ring = ts_json_first(ts_json_member(note, "rings", TS_JSON_ARRAY));

	for (; ring; ring = ts_json_next(ring)) {
		uint64_t number = ts_json_number(ring, "number");
		struct ts_timeline times;

		if (strcmp(text_of(ring, "kind"), "sideband") != 0 || number > UINT32_MAX ||
		    !loss_has_other_times(&m->table, (uint32_t)number))
			continue;
		loss_timeline(&m->table, (uint32_t)number, &times);
		ts_timeline_to_json(ring, &times);
	}
}

int merge_note_end(struct merge *m, struct ts_json *note, struct ts_error *err)
{
	bool is_sound = true;

	if (put_streams(m, note))
		return merge_no_memory(m, err);
	for (size_t i = 0; i < m->nr_parts; i++)
		is_sound &= !m->parts[i].is_new || m->parts[i].is_sound;
	if (is_sound && !is_additive(m))
		return count_again(m, note, err);
	if (is_sound) {
		correct_times(m, note);
		return 0;
	}
	ts_json_put_text(note, "state", "repaired");
	ts_json_remove(note, "data");
	ts_json_remove(note, "writers");
	ts_json_remove(note, "rings");
	return 0;
}

/* Streams of a finished recording that are missing or cut short. */
static void count_missing(const struct merge_part *part, struct account_damage *d)
{
	for (size_t i = 0; i < part->account.nr_streams; i++) {
		uint64_t missing;

		if (account_check(&part->account.streams[i], &part->capture, &missing) ==
		    ACCOUNT_SOUND)
			continue;
		d->nr_places++;
		d->bytes += missing;
	}
}

int merge_note_damage(struct merge *m, struct ts_json **note, struct ts_error *err)
{
	struct account_damage d;

	if (damage_merge(&m->damage, &m->table.damage))
		return merge_no_memory(m, err);
	d = (struct account_damage){
		.nr_places = m->damage.nr,
		.bytes = damage_bytes(&m->damage),
		.nr_doubtful = damage_doubtful(&m->damage),
	};
	for (size_t i = 0; i < m->nr_parts; i++) {
		const struct ts_header *h = &m->parts[i].capture.header;

		d.nr_places += m->parts[i].nr_unsound + m->parts[i].has_other_data +
			       h->nr_bad_features + h->data_cut;
		if (m->parts[i].misses_streams)
			count_missing(&m->parts[i], &d);
	}
	account_put_damage(note, &d);
	return d.nr_places && !*note ? merge_no_memory(m, err) : 0;
}
