// SPDX-License-Identifier: Apache-2.0
/*
 * The blocks of a writer, from the queue to the sink:
 *
 *	next block -> sink -> written: counted, its buffer is free again
 *	                  \-> failed: counts as unwritten the rest of the block, the queue,
 *	                     and from then on every block that is filled
 *
 * A block goes to the sink if it is full, or at a flush. Index and footer follow the last block.
 */
#include "streamer/rings/record_walk.h"
#include "streamer/writer/sink_block.h"
#include "streamer/writer/writer_parts.h"

/* --- failing --- */

static struct writer_stream_counters *counters_of(struct writer *w, const struct buffer *b)
{
	return &w->counters.streams[b->side];
}

static void note_end(struct writer_cut *c, const struct buffer *b)
{
	c->has_ended_stream = c->has_ended_stream || b->ends_stream;
}

static void count_bytes(struct writer *w, const struct buffer *b, uint64_t bytes)
{
	ts_counter_add(&counters_of(w, b)->stream_bytes, bytes);
	if (w->plan.limit)
		size_limit_add(w->plan.limit, bytes);
	if (w->plan.switch_at)
		size_limit_add(w->plan.switch_at, bytes);
}

static void count_unwritten(struct writer *w, struct buffer *b)
{
	ts_counter_add(&counters_of(w, b)->unwritten_records, b->nr_records);
	ts_counter_add(&counters_of(w, b)->unwritten_samples, b->nr_samples);
	note_end(&w->cut, b);
	buffer_free(&w->pool, b);
}

static void count_all_unwritten(struct writer *w, struct buffer *b)
{
	drain_unwrite(&w->drain, b, 0, 0);
	count_unwritten(w, b);
}

/* With -z, too, a writer that is behind leaves chunks plain. */
static bool is_plain_chunk(const struct buffer *b, size_t at)
{
	struct ts_chunk c;

	return ts_chunk_parse(b->data + at, b->len - at, b->offset + at, &c) == TS_FOUND_OK &&
	       !(c.flags & TS_CHUNK_COMPRESSED);
}

/*
 * The block in flight could not be written, but some of its records are in the file. If a plain
 * chunk was cut, its records in the file are counted. A compressed chunk that was cut is removed
 * completely.
 */
static void count_partly_written(struct writer *w, struct buffer *b)
{
	struct sink *sink = &w->output.sink;
	size_t kept = (size_t)(sink->file_bytes - b->offset), from, bad;
	struct buffer_mark m = buffer_mark_before(b, kept);
	struct record_walk cut = {0};

	from = m.end + TS_CHUNK_HEADER_BYTES;
	if (kept <= from || !is_plain_chunk(b, m.end))
		sink_block_truncate(sink, b->offset + m.end);
	else
		record_walk_all(b->data + from, kept - from, 0, &cut, &bad);
	drain_unwrite(&w->drain, b, m.nr_chunks, cut.nr_records);
	b->nr_records -= m.nr_records + (uint32_t)cut.nr_records;
	b->nr_samples -= m.nr_samples + (uint32_t)cut.nr_samples;
	count_bytes(w, b, sink->file_bytes - b->offset);
	count_unwritten(w, b);
}

void writer_give_up(struct writer *w, const struct ts_error *err)
{
	struct writer_output *o = &w->output;

	o->has_failed = true;
	if (o->in_flight && o->sink.state == SINK_FAILED)
		count_partly_written(w, o->in_flight);
	else if (o->in_flight)
		count_all_unwritten(w, o->in_flight);
	o->in_flight = NULL;
	writer_note_failure(w, err);
}

/* --- writing --- */

static void count_syncs(struct writer_counters *n, const struct sink *sink)
{
	ts_counter_set(&n->syncs, sink->sync.nr);
	ts_counter_set(&n->sync_max_ns, sink->sync.max_ns);
}

