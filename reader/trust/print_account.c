// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_account.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/directory/directory.h"
#include "reader/capture/account.h"

#define STREAMS_NAMED 5
#define LINKS_NAMED   5

static void say_stream(const struct account_stream *s, enum account_found found, uint64_t missing,
		       const char *capture)
{
	if (found == ACCOUNT_MISSING)
		ts_log_warn("%s of %s is missing: %" PRIu64 " bytes of the recording are lost",
			    s->name, capture, missing);
	else if (found == ACCOUNT_SHORT)
		ts_log_warn("%s of %s is cut short: %" PRIu64 " of its %" PRIu64
			    " bytes are missing",
			    s->name, capture, missing, s->bytes);
	else
		ts_log_warn("%s of %s does not end as it was recorded: its footer is missing",
			    s->name, capture);
}

static size_t say_streams(const struct account *a, const struct capture *c)
{
	uint64_t missing;
	size_t nr = 0;

	for (size_t i = 0; i < a->nr_streams; i++) {
		enum account_found found = account_check(&a->streams[i], c, &missing);

		if (capture_has_link(c, a->streams[i].name))
			continue; /* print_links() names it */
		if (found != ACCOUNT_SOUND && nr++ < STREAMS_NAMED)
			say_stream(&a->streams[i], found, missing, c->path);
	}
	if (nr > STREAMS_NAMED)
		ts_log_warn("%zu more streams are missing or cut short", nr - STREAMS_NAMED);
	return nr;
}

#define REASON_BYTES 80

/* ", 12 because of the disk"; empty if nr is 0. */
static const char *reason(char *buf, const char *before, uint64_t nr, const char *words)
{
	buf[0] = '\0';
	if (nr)
		snprintf(buf, REASON_BYTES, "%s%" PRIu64 " %s", before, nr, words);
	return buf;
}

static void say_losses(const struct account *a)
{
	uint64_t full = a->lost_ring_full, late = a->lost_compression, disk = a->lost_disk;
	char texts[3][REASON_BYTES];

	if (full && !late && !disk)
		ts_log_warn("%" PRIu64 " records were lost while recording: their ring was full",
			    full);
	else if (late && !full && !disk)
		ts_log_warn("%" PRIu64
			    " records were lost while recording: their ring filled up while "
			    "others were compressed",
			    late);
	else if (disk && !full && !late)
		ts_log_warn("%" PRIu64 " records were lost while recording: the disk was too slow, "
			    "or failed",
			    disk);
	else if (full + late + disk)
		ts_log_warn("%" PRIu64 " records were lost while recording: %s%s%s",
			    full + late + disk, reason(texts[0], "", full, "found their ring full"),
			    reason(texts[1], full ? ", " : "", late, "because of compression"),
			    reason(texts[2], ", ", disk, "because of the disk"));
}

/* A recording that did not end has no account of its losses: the headers of its chunks tell. */
static void take_chunk_losses(struct account *a, const struct chunk_table *t)
{
	if (a->is_complete || a->lost_ring_full || a->lost_compression || a->lost_disk)
		return;
	for (size_t i = 0; i < t->nr; i++) {
		const struct chunk *c = &t->chunks[i];

		if (c->lost_cause == TS_LOSS_RING_FULL)
			a->lost_ring_full += c->lost;
		else if (c->lost_cause == TS_LOSS_COMPRESSION)
			a->lost_compression += c->lost;
		else if (c->lost_cause == TS_LOSS_DISK)
			a->lost_disk += c->lost;
	}
}

size_t print_account(const struct capture *c, const struct chunk_table *t)
{
	struct account account;
	size_t nr;
	int rc = account_read(&account, c);

	if (rc) {
		ts_log_warn("cannot read %s/%s: %s", c->path, TS_DIR_INFO, strerror(-rc));
		return 1;
	}
	take_chunk_losses(&account, t);
	say_losses(&account);
	/*
	 * The recording may have ended since: then the account is newer than the streams that were
	 * read.
	 */
	nr = c->is_running ? 0 : say_streams(&account, c);
	account_release(&account);
	return nr + print_links(c);
}

