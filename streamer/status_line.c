// SPDX-License-Identifier: Apache-2.0
#include "streamer/status_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/terminal.h"

#define PERIOD_NS TS_NS_PER_SEC
#define MEGABYTE  (1024.0 * 1024.0)
#define GIGABYTE  (1024.0 * MEGABYTE)

void status_line_start(struct status_line *s)
{
	*s = (struct status_line){
		.is_on = isatty(STDERR_FILENO) && ts_log_enabled(TS_LOG_NORMAL),
		.last_ns = ts_now_ns(),
	};
	s->next_ns = s->is_on ? s->last_ns + PERIOD_NS : TS_TIME_NEVER;
}

/* --- facts --- */

static void find_fullest(const struct recording *r, struct status_facts *f)
{
	for (size_t i = 0; i < r->plan->source.nr_rings; i++) {
		const struct ring *ring = &r->rings[i];
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

static void find_free(const struct recording *r, struct status_facts *f)
{
	struct statvfs fs;

	if (r->plan->drops_output || statvfs(recording_path(r), &fs) < 0)
		return;
	f->has_disk = true;
	f->free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* The writes since the last look: histograms only grow. */
static uint64_t recent_write_ns(struct status_line *s, const struct ts_histogram_counts *now)
{
	struct ts_histogram_counts recent = {.max_ns = now->max_ns};

	for (unsigned int i = 0; i < TS_HISTOGRAM_BUCKETS; i++) {
		recent.buckets[i] = now->buckets[i] - s->last_write.buckets[i];
		recent.nr += recent.buckets[i];
	}
	s->last_write = *now;
	return recent.nr ? ts_histogram_percentile_ns(&recent, 99) : 0;
}

static uint64_t per_second(uint64_t nr, uint64_t ns)
{
	return ns ? (uint64_t)((double)nr * (double)TS_NS_PER_SEC / (double)ns) : 0;
}

static struct status_facts look(struct status_line *s, const struct recording *r, uint64_t now_ns)
{
	uint64_t samples = 0, bytes = 0, ns = now_ns - s->last_ns;
	struct ts_histogram_counts write = {0};
	struct status_facts f = {0};

	for (size_t w = 0; w < r->plan->layout.nr; w++) {
		struct writer_measures measures;
		struct writer_stats stats;

		writer_read_stats(r->streams[w].writer, &stats);
		writer_read_measures(r->streams[w].writer, &measures);
		samples += stats.samples;
		bytes += stats.stream_bytes;
		f.lost += stats.lost + stats.unwritten_records;
		for (unsigned int i = 0; i < TS_HISTOGRAM_BUCKETS; i++)
			write.buckets[i] += measures.write.buckets[i];
		if (measures.write.max_ns > write.max_ns)
			write.max_ns = measures.write.max_ns;
	}
	f.events_per_s = per_second(samples - s->last_samples, ns);
	f.bytes_per_s = per_second(bytes - s->last_bytes, ns);
	f.write_ns = recent_write_ns(s, &write);
	find_fullest(r, &f);
	find_free(r, &f);
	s->last_samples = samples;
	s->last_bytes = bytes;
	s->last_ns = now_ns;
	return f;
}

/* --- words --- */

const char *status_line_text(char buf[STATUS_TEXT_BYTES], const struct status_facts *f,
			     size_t columns)
{
	int len = snprintf(buf, STATUS_TEXT_BYTES,
			   "%" PRIu64 " events/s, %.1f MB/s, %" PRIu64
			   " lost, fullest ring %.0f %% (CPU %" PRIu32 ")",
			   f->events_per_s, (double)f->bytes_per_s / MEGABYTE, f->lost,
			   f->fullest_percent, f->fullest_cpu);

	if (f->write_ns)
		len += snprintf(buf + len, STATUS_TEXT_BYTES - (size_t)len, ", writes %.1f ms",
				(double)f->write_ns / (double)TS_NS_PER_MS);
	if (f->has_disk)
		snprintf(buf + len, STATUS_TEXT_BYTES - (size_t)len, ", %.1f GB free",
			 (double)f->free_bytes / GIGABYTE);
	if (columns && columns <= STATUS_TEXT_BYTES)
		buf[columns - 1] = '\0';
	return buf;
}

/* --- the terminal --- */

void status_line_draw(struct status_line *s, const struct recording *r)
{
	uint64_t now_ns = ts_now_ns();
	char text[STATUS_TEXT_BYTES];
	struct status_facts facts;

	if (now_ns < s->next_ns)
		return;
	s->next_ns = now_ns + PERIOD_NS;
	facts = look(s, r, now_ns);
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
