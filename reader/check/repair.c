// SPDX-License-Identifier: Apache-2.0
#include "reader/check/repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/json/json.h"
#include "reader/archive/archive.h"
#include "reader/capture/account.h"

/* Writes the note of the recorder without the members that are no longer true. */
static int write_note(struct repair *r, struct ts_error *err)
{
	const struct account_damage damage = {
		.nr_places = r->check->findings.nr,
		.bytes = damage_bytes(&r->check->table.damage) + r->check->unreadable,
		.nr_doubtful = r->check->nr_doubtful,
	};
	struct ts_json *root = NULL;
	struct ts_bytes text = {0};
	int rc = r->check->has_note ? account_note(&r->check->capture, &root) : 0;

	if (!rc && !root && !damage.nr_places)
		return 0;
	account_put_damage(&root, &damage);
	ts_json_put_text(root, "state", "repaired");
	ts_json_remove(root, "data");
	ts_json_remove(root, "writers");
	ts_json_remove(root, "rings");
	if (!rc)
		rc = ts_json_print(root, &text);
	rc = rc ? ts_error_sys(err, -rc, "cannot repair %s", r->check->capture.path)
		: ts_dir_replace(&r->dir, TS_DIR_INFO, text.data, text.len, err);
	ts_bytes_release(&text);
	ts_json_free(root);
	return rc;
}

/* Adds an empty stream, because perf needs one in every directory. */
static int add_empty(struct repair *r, unsigned int number, struct ts_error *err)
{
	struct ts_stream_file file;
	int rc = ts_dir_create_stream(&r->dir, number, TS_STREAM_BUFFERED, &file, err);

	if (!rc)
		ts_stream_file_close(&file);
	return rc;
}

static int write_all(struct repair *r, struct ts_error *err)
{
	const struct capture *c = &r->check->capture;
	const struct capture_stream *data = &c->streams[0];
	bool is_large = data->end - data->begin > REPAIR_DATA_MAX;
	unsigned int number = 0;
	int rc = repair_data(r, err); /* without `data` the streams would not be removable */

	/* inflated records are larger, as a rule by a factor below ten */
	if (c->header.compressed_mmap_len)
		is_large = (data->end - data->begin) > REPAIR_DATA_MAX / 10;
	for (uint32_t i = 1; !rc && i < c->nr_streams; i++)
		rc = r->check->streams[i].is_ours ? repair_own_stream(r, i, number++, err)
						  : repair_foreign_stream(r, i, number++, err);
	if (!rc)
		rc = repair_foreign_stream(r, 0, is_large ? number++ : UINT32_MAX, err);
	if (!rc && !number)
		rc = add_empty(r, number, err);
	if (!rc)
		rc = repair_data(r, err);
	return rc ? rc : write_note(r, err);
}

static int refuse_repair(const struct check *check, const char *path, struct ts_error *err)
{
	struct stat st;

	if (!check->has_header)
		return ts_error_set(
			err, EINVAL,
			"cannot repair %s: its records cannot be decoded without its header",
			check->capture.path);
	if (!lstat(path, &st)) {
		ts_error_set(err, EEXIST, "cannot repair %s into %s: the output exists already",
			     check->capture.path, path);
		return ts_error_hint(err, "name another output with --repair=PATH");
	}
	return 0;
}

int repair_run(struct repair *r, const struct check *check, const char *path, struct ts_error *err)
{
	int rc;

	*r = (struct repair){.check = check, .dir = TS_DIR_INIT};
	rc = refuse_repair(check, path, err);
	if (rc)
		return rc;
	if (ts_dir_create(&r->dir, path, err))
		return ts_error_hint(err, "name another output with --repair=PATH");
	progress_begin(check->capture.progress, "Repairing", chunk_table_bytes(&check->table));
	rc = write_all(r, err);
	if (!rc)
		rc = archive_carry(check->capture.archive, &r->dir, err);
	if (!rc)
		rc = ts_dir_publish(&r->dir, err);
	if (rc)
		ts_dir_discard(&r->dir);
	return rc;
}

void repair_release(struct repair *r)
{
	if (r->check)
		ts_dir_release(&r->dir);
	ts_bytes_release(&r->records);
	*r = (struct repair){0};
}
