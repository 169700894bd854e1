// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/mapped_file.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char name[64];
};

/* A map of this process at an address at which it has none. */
static struct map_record record_of(uint64_t ino, const char *path)
{
	struct map_record r = {
		.header = {.type = PERF_RECORD_MMAP2, .size = sizeof(r)},
		.pid = (uint32_t)getpid(),
		.start = 4096,
		.len = 4096,
		.ino = ino,
	};

	strncpy(r.name, path, sizeof(r.name) - 1);
	return r;
}

Test(mapped_file, finds_no_build_id_if_map_and_file_are_gone)
{
	const struct map_record r = record_of(1, "/none");
	struct ts_build_id id = {.len = 1};

	cr_assert_not(mapped_file_look(&r, &id));
	cr_assert_eq(id.len, 0, "the build-id of another map");
}

Test(mapped_file, reads_the_file_if_only_the_map_is_gone)
{
	struct ts_build_id id;
	struct map_record r;
	struct stat st;

	cr_assert_eq(stat("/proc/self/exe", &st), 0);
	r = record_of(st.st_ino, "/proc/self/exe");
	cr_assert(mapped_file_look(&r, &id));
	cr_assert_eq(id.len, 20);
}
