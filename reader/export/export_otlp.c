// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_otlp.h"

#include <errno.h>

#include "common/base/min_max.h"
#include "common/base/sum.h"
#include "reader/packed/otlp_dictionary.h"
#include "reader/export/otlp_words.h"
#include "reader/page/timed_groups.h"
#include "reader/runtime/text.h"

/* Fields that hold the next one. */
#define RESOURCE 1 /* ProfilesData.resource_profiles */
#define SCOPE	 2 /* ResourceProfiles.scope_profiles */
#define PROFILE	 2 /* ScopeProfiles.profiles */
#define SAMPLE	 2 /* Profile.samples */

#define MOST_BYTES INT32_MAX /* of the file, which is one message: its readers refuse more */

enum { THREAD_ATTRIBUTES = 4 };

struct thread_attributes {
	int32_t indices[THREAD_ATTRIBUTES];
};

struct otlp {
	const struct export_source *source;
	struct packed_file file;
	struct otlp_dictionary dictionary;
	struct timed_groups groups;
	struct thread_attributes *threads; /* owned; by thread of the samples */
	int64_t *values;		   /* owned, both: of a sample */
	uint64_t *times_ns;
	struct otlp_words words;
	struct ts_bytes host; /* name of a host */
	Otlp__ValueType sample_type, event_type;
	uint32_t capture, first_thread, end_thread; /* that are being written */
	uint64_t wall_ns;			    /* at its first sample; 0: unknown */
	bool by_period;
	struct ts_error *err;
};

static int tell_memory(const struct otlp *o)
{
	return ts_error_sys(o->err, ENOMEM, "cannot write %s", o->file.to->path);
}

static int64_t number_of(uint64_t value)
{
	return (int64_t)ts_min(value, (uint64_t)INT64_MAX);
}

/* --- samples --- */

/* Values and times of the group; without a wall clock one value, the sum. */
static void fill_sample(struct otlp *o, Otlp__Sample *sample)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < o->groups.nr_items; i++) {
		const struct timed_sample *s = o->groups.items[i];
		const uint64_t value = o->by_period ? s->period : 1;

		o->values[i] = number_of(value);
		o->times_ns[i] = ts_sum(o->wall_ns, s->time_ns);
		sum = ts_sum(sum, value);
	}
	if (!o->wall_ns)
		o->values[0] = number_of(sum);
	sample->values = o->values;
	sample->n_values = o->wall_ns ? o->groups.nr_items : 1;
	sample->timestamps_unix_nano = o->times_ns;
	sample->n_timestamps_unix_nano = o->wall_ns ? o->groups.nr_items : 0;
}

/* Takes a sample: measures it, or writes it. */
typedef int take_sample(struct otlp *o, const Otlp__Sample *sample, uint64_t *bytes);

static int measure_sample(struct otlp *o, const Otlp__Sample *sample, uint64_t *bytes)
{
	(void)o;
	*bytes += packed_field_bytes(SAMPLE, otlp__sample__get_packed_size(sample));
	return 0;
}

static int put_sample(struct otlp *o, const Otlp__Sample *sample, uint64_t *bytes)
{
	(void)bytes;
	return packed_file_put(&o->file, SAMPLE, &sample->base, o->err);
}

static int walk_thread(struct otlp *o, uint32_t thread, take_sample *take, uint64_t *bytes)
{
	const struct timed_samples *samples = &o->source->times->samples;
	int rc = 0;

	timed_groups_begin(&o->groups, samples, &samples->threads[thread]);
	while (timed_groups_next(&o->groups)) {
		Otlp__Sample sample = OTLP__SAMPLE__INIT;

		sample.stack_index = (int32_t)o->groups.items[0]->path + 1;
		sample.attribute_indices = o->threads[thread].indices;
		sample.n_attribute_indices = THREAD_ATTRIBUTES;
		if (!rc && progress_is_stopped(o->source->progress))
			rc = -EINTR;
		if (rc) /* the walk has to go on to its end */
			continue;
		fill_sample(o, &sample);
		rc = take(o, &sample, bytes);
	}
	return rc;
}

