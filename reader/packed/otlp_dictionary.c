// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/otlp_dictionary.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/min_max.h"

#define DICTIONARY 2 /* ProfilesData.dictionary */

static const struct {
	const char *name;
	bool is_text;
} keys[OTLP_ATTRIBUTES] = {
	[OTLP_THREAD_ID] = {"thread.id", false},
	[OTLP_THREAD_NAME] = {"thread.name", true},
	[OTLP_PROCESS_ID] = {"process.pid", false},
	[OTLP_PROCESS_NAME] = {"process.executable.name", true},
	[OTLP_BUILD_ID] = {"process.executable.build_id.gnu", true},
	[OTLP_FRAME_TYPE] = {"profile.frame.type", true},
};

static const char *const frame_types[FRAME_KIND_NR] = {
	/* NULL: none of those that the conventions name */
	[FRAME_KIND_USER] = "native",
	[FRAME_KIND_KERNEL] = "kernel",
	[FRAME_KIND_INLINED] = "native",
};

int otlp_dictionary_init(struct otlp_dictionary *d, struct packed_file *file,
			 const struct stack_paths *paths, const struct aggregate *a)
{
	const uint32_t longest = stack_paths_longest(paths);

	*d = (struct otlp_dictionary){
		.file = file, .paths = paths, .memory = a->memory, .texts = {.memory = a->memory}};
	d->ids = memory_new(a->memory, longest, sizeof(*d->ids));
	d->indices = memory_new(a->memory, longest, sizeof(*d->indices));
	if (!d->ids || !d->indices || pprof_strings_init(&d->strings, paths->looks, a->memory) ||
	    pprof_locations_init(&d->locations, paths->looks, a->memory) ||
	    pprof_mappings_init(&d->mappings, paths->looks, a))
		return -ENOMEM;
	d->mapping_indices = memory_new(a->memory, (size_t)d->mappings.objects.names.nr + 1,
					sizeof(*d->mapping_indices));
	return d->mapping_indices ? 0 : -ENOMEM;
}

void otlp_dictionary_release(struct otlp_dictionary *d)
{
	pprof_strings_release(&d->strings);
	pprof_locations_release(&d->locations);
	pprof_mappings_release(&d->mappings);
	hash_index_release(&d->by_value);
	name_table_release(&d->texts);
	memory_free(d->mapping_indices);
	memory_free(d->location_indices);
	memory_free(d->location_numbers);
	memory_free(d->values);
	memory_free(d->ids);
	memory_free(d->indices);
	memory_free(d->lines);
	memory_free(d->line_pointers);
	*d = (struct otlp_dictionary){0};
}

static int tell_memory(const struct otlp_dictionary *d, struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot write %s", d->file->to->path);
}

/* Adds a part of the dictionary. */
static int put(struct otlp_dictionary *d, const Otlp__ProfilesDictionary *part,
	       struct ts_error *err)
{
	return packed_file_put(d->file, DICTIONARY, &part->base, err);
}

/* --- strings and attributes --- */

int otlp_dictionary_string(struct otlp_dictionary *d, const char *text, int32_t *ret_index,
			   struct ts_error *err)
{
	const uint32_t number = pprof_strings_add(&d->strings, text);

	if (number == NAME_TABLE_NONE)
		return tell_memory(d, err);
	*ret_index = (int32_t)number;
	return 0;
}

static int put_attribute(struct otlp_dictionary *d, const struct otlp_value *v,
			 struct ts_error *err)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT, *all[] = {&attribute};
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;

	if (keys[v->key].is_text) {
		value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
		value.string_value = d->texts.items[v->value];
	} else {
		value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
		value.int_value = v->value;
	}
	attribute.key_strindex = (int32_t)d->keys[v->key];
	attribute.value = &value;
	part.attribute_table = all;
	part.n_attribute_table = 1;
	return put(d, &part, err);
}

static int make_room(struct otlp_dictionary *d)
{
	const uint32_t cap = ts_max(2 * d->cap_values, 256u);
	struct otlp_value *grown;

	if (d->nr_values < d->cap_values)
		return 0;
	grown = cap > d->cap_values ? memory_resize(d->memory, d->values, cap, sizeof(*grown))
				    : NULL;
	if (!grown)
		return -ENOMEM;
	d->values = grown;
	d->cap_values = cap;
	return 0;
}

static int add_value(struct otlp_dictionary *d, const struct otlp_value *v, uint32_t hash,
		     struct ts_error *err)
{
	int32_t key = 0;
	int rc;

