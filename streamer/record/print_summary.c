// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/print_summary.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "common/base/cpus.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "streamer/record/print_measures.h"

#define TEXT_BYTES  160
#define RATE_MIN_NS (TS_NS_PER_SEC / 10) /* below this a rate shows the headers only */

static double seconds(uint64_t ns)
{
	return (double)ns / (double)TS_NS_PER_SEC;
}

static double megabytes(uint64_t bytes)
{
	return (double)bytes / (1024.0 * 1024.0);
}

/* Adds "NR WORDS" to a list, unless nr is 0. Returns the new length. */
static int add_cause(char *buf, int len, uint64_t nr, const char *words)
{
	if (!nr)
		return len;
	return len + snprintf(buf + len, (size_t)(TEXT_BYTES - len), "%s%llu %s",
			      buf[len - 1] == ' ' ? "" : ", ", (unsigned long long)nr, words);
}

/* Samples in streams that have been removed since. */
static uint64_t count_removed(const struct crew *c, const struct ledger *l)
{
	uint64_t nr = 0;
	struct stat st;

	for (size_t i = 0; i < l->nr_writers && !c->plan->drops_output; i++)
		if (!fstat(c->streams[i].file.fd, &st) && !st.st_nlink)
			nr += l->writers[i].stats.samples;
	return nr;
}

/* "nothing lost", or how many records and why. */
static const char *describe_loss(char *buf, const struct ledger_sum *s)
{
	uint64_t lost = ledger_sum_lost(s), offered = s->kept + lost;
	int len;

	if (!lost) {
		snprintf(buf, TEXT_BYTES, "nothing lost");
		return buf;
	}
	len = snprintf(buf, TEXT_BYTES, "%llu lost (%.2f %%: ", (unsigned long long)lost,
		       100.0 * (double)lost / (double)offered);
	len = add_cause(buf, len, s->ring_full, "ring full");
	len = add_cause(buf, len, s->compression, "compression late");
	len = add_cause(buf, len, s->disk, "disk");
	len = add_cause(buf, len, s->paused, "paused");
	snprintf(buf + len, (size_t)(TEXT_BYTES - len), ")");
	return buf;
}

/* The same. A capture that was removed, or a part of it, counts as lost, too. */
static const char *describe_all_loss(char *buf, const struct ledger_sum *s, uint64_t nr_removed)
{
	int len;

	if (!nr_removed)
		return describe_loss(buf, s);
	len = snprintf(buf, TEXT_BYTES, "%llu samples lost with files that were removed",
		       (unsigned long long)nr_removed);
	if (ledger_sum_lost(s))
		snprintf(buf + len, (size_t)(TEXT_BYTES - len), ", and %llu records before",
			 (unsigned long long)ledger_sum_lost(s));
	return buf;
}

/*
 * Megabytes compressed in a second of CPU time; 0: nothing was compressed. Bytes that a failed disk
 * did not take are no longer in raw_bytes, but still in plain_bytes.
 */
static double compression_speed(uint64_t raw_bytes, uint64_t plain_bytes, uint64_t ns)
{
	if (!ns || raw_bytes <= plain_bytes)
		return 0.0;
	return megabytes(raw_bytes - plain_bytes) / seconds(ns);
}

static const char *describe_ratio(char *buf, const struct ledger_sum *s, bool is_compressed)
{
	buf[0] = '\0';
	if (is_compressed && s->stream_bytes)
		snprintf(buf, TEXT_BYTES,
			 " (compressed from %.3f MB, %.3f of them plain, ratio %.1f, at %.0f MB/s "
			 "of a CPU)",
			 megabytes(s->raw_bytes), megabytes(s->plain_bytes),
			 (double)s->raw_bytes / (double)s->stream_bytes,
			 compression_speed(s->raw_bytes, s->plain_bytes, s->compress_ns));
	return buf;
}

/* The part of the recorder itself in the capture; empty if it has none. */
static const char *describe_own(char *buf, const struct ledger_sum *s)
{
	double percent = s->samples ? 100.0 * (double)s->own_samples / (double)s->samples : 0.0;

	buf[0] = '\0';
	if (s->own_samples && percent < 0.01)
		snprintf(buf, TEXT_BYTES, " (own < 0.01 %%)");
	else if (s->own_samples)
		snprintf(buf, TEXT_BYTES, " (own %.2f %%)", percent);
	return buf;
}

/* "BEFORE1.2 MB/sAFTER"; empty if the time was too short for a rate. */
static const char *describe_rate(char *buf, uint64_t bytes, uint64_t ns, const char *before,
				 const char *after)
{
	buf[0] = '\0';
	if (ns >= RATE_MIN_NS)
		snprintf(buf, TEXT_BYTES, "%s%.1f MB/s%s", before, megabytes(bytes) / seconds(ns),
			 after);
	return buf;
}

static bool has_writer_for_each_cpu(const struct layout *layout)
{
	for (size_t i = 0; i < layout->nr; i++)
		if (hwloc_bitmap_weight(layout->writers[i].cpus) > 1)
			return false;
	return true;
}

