// SPDX-License-Identifier: Apache-2.0
#include "reader/check/print_check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/escape_text.h"
#include "common/directory/directory.h"
#include "common/json/json.h"

/*
 * Prints the path of a finding and sets its reason. For a missing file the reason stands behind the
 * name.
 */
static void put_place(const struct check *c, const struct check_finding *f,
		      struct ts_bytes *ret_path, const char **ret_reason)
{
	const char *colon = strstr(f->text, ": ");

	*ret_reason = f->text;
	if (f->file < c->capture.nr_streams) {
		ts_bytes_printf(ret_path, "%s", c->capture.streams[f->file].path);
	} else if (f->file == CHECK_NOTE || !colon) {
		ts_bytes_printf(ret_path, "%s/%s", c->capture.path, TS_DIR_INFO);
	} else {
		ts_bytes_printf(ret_path, "%s/%.*s", c->capture.path, (int)(colon - f->text),
				f->text);
		*ret_reason = colon + 2;
	}
	ts_bytes_put(ret_path, "", 1);
	if (!ts_bytes_failed(ret_path))
		ts_escape_text((char *)ret_path->data, ret_path->len - 1, "");
}

static void put_finding(const struct check *c, const struct check_finding *f, struct ts_bytes *out)
{
	struct ts_bytes path = {0};
	const char *reason;

	put_place(c, f, &path, &reason);
	out->failed |= ts_bytes_failed(&path);
	if (!ts_bytes_failed(out))
		ts_bytes_printf(out, "%s: offset %" PRIu64 ": %s", (const char *)path.data,
				f->offset, reason);
	if (f->bytes)
		ts_bytes_printf(out, " (%" PRIu64 " bytes)", f->bytes);
	ts_bytes_printf(out, "\n");
	ts_bytes_release(&path);
}

static const char *verdict(const struct check *c)
{
	bool is_killed = c->capture.header.data_unfinished && !c->capture.header.is_pipe;

	for (size_t i = 1; i < c->capture.nr_streams; i++)
		is_killed |= c->streams[i].is_ours && !c->streams[i].has_footer;
	if (c->findings.nr)
		return "damaged";
	if (c->capture.is_running)
		return "sound (it is being recorded)";
	return is_killed ? "sound (its recorder failed, was killed, or is still at it)" : "sound";
}

static uint64_t bytes_of(const struct check *c)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->capture.nr_streams; i++)
		bytes += c->capture.streams[i].map.len;
	return bytes;
}

static void put_sums(const struct check *c, struct ts_bytes *out)
{
	ts_bytes_printf(out,
			"%zu files, %" PRIu64 " bytes, %zu chunks, %" PRIu64 " records, %" PRIu64
			" samples\n",
			c->capture.nr_streams, bytes_of(c), c->table.nr, c->nr_records,
			c->nr_samples);
	if (c->nr_back)
		ts_bytes_printf(out,
				"%" PRIu64 " records are earlier than one before them in their "
				"ring, at most by %" PRIu64 " ns\n",
				c->nr_back, c->back_max_ns);
	if (c->nr_unknown)
		ts_bytes_printf(out, "%" PRIu64 " records are of unknown events or types\n",
				c->nr_unknown);
	if (c->nr_doubtful)
		ts_bytes_printf(out,
				"%" PRIu64 " of the records are of damaged chunks, and may be "
				"wrong\n",
				c->nr_doubtful);
	if (c->earlier.nr_places)
		ts_bytes_printf(out,
				"it was made of a damaged capture: %" PRIu64 " place%s, %" PRIu64
				" bytes left out, %" PRIu64 " records that may be wrong\n",
				c->earlier.nr_places, c->earlier.nr_places == 1 ? "" : "s",
				c->earlier.bytes, c->earlier.nr_doubtful);
	if (c->lengthened.nr && !c->is_ours)
		ts_bytes_printf(out,
				"%" PRIu64
				" records were lengthened by the kernel, which perf may not "
				"read: --repair mends them\n",
				c->lengthened.nr);
	if (c->is_ours && !c->has_note)
		ts_bytes_printf(out, "there is no %s that tells what was recorded\n", TS_DIR_INFO);
}

