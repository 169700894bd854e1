// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "reader/report/print_json.h"

static void put_feature(struct json *j, const struct overview *o, enum ts_feature bit,
			const char *key)
{
	const char *text = overview_feature(o, bit);

	if (text)
		json_text(j, key, text);
}

static void put_machine(struct json *j, const struct overview *o)
{
	json_open(j, "hosts", '[');
	put_feature(j, o, TS_FEAT_HOSTNAME, NULL);
	json_close(j, ']');
	put_feature(j, o, TS_FEAT_OSRELEASE, "os_release");
	put_feature(j, o, TS_FEAT_ARCH, "arch");
	if (o->capture->header.nr_cpus_avail)
		json_u64(j, "cpus", o->capture->header.nr_cpus_avail);
	put_feature(j, o, TS_FEAT_VERSION, "recorder_version");
}

static void put_command(struct json *j, const struct overview *o)
{
	struct ts_cursor c = ts_header_feature_cursor(&o->capture->header, TS_FEAT_CMDLINE);
	const char *word;
	uint32_t nr;

	if (!ts_cursor_u32(&c, &nr))
		return;
	json_open(j, "command_line", '[');
	for (; nr && ts_cursor_string(&c, &word); nr--)
		json_text(j, NULL, word);
	json_close(j, ']');
}

static void put_attr(struct json *j, const struct perf_event_attr *attr)
{
	json_open(j, "attr", '{');
	json_u64(j, "type", attr->type);
	json_u64(j, "config", attr->config);
	json_u64(j, attr->freq ? "frequency" : "period",
		 attr->freq ? attr->sample_freq : attr->sample_period);
	json_u64(j, "sample_type", attr->sample_type);
	json_bool(j, "exclude_user", attr->exclude_user);
	json_bool(j, "exclude_kernel", attr->exclude_kernel);
	json_u64(j, "precise_ip", attr->precise_ip);
	json_close(j, '}');
}

