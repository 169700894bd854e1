// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_pprof.h"

#include <errno.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/encoding/gzip_file.h"
#include "reader/packed/pprof.pb-c.h"
#include "reader/packed/pprof_locations.h"
#include "reader/packed/pprof_mappings.h"
#include "reader/packed/pprof_strings.h"

#define BLOCK_BYTES (256u << 10)

struct pprof {
	const struct export_source *source;
	struct memory *memory;
	struct gzip_file file;
	struct ts_bytes block; /* packed messages that are not compressed yet */
	struct pprof_strings strings;
	struct pprof_mappings mappings;
	struct pprof_locations locations;
	uint64_t *ids; /* owned; room for the longest path */
	Pprof__Line *lines;
	Pprof__Line **line_pointers; /* owned, both; room for the most lines of a location */
	bool has_periods;
	int64_t comm; /* numbers of texts */
	struct ts_error *err;
};

static int tell_memory(const struct pprof *p)
{
	return ts_error_sys(p->err, ENOMEM, "cannot write %s", p->file.to->path);
}

/* Adds a part of the profile. */
static int put(struct pprof *p, const Pprof__Profile *part)
{
	const size_t bytes = pprof__profile__get_packed_size(part);
	uint8_t *to = ts_bytes_reserve(&p->block, bytes);

	if (!to)
		return tell_memory(p);
	p->block.len += pprof__profile__pack(part, to);
	return p->block.len < BLOCK_BYTES ? 0 : gzip_file_write(&p->file, &p->block, p->err);
}

static int64_t number_of(uint64_t value)
{
	return (int64_t)ts_min(value, (uint64_t)INT64_MAX);
}

/* The number of a text. -ENOMEM with a sentence. */
static int64_t text_of(struct pprof *p, const char *text, size_t len)
{
	const uint32_t number = pprof_strings_add_n(&p->strings, text, len);

	return number == NAME_TABLE_NONE ? tell_memory(p) : (int64_t)number;
}

/* --- samples --- */

static int put_sample(struct pprof *p, size_t path)
{
	const struct stack_paths *paths = p->source->paths;
	const struct stack_path *s = &paths->items[path];
	const struct stack_weight *w = &s->weight[STACK_NEW];
	const uint32_t comm = p->strings.of_look[paths->numbers[s->first]];
	int64_t values[] = {number_of(w->nr_samples), number_of(w->period)};
	Pprof__Label label = PPROF__LABEL__INIT, *labels[] = {&label};
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = {&sample};
	Pprof__Profile part = PPROF__PROFILE__INIT;

	sample.n_location_id = pprof_locations_take(&p->locations, paths, s, p->ids);
	if (!sample.n_location_id)
		return tell_memory(p);
	sample.location_id = p->ids + (s->nr - sample.n_location_id);
	sample.value = values;
	sample.n_value = p->has_periods ? 2 : 1;
	label.key = p->comm;
	label.str = comm;
	sample.label = labels;
	sample.n_label = 1;
	part.sample = samples;
	part.n_sample = 1;
	pprof_mappings_count(&p->mappings, paths, path);
	return put(p, &part);
}

static int put_samples(struct pprof *p)
{
	const struct stack_paths *paths = p->source->paths;
	int rc = 0;

	p->ids = memory_new(p->memory, stack_paths_longest(paths), sizeof(*p->ids));
	if (!p->ids)
		return tell_memory(p);
	for (size_t i = 0; !rc && i < paths->nr; i++)
		rc = put_sample(p, i);
	return rc;
}

/* --- functions, locations, mappings --- */

static int put_functions(struct pprof *p)
{
	int rc = 0;

	for (uint32_t i = 1; !rc && i <= p->strings.nr_functions; i++) {
		Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = {&function};
		Pprof__Profile part = PPROF__PROFILE__INIT;

		function.id = i;
		function.name = i;
		part.function = functions;
		part.n_function = 1;
		rc = put(p, &part);
	}
	return rc;
}

static int put_location(struct pprof *p, uint32_t number)
{
	const struct pprof_location *items = p->locations.items;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = {&location};
	Pprof__Profile part = PPROF__PROFILE__INIT;

	location.id = number;
	location.mapping_id = p->mappings.objects.of_look[items[number - 1].look];
	location.n_line = items[number - 1].nr_lines;
	location.line = p->line_pointers;
	for (size_t i = 0; number; number = items[number - 1].around, i++)
		p->lines[i].function_id = p->strings.of_look[items[number - 1].look];
	part.location = locations;
	part.n_location = 1;
	return put(p, &part);
}

static int put_locations(struct pprof *p)
{
	const uint32_t most = p->locations.most_lines;
	int rc = 0;

	p->lines = memory_new(p->memory, (size_t)most + 1, sizeof(*p->lines));
	p->line_pointers = memory_new(p->memory, (size_t)most + 1, sizeof(*p->line_pointers));
	if (!p->lines || !p->line_pointers)
		return tell_memory(p);
	for (uint32_t i = 0; i < most; i++) {
		p->lines[i] = (Pprof__Line)PPROF__LINE__INIT;
		p->line_pointers[i] = &p->lines[i];
	}
	for (uint32_t number = 1; !rc && number <= p->locations.nr; number++)
		rc = put_location(p, number);
	return rc;
}

