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
	w->has_ended_stream = w->has_ended_stream || b->ends_stream;
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
	size_t kept = (size_t)(w->sink.file_bytes - b->offset), from, bad;
	struct buffer_mark m = buffer_mark_before(b, kept);
	struct record_walk cut = {0};

	from = m.end + TS_CHUNK_HEADER_BYTES;
	if (kept <= from || !is_plain_chunk(b, m.end))
		sink_block_truncate(&w->sink, b->offset + m.end);
	else
		record_walk_all(b->data + from, kept - from, 0, &cut, &bad);
	drain_unwrite(&w->drain, b, m.nr_chunks, cut.nr_records);
	b->nr_records -= m.nr_records + (uint32_t)cut.nr_records;
	b->nr_samples -= m.nr_samples + (uint32_t)cut.nr_samples;
	count_bytes(w, b, w->sink.file_bytes - b->offset);
	count_unwritten(w, b);
}

void writer_give_up(struct writer *w, const struct ts_error *err)
{
	w->has_failed = true;
	if (w->in_flight && w->sink.state == SINK_FAILED)
		count_partly_written(w, w->in_flight);
	else if (w->in_flight)
		count_all_unwritten(w, w->in_flight);
	w->in_flight = NULL;
	writer_note_failure(w, err);
}

/* --- writing --- */

static void count_syncs(struct writer *w)
{
	ts_counter_set(&w->counters.syncs, w->sink.sync.nr);
	ts_counter_set(&w->counters.sync_max_ns, w->sink.sync.max_ns);
}

static void count_written(struct writer *w, const struct buffer *b)
{
	struct writer_counters *n = &w->counters;

	count_bytes(w, b, b->len);
	ts_counter_add(&counters_of(w, b)->chunks, b->nr_chunks);
	ts_counter_add(&counters_of(w, b)->blocks, 1);
	w->has_ended_stream = w->has_ended_stream || b->ends_stream;
	count_syncs(w);
	ts_counter_max(&n->write_max_ns, w->sink.write_ns);
	histogram_add(&n->write, w->sink.write_ns);
}

static void write_buffer(struct writer *w, struct buffer *b)
{
	struct sink_block block = {
		.len = b->len,
		.offset = b->offset,
		.data = b->data,
		.laying = &w->laying,
	};

	block.nr_ops = write_order_plan(&w->laying, b->data, b->len, b->offset);
	block.ops = w->laying.ops;
	w->in_flight = b;
	sink_write(&w->sink, &block);
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
static bool turn_sink(struct writer *w, uint8_t side)
{
	if (side == w->sink_side)
		return true;
	if (!sink_end_sync(&w->sink))
		return false;
	if (w->sink.state == SINK_FAILED)
		return true;
	if (w->sink_side < DRAIN_SIDES)
		w->file_bytes[w->sink_side] = w->sink.file_bytes;
	w->sink_side = side;
	sink_switch(&w->sink, &w->files[side], w->file_bytes[side]);
	return true;
}

void writer_move_sink(struct writer *w)
{
	while (!w->has_failed) {
		enum sink_state state = sink_look(&w->sink);

		if (state == SINK_BUSY)
			return;
		if (state == SINK_FAILED) {
			writer_give_up(w, &w->sink.error);
			break;
		}
		if (state == SINK_WRITTEN) {
			count_written(w, w->in_flight);
			buffer_free(&w->pool, w->in_flight);
			w->in_flight = NULL;
		}
		writer_move_cut(w);
		writer_tell_cut(w);
		if (!w->pool.first || !turn_sink(w, w->pool.first->side))
			return;
		if (w->sink.state != SINK_FAILED)
			write_buffer(w, buffer_next(&w->pool));
	}
	discard_queue(w);
	writer_move_cut(w);
	discard_queue(w);
	writer_tell_cut(w);
}

void writer_move_end(struct writer *w)
{
	if (w->in_flight || w->pool.first)
		return;
	if (w->owes_end) {
		writer_move_sink(w);
		if (w->in_flight)
			return;
	}
	if (w->phase == PHASE_ENDING && !w->has_failed) {
		drain_finish(&w->drain);
		w->phase = PHASE_FINISHING;
		writer_move_sink(w);
		if (w->in_flight)
			return;
	}
	if (!w->has_failed && !sink_end_sync(&w->sink))
		return;
	/* A sync has failed while the last block was written, or after it. */
	if (!w->has_failed && w->sink.state == SINK_FAILED)
		writer_give_up(w, &w->sink.error);
	count_syncs(w);
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
			sink_add_memory(&w->sink, memory[i], w->plan.buffer_bytes);
	}
	ts_counter_set(&w->counters.buffers, w->pool.nr);
}
