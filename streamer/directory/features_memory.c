// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cpus.h"
#include "common/base/text_file.h"
#include "streamer/directory/features_parts.h"

#define NODES_FOLDER FEATURES_SYSTEM "/node"
#define PATH_BYTES   160

/* The kB behind a name in a meminfo; 0 where the name is missing. */
static uint64_t take_kb(const struct ts_bytes *meminfo, const char *name)
{
	const char *found = strstr((const char *)meminfo->data, name);

	return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

static void add_total(struct ts_feature_set *set)
{
	struct ts_bytes text = {0};
	uint64_t kb;

	if (!ts_text_file_read_all(&text, AT_FDCWD, "/proc/meminfo")) {
		kb = take_kb(&text, "MemTotal:");
		if (kb)
			ts_bytes_u64(features_begin(set, TS_FEAT_TOTAL_MEM), kb);
	}
	ts_bytes_release(&text);
}

static void put_node(struct ts_bytes *out, unsigned node)
{
	struct ts_bytes text = {0};
	char path[PATH_BYTES];
	uint64_t total_kb = 0, free_kb = 0;

	snprintf(path, sizeof(path), NODES_FOLDER "/node%u/meminfo", node);
	if (!ts_text_file_read_all(&text, AT_FDCWD, path)) {
		total_kb = take_kb(&text, "MemTotal:");
		free_kb = take_kb(&text, "MemFree:");
	}
	ts_bytes_u32(out, node);
	ts_bytes_u64(out, total_kb);
	ts_bytes_u64(out, free_kb);
	snprintf(path, sizeof(path), NODES_FOLDER "/node%u/cpulist", node);
	ts_header_put_string(
		out, ts_text_file_read_word(&text, AT_FDCWD, path) ? "" : (char *)text.data);
	ts_bytes_release(&text);
}

static void add_nodes(struct ts_feature_set *set, hwloc_const_bitmap_t nodes)
{
	struct ts_bytes *out = features_begin(set, TS_FEAT_NUMA_TOPOLOGY);
	int node;

	ts_bytes_u32(out, (uint32_t)hwloc_bitmap_weight(nodes));
	hwloc_bitmap_foreach_begin(node, nodes)
	{
		put_node(out, (unsigned)node);
	}
	hwloc_bitmap_foreach_end();
}

/* The memory blocks of a node, one bit each. */
static bool read_blocks(hwloc_bitmap_t blocks, unsigned node)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	unsigned block;
	DIR *dir;

	hwloc_bitmap_zero(blocks);
	snprintf(path, sizeof(path), NODES_FOLDER "/node%u", node);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "memory%u", &block) == 1 &&
		    hwloc_bitmap_set(blocks, block))
			break;
	if (dir)
		closedir(dir);
	return !hwloc_bitmap_iszero(blocks);
}

static void put_blocks(struct ts_bytes *out, unsigned node, hwloc_const_bitmap_t blocks)
{
	uint64_t nr_bits = (uint64_t)hwloc_bitmap_last(blocks) + 1;

	ts_bytes_u64(out, node);
	ts_bytes_u64(out, nr_bits);
	ts_bytes_u64(out, nr_bits); /* again: the bitmap has its own size */
	for (uint64_t word = 0; word < (nr_bits + 63) / 64; word++) {
		uint64_t bits = 0;

		for (unsigned b = 0; b < 64; b++)
			if (hwloc_bitmap_isset(blocks, (unsigned)(word * 64 + b)))
				bits |= 1ULL << b;
		ts_bytes_u64(out, bits);
	}
}

static void add_blocks(struct ts_feature_set *set, hwloc_const_bitmap_t nodes)
{
	struct ts_bytes size = {0}, packed = {0}, *out;
	hwloc_bitmap_t blocks = hwloc_bitmap_alloc();
	uint64_t nr = 0;
	int node;

	if (!blocks ||
	    ts_text_file_read_word(&size, AT_FDCWD, FEATURES_SYSTEM "/memory/block_size_bytes"))
		goto done;
	hwloc_bitmap_foreach_begin(node, nodes)
	{
		if (!read_blocks(blocks, (unsigned)node))
			continue;
		put_blocks(&packed, (unsigned)node, blocks);
		nr++;
	}
	hwloc_bitmap_foreach_end();
	if (nr) {
		out = features_begin(set, TS_FEAT_MEM_TOPOLOGY);
		ts_bytes_u64(out, 1); /* version */
		ts_bytes_u64(out, strtoull((char *)size.data, NULL, 16));
		ts_bytes_u64(out, nr);
		ts_bytes_put(out, packed.data, packed.len);
		out->failed = out->failed || ts_bytes_failed(&packed);
	}
done:
	hwloc_bitmap_free(blocks);
	ts_bytes_release(&size);
	ts_bytes_release(&packed);
}

void features_add_memory(struct ts_feature_set *set)
{
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
	struct ts_bytes text = {0};
	struct ts_error unknown;

	add_total(set);
	if (nodes && !ts_text_file_read_word(&text, AT_FDCWD, NODES_FOLDER "/online") &&
	    !ts_cpus_parse((char *)text.data, nodes, &unknown)) {
		add_nodes(set, nodes);
		add_blocks(set, nodes);
	}
	hwloc_bitmap_free(nodes);
	ts_bytes_release(&text);
}
