// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_data.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/base/units.h"
#include "reader/page/markup.h"
#include "reader/runtime/text.h"
#include "reader/stacks/sample_log.h"

#define MOST_ROWS  2500000u
#define MOST_NODES 400000u
#define NODE_BYTES 50u /* of the page: with a lower limit there are fewer nodes */
#define NAME_BYTES 512u

/* --- columns of rows --- */

static void put_times(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_rows *r = &((const struct html_data *)source)->rows;

	for (uint64_t i = from; i < from + nr; i++) {
		const bool is_first = !i || r->items[i].thread != r->items[i - 1].thread;

		ret[i - from] = html_rows_time(r, i) - (is_first ? 0 : html_rows_time(r, i - 1));
	}
}

static void put_stacks(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_rows *r = &((const struct html_data *)source)->rows;

	for (size_t i = 0; i < nr; i++)
		ret[i] = r->stack_of_path[r->items[from + i].path];
}

static void put_cpus(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_rows *r = &((const struct html_data *)source)->rows;

	for (size_t i = 0; i < nr; i++)
		ret[i] = r->items[from + i].cpu == SAMPLE_LOG_NO_CPU ? 0
								     : r->items[from + i].cpu + 1u;
}

static void put_periods(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_rows *r = &((const struct html_data *)source)->rows;

	for (size_t i = 0; i < nr; i++)
		ret[i] = r->items[from + i].period;
}

static void put_events(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_data *d = source;

	for (size_t i = 0; i < nr; i++)
		ret[i] = d->events.of_event[d->rows.items[from + i].event];
}

static void put_counts(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_rows *r = &((const struct html_data *)source)->rows;

	for (size_t i = 0; i < nr; i++)
		ret[i] = r->counts[from + i] - 1;
}

static const struct {
	const char *id;
	html_numbers *put;
	size_t planes; /* where their number is */
} columns[] = {
	{"row.time", put_times, offsetof(struct html_planes, time)},
	{"row.stack", put_stacks, offsetof(struct html_planes, stack)},
	{"row.cpu", put_cpus, offsetof(struct html_planes, cpu)},
	{"row.period", put_periods, offsetof(struct html_planes, period)},
	{"row.event", put_events, offsetof(struct html_planes, event)},
	{"row.count", put_counts, offsetof(struct html_planes, count)},
};

static bool is_wanted(const struct html_data *d, html_numbers *put)
{
	return put == put_periods ? d->events.has_periods
				  : put != put_counts || d->rows.counts != NULL;
}

static uint64_t most_of(const struct html_data *d, html_numbers *put)
{
	uint64_t numbers[1024], most = 0;

	for (uint64_t at = 0; at < d->rows.nr; at += 1024) {
		const size_t nr = ts_min(d->rows.nr - at, 1024);

		put(d, at, nr, numbers);
		for (size_t i = 0; i < nr; i++)
			most |= numbers[i];
	}
	return most;
}

static void add_columns(struct html_data *d)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		unsigned int *planes = (unsigned int *)((uint8_t *)&d->planes + columns[i].planes);

		*planes = 0;
		if (is_wanted(d, columns[i].put))
			*planes = html_elements_add_column(&d->elements, columns[i].id,
							   columns[i].put, d, d->rows.nr,
							   most_of(d, columns[i].put));
	}
}

/* --- tree and looks --- */

static void add_tree(struct html_data *d, struct memory *memory)
{
	struct ts_bytes parents = {0}, leaves = {0};
	uint32_t before = 0;

	memory_hold(memory, &parents);
	memory_hold(memory, &leaves);
	for (uint32_t i = 0; i < d->tree.nr; i++) {
		const uint32_t parent = d->tree.nodes[i].parent;

		ts_bytes_varint(&parents, parent == STACK_TREE_ROOT ? 0 : i - parent);
	}
	for (uint32_t i = 0; i < d->tree.nr_stacks; i++) {
		ts_bytes_varint(&leaves, d->tree.node_of_stack[i] - before);
		before = d->tree.node_of_stack[i];
	}
	html_elements_add(&d->elements, "tree.parent", &parents);
	html_elements_add(&d->elements, "stack.node", &leaves);
}