/* False if the rings lost side-band alone. Earlier directories are known by their sum alone. */
static bool has_lost_samples(const struct part *p, const struct ledger_sum *whole)
{
	uint64_t sideband = 0;

	for (size_t i = 0; i < p->ledger.nr_rings; i++)
		if (p->plan->source.rings[i].kind == TS_RING_SIDEBAND)
			sideband += p->ledger.rings[i].lost;
	return ledger_sum_lost(whole) - whole->paused > sideband;
}

/*
 * Prints remedies that were not in use. Prints none after a failure of the disk, which has its own
 * hint.
 */
static void print_hint(const struct part *p, const struct ledger_sum *whole)
{
	const struct record_options *o = p->plan->options;
	bool disk = whole->disk > whole->ring_full + whole->compression;
	char size[TS_UNITS_TEXT];

	if (ledger_sum_lost(whole) == whole->paused || p->ledger.total.unwritten_records ||
	    !has_lost_samples(p, whole))
		return;
	ts_log_say(TS_LOG_QUIET,
		   "  hint: %s%s%s%slarger rings (-m %s) or fewer samples (-F, -c) lose less",
		   disk ? (o->compress_level ? "a faster disk (-o), "
					     : "compression (-z), a faster disk (-o), ")
			: "",
		   whole->compression ? "less or no compression (-z, or none), " : "",
		   disk || has_writer_for_each_cpu(&p->plan->layout)
			   ? ""
			   : "more writers (--threads=cpu), ",
		   disk || o->realtime ? "" : "a priority (-r 1), ",
		   ts_units_format_size(size, p->plan->sample_ring_bytes * 4));
}

/* The rings of side-band are the remedy if names and maps were lost. */
static void print_sideband_hint(const struct part *p)
{
	char size[TS_UNITS_TEXT];

	if (p->gaps->nr)
		ts_log_say(TS_LOG_QUIET,
			   "  hint: names and maps may be missing for a while (see report --loss): "
			   "larger rings for them (-m :%s) lose less",
			   ts_units_format_size(size, p->plan->sideband_ring_bytes * 4));
}

/* ", compressed at 123 MB/s"; empty if nothing was compressed. */
static const char *describe_speed(char *buf, const struct writer_stats *s)
{
	buf[0] = '\0';
	if (s->compress_ns)
		snprintf(buf, TEXT_BYTES, ", compressed at %.0f MB/s",
			 compression_speed(s->raw_bytes, s->plain_bytes, s->compress_ns));
	return buf;
}

static void print_writer(const struct part *p, size_t i)
{
	const struct ledger_writer *w = &p->ledger.writers[i];
	char *cpus = ts_cpus_text(p->plan->layout.writers[i].cpus);
	uint64_t ns = part_duration_ns(p);
	char rate[TEXT_BYTES], speed[TEXT_BYTES];

	ts_log_say(TS_LOG_VERBOSE,
		   "  writer %zu: CPUs %s, %llu samples, %llu records, %.3f MB%s%s, %llu lost, "
		   "%llu wake-ups, %s%s, scheduled %s",
		   i, cpus && *cpus ? cpus : "none", (unsigned long long)w->stats.samples,
		   (unsigned long long)w->stats.records, megabytes(w->stats.stream_bytes),
		   describe_rate(rate, w->stats.stream_bytes, ns, " (", ")"),
		   describe_speed(speed, &w->stats),
		   (unsigned long long)(w->lost + w->stats.unwritten_records),
		   (unsigned long long)w->stats.wakeups, w->io, w->is_direct ? ", direct" : "",
		   w->schedule);
	free(cpus);
}

/* -M: the line of the whole memory; the ledger has only the last segment. */
static void print_held(const struct recording *r, const struct ledger_sum *whole)
{
	const struct part *p = &r->part;
	const struct rotation_kept *kept = &r->rotation.kept;
	uint64_t lost = ledger_sum_lost(whole);

	ts_log_say(
		lost ? TS_LOG_QUIET : TS_LOG_NORMAL,
		"[ tstream record: held the last %.2f s in %.3f MB, %llu lost since the start, %zu "
		"stream%s in %s ]",
		seconds(p->end_ns > kept->begin_ns ? p->end_ns - kept->begin_ns : 0),
		megabytes(kept->bytes + p->ledger.total.stream_bytes), (unsigned long long)lost,
		p->ledger.nr_writers, p->ledger.nr_writers == 1 ? "" : "s",
		r->history.stays ? r->history.root : r->plan->options->output);
}

/* The place of the capture; `moved` is PATH_MAX bytes. */
static const char *place_of(const struct part *p, char *moved)
{
	if (!p->dir.path)
		return p->plan->options->output;
	return ts_dir_was_moved(&p->dir, moved) ? moved : p->dir.path;
}

