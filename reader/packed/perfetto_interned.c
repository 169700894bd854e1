// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/perfetto_interned.h"

#include <errno.h>
#include <string.h>

#include "reader/runtime/text.h"

/* Perfetto's own profiler gives the kernel this path; viewers know it. */
#define KERNEL	    "[kernel.kallsyms]"
#define KERNEL_PATH "kernel"

static const uint32_t kinds[FRAME_KIND_NR] = {
	/* of Frame.Kind; 0: none */
	[FRAME_KIND_USER] = 1,
	[FRAME_KIND_KERNEL] = 2,
	[FRAME_KIND_JIT] = 4,
};

int perfetto_interned_init(struct perfetto_interned *i, struct perfetto_packets *packets,
			   const struct stack_paths *paths, const struct aggregate *a)
{
	int rc;

	*i = (struct perfetto_interned){
		.packets = packets,
		.paths = paths,
		.looks = memory_new(a->memory, (size_t)paths->looks->nr + 1, sizeof(*i->looks)),
		.stacks = memory_new(a->memory, paths->nr + 1, sizeof(*i->stacks)),
		.ids = memory_new(a->memory, stack_paths_longest(paths), sizeof(*i->ids)),
	};
	rc = pprof_mappings_init(&i->mappings, paths->looks, a);
	if (!rc)
		i->objects = memory_new(a->memory, (size_t)i->mappings.objects.names.nr + 1,
					sizeof(*i->objects));
	return !rc && i->looks && i->objects && i->stacks && i->ids ? 0 : -ENOMEM;
}

void perfetto_interned_release(struct perfetto_interned *i)
{
	pprof_mappings_release(&i->mappings);
	memory_free(i->looks);
	memory_free(i->objects);
	memory_free(i->stacks);
	memory_free(i->ids);
	ts_bytes_release(&i->text);
	*i = (struct perfetto_interned){0};
}

static int put(struct perfetto_interned *i, Perfetto__InternedData *data, struct ts_error *err)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.interned_data = data;
	return perfetto_packets_put(i->packets, &packet, err);
}

/* Has the sequence that is being written not had it? From now on it has. */
static bool is_new(const struct perfetto_interned *i, uint32_t *had)
{
	const uint32_t sequence = perfetto_packets_sequence(i->packets);

	if (*had == sequence)
		return false;
	*had = sequence;
	return true;
}

/* The text with UTF-8 alone, whatever the name holds. It is valid until the next call. */
static Perfetto__InternedString text_of(struct perfetto_interned *i, uint64_t iid, const char *name)
{
	Perfetto__InternedString text = PERFETTO__INTERNED_STRING__INIT;

	ts_bytes_clear(&i->text);
	text_name(&i->text, name, 0);
	text.has_iid = text.has_str = true;
	text.iid = iid;
	text.str = (ProtobufCBinaryData){i->text.len, i->text.data};
	return text;
}

/* --- objects --- */

/* A viewer puts '/' before the path. */
static const char *path_of(const char *object)
{
	if (!strcmp(object, KERNEL))
		return KERNEL_PATH;
	return object[0] == '/' ? object + 1 : object;
}

static int put_build_id(struct perfetto_interned *i, uint32_t number, struct ts_build_id *id,
			struct ts_error *err)
{
	Perfetto__InternedString text = PERFETTO__INTERNED_STRING__INIT, *texts[] = {&text};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

	text.has_iid = text.has_str = true;
	text.iid = number;
	text.str = (ProtobufCBinaryData){id->len, id->bytes};
	data.build_ids = texts;
	data.n_build_ids = 1;
	return put(i, &data, err);
}

static int put_path(struct perfetto_interned *i, uint32_t number, const char *path,
		    struct ts_error *err)
{
	Perfetto__InternedString text = text_of(i, number, path), *texts[] = {&text};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

	data.mapping_paths = texts;
	data.n_mapping_paths = 1;
	return ts_bytes_failed(&i->text) ? -ENOMEM : put(i, &data, err);
}

