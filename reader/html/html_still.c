// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_still.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/page/flame_svg.h"
#include "reader/page/markup.h"
#include "reader/runtime/text.h"

#define MOST_ROWS  50
#define NAME_MOST  200 /* characters */
#define TITLE_MOST 400
#define MOST_BYTES (1u << 20) /* of the graph */
#define SHARE	   8	      /* of the page: with a lower limit the graph has fewer bytes */

/* --- rows --- */

struct still_row {
	uint32_t look, last_path;
	struct stack_weight self, total;
};

static uint64_t size_of(const struct stack_weight *w)
{
	return w->period ? w->period : w->nr_samples;
}

static int compare_rows(const void *a, const void *b)
{
	const struct still_row *x = a, *y = b;

	if (size_of(&x->self) != size_of(&y->self))
		return size_of(&x->self) > size_of(&y->self) ? -1 : 1;
	if (size_of(&x->total) != size_of(&y->total))
		return size_of(&x->total) > size_of(&y->total) ? -1 : 1;
	return x->look < y->look ? -1 : 1;
}

/* A look counts once in each path. */
static void count_path(struct still_row *rows, const struct stack_paths *paths, size_t path)
{
	const struct stack_path *p = &paths->items[path];
	const uint32_t *looks = paths->numbers + p->first;

	for (uint32_t i = 1; i < p->nr; i++) { /* behind the command */
		struct still_row *row = &rows[looks[i]];

		if (row->last_path != path)
			stack_weight_add(&row->total, &p->weight[STACK_NEW]);
		row->last_path = (uint32_t)path;
	}
	stack_weight_add(&rows[looks[p->nr - 1]].self, &p->weight[STACK_NEW]);
}

static struct still_row *count_rows(const struct stack_paths *paths, struct memory *memory)
{
	const uint32_t nr = paths->looks->nr;
	struct still_row *rows = memory_new(memory, (size_t)nr + 1, sizeof(*rows));

	if (!rows)
		return NULL;
	for (uint32_t i = 0; i < nr; i++) {
		rows[i].look = i;
		rows[i].last_path = STACK_PATHS_NONE;
	}
	for (size_t i = 0; i < paths->nr; i++)
		count_path(rows, paths, i);
	qsort(rows, nr, sizeof(*rows), compare_rows);
	return rows;
}

/* --- the table --- */

static void put_text(struct ts_bytes *out, const char *text, size_t most)
{
	markup_put_cut(out, text, strlen(text), most);
}

static void put_row(const struct html_source *s, const struct still_row *row, struct ts_bytes *out)
{
	const struct stack_weight *whole = &s->paths->weight[STACK_NEW];
	const struct frame_look *look = &s->paths->looks->items[row->look];

	ts_bytes_printf(out, "<tr><td>%.2f%%<td>%.2f%%<td>%" PRIu64 "<td>",
			100 * stack_weight_share(&row->self, whole),
			100 * stack_weight_share(&row->total, whole), row->self.nr_samples);
	put_text(out, look->name, NAME_MOST);
	text_put(out, "<td>");
	put_text(out, look->object, NAME_MOST);
	text_put(out, "\n");
}

static void put_table(const struct html_source *s, struct ts_bytes *out)
{
	struct still_row *rows = count_rows(s->paths, s->memory);

	if (!rows) {
		out->failed = true;
		return;
	}
	text_put(out, "<table>\n<tr><th>Self<th>Total<th>Samples<th>Function<th>Object\n");
	for (uint32_t i = 0; i < ts_min(s->paths->looks->nr, MOST_ROWS); i++)
		if (rows[i].self.nr_samples)
			put_row(s, &rows[i], out);
	text_put(out, "</table>\n");
	memory_free(rows);
}

/* --- the whole --- */

static void put_graph(const struct html_source *s, const struct stack_tree *tree,
		      struct ts_bytes *out)
{
	struct ts_bytes subtitle = {0};
	struct flame_svg svg = {.title = s->title,
				.warnings = "",
				.is_embedded = true,
				.paths = s->paths,
				.tree = tree};

	ts_bytes_printf(&subtitle, "%s: %" PRIu64 " samples%s%s", s->events->items[s->event].name,
			s->paths->weight[STACK_NEW].nr_samples, *s->selection ? "; " : "",
			s->selection);
	text_char(&subtitle, '\0');
	svg.subtitle = ts_bytes_failed(&subtitle) ? "" : (const char *)subtitle.data;
	if (!flame_svg_put(&svg, ts_min(MOST_BYTES, s->most_bytes / SHARE), out))
		text_put(out, "<p>The flame graph is too large to be shown without script.</p>\n");
	out->failed |= subtitle.failed;
	ts_bytes_release(&subtitle);
}

void html_still_put(const struct html_source *s, const struct stack_tree *tree,
		    const char *warnings, struct ts_bytes *out)
{
	text_put(out, "<noscript>\n<h1>");
	put_text(out, s->title, TITLE_MOST);
	text_put(out, "</h1>\n");
	if (*warnings) {
		text_put(out, "<pre class=\"warnings\">\n");
		markup_put_lines(out, warnings);
		text_put(out, "</pre>\n");
	}
	put_table(s, out);
	put_graph(s, tree, out);
	text_put(out, "</noscript>\n");
}
