// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_overview.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "reader/runtime/text.h"
#include "reader/trust/print_gaps.h"

#define GAPS_SHOWN     3 /* --loss shows all */
#define ABSENCES_SHOWN 8 /* --json has all */

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* "# Captured: 271 samples in 0.107 s on vm, 12 threads" */
static void put_captured(const struct overview *o, bool is_whole, struct ts_bytes *out)
{
	const char *host = overview_feature(o, TS_FEAT_HOSTNAME), *before = " ";

	text_put(out, "# Captured:");
	if (is_whole) {
		ts_bytes_printf(out, " %" PRIu64 " sample%s", o->nr_samples, plural(o->nr_samples));
		before = " in ";
	}
	if (o->last_ns)
		ts_bytes_printf(out, "%s%.3f s", before,
				(double)(o->last_ns - o->first_ns) / TS_NS_PER_SEC);
	if (host) {
		text_put(out, " on ");
		text_name(out, host, 0);
	}
	if (o->nr_threads)
		ts_bytes_printf(out, ", %" PRIu64 " thread%s", o->nr_threads,
				plural(o->nr_threads));
	if (o->capture->is_running)
		text_put(out, "; it is still being recorded");
	else if (o->is_ours && !o->account.is_complete)
		text_put(out, "; the recording did not end");
	else if (o->capture->header.data_unfinished && !o->capture->header.is_pipe)
		text_put(out, "; perf has not ended it");
	if (o->counted_percent < 100)
		ts_bytes_printf(out, "; only %u %% of it was counted",
				(unsigned int)o->counted_percent);
	text_char(out, '\n');
}

static void put_lost(const struct overview *o, struct ts_bytes *out)
{
	static const char *const words[TS_LOSS_NR] = {
		[TS_LOSS_RING_FULL] = "ring full",
		[TS_LOSS_PAUSED] = "paused",
		[TS_LOSS_DISK] = "disk",
		[TS_LOSS_COMPRESSION] = "compression late",
		[TS_LOSS_HARDWARE] = "by hardware",
	};
	const char *before = ": ";

	if (!o->nr_lost)
		return;
	ts_bytes_printf(out, "# Lost: %s%" PRIu64 " record%s while recording",
			o->is_exact ? "" : "at least ", o->nr_lost, plural(o->nr_lost));
	for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++) {
		if (!o->lost[cause])
			continue;
		ts_bytes_printf(out, "%s%s %" PRIu64, before, words[cause], o->lost[cause]);
		before = ", ";
	}
	text_put(out, "; see --loss\n");
}

static uint64_t count_streams(const struct overview *o)
{
	uint64_t missing, nr = 0;

	for (size_t i = 0; i < o->account.nr_streams; i++)
		nr += !capture_has_link(o->capture, o->account.streams[i].name) &&
		      account_check(&o->account.streams[i], o->capture, &missing) != ACCOUNT_SOUND;
	return nr;
}

static void put_part(const char **before, uint64_t nr, const char *one, const char *many,
		     struct ts_bytes *out)
{
	if (!nr)
		return;
	ts_bytes_printf(out, "%s%" PRIu64 " %s", *before, nr, nr == 1 ? one : many);
	*before = ", ";
}

static void put_damaged(const struct overview *o, struct ts_bytes *out)
{
	const struct ts_header *h = &o->capture->header;
	const char *start = "# Damaged: ", *before = start;

	put_part(&before, o->damage->nr, "place", "places", out);
	if (o->damage->nr)
		ts_bytes_printf(out, " with %s%" PRIu64 " bytes",
				o->damage->nr > damage_kept(o->damage) ? "more than " : "",
				damage_bytes(o->damage));
	put_part(&before, damage_doubtful(o->damage), "record that may be wrong",
		 "records that may be wrong", out);
	put_part(&before, o->account.damage.nr_places, "place before the capture was made anew",
		 "places before the capture was made anew", out);
	put_part(&before, o->account.damage.nr_doubtful, "record here that may be wrong",
		 "records here that may be wrong", out);
	put_part(&before, count_streams(o), "stream missing or cut short",
		 "streams missing or cut short", out);
	put_part(&before, o->capture->nr_links, "symbolic link", "symbolic links", out);
	put_part(&before, h->nr_bad_features + h->data_cut, "part of the header",
		 "parts of the header", out);
	if (before != start) {
		text_put(out, "; see tstream check ");
		text_name(out, o->capture->path, 0);
		text_char(out, '\n');
	}
}

