// SPDX-License-Identifier: Apache-2.0
/*
 * tstream.json of the new directory. For captures of ours it is the recorder's note, as in a merge
 * of one part. Others have no note, so it is computed from the streams.
 */
#include "config.h"

#include "reader/compact/compact.h"

static void set_count(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static void set_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

struct json_object *compact_note_new(const struct compact *c)
{
	struct json_object *note = merge_note_new(&c->merge);

	if (note || c->merge.parts->has_uuid)
		return note;
	note = json_object_new_object();
	if (!note)
		return NULL;
	set_text(note, "program", PACKAGE_STRING);
	set_text(note, "state", "complete");
	json_object_object_add(note, "writers", json_object_new_array());
	return note;
}

/* Makes a ledger from the losses in LOST records. */
static struct json_object *ledger_of(const struct compact_counts *counts)
{
	struct json_object *ledger = json_object_new_object(), *lost = json_object_new_object();

	set_count(lost, "ring_full", counts->nr_lost);
	set_count(ledger, "offered", counts->nr_records + counts->nr_lost);
	set_count(ledger, "kept", counts->nr_records);
	json_object_object_add(ledger, "lost", lost);
	json_object_object_add(ledger, "counted_by_kernel", json_object_new_boolean(false));
	return ledger;
}

void compact_note_end(const struct compact *c, struct json_object *note)
{
	struct json_object *o = note ? json_object_new_object() : NULL;

	if (!o)
		return;
	set_count(o, "samples", c->counts.nr_dumps);
	set_count(o, "dump_bytes", c->counts.dump_bytes);
	set_count(o, "frames", c->counts.nr_frames);
	json_object_object_add(note, "compacted", o);
	if (!c->merge.parts->has_uuid)
		json_object_object_add(note, "ledger", ledger_of(&c->counts));
}
