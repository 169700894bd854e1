// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/line_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/bytes.h"
#include "common/base/path.h"

void line_names_init(struct line_names *n)
{
	*n = (struct line_names){.texts = {0}};
	pthread_mutex_init(&n->lock, NULL);
}

void line_names_release(struct line_names *n)
{
	name_table_release(&n->texts);
	pthread_mutex_destroy(&n->lock);
}

/* As perf prints it. */
static void put_unknown(struct ts_bytes *text, const struct location *at)
{
	if (at->sym)
		ts_bytes_printf(text, "%s+%" PRIu64, at->sym->name, at->addr - at->sym->start);
	else if (at->module)
		ts_bytes_printf(text, "%s[%" PRIx64 "]", at->module->short_name, at->addr);
	else
		ts_bytes_printf(text, "??:0");
}

static void put_file(struct ts_bytes *text, const struct srcline_frame *frame, bool with_path)
{
	if (with_path && frame->dir)
		ts_bytes_printf(text, "%s/", frame->dir);
	ts_bytes_printf(text, "%s", with_path ? frame->file : ts_path_name(frame->file));
}

static void put_name(struct ts_bytes *text, const struct location *at,
		     const struct srcline_frame *frame, enum line_kind kind, bool with_path)
{
	if (frame && frame->file && frame->line) {
		put_file(text, frame, with_path);
		if (kind == LINE_SOURCE)
			ts_bytes_printf(text, ":%d", frame->line);
	} else if (kind == LINE_SOURCE) {
		put_unknown(text, at);
	}
	ts_bytes_zero(text, 1);
}

const char *line_names_find(struct line_names *n, const struct location *at,
			    const struct srcline_frame *frame, enum line_kind kind)
{
	struct ts_bytes text = {0};
	const char *found = NULL;
	uint32_t number;

	put_name(&text, at, frame, kind, n->with_paths);
	pthread_mutex_lock(&n->lock);
	if (!ts_bytes_failed(&text)) {
		number = name_table_intern(&n->texts, (const char *)text.data);
		found = number == NAME_TABLE_NONE ? NULL : n->texts.items[number];
	}
	n->lacks_memory |= !found;
	pthread_mutex_unlock(&n->lock);
	ts_bytes_release(&text);
	return found;
}
