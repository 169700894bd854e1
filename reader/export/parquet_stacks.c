// SPDX-License-Identifier: Apache-2.0
#include "reader/export/parquet_stacks.h"

#include <endian.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/runtime/sha256.h"
#include "reader/runtime/workers.h"

#define SHARE	  1024u	       /* paths that a worker takes at once */
#define MOST_TEXT (8ull << 20) /* bytes of texts of a group */

/* The frames of a path: all looks but the command. */
static const uint32_t *frames_of(const struct stack_paths *p, uint32_t path)
{
	return p->numbers + p->items[path].first + 1;
}

static uint32_t nr_frames_of(const struct stack_paths *p, uint32_t path)
{
	return p->items[path].nr - 1;
}

/* --- numbers --- */

struct named { /* a path and the number of its stack */
	uint64_t id;
	uint32_t path;
};

struct naming {
	const struct stack_paths *paths;
	const struct parquet_texts *texts;
	uint64_t *of_look; /* by look: a hash of its texts */
	struct named *named;
	const struct progress *progress;
	atomic_size_t next; /* path that no worker has taken */
};

static uint64_t end_of(struct sha256 *s)
{
	uint8_t digest[SHA256_BYTES];
	uint64_t id;

	sha256_end(s, digest);
	memcpy(&id, digest, sizeof(id));
	return le64toh(id);
}

/* Texts end with a 0: no two rows of texts are the same bytes. */
static uint64_t hash_of_look(const struct naming *n, uint32_t look)
{
	const struct parquet_texts *t = n->texts;
	const uint32_t texts[] = {t->of_kind[n->paths->looks->items[look].kind], t->of_look[look],
				  t->of_object[look]};
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		sha256_put(&s, t->table.items[texts[i]], strlen(t->table.items[texts[i]]) + 1);
	return end_of(&s);
}

static uint64_t hash_of_path(const struct naming *n, uint32_t path)
{
	const uint32_t *frames = frames_of(n->paths, path);
	struct sha256 s;

	sha256_init(&s);
	for (uint32_t i = 0; i < nr_frames_of(n->paths, path); i++) {
		const uint64_t frame = htole64(n->of_look[frames[i]]);

		sha256_put(&s, &frame, sizeof(frame));
	}
	return end_of(&s);
}

static void name_paths(void *naming, unsigned int worker)
{
	struct naming *n = naming;
	size_t from;

	(void)worker;
	while ((from = atomic_fetch_add_explicit(&n->next, SHARE, memory_order_relaxed)) <
		       n->paths->nr &&
	       !progress_is_stopped(n->progress))
		for (size_t i = from; i < ts_min(from + SHARE, n->paths->nr); i++)
			n->named[i] = (struct named){hash_of_path(n, (uint32_t)i), (uint32_t)i};
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->path > y->path) - (x->path < y->path);
}

/* --- stacks --- */

/* Each path gets the first path with the same frames. */
static void find_first(struct parquet_stacks *s, struct named *named, size_t nr)
{
	uint32_t first = 0;

	qsort(named, nr, sizeof(*named), compare_named);
	for (size_t i = 0; i < nr; i++) {
		if (!i || named[i].id != named[i - 1].id)
			first = named[i].path;
		s->of_path[named[i].path] = first;
	}
}

/* Numbers the stacks in the order of their first paths: an earlier path has its number already. */
static void number_stacks(struct parquet_stacks *s, size_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const bool is_first = s->of_path[i] == i;

		if (is_first)
			s->path_of[s->nr] = i;
		s->of_path[i] = is_first ? s->nr++ : s->of_path[s->of_path[i]];
	}
}

static void take_ids(struct parquet_stacks *s, const struct named *named, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		s->ids[s->of_path[named[i].path]] = named[i].id;
}

static int make_stacks(struct parquet_stacks *s, struct naming *n, unsigned int nr_workers)
{
	const size_t nr = s->paths->nr;

	n->named = memory_new(s->memory, nr + 1, sizeof(*n->named));
	n->of_look = memory_new(s->memory, (size_t)s->paths->looks->nr + 1, sizeof(*n->of_look));
	if (!n->named || !n->of_look)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->paths->looks->nr && !progress_is_stopped(n->progress); i++)
		n->of_look[i] = hash_of_look(n, i);
	workers_run(nr_workers, name_paths, n);
	if (progress_is_stopped(n->progress)) /* some have no name */
		return -EINTR;
	find_first(s, n->named, nr);
	number_stacks(s, nr);
	take_ids(s, n->named, nr);
	return 0;
}

int parquet_stacks_init(struct parquet_stacks *s, const struct export_source *source,
			const struct parquet_texts *texts)
{
	struct memory *memory = source->aggregate->memory;
	const size_t nr = source->paths->nr + 1;
	struct naming naming = {
		.paths = source->paths, .texts = texts, .progress = source->progress};
	int rc;

	*s = (struct parquet_stacks){
		.paths = source->paths,
		.texts = texts,
		.memory = memory,
		.of_path = memory_new(memory, nr, sizeof(*s->of_path)),
		.path_of = memory_new(memory, nr, sizeof(*s->path_of)),
		.ids = memory_new(memory, nr, sizeof(*s->ids)),
	};
	if (!s->of_path || !s->path_of || !s->ids)
		return -ENOMEM;
	rc = make_stacks(s, &naming, source->nr_workers);
	memory_free(naming.named);
	memory_free(naming.of_look);
	return rc;
}

