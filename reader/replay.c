// SPDX-License-Identifier: Apache-2.0
#include "reader/replay.h"

#include <errno.h>

#include "reader/ordered.h"

static int apply_all(struct ts_tasks *tasks, const struct ts_events *events, struct ordered *o,
		     uint64_t *nr_damaged)
{
	struct ordered_record record;
	struct ts_sample_id sid;
	int ret;

	while ((ret = ordered_next(o, &record)) > 0) {
		if (ts_decode_trailer(events, record.hdr, &sid) == TS_DECODE_BAD)
			ret = -EINVAL;
		else
			ret = ts_tasks_apply(tasks, record.hdr, &sid);
		if (ret == -EINVAL)
			(*nr_damaged)++;
		else if (ret)
			return ret;
	}
	*nr_damaged += ordered_nr_damaged(o);
	return ret;
}

struct ts_tasks *replay_sideband(const struct chunk_table *table, uint64_t *ret_nr_damaged,
				 struct ts_error *err)
{
	const struct ordered_window all = {.types = ORDERED_SIDEBAND, .to_ns = UINT64_MAX};
	struct ordered *o = ordered_open(table, &all);
	struct ts_tasks *tasks = ts_tasks_new();
	uint64_t nr_damaged = 0;
	int ret = -ENOMEM;

	if (o && tasks)
		ret = apply_all(tasks, &table->capture->header.events, o, &nr_damaged);
	ordered_close(o);
	if (!ret && !ts_tasks_freeze(tasks, err)) {
		*ret_nr_damaged = nr_damaged;
		return tasks;
	}
	if (ret)
		ts_error_sys(err, -ret, "cannot replay the names and maps of %s",
			     table->capture->path);
	ts_tasks_free(tasks);
	return NULL;
}