static void put_looks(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_data *d = source;

	for (size_t i = 0; i < nr; i++)
		ret[i] = d->tree.nodes[from + i].look;
}

static void put_objects(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_data *d = source;

	for (size_t i = 0; i < nr; i++)
		ret[i] = d->object_of_look[from + i];
}

static void put_runs(const void *source, uint64_t from, size_t nr, uint64_t *ret)
{
	const struct html_data *d = source;

	for (size_t i = 0; i < nr; i++)
		ret[i] = d->run_of_node[from + i];
}

static void put_text(struct ts_bytes *out, const char *text)
{
	markup_put_plain(out, text, strlen(text), NAME_BYTES);
	text_char(out, '\n');
}

/* Numbers the objects; the first one has no name. */
static int number_objects(struct html_data *d, const struct frame_looks *looks,
			  struct memory *memory)
{
	d->objects.memory = memory;
	d->object_of_look =
		memory_new(memory, (size_t)d->tree.nr_looks + 1, sizeof(*d->object_of_look));
	if (!d->object_of_look || name_table_intern(&d->objects, "") == NAME_TABLE_NONE)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->tree.nr_used; i++) {
		const char *object = html_tree_look(&d->tree, looks, i)->object;

		d->object_of_look[i] = name_table_intern(&d->objects, object);
		if (d->object_of_look[i] == NAME_TABLE_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Numbers the texts of runs; the first one is of single frames. */
static int number_runs(struct html_data *d, struct memory *memory)
{
	struct ts_bytes text = {0};
	int rc = 0;

	d->runs.memory = memory;
	d->run_of_node = memory_new(memory, (size_t)d->tree.nr + 1, sizeof(*d->run_of_node));
	if (!d->run_of_node || name_table_intern(&d->runs, "") == NAME_TABLE_NONE)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < d->tree.nr; i++) {
		ts_bytes_clear(&text);
		stack_tree_put_run(&d->tree.nodes[i].run, &text);
		if (!text.len)
			continue;
		text_char(&text, '\0');
		if (!text.failed)
			d->run_of_node[i] = name_table_intern(&d->runs, (const char *)text.data);
		if (text.failed || d->run_of_node[i] == NAME_TABLE_NONE)
			rc = -ENOMEM;
	}
	ts_bytes_release(&text);
	return rc;
}

static void add_runs(struct html_data *d, struct memory *memory)
{
	struct ts_bytes runs = {0};

	memory_hold(memory, &runs);
	for (uint32_t i = 0; i < d->runs.nr; i++)
		put_text(&runs, d->runs.items[i]);
	html_elements_add(&d->elements, "run.text", &runs);
	d->planes.run = html_elements_add_column(&d->elements, "tree.run", put_runs, d, d->tree.nr,
						 d->runs.nr - 1);
}

static void add_looks(struct html_data *d, const struct frame_looks *looks, struct memory *memory)
{
	struct ts_bytes names = {0}, kinds = {0}, objects = {0};

	memory_hold(memory, &names);
	memory_hold(memory, &kinds);
	memory_hold(memory, &objects);
	for (uint32_t i = 0; i < d->tree.nr_looks; i++) {
		const struct frame_look *look = html_tree_look(&d->tree, looks, i);

		put_text(&names, html_tree_name(&d->tree, looks, i));
		text_char(&kinds, (char)(look ? look->kind : FRAME_KIND_UNKNOWN));
	}
	for (uint32_t i = 0; i < d->objects.nr; i++)
		put_text(&objects, d->objects.items[i]);
	html_elements_add(&d->elements, "look.name", &names);
	html_elements_add(&d->elements, "look.kind", &kinds);
	html_elements_add(&d->elements, "object.name", &objects);
	d->planes.look = html_elements_add_column(&d->elements, "tree.look", put_looks, d,
						  d->tree.nr, d->tree.nr_looks - 1);
	d->planes.object = html_elements_add_column(&d->elements, "look.object", put_objects, d,
						    d->tree.nr_looks, d->objects.nr - 1);
}

/* --- the whole --- */

static int pack(struct html_data *d, const struct html_source *s, struct ts_error *err)
{
	return html_elements_pack(&d->elements, s->progress, s->nr_workers, err);
}

/* The largest number of rows that may have room, if so many take so many bytes. */
static uint64_t fewer_rows(uint64_t nr, uint64_t bytes, uint64_t room)
{
	return (uint64_t)((double)nr * 0.95 * (double)room / (double)bytes);
}

static int refuse(const struct html_source *s, uint64_t bytes, const char *how,
		  struct ts_error *err)
{
	char size[TS_UNITS_TEXT], most[TS_UNITS_TEXT];

	ts_error_set(err, EFBIG, "cannot make a page of %s: %s it takes %s",
		     ts_units_format_size(most, s->most_bytes), how,
		     ts_units_format_size(size, bytes));
	return ts_error_hint(err, "give --html-limit, or select less, as with --time=0%%-50%%");
}

static int make_rows(struct html_data *d, const struct html_source *s, uint64_t most,
		     uint64_t step_ns, struct ts_error *err)
{
	const struct html_rows_plan plan = {.samples = s->samples,
					    .stack_of_path = d->tree.stack_of_path,
					    .has_times = s->has_times,
					    .most = most,
					    .step_ns = step_ns,
					    .memory = s->memory};

	html_elements_cut(&d->elements, d->nr_fixed);
	html_rows_release(&d->rows);
	if (html_rows_init(&d->rows, &plan))
		return ts_error_sys(err, ENOMEM, "cannot list the rows of the page");
	add_columns(d);
	return pack(d, s, err);
}

/* No longer step has fewer rows. */
static bool is_one_step(const struct html_data *d, const struct html_source *s)
{
	return d->rows.step_ns && html_rows_is_longest(s->samples, s->has_times, d->rows.step_ns);
}

int html_data_fit(struct html_data *d, const struct html_source *s, uint64_t other_bytes,
		  struct ts_error *err)
{
	const uint64_t least = other_bytes + d->fixed_bytes;
	uint64_t bytes;

	while ((bytes = other_bytes + html_elements_bytes(&d->elements)) > s->most_bytes) {
		int rc;

		if (least >= s->most_bytes)
			return refuse(s, least, "without samples", err);
		if (is_one_step(d, s))
			return refuse(s, bytes, "with samples in one step of time", err);
		rc = make_rows(d, s, fewer_rows(d->rows.nr, bytes - least, s->most_bytes - least),
			       html_rows_longer(d->rows.step_ns), err);
		if (rc)
			return rc;
	}
	return 0;
}

int html_data_init(struct html_data *d, const struct html_source *s, const struct stack_tree *tree,
		   struct ts_error *err)
{
	const uint32_t most_nodes = (uint32_t)ts_min(MOST_NODES, s->most_bytes / NODE_BYTES + 1);
	int rc;

	*d = (struct html_data){.elements = {.memory = s->memory}};
	rc = html_events_init(&d->events, s->events, s->samples);
	if (!rc)
		rc = html_tree_init(&d->tree, tree, s->paths, s->samples, most_nodes, s->memory);
	if (!rc)
		rc = number_objects(d, s->paths->looks, s->memory);
	if (!rc)
		rc = number_runs(d, s->memory);
	if (rc)
		return ts_error_sys(err, -rc, "cannot list the stacks of the page");
	add_tree(d, s->memory);
	add_looks(d, s->paths->looks, s->memory);
	add_runs(d, s->memory);
	d->nr_fixed = d->elements.nr;
	rc = pack(d, s, err);
	d->fixed_bytes = rc ? 0 : html_elements_bytes(&d->elements);
	return rc ? rc : make_rows(d, s, MOST_ROWS, 0, err);
}

void html_data_release(struct html_data *d)
{
	html_elements_release(&d->elements);
	html_rows_release(&d->rows);
	html_tree_release(&d->tree);
	html_events_release(&d->events);
	name_table_release(&d->objects);
	name_table_release(&d->runs);
	memory_free(d->object_of_look);
	memory_free(d->run_of_node);
	d->object_of_look = d->run_of_node = NULL;
}
