// SPDX-License-Identifier: Apache-2.0
#include "reader/dump/print_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/perf/perf_layout.h"
#include "reader/chunks/record_sanity.h"
#include "reader/chunks/resync.h"
#include "reader/chunks/stream_walk.h"
#include "reader/dump/dump_record.h"
#include "reader/order/time_windows.h"
#include "reader/runtime/line_output.h"
#include "reader/runtime/name_table.h"
#include "reader/runtime/text.h"

/* Text is written when it has this many bytes. */
#define FLUSH_BYTES (1u << 20)

struct dump {
	const struct chunk_table *table;
	const struct tasks *tasks;
};

/* --- the tools' records, file by file --- */

static int flush_text(const struct capture *c, int fd, struct ts_bytes *text, size_t at_least,
		      struct ts_error *err)
{
	int ret;

	if (ts_bytes_failed(text))
		return ts_error_sys(err, ENOMEM, "cannot make the text of a dump");
	if (text->len < at_least)
		return 0;
	ret = line_output_write(fd, c->progress, text->data, text->len);
	ts_bytes_clear(text);
	return ret ? ts_error_sys(err, -ret, "cannot write the output") : 0;
}

/* A walk over all records of a file; behind damage it goes on at the next one. */
struct file_walk {
	const struct capture_stream *stream;
	const struct ts_events *events;
	uint64_t at, limit; /* of the payload of our chunk, or of the file */
	bool is_ours, has_left_grid;
};

/* Behind the header of our chunk no record reaches beyond its payload. */
static void enter_chunk(struct file_walk *w, uint64_t header)
{
	const uint8_t *base = w->stream->map.data;
	const uint64_t end = w->stream->end;
	struct ts_chunk c;
	uint64_t limit;

	if (w->limit < end ||
	    ts_chunk_parse(base + header, end - header, header, &c) != TS_FOUND_OK)
		return;
	limit = c.payload_bytes < end - w->at ? w->at + c.payload_bytes : end;
	/* a killed recorder may have left a cover across the end of the payload */
	if (end - limit >= TS_FILLER_MIN_BYTES &&
	    ts_own_record((const void *)(base + limit)) != TS_OWN_NONE)
		w->limit = limit;
}

static uint64_t behind_damage(const struct file_walk *w)
{
	const uint8_t *base = w->stream->map.data;

	if (w->limit < w->stream->end)
		return w->limit;
	if (w->is_ours)
		return ts_chunk_next_magic(base, w->stream->end, w->at + 8);
	return resync_next(w->events, base, w->at + 8, w->stream->end, w->has_left_grid ? 1 : 8);
}

/* The offset of the next record. False: no more. */
static bool next_in_file(struct file_walk *w, uint64_t *ret)
{
	while (w->at < w->stream->end) {
		const uint8_t *at = w->stream->map.data + w->at;
		size_t span;

		if (w->at == w->limit)
			w->limit = w->stream->end;
		span = record_sanity_span(at, w->limit - w->at);
		if (!span) {
			w->at = behind_damage(w);
			continue;
		}
		*ret = w->at;
		w->at += span;
		w->has_left_grid |= span % 8 > 0;
		if (w->is_ours)
			enter_chunk(w, *ret);
		return true;
	}
	return false;
}

static int dump_tool_records(const struct capture *c, const struct capture_stream *stream, int fd,
			     struct ts_bytes *text, struct ts_error *err)
{
	const struct ts_sample_id none = {0};
	struct file_walk walk = {
		.stream = stream,
		.events = &c->header.events,
		.at = stream->begin,
		.limit = stream->end,
		.is_ours = stream_walk_is_ours(stream),
	};
	uint64_t offset;
	int ret = 0;

	while (!ret && next_in_file(&walk, &offset)) {
		const struct perf_event_header *hdr = (const void *)(stream->map.data + offset);

		if (ts_record_load_u32(hdr) < TS_RECORD_USER_START)
			continue;
		dump_bytes(hdr, stream->path, offset, text);
		dump_meaning(hdr, offset, &none, NULL, &c->header.events, text);
		ret = flush_text(c, fd, text, FLUSH_BYTES, err);
	}
	return ret;
}

