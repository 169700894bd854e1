// SPDX-License-Identifier: Apache-2.0
#include "reader/compact/compact.h"

#include <errno.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/stream/checksum.h"
#include "reader/compact/compact_sample.h"
#include "reader/order/replay.h"

/* --- what is refused --- */

static bool has_dumps(const struct ts_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (compact_is_dumping(&events->items[i].attr))
			return true;
	return false;
}

static int refuse_without_dumps(const char *path, struct ts_error *err)
{
	ts_error_set(err, ENODATA, "cannot compact %s: none of its events dumps stacks", path);
	return ts_error_hint(err,
			     "record with --call-graph dwarf: only such captures have stack dumps");
}

/* Refuses samples in `data`: only samples in streams are unwound. */
static int check_data(const struct compact *c, struct ts_error *err)
{
	const struct ts_bytes *timed = &c->merge.timed;
	struct chunk_walk walk = {timed->data, timed->data + timed->len};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk)))
		if (ts_record_load_u32(hdr) == PERF_RECORD_SAMPLE)
			return ts_error_set(err, EINVAL,
					    "cannot compact %s: its file 'data' has samples",
					    c->merge.capture.path);
	return 0;
}

/* --- opening --- */

static int copy_events(struct compact *c, struct ts_error *err)
{
	const struct ts_events *from = &c->merge.capture.header.events;
	int rc = 0;

	for (size_t i = 0; !rc && i < from->nr; i++)
		rc = ts_events_add(&c->events, &from->items[i].attr, from->items[i].name,
				   from->items[i].ids, from->items[i].nr_ids, err);
	return rc ? rc : ts_events_index(&c->events, err);
}

/* Makes the events of the merge those of the new capture. Chunks are read with the old ones. */
static void choose_attrs(struct compact *c)
{
	struct ts_events *events = &c->merge.capture.header.events;

	c->merge.table.events = &c->events;
	for (size_t i = 0; i < events->nr; i++)
		if (compact_is_dumping(&events->items[i].attr))
			events->items[i].attr = compact_attr(&events->items[i].attr);
	range_layout_init(&c->layout, events);
}

/*
 * Computes a uuid for records of others, which have none: the same capture always gets the same
 * uuid.
 */
static void choose_uuid(struct compact *c)
{
	const struct merge_part *part = c->merge.parts;
	const struct map *map = &part->capture.streams[0].map;
	uint64_t words[2];

	if (part->has_uuid) {
		memcpy(c->uuid, part->uuid, sizeof(c->uuid));
		return;
	}
	words[0] = ts_checksum(map->data, ts_min(map->len, 1u << 20));
	words[1] = ts_checksum(words, sizeof(*words)) ^ map->len;
	memcpy(c->uuid, words, sizeof(c->uuid));
}

/* Sets fields of parts that a merge sets only for our captures. */
static void judge_foreign(struct merge *m)
{
	struct merge_part *part = m->parts;
	const struct ts_header *h = &part->capture.header;

	/*
	 * A directory with only the file `data` has its samples there, so it is treated as a single
	 * file.
	 */
	if (part->capture.nr_streams == 1)
		part->capture.kind = CAPTURE_FILE;
	if (!part->note && !part->has_uuid)
		part->is_sound = !h->data_unfinished && !h->data_cut && !h->nr_bad_features;
}

static int replay_tasks(struct compact *c, struct ts_error *err)
{
	c->tasks = replay_sideband(&c->merge.table, &c->merge.damage, &c->warnings, err);
	if (c->tasks)
		c->symbols = symbols_new(c->tasks, &c->merge.parts->capture.header, err);
	if (!c->symbols)
		return -err->code;
	symbols_use_places(c->symbols, NULL, c->merge.parts->capture.archive);
	symbols_use_limits(c->symbols, c->merge.parts->capture.memory,
			   c->merge.parts->capture.progress);
	return 0;
}

int compact_open(struct compact *c, const char *path, const struct compact_unwinding *unwinding,
		 unsigned int nr_workers, struct memory *memory, struct progress *progress,
		 struct ts_error *err)
{
	struct merge *m = &c->merge;
	int rc;

	*c = (struct compact){.unwinding = unwinding, .nr_workers = nr_workers};
	rc = merge_open_to(m, "compact", &path, 1, nr_workers, memory, progress, err);
	if (rc)
		return rc;
	if (!has_dumps(&m->capture.header.events))
		return refuse_without_dumps(path, err);
	judge_foreign(m);
	rc = merge_note_progress(m, 0, err); /* stopped: the table is incomplete */
	if (!rc)
		rc = merge_choose_chunks(m, err);
	if (!rc)
		rc = merge_gather_data(m, err);
	if (!rc)
		rc = check_data(c, err);
	if (!rc)
		rc = replay_tasks(c, err);
	if (!rc)
		rc = copy_events(c, err);
	if (rc)
		return rc;
	choose_uuid(c);
	choose_attrs(c);
	return 0;
}

/* --- laying --- */

static void put_form(struct merge *m)
{
	ts_bytes_u64(ts_header_feature(&m->features, TS_FEAT_DIR_FORMAT), 1);
	ts_header_put_compressed(ts_header_feature(&m->features, TS_FEAT_COMPRESSED));
}

int compact_directory(struct compact *c, struct ts_dir *dir, struct ts_error *err)
{
	struct merge *m = &c->merge;
	struct ts_json *note;
	int rc;

	if (compact_note_new(c, &note))
		return merge_no_memory(m, err);
	dir->syncs = true;
	put_form(m);
	/*
	 * first: a killed command then leaves a capture beside OUT, which the next one may remove
	 */
	rc = merge_put_data(m, dir, note, err);
	if (!rc)
		rc = compact_streams(c, dir, err);
	compact_note_end(c, note);
	if (!rc)
		rc = merge_put_note(m, dir, &note, err);
	ts_json_free(note);
	return rc;
}

void compact_close(struct compact *c)
{
	ts_notes_release(&c->warnings);
	symbols_free(c->symbols);
	tasks_free(c->tasks);
	ts_events_release(&c->events);
	merge_close(&c->merge);
	*c = (struct compact){0};
}