	if (make_room(d) || hash_index_add(&d->by_value, hash, d->nr_values))
		return tell_memory(d, err);
	rc = otlp_dictionary_string(d, keys[v->key].name, &key, err);
	if (rc)
		return rc;
	d->keys[v->key] = (uint32_t)key;
	d->values[d->nr_values++] = *v;
	return put_attribute(d, v, err);
}

/* value: a number, or that of a text */
static int index_value(struct otlp_dictionary *d, enum otlp_attribute key, uint32_t value,
		       int32_t *ret_index, struct ts_error *err)
{
	const struct otlp_value wanted = {key, value};
	const uint32_t pair[] = {key, value};
	const uint32_t hash = hash_index_hash(&d->by_value, pair, sizeof(pair));
	struct hash_walk walk = hash_walk(&d->by_value, hash);
	uint32_t at;
	int rc;

	while (hash_walk_next(&d->by_value, &walk, &at))
		if (d->values[at].key == key && d->values[at].value == value) {
			*ret_index = (int32_t)at + 1;
			return 0;
		}
	rc = add_value(d, &wanted, hash, err);
	if (!rc)
		*ret_index = (int32_t)d->nr_values;
	return rc;
}

int otlp_dictionary_number(struct otlp_dictionary *d, enum otlp_attribute key, uint32_t value,
			   int32_t *ret_index, struct ts_error *err)
{
	assert(!keys[key].is_text);
	return index_value(d, key, value, ret_index, err);
}

int otlp_dictionary_text(struct otlp_dictionary *d, enum otlp_attribute key, const char *value,
			 int32_t *ret_index, struct ts_error *err)
{
	const uint32_t number = name_table_intern_clean(&d->texts, value, strlen(value));

	assert(keys[key].is_text);
	return number == NAME_TABLE_NONE ? tell_memory(d, err)
					 : index_value(d, key, number, ret_index, err);
}

/* --- mappings --- */

