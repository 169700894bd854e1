// SPDX-License-Identifier: Apache-2.0
#include "reader/parquet/parquet_column.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/base/min_max.h"
#include "reader/parquet/parquet_values.h"

#define LEVEL	   3
#define MOST_PAGE  INT32_MAX /* bytes: the format counts them so */
#define INT32	   1	     /* physical types */
#define INT64	   2
#define BYTE_ARRAY 6
#define CODEC_ZSTD 6
#define RLE	   3 /* of levels */

enum repetition {
	REQUIRED = 0,
	REPEATED = 2,
};

enum page_type {
	DATA_PAGE = 0,
	DICTIONARY_PAGE = 2,
};

/* --- the encoder --- */

int parquet_encoder_init(struct parquet_encoder *e, struct memory *memory)
{
	*e = (struct parquet_encoder){.memory = memory, .zstd = ZSTD_createCCtx()};
	return e->zstd ? 0 : -ENOMEM;
}

void parquet_encoder_release(struct parquet_encoder *e)
{
	memory_free(e->values);
	memory_free(e->places);
	memory_free(e->entries);
	ts_bytes_release(&e->page);
	ts_bytes_release(&e->packed);
	ZSTD_freeCCtx(e->zstd);
	*e = (struct parquet_encoder){0};
}

/* The block with room for so many items, or NULL. Older items are lost. */
static void *make_room(struct memory *memory, void **block, size_t *cap, size_t nr, size_t bytes)
{
	if (*block && nr <= *cap)
		return *block;
	memory_free(*block);
	*block = memory_new(memory, nr + 1, bytes);
	*cap = *block ? nr : 0;
	return *block;
}

/* --- pages --- */

static void put_page_header(struct parquet_chunk *c, const struct parquet_encoder *e,
			    enum page_type type, uint64_t nr_values, enum parquet_form form)
{
	struct thrift t = {.out = &c->bytes};