static int dump_files(const struct capture *c, int fd, struct ts_error *err)
{
	struct ts_bytes text;
	int ret = 0;

	ts_bytes_init(&text);
	for (size_t i = 0; !ret && i < c->nr_streams; i++)
		ret = dump_tool_records(c, &c->streams[i], fd, &text, err);
	if (!ret)
		ret = flush_text(c, fd, &text, 0, err);
	ts_bytes_release(&text);
	return ret;
}

/* --- the kernel's records, by time --- */

static void print_thread(const struct dump *d, const struct ts_sample_id *sid, struct ts_bytes *out)
{
	const char *comm = tasks_comm(d->tasks, sid->tid, sid->time_ns);
	char buf[UNNAMED_MAX];

	text_put(out, " ... thread: ");
	text_name(out, comm ? comm : name_table_unnamed(sid->tid, buf), 0);
	text_char(out, ':');
	if (sid->tid == UINT32_MAX)
		text_put(out, "-1");
	else
		text_dec(out, sid->tid, 0, ' ');
	text_char(out, '\n');
}

static bool is_selected(const struct dump *d, const struct ordered_record *record,
			const struct ts_sample_id *sid)
{
	const struct selection *s = d->table->selection;

	return !s ||
	       (time_ranges_take(&s->times, record->time_ns) && selection_takes_record(s, sid) &&
		selection_takes_thread(s, sid->pid, sid->tid,
				       tasks_comm(d->tasks, sid->tid, sid->time_ns)));
}

static void dump_kernel_record(const struct dump *d, const struct ordered_record *record,
			       struct ts_bytes *out)
{
	const struct capture *c = d->table->capture;
	struct ts_sample_id sid = {.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX};
	bool is_sample = ts_record_load_u32(record->hdr) == PERF_RECORD_SAMPLE;
	struct ts_sample sample;

	if (is_sample) {
		is_sample =
			ts_decode_sample(&c->header.events, record->hdr, &sample) == TS_DECODE_OK;
		if (is_sample)
			sid = sample.sid;
	} else {
		ts_decode_trailer(&c->header.events, record->hdr, &sid);
	}
	if (!is_selected(d, record, &sid))
		return;
	dump_bytes(record->hdr, c->streams[record->stream].path, record->offset, out);
	dump_meaning(record->hdr, record->offset, &sid, is_sample ? &sample : NULL,
		     &c->header.events, out);
	if (is_sample)
		print_thread(d, &sid, out);
}

static void *open_state(void *arg, struct ts_error *err)
{
	(void)err;
	return arg;
}

static int format_window(void *state, const struct ordered_window *window, struct window_text *text,
			 struct ts_error *err)
{
	const struct dump *d = state;
	struct ordered *o = ordered_open(d->table, window);
	struct ordered_record record;
	int ret = -ENOMEM, passed = 0;

	while (!passed && o && (ret = ordered_next(o, &record)) > 0) {
		dump_kernel_record(d, &record, &text->bytes);
		passed = time_windows_pass(text, err);
	}
	ordered_close(o);
	if (passed)
		return passed;
	return ret ? ts_error_sys(err, -ret, "cannot read a window of %s", d->table->capture->path)
		   : 0;
}

static void close_state(void *state)
{
	(void)state;
}

int print_dump(const struct chunk_table *table, const struct tasks *tasks, unsigned int nr_workers,
	       int fd, struct ts_error *err)
{
	struct dump d = {.table = table, .tasks = tasks};
	const struct time_windows_job job = {
		.arg = &d, .open = open_state, .format = format_window, .close = close_state};
	int ret = table->selection && selection_text_is_some(&table->selection->text)
			  ? 0
			  : dump_files(table->capture, fd, err);

	if (!ret)
		ret = time_windows_run(table, ORDERED_ALL, nr_workers, fd, &job, err);
	return ret;
}
