// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/scan_process.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/perf/record.h"
#include "tests/support/scratch.h"
#include "tests/support/synthesized.h"

static struct synthesis_options options;
static struct scan *scan;
static int proc_fd;

static void set_up(void)
{
	options = test_options();
	options.build_ids = options.reads_text = true;
	proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scan = scan_new(proc_fd, &options, false);
	cr_assert_not_null(scan);
}

static void tear_down(void)
{
	scan_free(scan);
	close(proc_fd);
}

TestSuite(scan_process, .init = set_up, .fini = tear_down);

/* Scans the maps of this process; returns that of an address, or NULL. */
static const struct perf_event_header *scan_map(uint64_t addr)
{
	const struct perf_event_header *h;
	size_t at = 0;

	ts_bytes_clear(&scan->out);
	cr_assert(scan_leader(scan, getpid()));
	while ((h = next(&scan->out, &at)))
		if (h->type == PERF_RECORD_MMAP2 && addr - u64_at(h, MAP_ADDR) < u64_at(h, MAP_LEN))
			return h;
	return NULL;
}

static bool finds_build_id(const void *code)
{
	const struct perf_event_header *h = scan_map((uintptr_t)code);

	cr_assert_not_null(h);
	return h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
}

/* This process may open `nr` files more. */
static struct rlimit leave_descriptors(rlim_t nr)
{
	int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct rlimit before, less;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &before);
	less = (struct rlimit){(rlim_t)lowest + nr, before.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &less), 0);
	return before;
}

Test(scan_process, looks_again_at_a_file_that_could_not_be_opened)
{
	for (rlim_t nr = 1; nr <= 2; nr++) { /* the maps, then a look at the file */
		struct rlimit before = leave_descriptors(nr);

		cr_expect_not(finds_build_id((void *)finds_build_id));
		setrlimit(RLIMIT_NOFILE, &before);
		cr_expect(finds_build_id((void *)finds_build_id));
		tear_down();
		set_up();
	}
}

Test(scan_process, opens_a_file_without_a_build_id_once)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	char path[256], event[512];
	struct scratch scratch;
	void *map;

	scratch_make(&scratch);
	scratch_put(&scratch, "none", "no ELF file");
	snprintf(path, sizeof(path), "%s/none", scratch.path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	cr_assert_neq(map, MAP_FAILED);
	cr_assert_geq(inotify_add_watch(watch, path, IN_OPEN), 0);
	cr_expect_not(finds_build_id(map));
	cr_expect_gt(read(watch, event, sizeof(event)), 0);
	cr_expect_not(finds_build_id(map));
	cr_expect_lt(read(watch, event, sizeof(event)), 0, "it was opened again");
	munmap(map, 4096);
	close(watch);
	scratch_remove(&scratch);
}

/* An ELF file whose notes are at an offset that no file can have: read() fails. */
static const char *put_unreadable(struct scratch *scratch)
{
	struct {
		Elf64_Ehdr file;
		Elf64_Phdr notes;
	} elf = {
		.file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
			 .e_phoff = sizeof(elf.file),
			 .e_phentsize = sizeof(elf.notes),
			 .e_phnum = 1},
		.notes = {.p_type = PT_NOTE, .p_offset = UINT64_MAX - 4095, .p_filesz = 64},
	};
	static char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/elf", scratch->path);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	cr_assert_eq(fwrite(&elf, sizeof(elf), 1, file), 1);
	fclose(file);
	return path;
}

/* Thousands of maps of it would use up the time that the maps of a process may take. */
static void expect_one_look(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct stat st;

	cr_assert_neq(map, MAP_FAILED);
	cr_assert_eq(fstat(fd, &st), 0);
	close(fd);
	cr_expect_not(finds_build_id(map));
	cr_expect_not_null(ts_build_id_cache_find(&scan->build_ids, major(st.st_dev),
						  minor(st.st_dev), st.st_ino),
			   "%s", path);
	munmap(map, 4096);
}

Test(scan_process, looks_once_at_what_cannot_be_read)
{
	struct scratch scratch;

	scratch_make(&scratch);
	expect_one_look("/dev/zero");
	expect_one_look(put_unreadable(&scratch));
	scratch_remove(&scratch);
}

Test(scan_process, looks_again_for_the_page_of_vsyscall)
{
	struct rlimit before;
	uint64_t addr;

	scan_free(scan);
	options.reads_text = false;
	scan = scan_new(proc_fd, &options, false);
	scan_map((uintptr_t)getpid);
	addr = scan->vsyscall.start;
	if (!scan->asks || !addr)
		cr_skip_test("this machine has no such page, or its maps cannot be asked for");
	scan_free(scan);
	before = leave_descriptors(0);
	scan = scan_new(proc_fd, &options, false);
	cr_assert_not_null(scan);
	setrlimit(RLIMIT_NOFILE, &before);
	before = leave_descriptors(1); /* the maps */
	cr_expect_null(scan_map(addr));
	setrlimit(RLIMIT_NOFILE, &before);
	cr_expect_not_null(scan_map(addr));
}
