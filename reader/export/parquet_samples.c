// SPDX-License-Identifier: Apache-2.0
#include "reader/export/parquet_samples.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/export/time_slices.h"
#include "reader/runtime/memory_limit.h"

struct thread_rows {
	uint64_t next; /* index of the first sample that is not written */
	uint64_t end;
	uint32_t process; /* text */
};

struct host {
	uint32_t name;	    /* text */
	uint64_t origin_ns; /* of the times of its samples, on the capture's clock */
	uint64_t clock_ns;  /* from there to the wall clock; 0: unknown */
};

struct samples_table {
	const struct export_source *source;
	const struct parquet_stacks *stacks;
	struct parquet_texts *texts;
	struct memory *memory;
	struct host *hosts;	     /* owned; by capture */
	struct thread_rows *threads; /* owned; by thread */
	uint32_t *events;	     /* owned; by event: text */
	/* of the group that is written */
	const struct timed_sample **rows; /* owned */
	uint32_t nr;
};

static const struct timed_samples *samples_of(const struct samples_table *t)
{
	return &t->source->times->samples;
}

/* --- making --- */

/* 0 or -ENOMEM */
static int add_text(struct samples_table *t, const char *text, uint32_t *ret)
{
	*ret = parquet_texts_add(t->texts, text ? text : "");
	return *ret == NAME_TABLE_NONE ? -ENOMEM : 0;
}

static int make_hosts(struct samples_table *t)
{
	const uint32_t nr = samples_of(t)->nr_captures;
	int rc = 0;

	t->hosts = calloc(nr, sizeof(*t->hosts));
	if (!t->hosts)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < nr; i++) {
		const struct overview *o = &t->source->captures[i];
		const struct capture_clock clock = overview_clock(o);
		const char *host = overview_feature(o, TS_FEAT_HOSTNAME);

		t->hosts[i].origin_ns = samples_of(t)->starts_ns[i];
		t->hosts[i].clock_ns = capture_clock_offset_ns(&clock);
		rc = add_text(t, host && *host ? host : o->name, &t->hosts[i].name);
	}
	return rc;
}

static int make_events(struct samples_table *t)
{
	const struct ts_events *events = t->source->events;
	int rc = 0;

	t->events = calloc(events->nr + 1, sizeof(*t->events));
	if (!t->events)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < events->nr; i++)
		rc = add_text(t, events->items[i].name, &t->events[i]);
	return rc;
}

static int make_threads(struct samples_table *t)
{
	const struct named_threads *named = &t->source->times->threads;
	const struct timed_samples *samples = samples_of(t);
	int rc = 0;

	t->threads = memory_new(t->memory, (size_t)samples->nr_threads + 1, sizeof(*t->threads));
	if (!t->threads)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < named->nr; i++) {
		const struct timed_thread *thread = named->items[i].samples;
		struct thread_rows *rows = &t->threads[thread - samples->threads];

		rows->next = thread->first;
		rows->end = thread->first + thread->nr;
		rc = add_text(t, named->items[i].process, &rows->process);
	}
	return rc;
}

static int make_rows(struct samples_table *t)
{
	t->rows = memory_new(t->memory, PARQUET_GROUP_ROWS, sizeof(const struct timed_sample *));
	return t->rows ? 0 : -ENOMEM;
}

static void release_table(struct samples_table *t)
{
	free(t->hosts);
	free(t->events);
	memory_free(t->threads);
	memory_free(t->rows);
}

/* --- columns --- */

static const struct timed_sample *sample_at(const void *table, uint32_t row)
{
	return ((const struct samples_table *)table)->rows[row];
}

static const struct timed_thread *thread_at(const void *table, uint32_t row)
{
	return &samples_of(table)->threads[sample_at(table, row)->thread];
}

static const struct host *host_at(const void *table, uint32_t row)
{
	const struct samples_table *t = table;

	return &t->hosts[thread_at(table, row)->capture];
}

static uint64_t wall_time_of(const struct host *host, const struct timed_sample *s)
{
	return host->origin_ns + host->clock_ns + s->time_ns;
}