static int put_mapping(struct pprof *p, uint32_t number)
{
	const char *path = p->mappings.objects.names.items[number - 1];
	const struct ts_build_id *id = &p->mappings.items[number - 1].build_id;
	struct ts_bytes hex = {0};
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = {&mapping};
	Pprof__Profile part = PPROF__PROFILE__INIT;

	for (uint8_t i = 0; i < id->len; i++)
		ts_bytes_printf(&hex, "%02x", id->bytes[i]);
	mapping.id = number;
	mapping.filename = text_of(p, path, strlen(path));
	mapping.build_id = ts_bytes_failed(&hex) ? tell_memory(p)
			   : hex.len		 ? text_of(p, (const char *)hex.data, hex.len)
						 : 0;
	ts_bytes_release(&hex);
	/* The functions are known: pprof need not look for them in the file. */
	mapping.has_functions = true;
	part.mapping = mappings;
	part.n_mapping = 1;
	return mapping.filename < 0 || mapping.build_id < 0 ? -ENOMEM : put(p, &part);
}

/* The first one is shown as the file of the profile. */
static int put_mappings(struct pprof *p)
{
	const uint32_t program = pprof_mappings_program(&p->mappings);
	int rc = program ? put_mapping(p, program) : 0;

	for (uint32_t number = 1; !rc && number <= p->mappings.objects.names.nr; number++)
		if (number != program)
			rc = put_mapping(p, number);
	return rc;
}

/* --- the head --- */

static int put_comments(struct pprof *p)
{
	const char *line;
	size_t at = 0, len;
	int rc = 0;

	while (!rc && (line = export_about_line(p->source->about, &at, &len))) {
		int64_t comment = text_of(p, line, len);
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.comment = &comment;
		part.n_comment = 1;
		rc = comment < 0 ? -ENOMEM : put(p, &part);
	}
	return rc;
}

static int name_type(struct pprof *p, Pprof__ValueType *type, const char *name, const char *unit)
{
	type->type = text_of(p, name, strlen(name));
	type->unit = text_of(p, unit, strlen(unit));
	return type->type < 0 || type->unit < 0 ? -ENOMEM : 0;
}

static int put_types(struct pprof *p)
{
	const struct export_about *about = p->source->about;
	const bool is_clock = export_about_is_clock(about);
	const bool is_sampled = !p->has_periods || p->source->weight == EXPORT_SAMPLES;
	Pprof__ValueType samples = PPROF__VALUE_TYPE__INIT, event = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType *types[] = {&samples, &event};
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int rc = name_type(p, &samples, "samples", "count");

	if (!rc)
		rc = name_type(p, &event, is_clock ? "cpu" : about->event->name,
			       is_clock ? "nanoseconds" : "count");
	p->comm = text_of(p, "comm", strlen("comm"));
	if (rc || p->comm < 0)
		return -ENOMEM;
	part.sample_type = types;
	part.n_sample_type = p->has_periods ? 2 : 1;
	part.default_sample_type = is_sampled ? samples.type : event.type;
	part.period = number_of(export_about_period(about));
	part.period_type = part.period ? &event : NULL;
	part.time_nanos = number_of(about->start_ns);
	part.duration_nanos = number_of(about->duration_ns);
	return put(p, &part);
}

static int put_strings(struct pprof *p)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->strings.table.nr; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.string_table = &p->strings.table.items[i];
		part.n_string_table = 1;
		rc = put(p, &part);
	}
	return rc;
}

/* --- the whole --- */

static int begin(struct pprof *p)
{
	const struct export_source *s = p->source;

	if (pprof_strings_init(&p->strings, s->paths->looks, p->memory) ||
	    pprof_strings_add_names(&p->strings) ||
	    pprof_mappings_init(&p->mappings, s->paths->looks, s->aggregate) ||
	    pprof_locations_init(&p->locations, s->paths->looks, p->memory))
		return tell_memory(p);
	return 0;
}

static int put_all(struct pprof *p)
{
	static int (*const parts[])(struct pprof *) = {
		put_types,     put_comments, put_samples, put_locations,
		put_functions, put_mappings, put_strings,
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(parts) / sizeof(*parts); i++)
		rc = parts[i](p);
	return rc ? rc : gzip_file_write(&p->file, &p->block, p->err);
}

static void release(struct pprof *p)
{
	gzip_file_release(&p->file);
	ts_bytes_release(&p->block);
	pprof_strings_release(&p->strings);
	pprof_mappings_release(&p->mappings);
	pprof_locations_release(&p->locations);
	memory_free(p->ids);
	memory_free(p->lines);
	memory_free(p->line_pointers);
}

int export_pprof_write(const struct export_source *source, struct result_file *to,
		       struct ts_error *err)
{
	struct pprof p = {
		.source = source,
		.memory = source->aggregate->memory,
		.has_periods = source->paths->weight[STACK_NEW].period,
		.err = err,
	};
	int rc = gzip_file_open(&p.file, to, source->progress, source->nr_workers, err);

	if (!rc)
		rc = begin(&p);
	if (!rc)
		rc = put_all(&p);
	if (!rc)
		rc = gzip_file_close(&p.file, err);
	release(&p);
	return rc;
}