void print_check(const struct check *c, const struct repair *repaired, bool is_quiet,
		 struct ts_bytes *out)
{
	size_t kept = findings_kept(&c->findings);

	for (size_t i = 0; i < kept; i++)
		put_finding(c, &c->findings.items[i], out);
	if (c->findings.nr > kept)
		ts_bytes_printf(out, "%zu more damaged places\n", c->findings.nr - kept);
	if (is_quiet)
		return;
	put_sums(c, out);
	ts_bytes_printf(out, "%s: %s", c->capture.path, verdict(c));
	if (c->findings.nr)
		ts_bytes_printf(out, ", %zu place%s", c->findings.nr,
				c->findings.nr == 1 ? "" : "s");
	ts_bytes_printf(out, "\n");
	if (repaired)
		ts_bytes_printf(out, "%s: has the %" PRIu64 " sound records\n", repaired->dir.path,
				repaired->nr_records);
}

/* --- JSON --- */

static void put_finding_json(struct ts_json *list, const struct check *c,
			     const struct check_finding *f, struct ts_bytes *out)
{
	struct ts_json *o = ts_json_put_object(list, NULL);
	struct ts_bytes path = {0};
	const char *reason;

	put_place(c, f, &path, &reason);
	out->failed |= ts_bytes_failed(&path);
	if (!ts_bytes_failed(&path))
		ts_json_put_text(o, "file", (const char *)path.data);
	ts_json_put_number(o, "offset", f->offset);
	ts_json_put_number(o, "bytes", f->bytes);
	ts_json_put_text(o, "reason", reason);
	ts_bytes_release(&path);
}

int print_check_json(const struct check *c, const struct repair *repaired, struct ts_bytes *out)
{
	struct ts_json *root = ts_json_new(), *list;
	int rc;

	ts_json_put_number(root, "version", 1);
	ts_json_put_text(root, "capture", c->capture.path);
	ts_json_put_bool(root, "sound", !c->findings.nr);
	ts_json_put_number(root, "files", c->capture.nr_streams);
	ts_json_put_number(root, "bytes", bytes_of(c));
	ts_json_put_number(root, "chunks", c->table.nr);
	ts_json_put_number(root, "records", c->nr_records);
	ts_json_put_number(root, "samples", c->nr_samples);
	ts_json_put_number(root, "records_of_unknown_events", c->nr_unknown);
	ts_json_put_number(root, "doubtful_records", c->nr_doubtful);
	ts_json_put_number(root, "lengthened_records", c->lengthened.nr);
	ts_json_put_number(root, "records_back_in_time", c->nr_back);
	ts_json_put_number(root, "back_in_time_max_ns", c->back_max_ns);
	ts_json_put_number(root, "damaged_places", c->findings.nr);
	list = ts_json_put_object(root, "earlier_damage");
	ts_json_put_number(list, "places", c->earlier.nr_places);
	ts_json_put_number(list, "bytes", c->earlier.bytes);
	ts_json_put_number(list, "doubtful_records", c->earlier.nr_doubtful);
	list = ts_json_put_array(root, "findings");
	for (size_t i = 0; i < findings_kept(&c->findings); i++)
		put_finding_json(list, c, &c->findings.items[i], out);
	if (repaired) {
		ts_json_put_text(root, "repaired", repaired->dir.path);
		ts_json_put_number(root, "repaired_records", repaired->nr_records);
	}
	rc = ts_json_print(root, out);
	ts_bytes_put(out, "\n", 1);
	ts_json_free(root);
	return rc ? rc : ts_bytes_failed(out) ? -ENOMEM : 0;
}
