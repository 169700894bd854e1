// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streamer/rings/ring_fed.h"
#include "streamer/writer/drain.h"

/* --- the start --- */

void crew_init(struct crew *c, struct record_plan *plan)
{
	*c = (struct crew){.plan = plan, .cut_fd = -1};
	c->failure.fd = c->limit.reached.fd = c->supply.fd = c->gap.seen.fd = c->file_ids.fd = -1;
}

int crew_open(struct crew *c, struct ts_error *err)
{
	const struct record_plan *p = c->plan;
	int code;

	if ((code = ts_stop_init(&c->failure, err)) < 0 ||
	    (code = sideband_gap_init(&c->gap, err)) < 0 ||
	    (code = buffer_supply_init(&c->supply, p->layout.nr, buffer_supply_default_bytes(),
				       err)) < 0)
		return code;
	if (p->options->event.without_build_ids && (code = file_ids_init(&c->file_ids, err)) < 0)
		return code;
	return size_limit_init(&c->limit, p->options->max_bytes, err);
}

/* The ring that main fills has the number behind those of the plan. */
static void make_fed_ring(struct crew *c)
{
	const struct source *s = &c->plan->source;
	const struct ring_id id = {.number = (uint32_t)s->nr_rings,
				   .cpu = s->rings[s->nr_rings - 1].cpu,
				   .kind = TS_RING_SIDEBAND};

	ring_fed_init(&c->fed, &id);
	c->ring_refs[s->nr_rings] = &c->fed;
}

int crew_allocate(struct crew *c, struct ts_error *err)
{
	const struct record_plan *p = c->plan;

	c->rings = calloc(p->source.nr_rings, sizeof(*c->rings));
	c->ring_refs = calloc(p->source.nr_rings + 1, sizeof(*c->ring_refs));
	c->streams = calloc(p->layout.nr, sizeof(*c->streams));
	for (size_t i = 0; c->streams && i < p->layout.nr; i++)
		c->streams[i].file.fd = c->streams[i].next.fd = -1;
	if (!c->rings || !c->ring_refs || !c->streams)
		return ts_error_sys(err, ENOMEM, "cannot record");
	make_fed_ring(c);
	return 0;
}

int crew_make_streams(struct crew *c, struct ts_dir *dir, const char *out, struct ts_error *err)
{
	enum ts_stream_io io = c->plan->options->io_buffered ? TS_STREAM_BUFFERED : TS_STREAM_AUTO;
	int code = 0;

	for (size_t i = 0; i < c->plan->layout.nr && !code; i++) {
		struct crew_stream *s = &c->streams[i];

		code = ts_dir_create_stream(dir, (unsigned int)i, io, &s->file, err);
		if (!code && asprintf(&s->path, "%s/data.%zu", out, i) < 0) {
			s->path = NULL;
			code = ts_error_sys(err, ENOMEM, "cannot record");
		}
	}
	return code;
}

/* A plan sorts its rings by writer: each writer has one run of them. */
static size_t count_run(const struct source *s, size_t first, size_t writer)
{
	size_t nr = 0;

	while (first + nr < s->nr_rings && s->rings[first + nr].writer == writer)
		nr++;
	return nr;
}

/* As the events were opened. Events without a clock have the time of the kernel's own clock. */
static clockid_t clock_of_records(const struct source *s)
{
	return s->nr_attrs && s->attrs[0].use_clockid ? s->attrs[0].clockid : DRAIN_NO_CLOCK;
}

int crew_start(struct crew *c, const uint8_t *uuid, struct ts_error *err)
{
	const struct record_plan *p = c->plan;
	size_t first = 0;
	int code = 0;

	for (size_t i = 0; i < p->layout.nr && !code; i++) {
		struct crew_stream *s = &c->streams[i];
		struct writer_plan plan = {
			.number = (uint32_t)i,
			.cpus = p->layout.writers[i].affinity,
			.nodes = p->layout.writers[i].nodes,
			.rings = c->ring_refs + first,
			.nr_rings = count_run(&p->source, first, i) + (i + 1 == p->layout.nr),
			.file = s->file,
			.stream_path = s->path,
			.sink = record_plan_sink(p),
			.flush_ns = p->options->flush_ns,
			.sync_ns = p->options->sync_ns,
			.compression_level = p->options->compress_level,
			.clock = clock_of_records(&p->source),
			.nr_buffers = p->nr_buffers,
			.buffer_bytes = p->buffer_bytes,
			.rt_priority = p->options->realtime,
			.failure = &c->failure,
			.limit = &c->limit,
			.switch_at = c->switch_at,
			.has_cuts = c->cut_fd >= 0,
			.cut_fd = c->cut_fd,
			.supply = &c->supply,
			.gap = &c->gap,
		};

		memcpy(plan.uuid, uuid, sizeof(plan.uuid));
		first += plan.nr_rings;
		s->writer = writer_new(&plan, err);
		code = s->writer ? writer_start(s->writer, err) : -err->code;
	}
	return code;
}