static int put_mapping(struct otlp_dictionary *d, uint32_t number, struct ts_error *err)
{
	const struct ts_build_id *id = &d->mappings.items[number - 1].build_id;
	char hex[2 * TS_BUILD_ID_MAX + 1] = "";
	int32_t attribute = 0;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *all[] = {&mapping};
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	int rc = otlp_dictionary_string(d, d->mappings.objects.names.items[number - 1],
					&mapping.filename_strindex, err);

	for (uint8_t i = 0; i < id->len; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", id->bytes[i]);
	if (!rc && id->len)
		rc = otlp_dictionary_text(d, OTLP_BUILD_ID, hex, &attribute, err);
	mapping.attribute_indices = &attribute;
	mapping.n_attribute_indices = id->len ? 1 : 0;
	part.mapping_table = all;
	part.n_mapping_table = 1;
	return rc ? rc : put(d, &part, err);
}

/* The index of the object of a look; 0: none. */
static int find_mapping(struct otlp_dictionary *d, uint32_t look, int32_t *ret_index,
			struct ts_error *err)
{
	const uint32_t number = d->mappings.objects.of_look[look];
	int rc = 0;

	*ret_index = 0;
	if (!number)
		return 0;
	if (!d->mapping_indices[number]) {
		d->mapping_indices[number] = ++d->nr_mappings;
		rc = put_mapping(d, number, err);
	}
	*ret_index = (int32_t)d->mapping_indices[number];
	return rc;
}

/* --- stacks, locations, functions --- */

static int put_empty(struct otlp_dictionary *d, struct ts_error *err)
{
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings[] = {&mapping};
	Otlp__Location location = OTLP__LOCATION__INIT, *locations[] = {&location};
	Otlp__Function function = OTLP__FUNCTION__INIT, *functions[] = {&function};
	Otlp__Link link = OTLP__LINK__INIT, *links[] = {&link};
	Otlp__KeyValueAndUnit value = OTLP__KEY_VALUE_AND_UNIT__INIT, *values[] = {&value};
	Otlp__Stack stack = OTLP__STACK__INIT, *stacks[] = {&stack};
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;

	part.mapping_table = mappings;
	part.location_table = locations;
	part.function_table = functions;
	part.link_table = links;
	part.attribute_table = values;
	part.stack_table = stacks;
	part.n_mapping_table = part.n_location_table = part.n_function_table = part.n_link_table =
		part.n_attribute_table = part.n_stack_table = 1;
	return put(d, &part, err);
}

/* Keeps as much room as there are locations. */
static int make_locations(struct otlp_dictionary *d)
{
	const uint32_t cap = d->locations.cap;
	uint32_t *grown;

	if (d->cap_locations == cap)
		return 0;
	grown = memory_resize(d->memory, d->location_numbers, cap, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	d->location_numbers = grown;
	grown = memory_resize(d->memory, d->location_indices, cap, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + d->cap_locations, 0, (cap - d->cap_locations) * sizeof(*grown));
	d->location_indices = grown;
	d->cap_locations = cap;
	return 0;
}

static int32_t find_location(struct otlp_dictionary *d, uint32_t number)
{
	uint32_t *index = &d->location_indices[number - 1];

	if (!*index) {
		d->location_numbers[d->nr_locations++] = number;
		*index = d->nr_locations;
	}
	return (int32_t)*index;
}

static int put_stack(struct otlp_dictionary *d, const struct stack_path *path, struct ts_error *err)
{
	const uint32_t nr = pprof_locations_take(&d->locations, d->paths, path, d->ids);
	Otlp__Stack stack = OTLP__STACK__INIT, *all[] = {&stack};
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;

	if (!nr || make_locations(d))
		return tell_memory(d, err);
	for (uint32_t i = 0; i < nr; i++)
		d->indices[i] = find_location(d, (uint32_t)d->ids[path->nr - nr + i]);
	stack.location_indices = d->indices;
	stack.n_location_indices = nr;
	part.stack_table = all;
	part.n_stack_table = 1;
	return put(d, &part, err);
}

/* The names of functions are the first strings, so both have one number. */
static int put_functions(struct otlp_dictionary *d, struct ts_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < d->locations.nr; i++)
		if (pprof_strings_name(&d->strings, d->locations.items[i].look) == NAME_TABLE_NONE)
			return tell_memory(d, err);
	for (uint32_t i = 1; !rc && i < d->strings.table.nr; i++) {
		Otlp__Function function = OTLP__FUNCTION__INIT, *all[] = {&function};
		Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;

		function.name_strindex = (int32_t)i;
		part.function_table = all;
		part.n_function_table = 1;
		rc = put(d, &part, err);
	}
	return rc;
}

/* The innermost function is the first line. The outermost one says the type. */
static int put_location(struct otlp_dictionary *d, uint32_t number, struct ts_error *err)
{
	const struct pprof_location *items = d->locations.items;
	const struct pprof_location *l = &items[number - 1];
	int32_t attribute = 0;
	Otlp__Location location = OTLP__LOCATION__INIT, *all[] = {&location};
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	const char *type;
	int rc = find_mapping(d, l->look, &location.mapping_index, err);

	location.lines = d->line_pointers;
	location.n_lines = l->nr_lines;
	for (size_t i = 0; number; number = items[number - 1].around, i++) {
		l = &items[number - 1];
		d->lines[i].function_index = (int32_t)d->strings.of_look[l->look];
	}
	type = frame_types[d->paths->looks->items[l->look].kind];
	if (!rc && type)
		rc = otlp_dictionary_text(d, OTLP_FRAME_TYPE, type, &attribute, err);
	location.attribute_indices = &attribute;
	location.n_attribute_indices = type ? 1 : 0;
	part.location_table = all;
	part.n_location_table = 1;
	return rc ? rc : put(d, &part, err);
}

static int put_locations(struct otlp_dictionary *d, struct ts_error *err)
{
	const uint32_t most = d->locations.most_lines;
	int rc = 0;

	d->lines = memory_new(d->memory, (size_t)most + 1, sizeof(*d->lines));
	d->line_pointers = memory_new(d->memory, (size_t)most + 1, sizeof(*d->line_pointers));
	if (!d->lines || !d->line_pointers)
		return tell_memory(d, err);
	for (uint32_t i = 0; i < most; i++) {
		d->lines[i] = (Otlp__Line)OTLP__LINE__INIT;
		d->line_pointers[i] = &d->lines[i];
	}
	for (uint32_t i = 0; !rc && i < d->nr_locations; i++)
		rc = put_location(d, d->location_numbers[i], err);
	return rc;
}

int otlp_dictionary_put_stacks(struct otlp_dictionary *d, struct ts_error *err)
{
	int rc = put_empty(d, err);

	for (size_t i = 0; !rc && i < d->paths->nr; i++)
		rc = put_stack(d, &d->paths->items[i], err);
	if (!rc)
		rc = put_functions(d, err);
	return rc ? rc : put_locations(d, err);
}

int otlp_dictionary_put_strings(struct otlp_dictionary *d, struct ts_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < d->strings.table.nr; i++) {
		Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;

		part.string_table = &d->strings.table.items[i];
		part.n_string_table = 1;
		rc = put(d, &part, err);
	}
	return rc;
}
