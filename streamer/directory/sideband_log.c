// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/sideband_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/perf/record.h"
#include "common/perf/record_layout.h"
#include "common/stream/chunk.h"
#include "common/stream/compress.h"
#include "streamer/rings/record_walk.h"

#define FORGET_ENTRIES 65536u /* after so many entries the table forgets ended tasks */

struct entry {
	uint64_t time_ns, at; /* offset in `records`, which orders equal times, too */
};

struct reading { /* of one stream */
	struct sideband_log *log;
	int fd;
	struct ts_decompressor decompressor;
	struct ts_bytes payload;
	const char *name, *path;
	struct ts_error *err;
};

static int fail_reading(struct reading *r, int code)
{
	return ts_error_sys(r->err, code, "cannot read the names and maps in %s/%s", r->path,
			    r->name);
}

/* Notes the records that were appended from offset `from` on; false: one of them is damaged. */
static bool note_records(struct sideband_log *log, size_t from)
{
	struct ts_bytes *records = &log->records;

	while (records->len - from >= sizeof(struct perf_event_header)) {
		struct perf_event_header hdr;
		struct entry e = {.at = from};

		memcpy(&hdr, records->data + from, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > records->len - from)
			return false;
		e.time_ns = record_walk_time(records->data + from);
		ts_bytes_put(&log->entries, &e, sizeof(e));
		from += hdr.size;
	}
	return true;
}

void sideband_log_know(struct sideband_log *log, const void *run, size_t len)
{
	ts_bytes_put(&log->records, run, len);
	note_records(log, 0);
	log->known_bytes = log->records.len;
}

void sideband_log_add(struct sideband_log *log, const void *run, size_t len)
{
	size_t from = log->records.len;

	ts_bytes_put(&log->records, run, len);
	note_records(log, from);
}

static int read_exactly(struct reading *r, void *to, size_t len, uint64_t offset)
{
	uint8_t *at = to;

	while (len) {
		ssize_t n = pread(r->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_reading(r, n ? errno : ENODATA);
		at += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
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
		return fail_reading(r, ENOMEM);
	code = read_exactly(r, to, c->payload_bytes, c->offset + c->header_bytes);
	if (!code && is_compressed)
		code = ts_decompressor_expand(&r->decompressor, to, c->payload_bytes, raw,
					      c->raw_bytes, r->err);
	if (code)
		return code;
	records->len += c->raw_bytes;
	return note_records(r->log, from) ? 0 : fail_reading(r, EBADMSG);
}

/* Goes from chunk header to chunk header, and steps over other records by their size. */
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
				return fail_reading(r, EBADMSG);
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
		return fail_reading(&r, errno);
	end = lseek(r.fd, 0, SEEK_END);
	code = end < 0 ? fail_reading(&r, errno) : ts_decompressor_init(&r.decompressor, err);
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
	for (size_t i = 0; i < nr && !code; i++) {
		if (entries[i].at >= log->known_bytes)
			code = live_table_apply(table,
						(const void *)(log->records.data + entries[i].at),
						entries[i].time_ns);
		if (i % FORGET_ENTRIES == FORGET_ENTRIES - 1)
			live_table_forget_ended(table, entries[i].time_ns);
	}
	return code ? ts_error_sys(err, -code, "cannot keep names and maps for the next directory")
		    : 0;
}

static size_t nr_entries(const struct sideband_log *log)
{
	return log->entries.len / sizeof(struct entry);
}

static void add_parent(struct needed_tasks *needed, const struct ts_record_task *fork,
		       uint64_t time_ns)
{
	uint64_t since_ns = needed_tasks_since(needed, fork->pid);

	if (fork->pid == fork->ppid || !since_ns)
		return;
	if (since_ns != NEEDED_TASKS_FROM_ITS_BEGIN)
		needed_tasks_add(needed, fork->ppid, time_ns);
	needed_tasks_begins(needed, fork->pid, time_ns);
}

/*
 * Goes back in time: a process is known as needed before its FORK is met, which makes its parent
 * needed.
 */
void sideband_log_add_parents(const struct sideband_log *log, struct needed_tasks *needed)
{
	const struct entry *entries = (const void *)log->entries.data;

	for (size_t i = nr_entries(log); i-- > 0 && entries[i].time_ns;) {
		const void *record = log->records.data + entries[i].at;
		const struct perf_event_header hdr = ts_record_load_header(record);
		const struct ts_record_comm *comm = record;

		if (hdr.type == PERF_RECORD_FORK && hdr.size >= sizeof(struct ts_record_task))
			add_parent(needed, record, entries[i].time_ns);
		if (hdr.type == PERF_RECORD_COMM && hdr.misc & PERF_RECORD_MISC_COMM_EXEC &&
		    hdr.size >= sizeof(*comm))
			needed_tasks_begins(needed, comm->pid, entries[i].time_ns);
	}
}

static struct ts_bytes *choose_target(const struct needed_tasks *needed, const uint8_t *record,
				      bool is_new, struct ts_bytes *tasks, struct ts_bytes *others)
{
	const struct ts_record_thread *thread = (const void *)record;

	switch (thread->header.type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return thread->header.size >= sizeof(*thread) &&
				       needed_tasks_since(needed, thread->pid)
			       ? tasks
			       : NULL;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
		return is_new ? others : NULL;
	default:
		return NULL;
	}
}

void sideband_log_put(const struct sideband_log *log, const struct needed_tasks *needed,
		      struct ts_bytes *tasks, struct ts_bytes *others)
{
	const struct entry *entries = (const void *)log->entries.data;

	for (size_t i = 0; i < nr_entries(log); i++) {
		const uint8_t *record = log->records.data + entries[i].at;
		struct ts_bytes *to = choose_target(
			needed, record, entries[i].at >= log->known_bytes, tasks, others);

		if (to)
			ts_bytes_put(to, record, ts_record_load_header(record).size);
	}
}

void sideband_log_release(struct sideband_log *log)
{
	ts_bytes_release(&log->records);
	ts_bytes_release(&log->entries);
}
