// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_parquet.h"

#include <errno.h>

#include "common/base/escape_text.h"
#include "reader/export/parquet_samples.h"

#define NOTES_KEY "tstream.about"

const char *const export_parquet_files[] = {"samples.parquet", "stacks.parquet", NULL};

struct tables {
	const struct export_source *source;
	struct parquet_texts texts;
	struct parquet_stacks stacks;
	struct ts_bytes lines; /* of export_about, as a text */
	struct parquet_note note;
};

static int make_tables(struct tables *t)
{
	const struct export_source *source = t->source;
	int rc;

	ts_bytes_put(&t->lines, source->about->lines.data, source->about->lines.len);
	ts_bytes_zero(&t->lines, 1);
	if (ts_bytes_failed(&t->lines))
		return -ENOMEM;
	ts_escape_text((char *)t->lines.data, t->lines.len - 1, "\n");
	t->note = (struct parquet_note){NOTES_KEY, (const char *)t->lines.data};
	rc = parquet_texts_init(&t->texts, source->paths->looks, source->aggregate->memory,
				source->progress);
	return rc ? rc : parquet_stacks_init(&t->stacks, source, &t->texts);
}

static int write_samples(struct tables *t, struct result_file *file, struct ts_error *err)
{
	return parquet_samples_write(t->source, &t->stacks, &t->texts, file, &t->note, 1, err);
}

static int write_stacks(struct tables *t, struct result_file *file, struct ts_error *err)
{
	return parquet_stacks_write(&t->stacks, t->source, file, &t->note, 1, err);
}

static int write_file(struct tables *t, struct result_folder *to, const char *name,
		      int (*write)(struct tables *t, struct result_file *file,
				   struct ts_error *err),
		      struct ts_error *err)
{
	struct result_file file;
	int rc = result_folder_create(to, name, &file, err);

	if (!rc)
		rc = write(t, &file, err);
	if (!rc)
		rc = result_folder_complete(&file, err);
	result_file_release(&file);
	return rc;
}

int export_parquet_write(const struct export_source *source, struct result_folder *to,
			 struct ts_error *err)
{
	struct tables t = {.source = source};
	int rc = make_tables(&t);

	if (rc)
		ts_error_sys(err, -rc, "cannot write %s", to->path);
	if (!rc)
		rc = write_file(&t, to, export_parquet_files[0], write_samples, err);
	if (!rc)
		rc = write_file(&t, to, export_parquet_files[1], write_stacks, err);
	parquet_stacks_release(&t.stacks);
	parquet_texts_release(&t.texts);
	ts_bytes_release(&t.lines);
	return rc;
}
