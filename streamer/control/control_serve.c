// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/control_serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/json/json.h"
#include "streamer/control/cut_request.h"

/* evlist: names; with -v and -F also the attr that the kernel was asked for. */
static void list_events(const struct source *source, const char *option, FILE *out,
			struct control_answer *a)
{
	bool verbose = !strcmp(option, "-v"), freq = !strcmp(option, "-F");

	if (*option && !verbose && !freq && strcmp(option, "-g")) {
		fprintf(out, "failed: wrong command\n");
		return;
	}
	a->is_data = true;
	for (size_t i = 0; i + 1 < source->nr_attrs; i++) { /* without the side-band dummy */
		const struct perf_event_attr *e = &source->attrs[i];

		if (verbose)
			fprintf(out,
				"%s: type: %u, size: %u, config: 0x%llx, { sample_period, "
				"sample_freq }: %llu, sample_type: 0x%llx, read_format: 0x%llx\n",
				source->names[i], e->type, e->size, (unsigned long long)e->config,
				(unsigned long long)e->sample_period,
				(unsigned long long)e->sample_type,
				(unsigned long long)e->read_format);
		else if (freq)
			fprintf(out, "%s: %s=%llu\n", source->names[i],
				e->freq ? "sample_freq" : "sample_period",
				(unsigned long long)e->sample_period);
		else
			fprintf(out, "%s\n", source->names[i]);
	}
}

static void switch_events(struct recording *r, bool on, const char *event, FILE *out,
			  struct control_answer *a)
{
	const char *name = *event ? event : NULL;
	int code = on ? recording_enable(r, name, &a->err) : recording_disable(r, name, &a->err);

	if (code == -ENOENT) {
		ts_error_set(&a->err, ENOENT, "failed: can't find '%s' event", event);
	} else if (code == 0 && name) {
		fprintf(out, "Event %s %s\n", name, on ? "enabled" : "disabled");
	} else if (code == 0) {
		fprintf(out, "Events %s\n", on ? "enabled" : "disabled");
	}
}

/* Finishes a directory. With -M `rotate` does the same as `snapshot`. */
static void finish_directory(struct recording *r, const char *word, const char *name, FILE *out,
			     struct control_answer *a)
{
	struct cut_cause cause = {.kind = CUT_BY_CONTROL, .what = word};
	enum cut_request code;

	if (cut_request_check(&r->rotation, &a->err) < 0 ||
	    (*name && cut_name_check(name, &a->err) < 0))
		return;
	snprintf(cause.name, sizeof(cause.name), "%s", name);
	code = cut_request_make(r, &cause, &a->err);
	a->ends = code == CUT_REQUEST_BROKEN;
	if (code != CUT_REQUEST_MADE)
		return;
	a->is_data = true;
	if (r->history.is_on)
		a->awaited = memory_segments_newest(&r->history);
	else
		fprintf(out, "%s\n", r->rotation.finished ? r->rotation.finished : "");
}

/* The running directory, and the sum of the finished ones; with -M also the bytes held. */
static void describe_recording(struct recording *r, FILE *out, struct control_answer *a)
{
	struct ts_json *o = ts_json_new();
	struct ts_bytes text = {0};
	uint64_t samples = 0, bytes = 0, lost = 0;

	for (size_t w = 0; w < r->plan->layout.nr; w++) {
		struct writer_stats stats;

		writer_read_stats(r->crew.streams[w].writer, &stats);
		samples += stats.samples;
		bytes += stats.stream_bytes;
		lost += stats.lost + stats.unwritten_records;
	}
	ts_json_put_text(o, "output", r->plan->options->output);
	ts_json_put_text(o, "running", r->part.dir.path ? r->part.dir.path : "/dev/null");
	ts_json_put_number(o, "pid", (uint64_t)getpid());
	ts_json_put_number(o, "writers", r->plan->layout.nr);
	ts_json_put_number(o, "samples", samples);
	ts_json_put_number(o, "stream_bytes", bytes);
	ts_json_put_number(o, "lost", lost);
	ts_json_put_number(o, "duration_ns",
			   r->part.start_ns ? ts_clock_now_ns() - r->part.start_ns : 0);
	ts_json_put_number(o, "finished_directories", r->rotation.nr_finished);
	ts_json_put_number(o, "finished_samples", r->rotation.finished_total.samples);
	ts_json_put_number(o, "finished_bytes", r->rotation.finished_total.stream_bytes);
	ts_json_put_number(o, "finished_lost", ledger_sum_lost(&r->rotation.finished_total));
	if (r->history.is_on)
		ts_json_put_number(o, "held_bytes", r->rotation.kept.bytes);
	if (ts_json_print(o, &text)) {
		ts_error_sys(&a->err, ENOMEM, "cannot describe the recording");
	} else {
		a->is_data = true;
		fprintf(out, "%.*s\n", (int)text.len, (const char *)text.data);
	}
	ts_bytes_release(&text);
	ts_json_free(o);
}

static void serve_verb(struct recording *r, enum control_verb verb, const char *argument, FILE *out,
		       struct control_answer *a)
{
	switch (verb) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		switch_events(r, verb == CONTROL_ENABLE, argument, out, a);
		break;
	case CONTROL_EVLIST:
		list_events(&r->plan->source, argument, out, a);
		break;
	case CONTROL_SNAPSHOT:
		finish_directory(r, "snapshot", argument, out, a);
		break;
	case CONTROL_ROTATE:
		finish_directory(r, "rotate", "", out, a);
		break;
	case CONTROL_STATUS:
		describe_recording(r, out, a);
		break;
	case CONTROL_UNKNOWN:
		ts_error_set(&a->err, EINVAL, "cannot do that: there is no such command");
		ts_error_hint(&a->err, "status, ping, enable, disable, evlist, snapshot, rotate "
				       "and stop are there");
		break;
	default:
		break;
	}
}

void control_serve(struct recording *r, enum control_verb verb, const char *argument,
		   struct control_answer *answer)
{
	size_t len;
	FILE *out;

	*answer = (struct control_answer){.ends = verb == CONTROL_STOP};
	out = open_memstream(&answer->text, &len);
	if (!out) {
		ts_error_sys(&answer->err, ENOMEM, "cannot answer");
		return;
	}
	serve_verb(r, verb, argument, out, answer);
	fclose(out);
}
