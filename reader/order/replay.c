// SPDX-License-Identifier: Apache-2.0
#include "reader/order/replay.h"

#include <errno.h>
#include <string.h>

#include "reader/order/jit_maps.h"
#include "reader/order/ordered.h"
#include "reader/runtime/memory_limit.h"

#define CHECK_BYTES (256u << 10) /* of records between two looks at the memory */

/*
 * The kernel shares the header of an MMAP2 record between all listeners. Once it has set the
 * build-id flag, it never clears it (perf_event_mmap_output()). If one recorder asked for build-ids
 * and another did not, the second one gets the flag together with device and inode numbers. Such a
 * record is copied without the flag.
 */
bool replay_is_flag_stray(const struct ts_events *events, const struct perf_event_header *hdr,
			  const struct ts_sample_id *sid)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	bool is_wanted = false;

	if (h.type != PERF_RECORD_MMAP2 || !(h.misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return false;
	if (sid->id && sid->event < events->nr)
		return !events->items[sid->event].attr.build_id;
	for (size_t i = 0; i < events->nr; i++)
		is_wanted |= events->items[i].attr.build_id;
	return !is_wanted;
}

static const struct perf_event_header *without_stray_flag(const struct ts_events *events,
							  const struct perf_event_header *hdr,
							  const struct ts_sample_id *sid,
							  uint8_t copy[UINT16_MAX])
{
	struct perf_event_header h = ts_record_load_header(hdr);

	if (!replay_is_flag_stray(events, hdr, sid))
		return hdr;
	memcpy(copy, hdr, h.size);
	h.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	memcpy(copy, &h, sizeof(h));
	return (const void *)copy;
}

static int pass_over(const struct ordered_record *record, struct damage *damage)
{
	struct chunk_damage place =
		damage_at(record->stream, record->offset, ts_record_load_header(record->hdr).size,
			  "the fields of a record about tasks or maps are damaged");

	return damage_add(damage, &place);
}

/* Applies a record, after the JIT code that was made before it. */
static int apply_record(struct tasks *tasks, const struct ts_events *events,
			const struct ordered_record *record, struct jit_maps *jit)
{
	_Alignas(8) uint8_t copy[UINT16_MAX];
	struct ts_sample_id sid;
	int rc;

	if (ts_decode_trailer(events, record->hdr, &sid) == TS_DECODE_BAD)
		return -EINVAL;
	rc = jit_maps_apply(jit, tasks, record->time_ns);
	if (!rc)
		rc = tasks_apply(tasks, without_stray_flag(events, record->hdr, &sid, copy), &sid);
	return rc ? rc : jit_maps_see(jit, record->hdr);
}

/* Names and maps are in no block: if they do not fit, the command ends before they take more. */
static int check_memory(const struct chunk_table *table, const struct ordered_record *record,
			uint32_t *bytes, struct ts_error *err)
{
	*bytes += ts_record_load_header(record->hdr).size;
	if (*bytes < CHECK_BYTES)
		return 0;
	*bytes = 0;
	return memory_check_growth(table->capture->memory, table->capture->path, err);
}

static int apply_all(struct tasks *tasks, const struct chunk_table *table, struct ordered *o,
		     uint64_t until_ns, struct damage *damage, struct ts_notes *warnings,
		     struct ts_error *err)
{
	const struct ts_events *events = &table->capture->header.events;
	struct ordered_record record;
	struct jit_maps jit;
	uint32_t bytes = 0;
	int ret;

	jit_maps_init(&jit, table->capture, warnings, err);
	while ((ret = ordered_next(o, &record)) > 0) {
		ret = apply_record(tasks, events, &record, &jit);
		if (ret == -EINVAL)
			ret = pass_over(&record, damage);
		if (!ret)
			ret = check_memory(table, &record, &bytes, err);
		if (ret)
			break;
	}
	if (!ret)
		ret = jit_maps_apply(&jit, tasks, until_ns);
	jit_maps_release(&jit);
	return ret ? ret : damage_merge(damage, ordered_damage(o));
}

int replay_more(struct tasks *tasks, const struct chunk_table *table, uint64_t until_ns,
		struct damage *damage, struct ts_notes *warnings, struct ts_error *err)
{
	const struct ordered_window window = {
		.types = CHUNK_TASK_TYPES,
		.to_ns = until_ns < UINT64_MAX ? until_ns + 1 : UINT64_MAX,
		.nr_workers = table->nr_workers,
	};
	struct ordered *o = ordered_open(table, &window);
	int ret = -ENOMEM;

	if (o)
		ret = apply_all(tasks, table, o, until_ns, damage, warnings, err);
	ordered_close(o);
	if (ret == -EFBIG)
		return ret;
	return ret ? ts_error_sys(err, -ret, "cannot replay the names and maps of %s",
				  table->capture->path)
		   : tasks_freeze(tasks, err);
}

struct tasks *replay_sideband(const struct chunk_table *table, struct damage *damage,
			      struct ts_notes *warnings, struct ts_error *err)
{
	struct tasks *tasks = tasks_new(table->capture->memory);

	if (!tasks)
		ts_error_sys(err, ENOMEM, "cannot replay the names and maps of %s",
			     table->capture->path);
	else if (!replay_more(tasks, table, UINT64_MAX, damage, warnings, err))
		return tasks;
	tasks_free(tasks);
	return NULL;
}