void parquet_stacks_release(struct parquet_stacks *s)
{
	memory_free(s->of_path);
	memory_free(s->path_of);
	memory_free(s->ids);
	*s = (struct parquet_stacks){0};
}

/* --- columns --- */

static uint32_t path_at(const void *table, uint32_t row)
{
	const struct parquet_stacks *s = table;

	return s->path_of[s->first + row];
}

static uint64_t id_of(const void *table, uint32_t row, uint32_t i)
{
	const struct parquet_stacks *s = table;

	(void)i;
	return s->ids[s->first + row];
}

static uint32_t length_of(const void *table, uint32_t row)
{
	const struct parquet_stacks *s = table;

	return nr_frames_of(s->paths, path_at(table, row));
}

static uint32_t look_at(const void *table, uint32_t row, uint32_t i)
{
	const struct parquet_stacks *s = table;

	return frames_of(s->paths, path_at(table, row))[i];
}

static uint64_t name_of(const void *table, uint32_t row, uint32_t i)
{
	const struct parquet_stacks *s = table;

	return s->texts->of_look[look_at(table, row, i)];
}

static uint64_t module_of(const void *table, uint32_t row, uint32_t i)
{
	const struct parquet_stacks *s = table;

	return s->texts->of_object[look_at(table, row, i)];
}

static uint64_t kind_of(const void *table, uint32_t row, uint32_t i)
{
	const struct parquet_stacks *s = table;

	return s->texts->of_kind[s->paths->looks->items[look_at(table, row, i)].kind];
}

static uint32_t nr_texts(const void *table)
{
	const struct parquet_stacks *s = table;

	return s->texts->table.nr;
}

static const char *text_of(const void *table, uint32_t entry)
{
	const struct parquet_stacks *s = table;

	return s->texts->table.items[entry];
}

#define LIST_OF_TEXTS                                                                              \
	.type = PARQUET_TEXT, .form = PARQUET_ENTRIES, .length = length_of,                        \
	.nr_entries = nr_texts, .text = text_of

static const struct parquet_column columns[] = {
	{.name = "stack_id", .type = PARQUET_U64, .form = PARQUET_PLAIN, .value = id_of},
	{.name = "frames", .value = name_of, LIST_OF_TEXTS},
	{.name = "modules", .value = module_of, LIST_OF_TEXTS},
	{.name = "kinds", .value = kind_of, LIST_OF_TEXTS},
};

/* --- groups --- */

struct filling {	/* of a group */
	uint32_t *seen; /* by text: the group that has it */
	uint32_t group; /* from 1 */
	uint64_t nr_frames, nr_bytes;
};

static void add_text(struct filling *f, const struct parquet_texts *t, uint32_t text)
{
	if (f->seen[text] == f->group)
		return;
	f->seen[text] = f->group;
	f->nr_bytes += strlen(t->table.items[text]);
}

static void add_row(struct filling *f, const struct parquet_stacks *s, uint32_t row)
{
	const uint32_t nr = length_of(s, row);

	for (uint32_t i = 0; i < nr; i++) {
		const uint32_t look = look_at(s, row, i);

		add_text(f, s->texts, s->texts->of_look[look]);
		add_text(f, s->texts, s->texts->of_object[look]);
	}
	f->nr_frames += nr;
}

/* The rows from s->first on that make a group, at least one. A row that has too many bytes begins the next one. */
static uint32_t fill_group(struct filling *f, const struct parquet_stacks *s)
{
	uint32_t nr = 0;

	f->group++;
	f->nr_frames = f->nr_bytes = 0;
	while (s->first + nr < s->nr && f->nr_frames < PARQUET_GROUP_ROWS) {
		add_row(f, s, nr);
		if (nr && f->nr_bytes > MOST_TEXT)
			break;
		nr++;
	}
	return nr;
}

static int put_groups(struct parquet_stacks *s, struct parquet_file *file, struct ts_error *err)
{
	struct filling filling = {
		.seen = memory_new(s->memory, (size_t)s->texts->table.nr + 1, sizeof(uint32_t)),
	};
	int rc = 0;

	if (!filling.seen)
		return ts_error_sys(err, ENOMEM, "cannot write %s", file->to->path);
	for (s->first = 0; !rc && s->first < s->nr;) {
		const uint32_t nr = fill_group(&filling, s);

		rc = progress_is_stopped(file->progress) ? -EINTR : parquet_file_put(file, nr, err);
		s->first += nr;
	}
	memory_free(filling.seen);
	return rc;
}

int parquet_stacks_write(struct parquet_stacks *s, const struct export_source *source,
			 struct result_file *to, const struct parquet_note *notes,
			 uint32_t nr_notes, struct ts_error *err)
{
	const struct parquet_table table = {"stacks", columns, sizeof(columns) / sizeof(*columns),
					    s};
	struct parquet_file file;
	int rc = parquet_file_open(&file, to, &table, s->memory, source->progress,
				   source->nr_workers, err);

	if (!rc)
		rc = put_groups(s, &file, err);
	if (!rc)
		rc = parquet_file_close(&file, notes, nr_notes, err);
	parquet_file_release(&file);
	return rc;
}
