// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/map_query.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* As in linux/fs.h of 6.11; the build requires only older headers. */
struct question {
	uint64_t size;
	uint64_t flags;
	uint64_t addr;
	uint64_t start, end;
	uint64_t vma_flags;
	uint64_t page_size;
	uint64_t offset;
	uint64_t inode;
	uint32_t maj, min;
	uint32_t name_size;	/* in: room; out: with its NUL, 0 for none */
	uint32_t build_id_size; /* in: room; out: 0 for none */
	uint64_t name;		/* address */
	uint64_t build_id;	/* address */
};
static_assert(sizeof(struct question) == 104, "struct procmap_query");

#define ASK _IOWR('f', 17, struct question)

enum question_flags {
	READABLE = 0x01,
	WRITABLE = 0x02,
	EXECUTABLE = 0x04,
	SHARED = 0x08,
	THIS_OR_NEXT = 0x10,
};

static void take_answer(const struct map_query *q, const struct question *a, struct proc_map *ret)
{
	*ret = (struct proc_map){
		.start = a->start,
		.end = a->end,
		.pgoff = a->offset,
		.prot = (a->vma_flags & READABLE ? PROT_READ : 0) |
			(a->vma_flags & WRITABLE ? PROT_WRITE : 0) |
			(a->vma_flags & EXECUTABLE ? PROT_EXEC : 0),
		.flags = a->vma_flags & SHARED ? MAP_SHARED : MAP_PRIVATE,
		.maj = a->maj,
		.min = a->min,
		.ino = a->inode,
		.name = q->name,
		.name_len = a->name_size ? strnlen(q->name, sizeof(q->name)) : 0,
	};
}

int map_query_next(struct map_query *q, struct proc_map *ret, struct ts_build_id *ret_id)
{
	struct ts_build_id id = {0};
	struct question ask = {
		.size = sizeof(ask),
		.flags = EXECUTABLE | THIS_OR_NEXT,
		.addr = q->next_addr,
		.name_size = sizeof(q->name),
		.name = (uintptr_t)q->name,
		.build_id_size = q->with_build_ids ? sizeof(id.bytes) : 0,
		.build_id = q->with_build_ids ? (uintptr_t)id.bytes : 0,
	};

	if (ioctl(q->fd, ASK, &ask) < 0)
		return errno == ENOENT ? 0 : -errno;
	id.len = (uint8_t)ask.build_id_size;
	take_answer(q, &ask, ret);
	*ret_id = id;
	q->next_addr = ask.end;
	return 1;
}