/* "[ tstream record: BEFORE1.00 s, 9 samples, 0.010 MB, 0.0 MB/s, nothing lostAFTER ]" */
static void print_line(const struct record_options *o, const struct ledger_sum *s, uint64_t ns,
		       uint64_t nr_removed, const char *before, const char *after)
{
	char loss[TEXT_BYTES], ratio[TEXT_BYTES], own[TEXT_BYTES], rate[TEXT_BYTES];

	ts_log_say(ledger_sum_lost(s) || nr_removed ? TS_LOG_QUIET : TS_LOG_NORMAL,
		   "[ tstream record: %s%.2f s, %llu samples%s, %.3f MB%s%s, %s%s ]", before,
		   seconds(ns), (unsigned long long)s->samples, describe_own(own, s),
		   megabytes(s->stream_bytes), describe_ratio(ratio, s, o->compress_level != 0),
		   describe_rate(rate, s->stream_bytes, ns, ", ", ""),
		   describe_all_loss(loss, s, nr_removed), after);
}

/*
 * The number of directories made. The last one is not yet counted as finished if it keeps its name.
 */
static unsigned int count_directories(const struct rotation *t, const struct ts_dir *last)
{
	return t->nr_finished + !(t->finished && last->path && !strcmp(t->finished, last->path));
}

/* A line for the whole recording; if it made several directories, one for the last of them, too. */
static void print_lines(const struct recording *r, const struct ledger_sum *last,
			const struct ledger_sum *whole)
{
	const struct record_options *o = r->plan->options;
	const struct part *p = &r->part;
	const struct ledger *l = &p->ledger;
	unsigned int nr_directories = count_directories(&r->rotation, &p->dir);
	uint64_t nr_removed = count_removed(&r->crew, l);
	char moved[PATH_MAX], after[PATH_MAX + 64];
	const char *place = place_of(p, moved);
	int len = snprintf(after, sizeof(after), ", %zu stream%s by %s in ", l->nr_writers,
			   l->nr_writers == 1 ? "" : "s", l->writers[0].io);

	if (nr_directories < 2) {
		snprintf(after + len, sizeof(after) - (size_t)len, "%s", place);
		print_line(o, last, part_duration_ns(p), nr_removed, "", after);
		return;
	}
	snprintf(after + len, sizeof(after) - (size_t)len, "%u directories", nr_directories);
	print_line(o, whole, p->end_ns - r->first_start_ns, nr_removed, "", after);
	snprintf(after, sizeof(after), ", in %s", place);
	print_line(o, last, part_duration_ns(p), nr_removed, "the last directory: ", after);
}

void print_summary(const struct recording *r)
{
	struct ledger_sum last = {0}, whole = r->rotation.finished_total;
	const struct ledger *l = &r->part.ledger;

	if (!l->writers)
		return;
	ledger_sum_add(&last, l);
	ledger_sum_add(&whole, l);
	if (r->history.is_on) {
		print_held(r, &whole);
		return;
	}
	print_lines(r, &last, &whole);
	print_hint(&r->part, &whole);
	print_sideband_hint(&r->part);
	for (size_t i = 0; i < l->nr_writers; i++)
		print_writer(&r->part, i);
	print_measures(r->plan, l);
}

static void print_ring(const struct record_plan *plan, size_t ring)
{
	static const char *const ring_words[] = {[TS_RING_SAMPLES] = "samples",
						 [TS_RING_SIDEBAND] = "side-band",
						 [TS_RING_OVERWRITE] = "samples, overwritten"};
	const struct source_ring *s = &plan->source.rings[ring];
	char size[TS_UNITS_TEXT];

	ts_log_say(TS_LOG_DEBUG, "  ring %zu: CPU %u, %s, %s, descriptor %d", ring, s->cpu,
		   ring_words[s->kind], ts_units_format_size(size, record_plan_ring_bytes(plan, s)),
		   s->fd);
	for (size_t i = 0; i < plan->source.nr_fds; i++) {
		const struct source_fd *f = &plan->source.fds[i];

		if (f->ring == ring)
			ts_log_say(TS_LOG_DEBUG, "    descriptor %d: %s, task %d, id %llu", f->fd,
				   plan->source.names[f->event], (int)f->tid,
				   (unsigned long long)f->id);
	}
}

void print_writers_open(const struct crew *c)
{
	const struct record_plan *plan = c->plan;
	size_t ring = 0;

	if (!ts_log_enabled(TS_LOG_DEBUG))
		return;
	for (size_t i = 0; i < plan->layout.nr; i++) {
		char *affinity = ts_cpus_text(plan->layout.writers[i].affinity);
		char *cpus = ts_cpus_text(plan->layout.writers[i].cpus);

		ts_log_say(TS_LOG_DEBUG,
			   "writer %zu: samples of CPUs %s, runs on %s, writes by %s%s", i,
			   cpus && *cpus ? cpus : "none", affinity ? affinity : "?",
			   writer_io_name(c->streams[i].writer),
			   writer_is_direct(c->streams[i].writer) ? ", direct" : "");
		free(affinity);
		free(cpus);
		for (; ring < plan->source.nr_rings && plan->source.rings[ring].writer == i; ring++)
			if (!plan->source.rings[ring].is_absent)
				print_ring(plan, ring);
	}
}
