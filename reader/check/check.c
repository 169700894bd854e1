// SPDX-License-Identifier: Apache-2.0
#include "reader/check/check.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/chunks/stream_walk.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"

/* Turns the damage of the chunk table into findings. */
static void take_damage(struct check *c)
{
	const struct damage *d = &c->table.damage;

	for (size_t i = 0; i < damage_kept(d); i++)
		findings_add(&c->findings, d->items[i].stream, d->items[i].offset,
			     d->items[i].bytes, "%s", d->items[i].text);
	c->findings.nr += d->nr - damage_kept(d);
}

static void find_kinds(struct check *c)
{
	for (size_t i = 0; i < c->capture.nr_streams; i++) {
		c->streams[i].is_ours = stream_walk_is_ours(&c->capture.streams[i]);
		/* an empty stream, or `data`, may come from any recorder */
		c->is_ours |= i && c->streams[i].is_ours;
	}
}

/* Without events only our streams can be cut into chunks: the others count as empty. */
static void parse_header(struct check *c, struct ts_error *err)
{
	c->has_header = !capture_parse(&c->capture, err);
	for (size_t i = 0; !c->has_header && i < c->capture.nr_streams; i++)
		if (!i || !c->streams[i].is_ours)
			c->capture.streams[i].end = c->capture.streams[i].begin;
}

static void check_links(struct check *c)
{
	for (size_t i = 0; i < c->capture.nr_links; i++)
		findings_add(
			&c->findings, CHECK_MISSING, 0, 0,
			"%s: it is a symbolic link, as no part of a capture is, and was not read",
			c->capture.links[i]);
}

static int check_all(struct check *c, unsigned int nr_workers, struct ts_error *err)
{
	int rc;

	rc = chunk_table_open(&c->table, &c->capture, nr_workers, 0, NULL, err);
	if (rc)
		return rc;
	take_damage(c);
	rc = memory_check(c->capture.memory, c->capture.path, nr_workers, err);
	if (rc)
		return rc;
	range_layout_init(&c->layout, &c->capture.header.events);
	for (uint32_t i = 0; i < c->capture.nr_streams; i++)
		if (c->streams[i].is_ours)
			check_structure(c, i);
	rc = check_chunks(c, nr_workers);
	if (rc)
		return ts_error_sys(err, -rc, "cannot check %s", c->capture.path);
	rc = check_note(c);
	if (rc)
		return ts_error_sys(err, -rc, "cannot check %s", c->capture.path);
	check_links(c);
	if (c->findings.failed)
		return ts_error_sys(err, ENOMEM, "cannot check %s", c->capture.path);
	findings_sort(&c->findings);
	return 0;
}

int check_open(struct check *c, const char *path, unsigned int nr_workers, struct memory *memory,
	       struct progress *progress, struct ts_error *err)
{
	int rc;

	*c = (struct check){.time_min_ns = UINT64_MAX};
	findings_init(&c->findings);
	rc = capture_map(&c->capture, path, err);
	if (rc)
		return rc;
	c->capture.memory = memory;
	c->capture.progress = progress;
	c->streams = calloc(c->capture.nr_streams, sizeof(*c->streams));
	if (!c->streams)
		return ts_error_sys(err, ENOMEM, "cannot check %s", c->capture.path);
	find_kinds(c);
	parse_header(c, &c->refusal);
	if (c->has_header)
		check_features(c);
	else if (c->refusal.code == ENOMEM)
		return *err = c->refusal, -ENOMEM;
	else
		check_header(c);
	return check_all(c, nr_workers, err);
}

void check_close(struct check *c)
{
	chunk_table_close(&c->table);
	capture_close(&c->capture);
	findings_release(&c->findings);
	free(c->streams);
	c->streams = NULL;
}
