// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streamer/writer/drain.h"

/* --- the start --- */

int crew_allocate(struct recording *r, struct ts_error *err)
{
	const struct record_plan *p = r->plan;

	r->rings = calloc(p->source.nr_rings, sizeof(*r->rings));
	r->ring_refs = calloc(p->source.nr_rings, sizeof(*r->ring_refs));
	r->streams = calloc(p->layout.nr, sizeof(*r->streams));
	if (!r->rings || !r->ring_refs || !r->streams)
		return ts_error_sys(err, ENOMEM, "cannot record");
	for (size_t i = 0; i < p->layout.nr; i++)
		r->streams[i].file.fd = -1;
	return 0;
}

int crew_make_streams(struct recording *r, const char *out, struct ts_error *err)
{
	enum ts_stream_io io = r->plan->options->io_buffered ? TS_STREAM_BUFFERED : TS_STREAM_AUTO;
	int code = 0;

	for (size_t i = 0; i < r->plan->layout.nr && !code; i++) {
		struct recording_stream *s = &r->streams[i];

		code = ts_dir_create_stream(&r->dir, (unsigned int)i, io, &s->file, err);
		if (!code && asprintf(&s->path, "%s/data.%zu", out, i) < 0) {
			s->path = NULL;
			code = ts_error_sys(err, ENOMEM, "cannot record");
		}
	}
	return code;
}

/* Rings of a plan are sorted by writer: each has a run of them. */
static size_t count_run(const struct source *s, size_t first, size_t writer)
{
	size_t nr = 0;

	while (first + nr < s->nr_rings && s->rings[first + nr].writer == writer)
		nr++;
	return nr;
}

/* As the events were opened; without one they carry the time of the kernel's own clock. */
static clockid_t clock_of_records(const struct source *s)
{
	return s->nr_attrs && s->attrs[0].use_clockid ? s->attrs[0].clockid : DRAIN_NO_CLOCK;
}

int crew_start(struct recording *r, struct ts_error *err)
{
	const struct record_plan *p = r->plan;
	size_t first = 0;
	int code = 0;

	for (size_t i = 0; i < p->layout.nr && !code; i++) {
		struct recording_stream *s = &r->streams[i];
		struct writer_plan plan = {
			.number = (uint32_t)i,
			.cpus = p->layout.writers[i].affinity,
			.nodes = p->layout.writers[i].nodes,
			.rings = r->ring_refs + first,
			.nr_rings = count_run(&p->source, first, i),
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
			.failure = &r->failure,
			.limit = &r->limit,
			.switch_at = r->rotation.is_on ? &r->rotation.size : NULL,
			.has_cuts = r->rotation.is_on,
			.cut_fd = r->rotation.cut_fd,
			.supply = &r->supply,
		};

		memcpy(plan.uuid, r->uuid, sizeof(plan.uuid));
		first += plan.nr_rings;
		s->writer = writer_new(&plan, err);
		code = s->writer ? writer_start(s->writer, err) : -err->code;
	}
	return code;
}

/* --- meanwhile --- */

void crew_mark_astray(struct recording *r, unsigned int cpu)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		if (hwloc_bitmap_isset(r->plan->layout.writers[i].affinity, cpu))
			r->streams[i].is_astray = true;
}

bool crew_pin(struct recording *r)
{
	bool are_pinned = true;

	for (size_t i = 0; i < r->plan->layout.nr; i++) {
		struct recording_stream *s = &r->streams[i];

		if (!s->is_astray)
			continue;
		s->is_astray = !writer_pin(s->writer) &&
			       hwloc_bitmap_intersects(r->plan->layout.writers[i].affinity,
						       r->hotplug.online);
		are_pinned &= !s->is_astray;
	}
	return are_pinned;
}

/* Rings are sorted by writer: a writer counts its own from its first one on. */
void crew_add_rings(struct recording *r, unsigned int cpu)
{
	const struct source *s = &r->plan->source;
	size_t first = 0;

	for (size_t i = 0; i < s->nr_rings; i++) {
		if (s->rings[i].writer != s->rings[first].writer)
			first = i;
		if (s->rings[i].cpu == cpu)
			writer_add_ring(r->streams[s->rings[i].writer].writer, i - first);
	}
}

/* What is written to a file without a name is gone when we close it. */
int crew_check_streams(const struct recording *r, struct ts_error *err)
{
	struct stat st;

	for (size_t i = 0; i < r->plan->layout.nr; i++)
		if (fstat(r->streams[i].file.fd, &st) == 0 && st.st_nlink == 0)
			return ts_error_set(err, ENOENT,
					    "cannot go on recording into %s: it was removed",
					    r->streams[i].path);
	return 0;
}

/* --- the end --- */

int crew_join(struct recording *r, struct ts_error *err)
{
	struct ts_error next_err;
	int code = 0, next;

	for (size_t i = 0; i < r->plan->layout.nr; i++)
		writer_stop(r->streams[i].writer);
	for (size_t i = 0; i < r->plan->layout.nr; i++) {
		next = writer_join(r->streams[i].writer, &next_err);
		if (next < 0 && !code) {
			code = next;
			*err = next_err;
		}
	}
	return code;
}

/* What writers wrote at their end must not keep a capture that never was from being removed. */
static void empty_stream(struct recording *r, size_t i)
{
	int fd = r->streams[i].file.fd;

	if (fd < 0 || r->dir.is_published || ftruncate(fd, 0) == 0)
		return;
	ts_notes_add(r->notes, "%s cannot be emptied and stays", r->streams[i].path);
}

void crew_close_streams(struct recording *r)
{
	for (size_t i = 0; r->streams && i < r->plan->layout.nr; i++) {
		writer_free(r->streams[i].writer);
		empty_stream(r, i);
		ts_stream_file_close(&r->streams[i].file);
		free(r->streams[i].path);
	}
	free(r->streams);
	r->streams = NULL;
}
