// SPDX-License-Identifier: Apache-2.0
#include "tests/support/stream_check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/perf/perf_layout.h"
#include "common/perf/record.h"
#include "common/stream/checksum.h"
#include "common/stream/chunk.h"
#include "common/stream/compress.h"
#include "streamer/rings/record_walk.h"
#include "tests/support/fake_ring.h"

struct reading {
	struct stream_check *ret;
	const uint8_t *base;
	size_t len;
	struct ts_decompressor decompressor;
	uint8_t *raw; /* of a compressed chunk */
	size_t raw_cap;
};

static bool say(struct reading *rd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!rd->ret->problem[0])
		vsnprintf(rd->ret->problem, sizeof(rd->ret->problem), fmt, ap);
	va_end(ap);
	return false;
}

static uint8_t *read_all(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *data;
	size_t at = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	data = malloc((size_t)st.st_size + 1);
	while (data && at < (size_t)st.st_size) {
		ssize_t n = read(fd, data + at, (size_t)st.st_size - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	close(fd);
	*ret_len = at;
	return data;
}

static bool take_sample(struct reading *rd, uint32_t ring, const uint8_t *at)
{
	uint64_t number = fake_sample_number(at);
	uint64_t *next = &rd->ret->next_number[ring];

	if (number < *next)
		return say(rd, "ring %u: sample %llu comes after %llu", ring,
			   (unsigned long long)number, (unsigned long long)*next - 1);
	rd->ret->gaps[ring] += number - *next;
	rd->ret->samples[ring]++;
	*next = number + 1;
	return true;
}

/* The records of one chunk, uncompressed. */
static bool take_records(struct reading *rd, const struct ts_chunk *c, const uint8_t *records)
{
	uint64_t nr = 0, lost = 0, min_ns = 0, max_ns = 0;
	struct perf_event_header hdr;
	size_t at;

	for (at = 0; at < c->raw_bytes; at += hdr.size, nr++) {
		uint64_t time_ns;

		memcpy(&hdr, records + at, sizeof(hdr));
		if (hdr.size < 8 || hdr.size % 8 || hdr.size > c->raw_bytes - at)
			return say(rd, "chunk %llu: a record of %u bytes at %zu",
				   (unsigned long long)c->seq, hdr.size, at);
		if (hdr.type == PERF_RECORD_SAMPLE && !take_sample(rd, c->ring, records + at))
			return false;
		if (hdr.type == PERF_RECORD_LOST)
			lost += ts_record_load_u64(records + at + 16);
		time_ns = ts_record_load_u64(records + at +
					     (hdr.type == PERF_RECORD_SAMPLE ? 32 : hdr.size - 24));
		min_ns = min_ns && min_ns < time_ns ? min_ns : time_ns;
		max_ns = max_ns > time_ns ? max_ns : time_ns;
	}
	rd->ret->records += nr;
	rd->ret->lost[c->ring] += lost;
	rd->ret->lost_disk += c->lost_cause == TS_LOSS_DISK ? lost : 0;
	if (nr != c->nr_records || lost != c->lost || min_ns != c->time_min_ns ||
	    max_ns != c->time_max_ns)
		return say(rd, "chunk %llu: its header does not fit its records",
			   (unsigned long long)c->seq);
	return true;
}

static void make_raw_room(struct reading *rd, size_t bytes)
{
	if (bytes <= rd->raw_cap)
		return;
	rd->raw_cap = bytes;
	rd->raw = realloc(rd->raw, rd->raw_cap);
	if (!rd->raw)
		abort();
}

static bool take_compressed(struct reading *rd, const struct ts_chunk *c, const uint8_t *payload)
{
	struct ts_error err;

	make_raw_room(rd, c->raw_bytes);
	if (ts_decompressor_expand(&rd->decompressor, payload, c->payload_bytes, rd->raw,
				   c->raw_bytes, &err) < 0)
		return say(rd, "chunk %llu: %s", (unsigned long long)c->seq, err.text);
	return take_records(rd, c, rd->raw);
}

/*
 * The remains of a chunk after a failed write or a kill: its header does not fit any more, but its
 * records are whole.
 */
static bool take_cut(struct reading *rd, struct ts_chunk *c, const uint8_t *payload, size_t left)
{
	struct record_walk w;
	bool is_covered;
	size_t bad;

	rd->ret->is_cut = true;
	left = ts_chunk_whole_bytes(payload, left, &is_covered);
	if (c->flags & TS_CHUNK_COMPRESSED) {
		make_raw_room(rd, c->raw_bytes);
		left = ts_decompressor_expand_partial(&rd->decompressor, payload, left, rd->raw,
						      c->raw_bytes);
		payload = rd->raw;
	}
	if (!record_walk_all(payload, left, 0, &w, &bad))
		return say(rd, "chunk %llu is cut inside a record", (unsigned long long)c->seq);
	rd->ret->chunks++;
	c->payload_bytes = c->raw_bytes = left;
	c->nr_records = w.nr_records;
	c->lost = w.lost;
	c->time_min_ns = w.time_min_ns;
	c->time_max_ns = w.time_max_ns;
	return take_records(rd, c, payload);
}

/* Behind a chunk that was cut there are covers up to the end of the file. */
static bool only_covers(struct reading *rd, size_t at)
{
	struct perf_event_header hdr;

	for (; rd->len - at >= sizeof(hdr); at += hdr.size) {
		memcpy(&hdr, rd->base + at, sizeof(hdr));
		if (hdr.type != TS_RECORD_EVENT_TYPE || hdr.misc != TS_MISC_COVER ||
		    hdr.size < sizeof(hdr) || hdr.size > rd->len - at)
			break;
	}
	return at == rd->len || say(rd, "behind a cut chunk, at %zu, is no cover", at);
}

static bool is_covered(const uint8_t *payload, size_t len, size_t *ret_whole)
{
	bool covered;

	*ret_whole = ts_chunk_whole_bytes(payload, len, &covered);
	return covered;
}

static bool take_chunk(struct reading *rd, size_t at, struct ts_chunk *c)
{
	const uint8_t *payload;
	size_t left, whole;

	if (ts_chunk_parse(rd->base + at, rd->len - at, at, c) != TS_FOUND_OK)
		return say(rd, "the chunk header at %zu is damaged", at);
	if (c->seq != rd->ret->chunks || c->ring >= STREAM_CHECK_RINGS)
		return say(rd, "the chunk header at %zu is not the next one", at);
	payload = rd->base + at + c->header_bytes;
	left = rd->len - at - c->header_bytes;
	if (left > c->payload_bytes)
		left = c->payload_bytes;
	if (is_covered(payload, left, &whole) || left < c->payload_bytes)
		return take_cut(rd, c, payload, left) &&
		       only_covers(rd, at + c->header_bytes + whole);
	if (ts_checksum(payload, c->payload_bytes) != c->checksum)
		return say(rd, "the payload of the chunk at %zu is damaged", at);
	rd->ret->chunks++;
	return c->flags & TS_CHUNK_COMPRESSED ? take_compressed(rd, c, payload)
					      : take_records(rd, c, payload);
}

static bool take_all(struct reading *rd)
{
	struct perf_event_header hdr;
	struct ts_chunk c;
	size_t at = 0;

	while (at < rd->len) {
		if (rd->len - at < sizeof(hdr))
			return say(rd, "the file ends inside a header at %zu", at);
		memcpy(&hdr, rd->base + at, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > rd->len - at)
			return say(rd, "a record of %u bytes at %zu", hdr.size, at);
		if (hdr.type != TS_RECORD_EVENT_TYPE)
			return say(rd, "a record of type %u outside of chunks at %zu", hdr.type,
				   at);
		switch (ts_own_record((const struct perf_event_header *)(rd->base + at))) {
		case TS_OWN_CHUNK:
			if (!take_chunk(rd, at, &c))
				return false;
			if (rd->ret->is_cut)
				return true;
			at += c.header_bytes + c.payload_bytes;
			continue;
		case TS_OWN_FOOTER:
			rd->ret->has_footer = true;
			break;
		default:
			break;
		}
		at += hdr.size;
	}
	return true;
}

bool stream_check(const char *path, struct stream_check *ret)
{
	struct reading rd = {.ret = ret};
	struct ts_error err;
	uint8_t *data;

	memset(ret, 0, sizeof(*ret));
	data = read_all(path, &rd.len);
	rd.base = data;
	if (!data)
		say(&rd, "cannot read %s: %s", path, strerror(errno));
	else if (ts_decompressor_init(&rd.decompressor, &err) < 0)
		say(&rd, "%s", err.text);
	else
		take_all(&rd);
	ret->bytes = rd.len;
	ts_decompressor_release(&rd.decompressor);
	free(rd.raw);
	free(data);
	return !ret->problem[0];
}
