// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/select_chunks.h"

#include <errno.h>

#include "common/base/min_max.h"
#include "reader/chunks/live_capture.h"

/*
 * The recorder notes them when the recording ends. They are 0 if it was killed, and with perf
 * record -B.
 */
static bool times_of_header(const struct ts_header *h, uint64_t *ret_first, uint64_t *ret_last)
{
	struct ts_cursor c = ts_header_feature_cursor(h, TS_FEAT_SAMPLE_TIME);

	return ts_cursor_u64(&c, ret_first) && ts_cursor_u64(&c, ret_last) && *ret_last;
}

/* Does the text name times relative to the first or the last sample? */
static bool is_relative(const struct selection_text *text)
{
	return text->last || (text->time && time_ranges_are_shares(text->time));
}

static int open_selection(const struct chunk_table *t, struct selection *s,
			  const struct selection_text *text, struct ts_error *err)
{
	const struct capture *c = t->capture;
	uint64_t until_ns = UINT64_MAX;
	int is_cut = c->is_running ? live_capture_until(t, &until_ns) : 0;
	int rc;

	if (is_cut < 0)
		return ts_error_sys(err, -is_cut, "cannot select from %s", c->path);
	rc = selection_open(s, text, &c->header.events, t->first_ns, ts_min(t->last_ns, until_ns),
			    err);
	return rc || !is_cut ? rc : selection_end_at(s, until_ns, err);
}

/* For times that only the chunks tell: opens the table first, then selects from it. */
static int select_by_chunks(struct chunk_table *t, struct selection *s,
			    const struct selection_text *text, const struct capture *c,
			    unsigned int nr_workers, unsigned int flags, struct ts_error *err)
{
	int rc = chunk_table_open(t, c, nr_workers, flags & ~CHUNK_TABLE_COUNTS, NULL, err);

	if (!rc && !t->last_ns && is_relative(text))
		rc = ts_error_set(err, EINVAL,
				  "cannot select the times '%s' of %s: no sample has a time",
				  text->last ? text->last : text->time, c->path);
	if (!rc)
		rc = open_selection(t, s, text, err);
	if (!rc && flags & CHUNK_TABLE_COUNTS) {
		chunk_table_close(t);
		return chunk_table_open(t, c, nr_workers, flags, s, err);
	}
	if (!rc)
		chunk_table_select(t, s);
	return rc;
}

int select_chunks(struct chunk_table *t, struct selection *s, const struct selection_text *text,
		  const struct capture *c, unsigned int nr_workers, unsigned int flags,
		  struct ts_error *err)
{
	bool is_some = selection_text_is_some(text);
	uint64_t first_ns = 0, last_ns = 0;
	int rc;

	/* Counting has no order and no shares of time, so it needs no cut. */
	if (!is_some && (!c->is_running || flags & CHUNK_TABLE_COUNTS))
		return chunk_table_open(t, c, nr_workers, flags, NULL, err);
	if (text->time || text->last || text->cpus)
		flags |= CHUNK_TABLE_SPARSE;
	if (c->is_running ||
	    (is_relative(text) && !times_of_header(&c->header, &first_ns, &last_ns)))
		return select_by_chunks(t, s, text, c, nr_workers, flags, err);
	rc = selection_open(s, text, &c->header.events, first_ns, last_ns, err);
	return rc ? rc : chunk_table_open(t, c, nr_workers, flags, s, err);
}
