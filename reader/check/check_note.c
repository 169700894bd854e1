// SPDX-License-Identifier: Apache-2.0
/*
 * Compares tstream.json with the rest of the capture. A capture can be read without it, so its
 * absence is no damage. A statement in it that is wrong is damage.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/regular.h"
#include "common/directory/capture_note.h"
#include "common/directory/directory.h"
#include "common/stream/checksum.h"
#include "reader/capture/account.h"
#include "reader/capture/capture_streams.h"
#include "reader/capture/map.h"
#include "reader/check/check.h"

static uint32_t stream_of(const struct check *c, const char *name)
{
	const struct capture_stream *s = capture_streams_find(&c->capture, name);

	return s ? (uint32_t)(s - c->capture.streams) : CHECK_MISSING;
}

static void check_stream(struct check *c, const struct account_stream *s)
{
	uint32_t stream = stream_of(c, s->name);
	uint64_t len, missing;

	if (stream != CHECK_MISSING)
		c->streams[stream].is_noted = true;
	if (capture_has_link(&c->capture, s->name))
		return; /* check_links() reports it */
	switch (account_check(s, &c->capture, &missing)) {
	case ACCOUNT_MISSING:
		findings_add(&c->findings, CHECK_MISSING, 0, s->bytes,
			     "%s: the stream is missing, with %llu bytes", s->name,
			     (unsigned long long)s->bytes);
		return;
	case ACCOUNT_SHORT:
		findings_add(&c->findings, stream, s->bytes - missing, 0,
			     "the stream is cut short: %llu of its %llu bytes are missing",
			     (unsigned long long)missing, (unsigned long long)s->bytes);
		return;
	case ACCOUNT_NO_END:
		if (!c->streams[stream].has_footer)
			findings_add(&c->findings, stream, s->bytes, 0,
				     "the stream does not end as it was recorded: its footer is "
				     "missing");
		return;
	default:
		len = c->capture.streams[stream].map.len;
		if (len > s->bytes)
			findings_add(&c->findings, stream, s->bytes, len - s->bytes,
				     "the stream is longer than it was when it ended");
	}
}

/* tstream.json must name every stream of the capture. */
static void check_names(struct check *c)
{
	for (uint32_t i = 1; i < c->capture.nr_streams; i++)
		if (!c->streams[i].is_noted)
			findings_add(&c->findings, i, 0, c->capture.streams[i].map.len,
				     "a stream that tstream.json does not name");
}

static void check_kept(struct check *c, const struct ts_json *root)
{
	const struct ts_json *ledger = ts_json_member(root, "ledger", TS_JSON_OBJECT);
	uint64_t nr_records = 0, kept = ts_json_number(ledger, "kept");

	for (size_t i = 1; i < c->capture.nr_streams; i++)
		nr_records += c->streams[i].nr_records;
	if (ts_json_member(ledger, "kept", TS_JSON_INT) && kept != nr_records)
		findings_add(&c->findings, CHECK_NOTE, 0, 0,
			     "it tells of %llu records, the streams have %llu",
			     (unsigned long long)kept, (unsigned long long)nr_records);
}

static bool is_named(const struct check *c, uint32_t file)
{
	for (size_t i = 0; i < findings_kept(&c->findings); i++)
		if (c->findings.items[i].file == file)
			return true;
	return false;
}

/* Checks size and checksum of the file `data`, unless it has another finding. */
static void check_data(struct check *c, const struct ts_json *root)
{
	const struct map *map = &c->capture.streams[0].map;
	const struct ts_json *data = ts_json_member(root, "data", TS_JSON_OBJECT);
	const char *sum = ts_json_text(data, "xxh3");
	uint64_t bytes = ts_json_number(data, "bytes");
	char text[17];

	if (!ts_json_member(data, "bytes", TS_JSON_INT) || !sum || is_named(c, 0))
		return;
	if (bytes != map->len) {
		findings_add(&c->findings, 0, 0, 0, "it has %zu bytes, when it was written %llu",
			     map->len, (unsigned long long)bytes);
		return;
	}
	snprintf(text, sizeof(text), "%016" PRIx64, ts_checksum(map->data, map->len));
	if (strcmp(text, sum) != 0)
		findings_add(&c->findings, 0, 0, map->len,
			     "it is not as it was written: its checksum is another than that in "
			     "tstream.json");
}

static int check_account(struct check *c, const struct ts_json *root)
{
	struct account account;
	/*
	 * If the recording has ended meanwhile, the account is newer than the streams that were
	 * read.
	 */
	int rc = account_take(&account, c->capture.is_running ? NULL : root);

	if (rc)
		return rc;
	c->is_complete = account.is_complete;
	c->earlier = account.damage;
	for (size_t i = 0; i < account.nr_streams; i++)
		check_stream(c, &account.streams[i]);
	if (account.is_complete)
		check_names(c);
	if (!c->capture.is_running)
		check_data(c, root);
	if (account.is_complete && !c->findings.nr)
		check_kept(c, root);
	account_release(&account);
	return 0;
}

static int check_text(struct check *c, const char *text, size_t len)
{
	struct ts_json *root;
	size_t offset;
	int rc = ts_capture_note_parse(&root, text, len, &offset);

	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		findings_add(&c->findings, CHECK_NOTE, offset, 0, "it is no JSON");
		return 0;
	}
	c->has_note = true;
	rc = check_account(c, root);
	ts_json_free(root);
	return rc;
}

int check_note(struct check *c)
{
	struct ts_error err;
	struct map map;
	int rc;

	if (c->capture.kind != CAPTURE_DIRECTORY)
		return 0;
	rc = map_open_in(&map, c->capture.path, TS_DIR_INFO, &err);
	if (!rc)
		rc = check_text(c, (const char *)map.data, map.len);
	else if (rc != -ENOENT && rc != -TS_REGULAR_LINK) /* check_links() reports a link */
		findings_add(&c->findings, CHECK_NOTE, 0, 0, "it is no file that can be read");
	map_close(&map);
	return rc == -ENOMEM ? rc : 0;
}