static int put_object(struct perfetto_interned *i, uint32_t number, struct ts_error *err)
{
	const char *object = i->mappings.objects.names.items[number - 1];
	struct ts_build_id *id = &i->mappings.items[number - 1].build_id;
	uint64_t path = number;
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT, *mappings[] = {&mapping};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	int rc;

	mapping.has_iid = true;
	mapping.iid = number;
	mapping.has_build_id = id->len && strcmp(object, KERNEL) != 0;
	mapping.build_id = number;
	mapping.path_string_ids = &path;
	mapping.n_path_string_ids = 1;
	data.mappings = mappings;
	data.n_mappings = 1;
	rc = put_path(i, number, path_of(object), err);
	if (!rc && mapping.has_build_id)
		rc = put_build_id(i, number, id, err);
	return rc ? rc : put(i, &data, err);
}

/* Older readers drop a frame without a mapping. */
static int put_no_object(struct perfetto_interned *i, uint32_t number, struct ts_error *err)
{
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT, *mappings[] = {&mapping};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

	mapping.has_iid = true;
	mapping.iid = number;
	data.mappings = mappings;
	data.n_mappings = 1;
	return put(i, &data, err);
}

/* The number of the mapping of a look. One behind those of all objects stands for none. */
static uint32_t mapping_of(const struct perfetto_interned *i, uint32_t look)
{
	const uint32_t object = i->mappings.objects.of_look[look];

	return object ? object : i->mappings.objects.names.nr + 1;
}

static int put_mapping(struct perfetto_interned *i, uint32_t look, struct ts_error *err)
{
	const uint32_t number = mapping_of(i, look);

	if (!is_new(i, &i->objects[number - 1]))
		return 0;
	return i->mappings.objects.of_look[look] ? put_object(i, number, err)
						 : put_no_object(i, number, err);
}

/* --- frames --- */

static int put_frame(struct perfetto_interned *i, uint32_t look, struct ts_error *err)
{
	const struct frame_look *l = &i->paths->looks->items[look];
	Perfetto__InternedString name = text_of(i, (uint64_t)look + 1, l->name), *names[] = {&name};
	Perfetto__Frame frame = PERFETTO__FRAME__INIT, *frames[] = {&frame};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

	if (ts_bytes_failed(&i->text))
		return -ENOMEM;
	frame.has_iid = frame.has_function_name_id = true;
	frame.iid = frame.function_name_id = name.iid;
	frame.has_mapping_id = frame.has_rel_pc = true;
	frame.mapping_id = mapping_of(i, look);
	frame.kind = kinds[l->kind];
	frame.has_kind = frame.kind;
	if (l->kind == FRAME_KIND_INLINED)
		frame.kind_str = "inlined";
	data.function_names = names;
	data.n_function_names = 1;
	data.frames = frames;
	data.n_frames = 1;
	return put(i, &data, err);
}

static int put_look(struct perfetto_interned *i, uint32_t look, struct ts_error *err)
{
	int rc;

	if (!is_new(i, &i->looks[look]))
		return 0;
	rc = put_mapping(i, look, err);
	return rc ? rc : put_frame(i, look, err);
}

/* --- stacks --- */

static int put_stack(struct perfetto_interned *i, uint32_t path, struct ts_error *err)
{
	const struct stack_path *p = &i->paths->items[path];
	const uint32_t *looks = i->paths->numbers + p->first;
	Perfetto__Callstack stack = PERFETTO__CALLSTACK__INIT, *stacks[] = {&stack};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	int rc = 0;

	for (uint32_t k = 0; !rc && k < p->nr; k++) {
		i->ids[k] = (uint64_t)looks[k] + 1;
		rc = put_look(i, looks[k], err);
	}
	stack.has_iid = true;
	stack.iid = (uint64_t)path + 1;
	stack.frame_ids = i->ids;
	stack.n_frame_ids = p->nr;
	data.callstacks = stacks;
	data.n_callstacks = 1;
	return rc ? rc : put(i, &data, err);
}

int perfetto_interned_put(struct perfetto_interned *i, uint32_t path, struct ts_error *err)
{
	const int rc = is_new(i, &i->stacks[path]) ? put_stack(i, path, err) : 0;

	return rc == -ENOMEM ? perfetto_packets_tell_memory(i->packets, err) : rc;
}
