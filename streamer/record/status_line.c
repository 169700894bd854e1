// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/status_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/min_max.h"
#include "common/base/terminal.h"
#include "streamer/rings/ring_backward.h"

#define PERIOD_NS TS_NS_PER_SEC
#define MEGABYTE  (1024.0 * 1024.0)
#define GIGABYTE  (1024.0 * MEGABYTE)

void status_line_start(struct status_line *s)
{
	*s = (struct status_line){
		.is_on = isatty(STDERR_FILENO) && ts_log_enabled(TS_LOG_NORMAL),
		.last_ns = ts_clock_now_ns(),
	};
	s->next_ns = s->is_on ? s->last_ns + PERIOD_NS : TS_TIME_NEVER;
}

/* --- facts --- */

static void find_fullest(const struct crew *c, struct status_facts *f)
{
	for (size_t i = 0; i < c->plan->source.nr_rings; i++) {
		const struct ring *ring = &c->rings[i];
		double percent;

		if (!ring->map_bytes || ring_is_backward(ring))
			continue;
		percent = 100.0 * (double)ring_waiting(ring) / (double)ring->size_bytes;
		if (percent < f->fullest_percent)
			continue;
		f->fullest_percent = percent;
		f->fullest_cpu = ring->id.cpu;
	}
}

static void find_free(const struct part *p, struct status_facts *f)
{
	struct statvfs fs;

	if (p->plan->drops_output || statvfs(p->output, &fs) < 0)
		return;
	f->has_disk = true;
	f->free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* The writes since the last look: histograms only grow. */
static uint64_t recent_write_ns(struct status_line *s, const struct histogram_counts *now)
{
	struct histogram_counts recent = {.max_ns = now->max_ns};

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		recent.buckets[i] = now->buckets[i] - s->last_write.buckets[i];
		recent.nr += recent.buckets[i];
	}
	s->last_write = *now;
	return recent.nr ? histogram_percentile_ns(&recent, 99) : 0;
}

static uint64_t per_second(uint64_t nr, uint64_t ns)
{
	return ns ? (uint64_t)((double)nr * (double)TS_NS_PER_SEC / (double)ns) : 0;
}

/* The growth since the last look; a sum that is smaller now has begun anew. */
static uint64_t since(uint64_t now, uint64_t *last)
{
	uint64_t more = now >= *last ? now - *last : now;

	*last = now;
	return more;
}

/* The kernel writes backward rings down from 0. So their heads show how much it has written. */
static void look_at_backward_rings(struct status_line *s, const struct crew *c, uint64_t ns,
				   uint64_t since_start_ns, struct status_facts *f)
{
	uint64_t written = 0, room = 0;

	for (size_t i = 0; i < c->plan->source.nr_rings; i++) {
		const struct ring *ring = &c->rings[i];

		if (!ring->map_bytes)
			continue;
		f->has_samples |= ring->id.kind == TS_RING_SAMPLES;
		if (!ring_is_backward(ring))
			continue;
		f->overwrites = true;
		written += ring_written_backward(ring);
		room += ring->size_bytes;
	}
	f->overwritten_per_s = per_second(since(written, &s->last_overwritten), ns);
	f->ring_span_ns = since_start_ns;
	if (written > room && f->overwritten_per_s)
		f->ring_span_ns =
			ts_min(f->ring_span_ns, (uint64_t)((double)room * (double)TS_NS_PER_SEC /
							   (double)f->overwritten_per_s));
}

static void look_at_hold(const struct rotation *t, uint64_t bytes, uint64_t now_ns,
			 struct status_facts *f)
{
	const struct rotation_kept *kept = &t->kept;

	f->is_held = t->is_held;
	f->held_bytes = kept->bytes + bytes;
	f->held_ns = now_ns > kept->begin_ns ? now_ns - kept->begin_ns : 0;
}

static struct status_facts look_at_recording(struct status_line *s, const struct recording *r,
					     uint64_t now_ns)
{
	const struct ledger_sum *finished = &r->rotation.finished_total;
	uint64_t samples = 0, bytes = 0, ns = now_ns - s->last_ns;
	struct status_facts f = {.lost = ledger_sum_lost(finished)};
	struct histogram_counts write = {0};

	for (size_t w = 0; w < r->plan->layout.nr; w++) {
		struct writer_measures measures;
		struct writer_stats stats;

		writer_read_stats(r->crew.streams[w].writer, &stats);
		writer_read_measures(r->crew.streams[w].writer, &measures);
		samples += stats.samples;
		bytes += stats.stream_bytes;
		f.lost += stats.lost + stats.unwritten_records;
		for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
			write.buckets[i] += measures.write.buckets[i];
		if (measures.write.max_ns > write.max_ns)
			write.max_ns = measures.write.max_ns;
	}
	f.events_per_s = per_second(since(finished->samples + samples, &s->last_samples), ns);
	f.bytes_per_s = per_second(since(finished->stream_bytes + bytes, &s->last_bytes), ns);
	f.write_ns = recent_write_ns(s, &write);
	find_fullest(&r->crew, &f);
	look_at_backward_rings(s, &r->crew, ns, r->first_start_ns ? now_ns - r->first_start_ns : 0,
			       &f);
	look_at_hold(&r->rotation, bytes, now_ns, &f);
	find_free(&r->part, &f);
	s->last_ns = now_ns;
	return f;
}