static void count_written(struct writer *w, const struct buffer *b)
{
	const struct sink *sink = &w->output.sink;
	struct writer_counters *n = &w->counters;

	count_bytes(w, b, b->len);
	ts_counter_add(&counters_of(w, b)->chunks, b->nr_chunks);
	ts_counter_add(&counters_of(w, b)->blocks, 1);
	note_end(&w->cut, b);
	count_syncs(n, sink);
	ts_counter_max(&n->write_max_ns, sink->write_ns);
	histogram_add(&n->write, sink->write_ns);
}

static void write_buffer(struct writer_output *o, struct buffer *b)
{
	struct sink_block block = {
		.len = b->len,
		.offset = b->offset,
		.data = b->data,
		.laying = &o->laying,
	};

	block.nr_ops = write_order_plan(&o->laying, b->data, b->len, b->offset);
	block.ops = o->laying.ops;
	o->in_flight = b;
	sink_write(&o->sink, &block);
}

static void discard_queue(struct writer *w)
{
	struct buffer *b;

	while ((b = buffer_next(&w->pool)))
		count_all_unwritten(w, b);
}

/*
 * Gives the sink the file of that side. True if the sink has it, or has failed. False: the sink
 * must sync the other file first.
 */
static bool turn_sink(struct writer_output *o, struct writer_cut *c, uint8_t side)
{
	if (side == o->side)
		return true;
	if (!sink_end_sync(&o->sink))
		return false;
	if (o->sink.state == SINK_FAILED)
		return true;
	if (o->side < DRAIN_SIDES)
		c->file_bytes[o->side] = o->sink.file_bytes;
	o->side = side;
	sink_switch(&o->sink, &c->files[side], c->file_bytes[side]);
	return true;
}

void writer_move_sink(struct writer *w)
{
	struct writer_output *o = &w->output;

	while (!o->has_failed) {
		enum sink_state state = sink_look(&o->sink);

		if (state == SINK_BUSY)
			return;
		if (state == SINK_FAILED) {
			writer_give_up(w, &o->sink.error);
			break;
		}
		if (state == SINK_WRITTEN) {
			count_written(w, o->in_flight);
			buffer_free(&w->pool, o->in_flight);
			o->in_flight = NULL;
		}
		writer_move_cut(w);
		writer_tell_cut(w);
		if (!w->pool.first || !turn_sink(o, &w->cut, w->pool.first->side))
			return;
		if (o->sink.state != SINK_FAILED)
			write_buffer(o, buffer_next(&w->pool));
	}
	discard_queue(w);
	writer_move_cut(w);
	discard_queue(w);
	writer_tell_cut(w);
}

void writer_move_end(struct writer *w)
{
	struct writer_output *o = &w->output;

	if (o->in_flight || w->pool.first)
		return;
	if (w->cut.owes_end) {
		writer_move_sink(w);
		if (o->in_flight)
			return;
	}
	if (w->phase == PHASE_ENDING && !o->has_failed) {
		drain_finish(&w->drain);
		w->phase = PHASE_FINISHING;
		writer_move_sink(w);
		if (o->in_flight)
			return;
	}
	if (!o->has_failed && !sink_end_sync(&o->sink))
		return;
	/* A sync has failed while the last block was written, or after it. */
	if (!o->has_failed && o->sink.state == SINK_FAILED)
		writer_give_up(w, &o->sink.error);
	count_syncs(&w->counters, &o->sink);
	w->phase = PHASE_OVER;
}

/* --- buffers from main --- */

void writer_add_supplied(struct writer *w, bool is_running)
{
	uint8_t *memory[BUFFER_SUPPLY_BATCH_MAX];
	uint32_t nr = w->supply ? buffer_supply_take(w->supply, memory) : 0;

	if (!nr)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		buffer_pool_add(&w->pool, memory[i]);
		if (is_running)
			sink_add_memory(&w->output.sink, memory[i], w->plan.buffer_bytes);
	}
	ts_counter_set(&w->counters.buffers, w->pool.nr);
}