	thrift_i32(&t, 1, (int32_t)type);
	thrift_i32(&t, 2, (int32_t)e->page.len);
	thrift_i32(&t, 3, (int32_t)e->packed.len);
	thrift_struct(&t, type == DATA_PAGE ? 5 : 7);
	thrift_i32(&t, 1, (int32_t)nr_values);
	thrift_i32(&t, 2, (int32_t)form);
	if (type == DATA_PAGE) {
		thrift_i32(&t, 3, RLE);
		thrift_i32(&t, 4, RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
}

static int pack_page(struct parquet_encoder *e)
{
	const size_t most = ZSTD_compressBound(e->page.len);
	size_t len;

	if (e->page.len > MOST_PAGE)
		return -EFBIG;
	ts_bytes_clear(&e->packed);
	if (ts_bytes_failed(&e->page) || !ts_bytes_reserve(&e->packed, most))
		return -ENOMEM;
	len = ZSTD_compressCCtx(e->zstd, e->packed.data, most, e->page.data, e->page.len, LEVEL);
	if (ZSTD_isError(len))
		return ZSTD_getErrorCode(len) == ZSTD_error_memory_allocation ? -ENOMEM : -EIO;
	e->packed.len = len;
	return 0;
}

/* Compresses the page of the encoder and appends it to the chunk. */
static int add_page(struct parquet_chunk *c, struct parquet_encoder *e, enum page_type type,
		    uint64_t nr_values, enum parquet_form form)
{
	const size_t before = c->bytes.len;
	const int rc = pack_page(e);

	if (rc)
		return rc;
	put_page_header(c, e, type, nr_values, form);
	c->raw_bytes += c->bytes.len - before + e->page.len;
	ts_bytes_put(&c->bytes, e->packed.data, e->packed.len);
	ts_bytes_clear(&e->page);
	return ts_bytes_failed(&c->bytes) ? -ENOMEM : 0;
}

/* --- values --- */

static uint32_t length_of(const struct parquet_column *column, const void *table, uint32_t row)
{
	return column->length ? column->length(table, row) : 1;
}

/* Takes all values of the group. *ret_nr: without empty rows. */
static int take_values(struct parquet_encoder *e, const struct parquet_column *column,
		       const void *table, uint32_t nr_rows, size_t *ret_nr)
{
	uint64_t nr = 0, at = 0;

	for (uint32_t row = 0; row < nr_rows; row++)
		nr += length_of(column, table, row);
	if (nr > MOST_PAGE / sizeof(uint64_t))
		return -EFBIG;
	if (!make_room(e->memory, (void **)&e->values, &e->cap_values, nr, sizeof(*e->values)))
		return -ENOMEM;
	for (uint32_t row = 0; row < nr_rows; row++)
		for (uint32_t i = 0; i < length_of(column, table, row); i++)
			e->values[at++] = column->value(table, row, i);
	*ret_nr = nr;
	return 0;
}

static void find_range(struct parquet_chunk *c, const uint64_t *values, size_t nr)
{
	c->least = UINT64_MAX;
	c->most = 0;
	for (size_t i = 0; i < nr; i++) {
		c->least = ts_min(c->least, values[i]);
		c->most = ts_max(c->most, values[i]);
	}
}

/* --- levels --- */

/* Levels by row: where a row begins (0 at its first element), or which rows have elements (1). */
static void put_levels(struct ts_bytes *out, const struct parquet_column *column, const void *table,
		       uint32_t nr_rows, bool of_beginnings)
{
	struct parquet_runs runs = {.out = out};
	const size_t at = out->len;
	uint32_t len;

	ts_bytes_u32(out, 0); /* the bytes that follow */
	for (uint32_t row = 0; row < nr_rows; row++) {
		const uint32_t nr = column->length(table, row);

		if (of_beginnings) {
			parquet_runs_add(&runs, 0, 1);
			parquet_runs_add(&runs, 1, nr ? nr - 1 : 0);
		} else {
			parquet_runs_add(&runs, nr ? 1 : 0, ts_max(nr, 1u));
		}
	}
	parquet_runs_end(&runs);
	if (ts_bytes_failed(out))
		return;
	len = htole32((uint32_t)(out->len - at - sizeof(len)));
	memcpy(out->data + at, &len, sizeof(len));
}

static void put_list(struct parquet_chunk *c, struct parquet_encoder *e,
		     const struct parquet_column *column, const void *table, uint32_t nr_rows)
{
	put_levels(&e->page, column, table, nr_rows, true);
	put_levels(&e->page, column, table, nr_rows, false);
	for (uint32_t row = 0; row < nr_rows; row++)
		c->nr_values += !column->length(table, row);
}

/* --- entries --- */

/* Replaces entries by their places in a dictionary of those that occur. Returns how many these are. */
static uint32_t list_entries(struct parquet_encoder *e, size_t nr)
{
	uint32_t nr_entries = 0;

	for (size_t i = 0; i < nr; i++) {
		const uint32_t entry = (uint32_t)e->values[i];

		if (!e->places[entry]) {
			e->entries[nr_entries] = entry;
			e->places[entry] = ++nr_entries;
		}
		e->values[i] = e->places[entry] - 1;
	}
	for (uint32_t i = 0; i < nr_entries; i++)
		e->places[e->entries[i]] = 0;
	return nr_entries;
}

static int add_dictionary(struct parquet_chunk *c, struct parquet_encoder *e,
			  const struct parquet_column *column, const void *table, uint32_t nr)
{
	int rc;

	for (uint32_t i = 0; i < nr && e->page.len <= MOST_PAGE; i++)
		if (column->type == PARQUET_TEXT)
			parquet_values_put_text(&e->page, column->text(table, e->entries[i]));
		else
			parquet_values_put(&e->page, column->number(table, e->entries[i]),
					   column->type == PARQUET_U64 ? 8 : 4);
	rc = add_page(c, e, DICTIONARY_PAGE, nr, PARQUET_PLAIN);
	c->dictionary_bytes = (uint32_t)c->bytes.len;
	return rc;
}

static int make_entries(struct parquet_chunk *c, struct parquet_encoder *e,
			const struct parquet_column *column, const void *table, size_t nr,
			uint32_t *ret_nr_entries)
{
	const uint32_t all = column->nr_entries(table);

	if (!make_room(e->memory, (void **)&e->places, &e->cap_places, all, sizeof(*e->places)) ||
	    !make_room(e->memory, (void **)&e->entries, &e->cap_entries, ts_min((size_t)all, nr),
		       sizeof(*e->entries)))
		return -ENOMEM;
	*ret_nr_entries = list_entries(e, nr);
	return add_dictionary(c, e, column, table, *ret_nr_entries);
}

/* --- the chunk --- */

static void put_values(struct parquet_encoder *e, const struct parquet_column *column, size_t nr,
		       uint32_t nr_entries)
{
	const unsigned int bytes = column->type == PARQUET_U64 ? 8 : 4;

	if (column->form == PARQUET_ENTRIES)
		parquet_values_put_places(&e->page, e->values, nr, nr_entries);
	else if (column->form == PARQUET_DIFFERENCES)
		parquet_values_put_differences(&e->page, e->values, nr, bytes);
	else
		for (size_t i = 0; i < nr; i++)
			parquet_values_put(&e->page, e->values[i], bytes);
}

int parquet_chunk_make(struct parquet_chunk *c, struct parquet_encoder *e,
		       const struct parquet_column *column, const void *table, uint32_t nr_rows)
{
	uint32_t nr_entries = 0;
	size_t nr = 0;
	int rc;

	ts_bytes_clear(&c->bytes);
	ts_bytes_clear(&e->page);
	*c = (struct parquet_chunk){.bytes = c->bytes};
	rc = take_values(e, column, table, nr_rows, &nr);
	if (rc)
		return rc;
	c->nr_values = nr;
	find_range(c, e->values, nr);
	if (column->form == PARQUET_ENTRIES)
		rc = make_entries(c, e, column, table, nr, &nr_entries);
	if (rc)
		return rc;
	if (column->length)
		put_list(c, e, column, table, nr_rows);
	put_values(e, column, nr, nr_entries);
	return add_page(c, e, DATA_PAGE, c->nr_values, column->form);
}

/* --- metadata --- */

static void put_range(const struct parquet_chunk *c, const struct parquet_column *column,
		      struct thrift *t)
{
	const uint64_t most = htole64(c->most), least = htole64(c->least);
	const size_t bytes = column->type == PARQUET_U64 ? 8 : 4;

	thrift_struct(t, 12);
	thrift_i64(t, 3, 0); /* missing values */
	if (!column->length && column->form != PARQUET_ENTRIES) {
		thrift_bytes(t, 5, &most, bytes);
		thrift_bytes(t, 6, &least, bytes);
	}
	thrift_end(t);
}

static void put_path(const struct parquet_column *column, struct thrift *t)
{
	thrift_list(t, 3, THRIFT_BYTES, column->length ? 3 : 1);
	thrift_text(t, 0, column->name);
	if (column->length) {
		thrift_text(t, 0, "list");
		thrift_text(t, 0, "element");
	}
}

static int32_t physical_type(const struct parquet_column *column)
{
	if (column->type == PARQUET_TEXT)
		return BYTE_ARRAY;
	return column->type == PARQUET_U64 ? INT64 : INT32;
}

static void put_encodings(const struct parquet_column *column, struct thrift *t)
{
	const bool has_entries = column->form == PARQUET_ENTRIES;

	thrift_list(t, 2, THRIFT_I32, has_entries ? 3 : 2);
	thrift_i32(t, 0, RLE);
	thrift_i32(t, 0, (int32_t)column->form);
	if (has_entries)
		thrift_i32(t, 0, PARQUET_PLAIN); /* of the dictionary */
}

void parquet_chunk_describe(const struct parquet_chunk *c, const struct parquet_column *column,
			    uint64_t offset, struct thrift *t)
{
	thrift_struct(t, 0);
	thrift_i64(t, 2, (int64_t)offset);
	thrift_struct(t, 3);
	thrift_i32(t, 1, physical_type(column));
	put_encodings(column, t);
	put_path(column, t);
	thrift_i32(t, 4, CODEC_ZSTD);
	thrift_i64(t, 5, (int64_t)c->nr_values);
	thrift_i64(t, 6, (int64_t)c->raw_bytes);
	thrift_i64(t, 7, (int64_t)c->bytes.len);
	thrift_i64(t, 9, (int64_t)(offset + c->dictionary_bytes));
	if (c->dictionary_bytes)
		thrift_i64(t, 11, (int64_t)offset);
	put_range(c, column, t);
	thrift_end(t);
	thrift_end(t);
}

uint32_t parquet_column_nr_elements(const struct parquet_column *column)
{
	return column->length ? 3 : 1;
}

static void declare_group(struct thrift *t, enum repetition repetition, const char *name,
			  bool is_list)
{
	thrift_struct(t, 0);
	thrift_i32(t, 3, (int32_t)repetition);
	thrift_text(t, 4, name);
	thrift_i32(t, 5, 1); /* children */
	if (is_list)
		thrift_i32(t, 6, 3);
	thrift_end(t);
}

void parquet_column_declare(const struct parquet_column *column, struct thrift *t)
{
	static const int32_t converted[] = {
		[PARQUET_U16] = 12, [PARQUET_U32] = 13, [PARQUET_U64] = 14, [PARQUET_TEXT] = 0};

	if (column->length) {
		declare_group(t, REQUIRED, column->name, true);
		declare_group(t, REPEATED, "list", false);
	}
	thrift_struct(t, 0);
	thrift_i32(t, 1, physical_type(column));
	thrift_i32(t, 3, REQUIRED);
	thrift_text(t, 4, column->length ? "element" : column->name);
	thrift_i32(t, 6, converted[column->type]);
	thrift_end(t);
}