/* --- words --- */

enum status_part { RATE, LOST, FULLEST, PAST, WRITES, FREE, NR_PARTS };

struct parts {
	char text[NR_PARTS][80]; /* empty: left out */
};

static double in_seconds(uint64_t ns)
{
	return (double)ns / (double)TS_NS_PER_SEC;
}

static void word_rate(char *text, size_t size, const struct status_facts *f)
{
	if (f->has_samples || !f->overwrites)
		snprintf(text, size, "%" PRIu64 " events/s, %.1f MB/s", f->events_per_s,
			 (double)f->bytes_per_s / MEGABYTE);
	else
		snprintf(text, size, "overwriting %.1f MB/s",
			 (double)f->overwritten_per_s / MEGABYTE);
}

static void word_past(char *text, size_t size, const struct status_facts *f)
{
	text[0] = '\0';
	if (f->is_held)
		snprintf(text, size, "holds the last %.0f s in %.1f MB", in_seconds(f->held_ns),
			 (double)f->held_bytes / MEGABYTE);
	else if (f->overwrites)
		snprintf(text, size, "rings hold the last %.1f s", in_seconds(f->ring_span_ns));
}

static void word_parts(struct parts *p, const struct status_facts *f)
{
	const size_t size = sizeof(p->text[0]);

	*p = (struct parts){0};
	word_rate(p->text[RATE], size, f);
	snprintf(p->text[LOST], size, "%" PRIu64 " lost", f->lost);
	snprintf(p->text[FULLEST], size, "fullest ring %.0f %% (CPU %" PRIu32 ")",
		 f->fullest_percent, f->fullest_cpu);
	word_past(p->text[PAST], size, f);
	if (f->write_ns)
		snprintf(p->text[WRITES], size, "writes %.1f ms",
			 (double)f->write_ns / (double)TS_NS_PER_MS);
	if (f->has_disk)
		snprintf(p->text[FREE], size, "%.1f GB free", (double)f->free_bytes / GIGABYTE);
}

/* Joins the parts that have room, in this order. Returns the number of parts without room. */
static size_t join_parts(char buf[STATUS_TEXT_BYTES], const struct parts *p,
			 const enum status_part *order, size_t room)
{
	size_t len = 0, nr_left = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < NR_PARTS; i++) {
		const char *text = p->text[order[i]];
		const char *comma = len ? ", " : "";

		if (!*text)
			continue;
		if (len + strlen(comma) + strlen(text) >= room) {
			nr_left++;
			continue;
		}
		len += (size_t)sprintf(buf + len, "%s%s", comma, text);
	}
	return nr_left;
}

const char *status_line_text(char buf[STATUS_TEXT_BYTES], const struct status_facts *f,
			     size_t columns)
{
	static const enum status_part wide[NR_PARTS] = {RATE, LOST, FULLEST, PAST, WRITES, FREE};
	static const enum status_part narrow[NR_PARTS] = {LOST, FULLEST, PAST, RATE, FREE, WRITES};
	const size_t room = columns && columns < STATUS_TEXT_BYTES ? columns : STATUS_TEXT_BYTES;
	struct parts parts;

	word_parts(&parts, f);
	if (join_parts(buf, &parts, wide, room))
		join_parts(buf, &parts, narrow, room);
	return buf;
}

/* --- the terminal --- */

void status_line_draw(struct status_line *s, const struct recording *r)
{
	uint64_t now_ns = ts_clock_now_ns();
	char text[STATUS_TEXT_BYTES];
	struct status_facts facts;

	if (now_ns < s->next_ns)
		return;
	s->next_ns = now_ns + PERIOD_NS;
	facts = look_at_recording(s, r, now_ns);
	if (!ts_terminal_may_draw())
		return;
	ts_terminal_draw(status_line_text(text, &facts, ts_terminal_columns()));
	s->is_drawn = true;
}

void status_line_erase(struct status_line *s)
{
	if (s->is_drawn && ts_terminal_may_draw())
		ts_terminal_erase();
	s->is_drawn = false;
}