static uint64_t host_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return host_at(table, row)->name;
}

static uint64_t event_of(const void *table, uint32_t row, uint32_t i)
{
	const struct samples_table *t = table;

	(void)i;
	return t->events[sample_at(table, row)->event];
}

static uint64_t time_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return wall_time_of(host_at(table, row), sample_at(table, row));
}

static uint64_t cpu_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return sample_at(table, row)->cpu;
}

static uint64_t pid_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return thread_at(table, row)->pid;
}

static uint64_t tid_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return thread_at(table, row)->tid;
}

static uint64_t comm_of(const void *table, uint32_t row, uint32_t i)
{
	const struct samples_table *t = table;
	const struct stack_paths *p = t->source->paths;

	(void)i;
	return t->texts->of_look[p->numbers[p->items[sample_at(table, row)->path].first]];
}

static uint64_t stack_of(const void *table, uint32_t row, uint32_t i)
{
	const struct samples_table *t = table;

	(void)i;
	return t->stacks->of_path[sample_at(table, row)->path];
}

static uint64_t samples_at(const void *table, uint32_t row, uint32_t i)
{
	(void)table;
	(void)row;
	(void)i;
	return 1;
}

static uint64_t period_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return sample_at(table, row)->period;
}

static uint64_t process_of(const void *table, uint32_t row, uint32_t i)
{
	const struct samples_table *t = table;

	(void)i;
	return t->threads[sample_at(table, row)->thread].process;
}

static uint64_t clock_at(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return host_at(table, row)->clock_ns;
}

static uint32_t nr_texts(const void *table)
{
	return ((const struct samples_table *)table)->texts->table.nr;
}

static const char *text_of(const void *table, uint32_t entry)
{
	return ((const struct samples_table *)table)->texts->table.items[entry];
}

static uint32_t nr_stacks(const void *table)
{
	return ((const struct samples_table *)table)->stacks->nr;
}

static uint64_t id_of(const void *table, uint32_t entry)
{
	return ((const struct samples_table *)table)->stacks->ids[entry];
}

#define TEXT .type = PARQUET_TEXT, .form = PARQUET_ENTRIES, .nr_entries = nr_texts, .text = text_of

static const struct parquet_column columns[] = {
	{.name = "host", .value = host_of, TEXT},
	{.name = "event", .value = event_of, TEXT},
	{.name = "time", .type = PARQUET_U64, .form = PARQUET_DIFFERENCES, .value = time_of},
	{.name = "cpu", .type = PARQUET_U16, .form = PARQUET_PLAIN, .value = cpu_of},
	{.name = "pid", .type = PARQUET_U32, .form = PARQUET_PLAIN, .value = pid_of},
	{.name = "tid", .type = PARQUET_U32, .form = PARQUET_PLAIN, .value = tid_of},
	{.name = "comm", .value = comm_of, TEXT},
	{.name = "stack_id",
	 .type = PARQUET_U64,
	 .form = PARQUET_ENTRIES,
	 .value = stack_of,
	 .nr_entries = nr_stacks,
	 .number = id_of},
	{.name = "samples", .type = PARQUET_U32, .form = PARQUET_PLAIN, .value = samples_at},
	{.name = "period", .type = PARQUET_U64, .form = PARQUET_PLAIN, .value = period_of},
	{.name = "process", .value = process_of, TEXT},
	{.name = "clock_ns", .type = PARQUET_U64, .form = PARQUET_PLAIN, .value = clock_at},
};

/* --- slices of time --- */

static uint64_t wall_time_at(const struct samples_table *t, uint32_t thread, uint64_t at)
{
	const struct host *host = &t->hosts[samples_of(t)->threads[thread].capture];

	return wall_time_of(host, &samples_of(t)->items[at]);
}