size_t print_links(const struct capture *c)
{
	char text[CAPTURE_STRAYS_TEXT];

	if (capture_tell_strays(c, text))
		ts_log_note("%s", text);
	for (size_t i = 0; i < c->nr_links && i < LINKS_NAMED; i++)
		ts_log_warn("%s/%s was not read: it is a symbolic link, as no part of a capture is",
			    c->path, c->links[i]);
	if (c->nr_links > LINKS_NAMED)
		ts_log_warn("%zu more parts of %s are links", c->nr_links - LINKS_NAMED, c->path);
	return c->nr_links;
}

size_t print_missing_streams(const struct account *a, const struct capture *c)
{
	return say_streams(a, c) + print_links(c);
}

void print_running(const struct capture *c, const struct selection *s)
{
	if (c->is_running && s && s->until_ns)
		ts_log_note("%s is being recorded: read up to %llu.%06llu s", c->path,
			    s->until_ns / TS_NS_PER_SEC, s->until_ns % TS_NS_PER_SEC / 1000);
	else if (c->is_running)
		ts_log_note("%s is being recorded: read as far as it is written", c->path);
}

void print_not_followed(const struct capture *c)
{
	struct account account;

	if (!account_read(&account, c) && !account.is_complete && !account.flush_ns)
		ts_log_note("cannot follow %s: unlike captures of tstream, it does not show "
			    "whether it is being recorded; only its present records are read",
			    c->path);
	account_release(&account);
}

/* Warns of attrs that are read only in part although they are not damaged. */
static void warn_of_dialect(const struct capture *c)
{
	const char *path = c->streams[0].path;

	if (c->header.nr_newer_attrs)
		ts_log_warn("%" PRIu32 " events of %s were recorded with options that are unknown "
			    "here: only the known fields of their samples are read",
			    c->header.nr_newer_attrs, path);
}

size_t print_header_damage(const struct capture *c)
{
	const struct ts_header *h = &c->header;

	if (h->data_cut)
		ts_log_warn("%s ends before its records do: the sections of the header behind them "
			    "are missing, too",
			    c->streams[0].path);
	else if (h->nr_bad_features)
		ts_log_warn("the header of %s has %u damaged section%s", c->streams[0].path,
			    h->nr_bad_features, h->nr_bad_features == 1 ? "" : "s");
	warn_of_dialect(c);
	return h->data_cut ? 1 : h->nr_bad_features;
}

static void print_unwind_counts(const struct unwind_counts *n)
{
	ts_log_say(TS_LOG_VERBOSE,
		   "unwound %" PRIu64 " samples, %" PRIu64 " frames; %" PRIu64
		   " samples by libdw, %" PRIu64 " frames by frame pointer alone, %" PRIu64
		   " dumps ended before the stack",
		   n->nr_samples, n->nr_frames, n->nr_asked, n->nr_guessed, n->nr_cut);
	if (n->nr_foreign)
		ts_log_note("%" PRIu64 " samples of 32-bit programs are not unwound",
			    n->nr_foreign);
	if (n->nr_samples && n->nr_cut >= n->nr_samples / 10 && n->nr_cut)
		ts_log_note("%" PRIu64 " of %" PRIu64
			    " stacks were deeper than their dumps: record with --call-graph "
			    "dwarf,BYTES to see more",
			    n->nr_cut, n->nr_samples);
}

void print_unwound(const struct capture *c, enum unwind_way way, const struct unwind_counts *n)
{
	bool is_dumped = false;

	for (size_t i = 0; i < c->header.events.nr; i++)
		is_dumped |= c->header.events.items[i].attr.sample_type & PERF_SAMPLE_STACK_USER;
	if (!is_dumped || way == UNWIND_NOT)
		return;
	if (unwind_way_of(&c->header, way) == UNWIND_NOT)
		ts_log_note("only dumped stacks of x86-64 are unwound: callers in user space are "
			    "not shown");
	if (way == UNWIND_BY_BOTH)
		ts_log_note("libdw unwinds %" PRIu64 " of %" PRIu64 " samples differently",
			    n->nr_differ, n->nr_compared);
	print_unwind_counts(n);
}

void print_deferred(uint64_t nr_missing, const char *capture)
{
	if (nr_missing)
		ts_log_warn("%" PRIu64 " samples of %s have no user callchain: it was deferred, "
			    "and the record with it is missing",
			    nr_missing, capture);
}