static void put_skipped(const struct overview *o, struct ts_bytes *out)
{
	const char *start = "# Skipped: ", *before = start;

	put_part(&before, o->nr_unknown, "sample of no known event", "samples of no known event",
		 out);
	put_part(&before, o->nr_bad, "sample of a wrong size", "samples of a wrong size", out);
	if (o->has_stacks) {
		ts_bytes_printf(out, "%suser stacks that were dumped for unwinding", before);
		before = ", ";
	}
	if (before != start)
		text_char(out, '\n');
}

static void put_own(const struct overview *o, struct ts_bytes *out)
{
	uint64_t own = o->account.own_samples;

	if (own)
		ts_bytes_printf(
			out, "# Own Samples: %" PRIu64 " (%.2f%%), of the recorder itself\n", own,
			o->nr_samples ? 100.0 * (double)own / (double)o->nr_samples : 0.0);
}

static void put_absences(const struct account *account, struct ts_bytes *out)
{
	const size_t nr =
		account->nr_absences < ABSENCES_SHOWN ? account->nr_absences : ABSENCES_SHOWN;

	for (size_t i = 0; i < nr; i++) {
		const struct account_absence *a = &account->absences[i];

		ts_bytes_printf(out, "# CPU %" PRIu32 " was %s from %.1f s ", a->cpu,
				a->is_late ? "online, but not recorded," : "offline", a->from_s);
		if (a->to_s < 0)
			ts_bytes_printf(out, "to the end\n");
		else
			ts_bytes_printf(out, "to %.1f s\n", a->to_s);
	}
	if (nr < account->nr_absences)
		ts_bytes_printf(out, "# CPUs were absent %zu times more; see --json\n",
				account->nr_absences - nr);
}

static bool is_unended(const struct overview *o)
{
	const struct ts_header *h = &o->capture->header;

	return o->capture->is_running || (o->is_ours && !o->account.is_complete) ||
	       (h->data_unfinished && !h->is_pipe) || o->counted_percent < 100;
}

/* Each line is there if something is lost, damaged or left out. */
static void put_incomplete(const struct overview *o, struct ts_bytes *out)
{
	put_lost(o, out);
	print_gaps(&o->account, GAPS_SHOWN, out);
	put_damaged(o, out);
	put_skipped(o, out);
}

/* Removes "# " at the beginning of each line from `from` on. */
static void uncomment(struct ts_bytes *out, size_t from)
{
	size_t to = from;

	for (size_t at = from; at < out->len; at++) {
		const bool is_begin = at == from || out->data[at - 1] == '\n';

		if (is_begin && out->data[at] == '#' && at + 1 < out->len)
			at += 2;
		if (at < out->len)
			out->data[to++] = out->data[at];
	}
	out->len = to;
}

void print_overview_faults(const struct overview *o, struct ts_bytes *out)
{
	const size_t from = out->len;

	if (is_unended(o))
		put_captured(o, false, out);
	put_incomplete(o, out);
	put_absences(&o->account, out);
	uncomment(out, from);
}

void print_overview(const struct overview *o, bool is_whole, struct ts_bytes *out)
{
	put_captured(o, is_whole, out);
	put_incomplete(o, out);
	if (is_whole)
		put_own(o, out);
	put_absences(&o->account, out);
	text_put(out, "#\n");
}

bool print_overview_command(const struct overview *o, struct ts_bytes *out)
{
	struct ts_cursor c = ts_header_feature_cursor(&o->capture->header, TS_FEAT_CMDLINE);
	const char *word;
	uint32_t nr = 0, i;

	if (!c.at || !ts_cursor_u32(&c, &nr))
		return false;
	for (i = 0; i < nr && ts_cursor_string(&c, &word); i++) {
		if (i)
			text_char(out, ' ');
		text_name(out, i ? word : ts_path_name(word), 0);
	}
	return i;
}

void print_capture_name(const char *path, const char *host, struct ts_bytes *out)
{
	text_put(out, "# Capture: ");
	text_name(out, path, 0);
	if (host && strcmp(host, path) != 0) {
		text_put(out, " (host ");
		text_name(out, host, 0);
		text_char(out, ')');
	}
	text_char(out, '\n');
}
