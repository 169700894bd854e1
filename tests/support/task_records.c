// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_records.h"

#include <string.h>
#include <sys/mman.h>

/* Returns where the record begins; seal() writes its size. */
static size_t begin(struct ts_bytes *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t start = b->len;

	ts_bytes_put(b, &h, sizeof(h));
	return start;
}

static void seal(struct ts_bytes *b, size_t start)
{
	uint16_t size = (uint16_t)(b->len - start);

	memcpy(b->data + start + 6, &size, sizeof(size));
}

static void put_name(struct ts_bytes *b, const char *name)
{
	size_t len = strlen(name) + 1;

	ts_bytes_put(b, name, len);
	ts_bytes_zero(b, (8 - len % 8) % 8);
}

static void end(struct ts_bytes *b, size_t start, const struct record_at *at)
{
	ts_bytes_u32(b, at->pid);
	ts_bytes_u32(b, at->tid);
	ts_bytes_u64(b, at->time_ns);
	ts_bytes_u32(b, at->cpu);
	ts_bytes_u32(b, 0);
	ts_bytes_u64(b, at->id);
	seal(b, start);
}

static void put_ids(struct ts_bytes *b, const struct record_at *at)
{
	ts_bytes_u32(b, at->pid);
	ts_bytes_u32(b, at->tid);
}

static void put_range(struct ts_bytes *b, const struct record_range *range)
{
	ts_bytes_u64(b, range->start);
	ts_bytes_u64(b, range->len);
	ts_bytes_u64(b, range->pgoff);
}

void put_comm(struct ts_bytes *b, const struct record_at *at, uint16_t misc, const char *name)
{
	size_t start = begin(b, PERF_RECORD_COMM, misc);

	put_ids(b, at);
	put_name(b, name);
	end(b, start, at);
}

static void put_task(struct ts_bytes *b, uint32_t type, const struct record_at *at, uint16_t misc,
		     uint32_t ppid, uint32_t ptid)
{
	size_t start = begin(b, type, misc);

	ts_bytes_u32(b, at->pid);
	ts_bytes_u32(b, ppid);
	ts_bytes_u32(b, at->tid);
	ts_bytes_u32(b, ptid);
	ts_bytes_u64(b, at->time_ns);
	end(b, start, at);
}

void put_fork(struct ts_bytes *b, const struct record_at *at, uint16_t misc, uint32_t ppid,
	      uint32_t ptid)
{
	put_task(b, PERF_RECORD_FORK, at, misc, ppid, ptid);
}

void put_exit(struct ts_bytes *b, const struct record_at *at)
{
	put_task(b, PERF_RECORD_EXIT, at, 0, 1, 1);
}

void put_mmap(struct ts_bytes *b, const struct record_at *at, uint16_t misc,
	      const struct record_range *range, const char *path)
{
	size_t start = begin(b, PERF_RECORD_MMAP, misc);

	put_ids(b, at);
	put_range(b, range);
	put_name(b, path);
	end(b, start, at);
}

void put_mmap2(struct ts_bytes *b, const struct record_at *at, uint16_t misc,
	       const struct record_range *range, uint32_t prot, const char *path)
{
	size_t start = begin(b, PERF_RECORD_MMAP2, misc);

	put_ids(b, at);
	put_range(b, range);
	ts_bytes_zero(b, 24);
	ts_bytes_u32(b, prot);
	ts_bytes_u32(b, MAP_PRIVATE);
	put_name(b, path);
	end(b, start, at);
}

void put_mmap2_build_id(struct ts_bytes *b, const struct record_at *at,
			const struct record_range *range, uint8_t id_byte, const char *path)
{
	size_t start =
		begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	uint8_t id[24] = {20};

	memset(id + 4, id_byte, 20);
	put_ids(b, at);
	put_range(b, range);
	ts_bytes_put(b, id, sizeof(id));
	ts_bytes_u32(b, PROT_READ | PROT_EXEC);
	ts_bytes_u32(b, MAP_PRIVATE);
	put_name(b, path);
	end(b, start, at);
}

void put_ksymbol(struct ts_bytes *b, const struct record_at *at, uint64_t addr, uint32_t len,
		 uint16_t flags, const char *name)
{
	size_t start = begin(b, PERF_RECORD_KSYMBOL, 0);

	ts_bytes_u64(b, addr);
	ts_bytes_u32(b, len);
	ts_bytes_u16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	ts_bytes_u16(b, flags);
	put_name(b, name);
	end(b, start, at);
}

void put_task_sample(struct ts_bytes *b, const struct record_at *at, uint16_t misc, uint64_t ip)
{
	size_t start = begin(b, PERF_RECORD_SAMPLE, misc);

	ts_bytes_u64(b, at->id);
	ts_bytes_u64(b, ip);
	put_ids(b, at);
	ts_bytes_u64(b, at->time_ns);
	ts_bytes_u32(b, at->cpu);
	ts_bytes_u32(b, 0);
	ts_bytes_u64(b, 1);
	seal(b, start);
}
