// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_folded.h"

#include <inttypes.h>

#include "reader/runtime/text.h"

#define BLOCK_BYTES (1u << 20)

/* flamegraph.pl colours names by these. */
static const char *const suffixes[FRAME_KIND_NR] = {
	[FRAME_KIND_KERNEL] = "_[k]",
	[FRAME_KIND_INLINED] = "_[i]",
	[FRAME_KIND_JIT] = "_[j]",
};

static void put_path(const struct export_source *s, const struct stack_path *path,
		     struct ts_bytes *line)
{
	const uint32_t *looks = s->paths->numbers + path->first;

	for (uint32_t i = 0; i < path->nr; i++) {
		const struct frame_look *look = &s->paths->looks->items[looks[i]];

		if (i)
			text_char(line, ';');
		text_put(line, look->name);
		if (s->is_annotated && suffixes[look->kind])
			text_put(line, suffixes[look->kind]);
	}
}

int export_folded_write(const struct export_source *source, struct result_file *to,
			struct ts_error *err)
{
	struct ts_bytes block = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < source->paths->nr; i++) {
		const struct stack_path *path = &source->paths->items[i];
		const struct stack_weight *w = &path->weight[STACK_NEW];
		const uint64_t weight = source->weight == EXPORT_PERIOD ? w->period : w->nr_samples;

		if (!weight)
			continue;
		put_path(source, path, &block);
		ts_bytes_printf(&block, " %" PRIu64 "\n", weight);
		if (block.len >= BLOCK_BYTES)
			rc = result_file_write_block(to, &block, err);
	}
	if (!rc)
		rc = result_file_write_block(to, &block, err);
	ts_bytes_release(&block);
	return rc;
}