static int walk_samples(struct otlp *o, take_sample *take, uint64_t *bytes)
{
	int rc = 0;

	for (uint32_t i = o->first_thread; !rc && i < o->end_thread; i++)
		rc = walk_thread(o, i, take, bytes);
	return rc;
}

/* --- a capture --- */

static uint64_t length_of(const struct otlp *o)
{
	const struct timed_samples *samples = &o->source->times->samples;
	uint64_t length_ns = 0;

	for (uint32_t i = o->first_thread; i < o->end_thread; i++) {
		const struct timed_thread *t = &samples->threads[i];

		length_ns = ts_max(length_ns, samples->items[t->first + t->nr - 1].time_ns);
	}
	return length_ns;
}

/* Times are within [start, start + duration). */
static void fill_profile(struct otlp *o, Otlp__Profile *profile)
{
	profile->sample_type = &o->sample_type;
	profile->time_unix_nano = o->wall_ns;
	profile->duration_nano = length_of(o) + 1;
	profile->period = number_of(export_about_period(o->source->about));
	if (profile->period)
		profile->period_type = &o->event_type;
}

struct heads { /* the messages around the samples, without those inside them */
	const ProtobufCMessage *resource, *scope, *profile;
};

static int put_heads(struct otlp *o, const struct heads *h, uint64_t nr_samples_bytes)
{
	const uint64_t profile = protobuf_c_message_get_packed_size(h->profile) + nr_samples_bytes;
	const uint64_t scope =
		protobuf_c_message_get_packed_size(h->scope) + packed_field_bytes(PROFILE, profile);
	const uint64_t resource =
		protobuf_c_message_get_packed_size(h->resource) + packed_field_bytes(SCOPE, scope);
	int rc = packed_file_put_head(&o->file, RESOURCE, resource, o->err);

	if (!rc)
		rc = packed_file_put_parts(&o->file, h->resource, o->err);
	if (!rc)
		rc = packed_file_put_head(&o->file, SCOPE, scope, o->err);
	if (!rc)
		rc = packed_file_put_parts(&o->file, h->scope, o->err);
	if (!rc)
		rc = packed_file_put_head(&o->file, PROFILE, profile, o->err);
	return rc ? rc : packed_file_put_parts(&o->file, h->profile, o->err);
}

static const char *host_of(struct otlp *o)
{
	const char *host = overview_feature(&o->source->head->items[o->capture], TS_FEAT_HOSTNAME);

	ts_bytes_clear(&o->host);
	text_name(&o->host, host ? host : "", 0);
	text_char(&o->host, '\0');
	return ts_bytes_failed(&o->host) ? NULL : (const char *)o->host.data;
}

static int put_profile(struct otlp *o)
{
	Otlp__AnyValue host = OTLP__ANY_VALUE__INIT;
	Otlp__KeyValue attribute = OTLP__KEY_VALUE__INIT, *attributes[] = {&attribute};
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__ResourceProfiles outer = OTLP__RESOURCE_PROFILES__INIT;
	Otlp__ScopeProfiles scope = OTLP__SCOPE_PROFILES__INIT;
	Otlp__Profile profile = OTLP__PROFILE__INIT;
	const struct heads heads = {&outer.base, &scope.base, &profile.base};
	uint64_t bytes = 0;
	int rc;

	host.string_value = (char *)host_of(o);
	if (!host.string_value)
		return tell_memory(o);
	host.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	attribute.key = "host.name";
	attribute.value = &host;
	resource.attributes = attributes;
	resource.n_attributes = host.string_value[0] ? 1 : 0;
	outer.resource = &resource;
	scope.scope = &o->words.scope;
	fill_profile(o, &profile);
	rc = walk_samples(o, measure_sample, &bytes);
	if (!rc)
		rc = put_heads(o, &heads, bytes);
	return rc ? rc : walk_samples(o, put_sample, NULL);
}

/* Threads of the samples are by capture. */
static int put_profiles(struct otlp *o)
{
	const struct timed_samples *samples = &o->source->times->samples;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < samples->nr_threads; i = o->end_thread) {
		o->capture = samples->threads[i].capture;
		o->first_thread = o->end_thread = i;
		while (o->end_thread < samples->nr_threads &&
		       samples->threads[o->end_thread].capture == o->capture)
			o->end_thread++;
		o->wall_ns = overview_wall_clock(&o->source->captures[o->capture],
						 samples->starts_ns[o->capture]);
		rc = put_profile(o);
	}
	return rc;
}