/* The samples of a thread are in the order of time. */
static int open_slices(struct time_slices *s, const struct samples_table *t)
{
	const uint32_t nr_threads = samples_of(t)->nr_threads;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (uint32_t i = 0; i < nr_threads; i++) {
		first_ns = ts_min(first_ns, wall_time_at(t, i, t->threads[i].next));
		last_ns = ts_max(last_ns, wall_time_at(t, i, t->threads[i].end - 1));
	}
	return time_slices_init(
		s, &(struct time_slices_plan){first_ns, last_ns, PARQUET_GROUP_ROWS, nr_threads},
		t->memory);
}

static int make_slices(struct time_slices *s, const struct samples_table *t)
{
	const int rc = open_slices(s, t);

	for (uint32_t i = 0; !rc && i < samples_of(t)->nr_threads; i++) {
		for (uint64_t k = t->threads[i].next; k < t->threads[i].end; k++)
			time_slices_count(s, wall_time_at(t, i, k));
		time_slices_wait(s, i, wall_time_at(t, i, t->threads[i].next));
		memory_keep_narrow(t->memory);
	}
	return rc;
}

/* --- groups --- */

static int put_group(struct samples_table *t, struct parquet_file *file, struct ts_error *err)
{
	const int rc = t->nr ? parquet_file_put(file, t->nr, err) : 0;

	t->nr = 0;
	memory_keep_narrow(t->memory);
	return rc;
}

/* The samples of a thread up to a time; 0: all. The thread then waits for the slice of its next one. */
static int put_thread(struct samples_table *t, struct time_slices *slices,
		      struct parquet_file *file, uint32_t thread, uint64_t until_ns,
		      struct ts_error *err)
{
	struct thread_rows *rows = &t->threads[thread];
	int rc = 0;

	while (!rc && rows->next < rows->end &&
	       (!until_ns || wall_time_at(t, thread, rows->next) < until_ns)) {
		t->rows[t->nr++] = &samples_of(t)->items[rows->next++];
		if (t->nr == PARQUET_GROUP_ROWS)
			rc = put_group(t, file, err);
	}
	if (rows->next < rows->end)
		time_slices_wait(slices, thread, wall_time_at(t, thread, rows->next));
	return rc;
}

static int put_slices(struct samples_table *t, struct time_slices *slices,
		      struct parquet_file *file, struct ts_error *err)
{
	uint64_t until_ns;
	int rc = 0;

	while (!rc && time_slices_next(slices, &until_ns)) {
		for (uint32_t i = 0; !rc && i < slices->nr_here; i++)
			rc = put_thread(t, slices, file, slices->here[i], until_ns, err);
		if (!rc)
			rc = put_group(t, file, err);
	}
	return rc;
}

static int write_table(struct samples_table *t, struct parquet_file *file,
		       const struct parquet_note *notes, uint32_t nr_notes, struct ts_error *err)
{
	struct time_slices slices = {0};
	int rc = make_slices(&slices, t);

	rc = rc ? ts_error_sys(err, -rc, "cannot write %s", file->to->path)
		: put_slices(t, &slices, file, err);
	time_slices_release(&slices);
	return rc ? rc : parquet_file_close(file, notes, nr_notes, err);
}

static int make_table(struct samples_table *t)
{
	int rc = make_hosts(t);

	if (!rc)
		rc = make_events(t);
	if (!rc)
		rc = make_threads(t);
	return rc ? rc : make_rows(t);
}

int parquet_samples_write(const struct export_source *source, const struct parquet_stacks *stacks,
			  struct parquet_texts *texts, struct result_file *to,
			  const struct parquet_note *notes, uint32_t nr_notes, struct ts_error *err)
{
	struct samples_table t = {
		.source = source,
		.stacks = stacks,
		.texts = texts,
		.memory = source->aggregate->memory,
	};
	const struct parquet_table table = {"samples", columns, sizeof(columns) / sizeof(*columns),
					    &t};
	struct parquet_file file = {0};
	int rc = make_table(&t);

	if (rc)
		ts_error_sys(err, -rc, "cannot write %s", to->path);
	else
		rc = parquet_file_open(&file, to, &table, t.memory, source->progress,
				       source->nr_workers, err);
	if (!rc)
		rc = write_table(&t, &file, notes, nr_notes, err);
	parquet_file_release(&file);
	release_table(&t);
	return rc;
}
