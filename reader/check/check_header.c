// SPDX-License-Identifier: Apache-2.0
/*
 * The file `data`. Its parts have no checksums (tstream.json has one of the whole file:
 * check_note.c). But much of it is there twice or must fit other parts: sections follow each other,
 * EVENT_DESC repeats events and ids.
 */
#include <stddef.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/perf_layout.h"
#include "common/perf/section_form.h"
#include "reader/check/check.h"

struct header_check {
	struct check *c;
	const uint8_t *base;
	uint64_t len;
	struct ts_file_header h;
};

static void add_header_finding(struct header_check *k, uint64_t offset, uint64_t bytes,
			       const char *reason)
{
	findings_add(&k->c->findings, 0, offset, bytes, "%s", reason);
}

static bool in_file(const struct header_check *k, const struct ts_file_section *s)
{
	return s->offset <= k->len && s->size <= k->len - s->offset;
}

static struct header_check begin_header_check(struct check *c)
{
	struct header_check k = {
		.c = c,
		.base = c->capture.streams[0].map.data,
		.len = c->capture.streams[0].map.len,
	};

	if (k.len)
		memcpy(&k.h, k.base, k.len < sizeof(k.h) ? k.len : sizeof(k.h));
	return k;
}

/* --- why it cannot be parsed --- */

/* The offset of the first wrong event entry, or that of the list. */
static uint64_t bad_event(const struct header_check *k)
{
	uint64_t nr = k->h.attr_size ? k->h.attrs.size / k->h.attr_size : 0;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t at = k->h.attrs.offset + i * k->h.attr_size;
		uint64_t room = k->h.attr_size - sizeof(struct ts_file_section);
		struct ts_file_section ids;
		uint32_t size = ts_record_load_u32(k->base + at + 4);

		memcpy(&ids, k->base + at + room, sizeof(ids));
		if ((size && size < PERF_ATTR_SIZE_VER0) || size > room)
			return at + 4;
		if (!in_file(k, &ids))
			return at + room;
		if (ids.size && ids.offset < k->h.size && k->h.size > sizeof(k->h))
			return offsetof(struct ts_file_header, size);
	}
	return k->h.attrs.offset;
}

static uint64_t place_of_refusal(const struct header_check *k)
{
	if (k->len < 16 || k->h.magic != TS_PERF_MAGIC)
		return 0;
	if (k->h.size == TS_PIPE_HEADER_BYTES)
		return TS_PIPE_HEADER_BYTES;
	if (k->h.size < sizeof(k->h) && k->h.size != offsetof(struct ts_file_header, features))
		return offsetof(struct ts_file_header, size);
	if (k->len < k->h.size)
		return k->len;
	if (k->h.size > sizeof(k->h) && ts_min(k->h.attrs.offset, k->h.data.offset) < k->h.size)
		return offsetof(struct ts_file_header, size);
	if (k->h.attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct ts_file_section))
		return offsetof(struct ts_file_header, attr_size);
	if (!in_file(k, &k->h.attrs) || k->h.attrs.size < k->h.attr_size)
		return offsetof(struct ts_file_header, attrs);
	return bad_event(k);
}

void check_header(struct check *c)
{
	struct header_check k = begin_header_check(c);
	const char *path = c->capture.streams[0].path, *reason;
	uint64_t offset = place_of_refusal(&k);
	struct ts_header ignored;
	struct ts_error err;

	if (!ts_header_parse(k.base, k.len, path, &ignored, &err)) {
		ts_header_release(&ignored);
		return;
	}
	/* "cannot read PATH: reason" */
	reason = strstr(err.text, path);
	reason = reason && strlen(reason) > strlen(path) + 2 ? reason + strlen(path) + 2 : err.text;
	findings_add(&c->findings, 0, offset, k.len - offset, "%s", reason);
}

/* --- features --- */

static const char *name_of(unsigned int bit)
{
	const char *name = ts_header_feature_name(bit);

	return name ? name : "of a newer perf";
}

static void check_form(struct header_check *k, unsigned int bit, const struct ts_file_section *s)
{
	struct ts_cursor c = {k->base + s->offset, s->size};

	switch (ts_section_form(bit, c, &k->c->capture.header.events)) {
	case TS_SECTION_MALFORMED:
		findings_add(&k->c->findings, 0, s->offset, s->size, "the section %s is malformed",
			     name_of(bit));
		break;
	case TS_SECTION_OTHER_EVENTS:
		add_header_finding(
			k, s->offset, s->size,
			"the events and what EVENT_DESC repeats of them are not the same");
		break;
	case TS_SECTION_SOUND:
		break;
	}
}

static void check_section(struct header_check *k, unsigned int bit, uint64_t entry, uint64_t *least)
{
	const char *name = name_of(bit);
	struct ts_file_section s;

	memcpy(&s, k->base + entry, sizeof(s));
	if (!in_file(k, &s)) {
		findings_add(&k->c->findings, 0, entry, sizeof(s),
			     "the section %s is not in the file", name);
		return;
	}
	if (s.offset < *least) {
		findings_add(&k->c->findings, 0, entry, sizeof(s),
			     "the section %s begins in another one", name);
		return;
	}
	*least = s.offset + s.size;
	check_form(k, bit, &s);
}

static void check_table(struct header_check *k)
{
	const struct ts_header *header = &k->c->capture.header;
	uint64_t table = header->data_offset + header->data_size, at = table, least = table;

	for (unsigned int bit = 0; bit < TS_PERF_FEATURE_BITS; bit++)
		if (k->h.features[bit / 64] & 1ull << bit % 64)
			least += sizeof(struct ts_file_section);
	for (unsigned int bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		if (!(k->h.features[bit / 64] & 1ull << bit % 64))
			continue;
		if (k->len - at < sizeof(struct ts_file_section)) {
			add_header_finding(k, at, 0, "the file ends within its table of sections");
			return;
		}
		check_section(k, bit, at, &least);
		at += sizeof(struct ts_file_section);
	}
}

/* In a pipe they are records; BUILD_ID is many of them, which have no common place. */
static void check_piped(struct header_check *k)
{
	const struct ts_header *header = &k->c->capture.header;

	for (unsigned int bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		const struct ts_feature_section *s = &header->features[bit];

		if (s->data && bit != TS_FEAT_BUILD_ID)
			check_form(
				k, bit,
				&(struct ts_file_section){(uint64_t)(s->data - k->base), s->size});
	}
}

void check_features(struct check *c)
{
	const struct ts_header *header = &c->capture.header;
	struct header_check k = begin_header_check(c);

	if (k.h.size < sizeof(k.h))
		memset(k.h.features, 0, sizeof(k.h.features));
	if (header->data_cut)
		findings_add(
			&c->findings, 0, k.len, 0,
			"the file ends %llu bytes before its records do, and its features are gone",
			(unsigned long long)(k.h.data.size - header->data_size));
	else if (header->is_pipe)
		check_piped(&k);
	else if (!header->data_unfinished)
		check_table(&k);
	else if (c->is_ours)
		add_header_finding(&k, offsetof(struct ts_file_header, data) + 8, 8,
				   "the size of its records is 0, which tstream never writes");
	if (c->capture.kind == CAPTURE_DIRECTORY && !header->is_directory &&
	    !header->data_unfinished && !header->data_cut)
		add_header_finding(
			&k, 0, 0,
			"the section DIR_FORMAT is missing: perf does not read the streams");
}
