// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/memory_place.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MPOL_PREFERRED_MANY
#define MPOL_PREFERRED_MANY 5 /* Linux 5.15 */
#endif

#define WORD_BITS	 (8 * sizeof(unsigned long))
#define LARGE_PAGE_BYTES (2u << 20) /* with small pages of 4 KiB; else only an alignment */

static bool has_choice(void)
{
	return numa_available() >= 0 && numa_max_node() > 0;
}

int memory_place_init(struct memory_place *p, hwloc_const_bitmap_t nodes, memory_bind *bind)
{
	int nr_words;

	*p = (struct memory_place){.bind = bind ? bind : mbind};
	if (!nodes || hwloc_bitmap_last(nodes) < 0 || (!bind && !has_choice()))
		return 0;
	nr_words = hwloc_bitmap_nr_ulongs(nodes);
	p->nodes = calloc((size_t)nr_words, sizeof(p->nodes[0]));
	if (!p->nodes)
		return -ENOMEM;
	p->nr_words = (unsigned int)nr_words;
	hwloc_bitmap_to_ulongs(nodes, p->nr_words, p->nodes);
	return 0;
}

void memory_place_release(struct memory_place *p)
{
	free(p->nodes);
	*p = (struct memory_place){0};
}

/*
 * The kernel reads one bit less than max_node says. MPOL_PREFERRED, which all kernels know, uses
 * only the first node.
 */
static void bind_memory(const struct memory_place *p, void *map, size_t bytes)
{
	unsigned long max_node = p->nr_words * WORD_BITS + 1;

	if (p->bind(map, bytes, MPOL_PREFERRED_MANY, p->nodes, max_node, 0) && errno == EINVAL)
		p->bind(map, bytes, MPOL_PREFERRED, p->nodes, max_node, 0);
}

/*
 * Maps `bytes` of address space. For large pages the mapping starts at a multiple of
 * LARGE_PAGE_BYTES: more is mapped to find such an address, and the rest is unmapped.
 */
static uint8_t *map_addresses(size_t bytes, bool is_large)
{
	size_t spare = is_large ? LARGE_PAGE_BYTES : 0, front;
	uint8_t *map = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if (!is_large)
		return map;
	front = -(uintptr_t)map & (LARGE_PAGE_BYTES - 1);
	if (front)
		munmap(map, front);
	if (front < spare)
		munmap(map + front + bytes, spare - front);
	return map + front;
}

static void touch_pages(volatile uint8_t *map, size_t bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < bytes; at += page_bytes)
		map[at] = 0;
}

void *memory_place_map(const struct memory_place *p, size_t bytes)
{
	bool is_large = bytes >= LARGE_PAGE_BYTES;
	uint8_t *map = map_addresses(bytes, is_large);

	if (!map)
		return NULL;
	if (p->nodes)
		bind_memory(p, map, bytes);
	if (is_large)
		madvise(map, bytes, MADV_HUGEPAGE); /* a refusal leaves small pages */
	touch_pages(map, bytes);
	return map;
}
