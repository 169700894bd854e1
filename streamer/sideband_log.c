// SPDX-License-Identifier: Apache-2.0
#include "streamer/sideband_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/chunk.h"
#include "common/compress.h"
#include "streamer/walk.h"

struct entry {
	uint64_t time_ns, at; /* in `records`, which also tells the order of equal times */
};

struct reading { /* of one stream */
	struct sideband_log *log;
	int fd;
	struct ts_decompressor decompressor;
	struct ts_bytes payload;
	const char *name, *path;
	struct ts_error *err;
};

static int fail(struct reading *r, int code)
{
	return ts_error_sys(r->err, code, "cannot read the names and maps in %s/%s", r->path,
			    r->name);
}

static int read_exactly(struct reading *r, void *to, size_t len, uint64_t offset)
{
	uint8_t *at = to;

	while (len) {
		ssize_t n = pread(r->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(r, n ? errno : ENODATA);
		at += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* Notes the records that were appended from `from` on. */
static int note_records(struct reading *r, size_t from)
{
	struct ts_bytes *records = &r->log->records;

	while (records->len - from >= sizeof(struct perf_event_header)) {
		struct perf_event_header hdr;
		struct entry e = {.at = from};

		memcpy(&hdr, records->data + from, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > records->len - from)
			return fail(r, EBADMSG);
		e.time_ns = walk_record_time(records->data + from);
		ts_bytes_put(&r->log->entries, &e, sizeof(e));
		from += hdr.size;
	}
	return 0;
}

static int add_chunk(struct reading *r, const struct ts_chunk *c)
{
	struct ts_bytes *records = &r->log->records;
	bool is_compressed = c->flags & TS_CHUNK_COMPRESSED;
	size_t from = records->len;
	void *raw = ts_bytes_reserve(records, c->raw_bytes), *to = raw;
	int code;

	ts_bytes_clear(&r->payload);
	if (is_compressed)
		to = ts_bytes_reserve(&r->payload, c->payload_bytes);
	if (!raw || !to)
		return fail(r, ENOMEM);
	code = read_exactly(r, to, c->payload_bytes, c->offset + c->header_bytes);
	if (!code && is_compressed)
		code = ts_decompress_chunk(&r->decompressor, to, c->payload_bytes, raw,
					   c->raw_bytes, r->err);
	if (code)
		return code;
	records->len += c->raw_bytes;
	return note_records(r, from);
}

/* From header to header; what is no chunk is stepped over by its size. */
static int read_stream(struct reading *r, uint64_t end)
{
	uint64_t buffer[TS_CHUNK_HEADER_BYTES / 8], at = 0;
	int code = 0;

	while (!code && at < end && end - at >= TS_FILLER_MIN_BYTES) {
		uint64_t left = end - at;
		size_t len = left < sizeof(buffer) ? (size_t)left : sizeof(buffer);
		struct perf_event_header hdr;
		struct ts_chunk c;

		code = read_exactly(r, buffer, len, at);
		if (code)
			return code;
		memcpy(&hdr, buffer, sizeof(hdr));
		if (ts_chunk_parse(buffer, len, at, &c) != TS_FOUND_OK) {
			if (hdr.size < sizeof(hdr))
				return fail(r, EBADMSG);
			at += hdr.size;
			continue;
		}
		if (c.kind == TS_RING_SIDEBAND)
			code = add_chunk(r, &c);
		at += c.header_bytes + c.payload_bytes;
	}
	return code;
}

int sideband_log_read(struct sideband_log *log, int dir_fd, const char *name, const char *path,
		      struct ts_error *err)
{
	struct reading r = {.log = log, .name = name, .path = path, .err = err};
	off_t end;
	int code;

	r.fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (r.fd < 0)
		return fail(&r, errno);
	end = lseek(r.fd, 0, SEEK_END);
	code = end < 0 ? fail(&r, errno) : ts_decompressor_init(&r.decompressor, err);
	if (!code)
		code = read_stream(&r, (uint64_t)end);
	ts_decompressor_release(&r.decompressor);
	ts_bytes_release(&r.payload);
	close(r.fd);
	return code;
}

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

int sideband_log_apply(struct sideband_log *log, struct live_table *table, struct ts_error *err)
{
	struct entry *entries = (struct entry *)log->entries.data;
	size_t nr = log->entries.len / sizeof(*entries);
	int code = ts_bytes_failed(&log->records) || ts_bytes_failed(&log->entries) ? -ENOMEM : 0;

	if (nr)
		qsort(entries, nr, sizeof(*entries), by_time);
	for (size_t i = 0; i < nr && !code; i++)
		code = live_table_apply(table, (const void *)(log->records.data + entries[i].at),
					entries[i].time_ns);
	return code ? ts_error_sys(err, -code, "cannot keep names and maps for the next directory")
		    : 0;
}

void sideband_log_release(struct sideband_log *log)
{
	ts_bytes_release(&log->records);
	ts_bytes_release(&log->entries);
}
