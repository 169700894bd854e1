// SPDX-License-Identifier: Apache-2.0
/*
 * tstream.json of the new directory. For captures of ours it is the recorder's note, as in a merge
 * of one part. Others have no note, so it is computed from the streams.
 */
#include "config.h"

#include <errno.h>

#include "reader/compact/compact.h"

int compact_note_new(const struct compact *c, struct ts_json **ret)
{
	int rc = merge_note_new(&c->merge, ret);

	if (rc || *ret || c->merge.parts->has_uuid)
		return rc;
	*ret = ts_json_new();
	ts_json_put_text(*ret, "program", PACKAGE_STRING);
	ts_json_put_text(*ret, "state", "complete");
	ts_json_put_array(*ret, "writers");
	return *ret ? 0 : -ENOMEM;
}

/* Makes a ledger from the losses in LOST records. */
static void put_ledger(struct ts_json *note, const struct compact_counts *counts)
{
	struct ts_json *ledger = ts_json_put_object(note, "ledger");

	ts_json_put_number(ledger, "offered", counts->nr_records + counts->nr_lost);
	ts_json_put_number(ledger, "kept", counts->nr_records);
	ts_json_put_number(ts_json_put_object(ledger, "lost"), "ring_full", counts->nr_lost);
	ts_json_put_bool(ledger, "counted_by_kernel", false);
}

void compact_note_end(const struct compact *c, struct ts_json *note)
{
	struct ts_json *o = ts_json_put_object(note, "compacted");

	ts_json_put_number(o, "samples", c->counts.nr_dumps);
	ts_json_put_number(o, "dump_bytes", c->counts.dump_bytes);
	ts_json_put_number(o, "frames", c->counts.nr_frames);
	if (!c->merge.parts->has_uuid)
		put_ledger(note, &c->counts);
}
