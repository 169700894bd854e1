// SPDX-License-Identifier: Apache-2.0
#include "reader/encoding/json_file.h"

#include <errno.h>

#include "common/base/units.h"

#define BLOCK_BYTES (1u << 20)
#define PASS_EVERY  1024 /* rows between two looks at the block */

int json_file_open(struct json_file *f, struct result_file *to, uint64_t most_bytes,
		   const struct progress *progress, unsigned int nr_workers, struct ts_error *err)
{
	*f = (struct json_file){.to = to, .json = {.out = &f->block}, .most_bytes = most_bytes};
	return gzip_file_open(&f->gzip, to, progress, nr_workers, err);
}

static int refuse_size(const struct json_file *f, struct ts_error *err)
{
	char size[TS_UNITS_TEXT];

	ts_error_set(err, EFBIG, "cannot write %s: viewers open at most %s of JSON", f->to->path,
		     ts_units_format_size(size, f->most_bytes));
	return ts_error_hint(err, "select less, as with --time=0%%-50%%%s%s",
			     f->instead ? ", or give --format=" : "", f->instead ? f->instead : "");
}

static int write_block(struct json_file *f, struct ts_error *err)
{
	f->nr_bytes += f->block.len;
	if (f->nr_bytes > f->most_bytes)
		return refuse_size(f, err);
	return gzip_file_write(&f->gzip, &f->block, err);
}

int json_file_pass(struct json_file *f, struct ts_error *err)
{
	return f->block.len < BLOCK_BYTES && !ts_bytes_failed(&f->block) ? 0 : write_block(f, err);
}

int json_file_column(struct json_file *f, const struct json_column *column, uint64_t nr,
		     const void *from, struct ts_error *err)
{
	int rc = 0;

	json_open(&f->json, column->name, '[');
	for (uint64_t i = 0; !rc && i < nr; i++) {
		if (column->put)
			column->put(from, i, &f->json);
		else
			json_raw(&f->json, NULL, column->same);
		rc = i % PASS_EVERY ? 0 : json_file_pass(f, err);
	}
	json_close(&f->json, ']');
	return rc;
}

int json_file_columns(struct json_file *f, const struct json_column *columns, uint64_t nr,
		      const void *from, struct ts_error *err)
{
	int rc = 0;

	json_u64(&f->json, "length", nr);
	for (const struct json_column *c = columns; !rc && c->name; c++)
		rc = json_file_column(f, c, nr, from, err);
	return rc;
}

int json_file_close(struct json_file *f, struct ts_error *err)
{
	const int rc = write_block(f, err);

	return rc ? rc : gzip_file_close(&f->gzip, err);
}

void json_file_release(struct json_file *f)
{
	gzip_file_release(&f->gzip);
	ts_bytes_release(&f->block);
}