/* --- meanwhile --- */

void crew_mark_astray(struct crew *c, unsigned int cpu)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++)
		if (hwloc_bitmap_isset(c->plan->layout.writers[i].affinity, cpu))
			c->streams[i].is_astray = true;
}

bool crew_pin(struct crew *c, hwloc_const_bitmap_t online)
{
	bool are_pinned = true;

	for (size_t i = 0; i < c->plan->layout.nr; i++) {
		struct crew_stream *s = &c->streams[i];

		if (!s->is_astray)
			continue;
		s->is_astray = !writer_pin(s->writer) &&
			       hwloc_bitmap_intersects(c->plan->layout.writers[i].affinity, online);
		are_pinned &= !s->is_astray;
	}
	return are_pinned;
}

/* A plan sorts its rings by writer: a writer counts its own rings from the first one of its run. */
void crew_add_rings(struct crew *c, unsigned int cpu)
{
	const struct source *s = &c->plan->source;
	size_t first = 0;

	for (size_t i = 0; i < s->nr_rings; i++) {
		if (s->rings[i].writer != s->rings[first].writer)
			first = i;
		if (s->rings[i].cpu == cpu)
			writer_add_ring(c->streams[s->rings[i].writer].writer, i - first);
	}
}

/* Data that is written to a file without a name is gone when we close the file. */
int crew_check_streams(const struct crew *c, struct ts_error *err)
{
	struct stat st;

	for (size_t i = 0; i < c->plan->layout.nr; i++)
		if (fstat(c->streams[i].file.fd, &st) == 0 && st.st_nlink == 0)
			return ts_error_set(err, ENOENT,
					    "cannot go on recording into %s: it was removed",
					    c->streams[i].path);
	return 0;
}

bool crew_can_feed(const struct crew *c)
{
	return ring_fed_is_free(&c->fed);
}

void crew_feed(struct crew *c, const void *run, size_t bytes)
{
	ring_fed_give(&c->fed, run, bytes);
	writer_wake(c->streams[c->plan->layout.nr - 1].writer);
}

/* --- the end --- */

int crew_join(struct crew *c, struct ts_error *err)
{
	struct ts_error next_err;
	int code = 0, next;

	for (size_t i = 0; i < c->plan->layout.nr; i++)
		writer_stop(c->streams[i].writer);
	for (size_t i = 0; i < c->plan->layout.nr; i++) {
		next = writer_join(c->streams[i].writer, &next_err);
		if (next < 0 && !code) {
			code = next;
			*err = next_err;
		}
	}
	return code;
}

/*
 * Writers write something at their end, too. It would keep a capture that never was from being
 * removed.
 */
static void empty_stream(const struct crew_stream *s, struct ts_notes *notes)
{
	if (s->file.fd < 0 || ftruncate(s->file.fd, 0) == 0)
		return;
	ts_notes_add(notes, "%s cannot be emptied and stays", s->path);
}

static void close_streams(struct crew *c, bool is_kept, struct ts_notes *notes)
{
	for (size_t i = 0; c->streams && i < c->plan->layout.nr; i++) {
		struct crew_stream *s = &c->streams[i];

		writer_free(s->writer);
		if (!is_kept)
			empty_stream(s, notes);
		ts_stream_file_close(&s->file);
		free(s->path);
	}
	free(c->streams);
	c->streams = NULL;
}

void crew_close(struct crew *c, bool is_kept, struct ts_notes *notes)
{
	close_streams(c, is_kept, notes); /* writers first: they use all others */
	crew_unmap_rings(c);
	free(c->rings);
	free(c->ring_refs);
	c->rings = NULL;
	c->ring_refs = NULL;
}

void crew_release(struct crew *c)
{
	ts_stop_release(&c->failure);
	sideband_gap_release(&c->gap);
	size_limit_release(&c->limit);
	buffer_supply_release(&c->supply);
	file_ids_release(&c->file_ids);
}
