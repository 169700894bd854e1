// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/parquet/parquet_file.h"

#include <endian.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/runtime/workers.h"

#define MAGIC	       "PAR1"
#define FORMAT_VERSION 2  /* of the format: it has encodings by differences */
#define MOST_ENCODERS  6u /* 6 MiB each */

static int tell(const struct parquet_file *f, int rc, struct ts_error *err)
{
	if (rc == -EFBIG) {
		ts_error_set(err, EFBIG, "cannot write %s: names or stacks of %u rows need 2 GB",
			     f->to->path, PARQUET_GROUP_ROWS);
		return ts_error_hint(err, "select less, as with --time=0%%-50%%");
	}
	if (rc == -EIO)
		return ts_error_set(err, EIO, "cannot compress %s: zstd fails", f->to->path);
	return ts_error_sys(err, -rc, "cannot write %s", f->to->path);
}

static int write_bytes(struct parquet_file *f, const void *bytes, size_t len, struct ts_error *err)
{
	f->offset += len;
	return result_file_write(f->to, bytes, len, err);
}

/* --- groups --- */

struct group { /* that is encoded */
	struct parquet_file *file;
	uint32_t nr_rows;
	atomic_uint next; /* column that no thread has taken yet */
	atomic_int rc;
};

static void encode_columns(void *group, unsigned int n)
{
	struct group *g = group;
	struct parquet_file *f = g->file;
	unsigned int i;

	while ((i = atomic_fetch_add_explicit(&g->next, 1, memory_order_relaxed)) <
	       f->table.nr_columns) {
		const int rc = parquet_chunk_make(&f->chunks[i], &f->encoders[n],
						  &f->table.columns[i], f->table.rows, g->nr_rows);

		if (rc)
			atomic_store_explicit(&g->rc, rc, memory_order_relaxed);
	}
}

static void describe_group(struct parquet_file *f, uint32_t nr_rows)
{
	struct thrift t = {.out = &f->groups};
	uint64_t raw_bytes = 0, bytes = 0;

	thrift_list(&t, 1, THRIFT_STRUCT, f->table.nr_columns);
	for (uint32_t i = 0; i < f->table.nr_columns; i++) {
		const struct parquet_chunk *c = &f->chunks[i];

		parquet_chunk_describe(c, &f->table.columns[i], f->offset + bytes, &t);
		bytes += c->bytes.len;
		raw_bytes += c->raw_bytes;
	}
	thrift_i64(&t, 2, (int64_t)raw_bytes);
	thrift_i64(&t, 3, nr_rows);
	thrift_i64(&t, 5, (int64_t)f->offset);
	thrift_i64(&t, 6, (int64_t)bytes);
	thrift_end(&t);
}

int parquet_file_put(struct parquet_file *f, uint32_t nr_rows, struct ts_error *err)
{
	struct group g = {.file = f, .nr_rows = nr_rows};
	int rc;

	workers_run(ts_min(f->nr_encoders, f->table.nr_columns), encode_columns, &g);
	if (g.rc)
		return tell(f, g.rc, err);
	if (progress_is_stopped(f->progress))
		return -EINTR;
	describe_group(f, nr_rows);
	rc = ts_bytes_failed(&f->groups) ? tell(f, -ENOMEM, err) : 0;
	for (uint32_t i = 0; !rc && i < f->table.nr_columns; i++)
		rc = write_bytes(f, f->chunks[i].bytes.data, f->chunks[i].bytes.len, err);
	f->nr_groups++;
	f->nr_rows += nr_rows;
	return rc;
}

/* --- the footer --- */

static void put_schema(const struct parquet_table *table, struct thrift *t)
{
	uint32_t nr = 1;

	for (uint32_t i = 0; i < table->nr_columns; i++)
		nr += parquet_column_nr_elements(&table->columns[i]);
	thrift_list(t, 2, THRIFT_STRUCT, nr);
	thrift_struct(t, 0);
	thrift_text(t, 4, table->name);
	thrift_i32(t, 5, (int32_t)table->nr_columns);
	thrift_end(t);
	for (uint32_t i = 0; i < table->nr_columns; i++)
		parquet_column_declare(&table->columns[i], t);
}

static void put_notes(const struct parquet_note *notes, uint32_t nr, struct thrift *t)
{
	thrift_list(t, 5, THRIFT_STRUCT, nr);
	for (uint32_t i = 0; i < nr; i++) {
		thrift_struct(t, 0);
		thrift_text(t, 1, notes[i].key);
		thrift_text(t, 2, notes[i].value);
		thrift_end(t);
	}
}

/* Ranges of chunks are those of unsigned numbers, as the types have them. */
static void put_orders(uint32_t nr, struct thrift *t)
{
	thrift_list(t, 7, THRIFT_STRUCT, nr);
	for (uint32_t i = 0; i < nr; i++) {
		thrift_struct(t, 0);
		thrift_struct(t, 1);
		thrift_end(t);
		thrift_end(t);
	}
}

static void put_footer(const struct parquet_file *f, const struct parquet_note *notes,
		       uint32_t nr_notes, struct ts_bytes *out)
{
	struct thrift t = {.out = out};

	thrift_i32(&t, 1, FORMAT_VERSION);
	put_schema(&f->table, &t);
	thrift_i64(&t, 3, (int64_t)f->nr_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, f->nr_groups);
	ts_bytes_put(out, f->groups.data, f->groups.len);
	put_notes(notes, nr_notes, &t);
	thrift_text(&t, 6, "tstream version " PACKAGE_VERSION);
	put_orders(f->table.nr_columns, &t);
	thrift_end(&t);
	ts_bytes_u32(out, htole32((uint32_t)out->len));
	ts_bytes_put(out, MAGIC, strlen(MAGIC));
}

int parquet_file_close(struct parquet_file *f, const struct parquet_note *notes, uint32_t nr_notes,
		       struct ts_error *err)
{
	struct ts_bytes footer = {0};
	int rc;

	put_footer(f, notes, nr_notes, &footer);
	rc = ts_bytes_failed(&footer) ? tell(f, -ENOMEM, err)
				      : write_bytes(f, footer.data, footer.len, err);
	ts_bytes_release(&footer);
	return rc;
}

/* --- life --- */

int parquet_file_open(struct parquet_file *f, struct result_file *to,
		      const struct parquet_table *table, struct memory *memory,
		      const struct progress *progress, unsigned int nr_workers,
		      struct ts_error *err)
{
	const unsigned int nr = ts_min(nr_workers, MOST_ENCODERS);

	*f = (struct parquet_file){
		.to = to,
		.table = *table,
		.progress = progress,
		.encoders = calloc(nr, sizeof(*f->encoders)),
		.chunks = calloc(table->nr_columns, sizeof(*f->chunks)),
	};
	if (!f->encoders || !f->chunks)
		return tell(f, -ENOMEM, err);
	for (; f->nr_encoders < nr; f->nr_encoders++)
		if (parquet_encoder_init(&f->encoders[f->nr_encoders], memory))
			return tell(f, -ENOMEM, err);
	return write_bytes(f, MAGIC, strlen(MAGIC), err);
}

void parquet_file_release(struct parquet_file *f)
{
	for (unsigned int i = 0; i < f->nr_encoders; i++)
		parquet_encoder_release(&f->encoders[i]);
	for (uint32_t i = 0; f->chunks && i < f->table.nr_columns; i++)
		ts_bytes_release(&f->chunks[i].bytes);
	free(f->encoders);
	free(f->chunks);
	ts_bytes_release(&f->groups);
	*f = (struct parquet_file){0};
}