/* --- what profiles refer to --- */

static int name_thread(struct otlp *o, const struct named_thread *t)
{
	struct otlp_dictionary *d = &o->dictionary;
	int32_t *to = o->threads[t->samples - o->source->times->samples.threads].indices;
	int rc = otlp_dictionary_number(d, OTLP_THREAD_ID, t->samples->tid, &to[0], o->err);

	if (!rc)
		rc = otlp_dictionary_text(d, OTLP_THREAD_NAME, t->name, &to[1], o->err);
	if (!rc)
		rc = otlp_dictionary_number(d, OTLP_PROCESS_ID, t->samples->pid, &to[2], o->err);
	return rc ? rc : otlp_dictionary_text(d, OTLP_PROCESS_NAME, t->process, &to[3], o->err);
}

static int name_threads(struct otlp *o)
{
	const struct named_threads *threads = &o->source->times->threads;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < threads->nr; i++)
		rc = name_thread(o, &threads->items[i]);
	return rc;
}

static int name_type(struct otlp *o, const char *name, const char *unit, Otlp__ValueType *ret)
{
	const int rc = otlp_dictionary_string(&o->dictionary, name, &ret->type_strindex, o->err);

	return rc ? rc : otlp_dictionary_string(&o->dictionary, unit, &ret->unit_strindex, o->err);
}

static int name_types(struct otlp *o)
{
	const struct export_about *about = o->source->about;
	const bool is_clock = export_about_is_clock(about);
	int rc = 0;

	if (o->by_period || export_about_period(about))
		rc = name_type(o, is_clock ? "cpu" : about->event->name,
			       is_clock ? "nanoseconds" : "count", &o->event_type);
	o->sample_type = o->event_type;
	return rc || o->by_period ? rc : name_type(o, "samples", "count", &o->sample_type);
}

/* --- the whole --- */

static int begin(struct otlp *o)
{
	const struct export_source *s = o->source;
	struct memory *memory = s->aggregate->memory;

	o->by_period = s->weight != EXPORT_SAMPLES && s->paths->weight[STACK_NEW].period;
	o->threads =
		memory_new(memory, (size_t)s->times->samples.nr_threads + 1, sizeof(*o->threads));
	o->values = memory_new(memory, TIMED_GROUPS_RUN, sizeof(*o->values));
	o->times_ns = memory_new(memory, TIMED_GROUPS_RUN, sizeof(*o->times_ns));
	if (!o->threads || !o->values || !o->times_ns || otlp_words_init(&o->words, s->about) ||
	    timed_groups_init(&o->groups, s->paths->nr, memory) ||
	    otlp_dictionary_init(&o->dictionary, &o->file, s->paths, s->aggregate))
		return tell_memory(o);
	return 0;
}

static int put_all(struct otlp *o)
{
	int rc = otlp_dictionary_put_stacks(&o->dictionary, o->err);

	if (!rc)
		rc = name_threads(o);
	if (!rc)
		rc = name_types(o);
	if (!rc)
		rc = put_profiles(o);
	if (!rc)
		rc = otlp_dictionary_put_strings(&o->dictionary, o->err);
	return rc ? rc : packed_file_close(&o->file, o->err);
}

static void release(struct otlp *o)
{
	packed_file_release(&o->file);
	otlp_dictionary_release(&o->dictionary);
	otlp_words_release(&o->words);
	timed_groups_release(&o->groups);
	ts_bytes_release(&o->host);
	memory_free(o->threads);
	memory_free(o->values);
	memory_free(o->times_ns);
}

int export_otlp_write(const struct export_source *source, struct result_file *to,
		      struct ts_error *err)
{
	struct otlp o = {
		.source = source,
		.file = {.to = to, .progress = source->progress, .most_bytes = MOST_BYTES},
		.sample_type = OTLP__VALUE_TYPE__INIT,
		.event_type = OTLP__VALUE_TYPE__INIT,
		.err = err,
	};
	int rc = begin(&o);

	if (!rc)
		rc = put_all(&o);
	release(&o);
	return rc;
}