static void put_events(struct json *j, const struct overview *o)
{
	const struct ts_events *events = &o->capture->header.events;

	json_line(j);
	json_open(j, "events", '[');
	for (size_t i = 0; i < events->nr; i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", events->items[i].name);
		put_attr(j, &events->items[i].attr);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_span(struct json *j, const struct overview *o)
{
	json_u64(j, "samples", o->nr_samples);
	json_u64(j, "threads", o->nr_threads);
	if (!o->last_ns)
		return;
	json_open(j, "span", '{');
	json_u64(j, "first_ns", o->first_ns);
	json_u64(j, "last_ns", o->last_ns);
	json_close(j, '}');
}

static void put_lost(struct json *j, const struct overview *o)
{
	static const char *const sources[] = {
		[OVERVIEW_FROM_ACCOUNT] = "tstream.json",
		[OVERVIEW_FROM_CHUNKS] = "chunk headers",
		[OVERVIEW_FROM_RECORDS] = "LOST records",
	};

	json_line(j);
	json_open(j, "lost", '{');
	json_text(j, "source", sources[o->source]);
	json_bool(j, "is_exact", o->is_exact);
	json_u64(j, "records", o->nr_lost);
	json_open(j, "by_cause", '{');
	for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
		if (o->lost[cause])
			json_u64(j, ts_loss_cause_name((enum ts_loss_cause)cause), o->lost[cause]);
	json_close(j, '}');
	json_close(j, '}');
}

static void put_places(struct json *j, const struct overview *o)
{
	json_u64(j, "nr_places", o->damage->nr);
	json_u64(j, "doubtful_records", damage_doubtful(o->damage));
	json_open(j, "places", '[');
	for (size_t i = 0; i < damage_kept(o->damage); i++) {
		const struct chunk_damage *d = &o->damage->items[i];

		json_open(j, NULL, '{');
		json_text(j, "file", o->capture->streams[d->stream].path);
		json_u64(j, "offset", d->offset);
		json_u64(j, "bytes", d->bytes);
		json_u64(j, "doubtful_records", d->nr_doubtful);
		json_text(j, "reason", d->text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Prints the streams that are not as the recording left them. */
static void put_streams(struct json *j, const struct overview *o)
{
	static const char *const states[] = {
		[ACCOUNT_MISSING] = "missing",
		[ACCOUNT_SHORT] = "cut short",
		[ACCOUNT_NO_END] = "without its end",
	};

	json_open(j, "streams", '[');
	for (size_t i = 0; i < o->account.nr_streams; i++) {
		const struct account_stream *s = &o->account.streams[i];
		uint64_t missing;
		enum account_found found = account_check(s, o->capture, &missing);

		if (found == ACCOUNT_SOUND)
			continue;
		json_open(j, NULL, '{');
		json_text(j, "file", s->name);
		json_text(j, "state", states[found]);
		json_u64(j, "missing_bytes", missing);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_damaged(struct json *j, const struct overview *o)
{
	json_line(j);
	json_open(j, "damaged", '{');
	put_places(j, o);
	put_streams(j, o);
	json_open(j, "earlier", '{');
	json_u64(j, "places", o->account.damage.nr_places);
	json_u64(j, "bytes", o->account.damage.bytes);
	json_u64(j, "doubtful_records", o->account.damage.nr_doubtful);
	json_close(j, '}');
	json_open(j, "links", '[');
	for (size_t i = 0; i < o->capture->nr_links; i++)
		json_text(j, NULL, o->capture->links[i]);
	json_close(j, ']');
	json_u64(j, "header_sections", o->capture->header.nr_bad_features);
	json_bool(j, "is_data_cut", o->capture->header.data_cut);
	json_close(j, '}');
}

static void put_skipped(struct json *j, const struct overview *o)
{
	json_line(j);
	json_open(j, "skipped", '{');
	json_u64(j, "samples_without_event", o->nr_unknown);
	json_u64(j, "samples_cut_short", o->nr_bad);
	json_bool(j, "stacks_not_unwound", o->has_stacks);
	json_close(j, '}');
	if (!o->account.is_complete)
		return;
	json_open(j, "own", '{');
	json_u64(j, "samples", o->account.own_samples);
	json_close(j, '}');
}

static void put_absences(struct json *j, const struct overview *o)
{
	json_open(j, "absences", '[');
	for (size_t i = 0; i < o->account.nr_absences; i++) {
		const struct account_absence *a = &o->account.absences[i];

		json_open(j, NULL, '{');
		json_u64(j, "cpu", a->cpu);
		json_text(j, "cause", a->is_late ? "online after the start" : "offline");
		json_real(j, "from_s", a->from_s);
		if (a->to_s >= 0)
			json_real(j, "to_s", a->to_s);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_gaps(struct json *j, const struct overview *o)
{
	if (!o->account.nr_gaps)
		return;
	json_open(j, "names_missing", '[');
	for (size_t i = 0; i < o->account.nr_gaps; i++) {
		const struct account_gap *gap = &o->account.gaps[i];

		json_open(j, NULL, '{');
		json_u64(j, "from_ns", gap->from_ns);
		if (gap->to_ns)
			json_u64(j, "to_ns", gap->to_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void print_json_capture(struct json *j, const char *key, const struct overview *o)
{
	json_line(j);
	json_open(j, key, '{');
	json_text(j, "path", o->capture->path);
	if (o->name)
		json_text(j, "host_key", o->name);
	json_text(j, "kind", o->capture->kind == CAPTURE_FILE ? "file" : "directory");
	json_u64(j, "streams", o->capture->nr_streams);
	if (o->is_ours)
		json_bool(j, "is_complete", o->account.is_complete);
	json_bool(j, "is_running", o->capture->is_running);
	json_bool(j, "is_partly_read", o->is_partly_read);
	json_real(j, "counted_percent", o->counted_percent);
	put_machine(j, o);
	put_command(j, o);
	put_span(j, o);
	put_events(j, o);
	put_lost(j, o);
	put_damaged(j, o);
	put_skipped(j, o);
	put_absences(j, o);
	put_gaps(j, o);
	json_close(j, '}');
}
