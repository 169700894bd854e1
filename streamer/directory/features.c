// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/features.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/text_file.h"
#include "common/perf/inflate.h"
#include "streamer/directory/features_parts.h"
#include "streamer/machine/kmodules.h"

#define PMUS_FOLDER "/sys/bus/event_source/devices"

static void add_names(struct ts_feature_set *set, const char *version)
{
	struct utsname uts;

	if (!uname(&uts)) {
		ts_header_put_string(features_begin(set, TS_FEAT_HOSTNAME), uts.nodename);
		ts_header_put_string(features_begin(set, TS_FEAT_OSRELEASE), uts.release);
		ts_header_put_string(features_begin(set, TS_FEAT_ARCH), uts.machine);
	}
	ts_header_put_string(features_begin(set, TS_FEAT_VERSION), version);
}

/* The program's own file first, as perf does, then the words. */
static void add_command_line(struct ts_feature_set *set, const struct features_facts *facts)
{
	struct ts_bytes *out = features_begin(set, TS_FEAT_CMDLINE);
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[len < 0 ? 0 : len] = '\0';
	ts_bytes_u32(out, (uint32_t)facts->nr_words + 1);
	ts_header_put_string(out, len < 0 ? "tstream" : exe);
	for (size_t i = 0; i < facts->nr_words; i++)
		ts_header_put_string(out, facts->words[i]);
}

static void add_pmus(struct ts_feature_set *set)
{
	struct ts_bytes pmus = {0}, *out;
	DIR *dir = opendir(PMUS_FOLDER);
	struct dirent *entry;
	uint32_t nr = 0;

	while (dir && (entry = readdir(dir))) {
		char path[sizeof(entry->d_name) + 8];
		uint64_t type;

		snprintf(path, sizeof(path), "%s/type", entry->d_name);
		if (entry->d_name[0] == '.' || ts_text_file_read_u64(&type, dirfd(dir), path))
			continue;
		ts_bytes_u32(&pmus, (uint32_t)type);
		ts_header_put_string(&pmus, entry->d_name);
		nr++;
	}
	if (dir)
		closedir(dir);
	if (nr) {
		out = features_begin(set, TS_FEAT_PMU_MAPPINGS);
		ts_bytes_u32(out, nr);
		ts_bytes_put(out, pmus.data, pmus.len);
		out->failed = out->failed || ts_bytes_failed(&pmus);
	}
	ts_bytes_release(&pmus);
}

/* -ENOMEM if a payload could not be finished. */
static int check_memory(const struct ts_feature_set *set, struct ts_error *err)
{
	for (size_t i = 0; i < TS_PERF_FEATURE_BITS; i++)
		if (ts_bytes_failed(&set->payload[i]))
			return ts_error_set(err, ENOMEM,
					    "cannot describe this machine: out of memory");
	return 0;
}

int features_collect(struct ts_feature_set *set, const struct features_facts *facts,
		     struct ts_error *err)
{
	add_names(set, facts->version);
	add_command_line(set, facts);
	add_pmus(set);
	features_add_cpus(set);
	features_add_memory(set);
	features_set_sample_time(set, 0, 0);
	ts_bytes_u64(features_begin(set, TS_FEAT_DIR_FORMAT), 1);
	return check_memory(set, err);
}

void features_set_sample_time(struct ts_feature_set *set, uint64_t first_ns, uint64_t last_ns)
{
	struct ts_bytes *out = features_begin(set, TS_FEAT_SAMPLE_TIME);

	ts_bytes_u64(out, first_ns);
	ts_bytes_u64(out, last_ns);
}

/* Reads the wall clock between two readings of `clock`, 8 times, and takes the closest two. */
static void read_clocks(clockid_t clock, uint64_t *ret_wall_ns, uint64_t *ret_clock_ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = ts_clock_ns(clock);
		uint64_t wall = ts_clock_ns(CLOCK_REALTIME);
		uint64_t span = ts_clock_ns(clock) - before;

		if (span >= best)
			continue;
		best = span;
		*ret_wall_ns = wall;
		*ret_clock_ns = before + span / 2;
	}
}

int features_set_clock(struct ts_feature_set *set, clockid_t clock, struct ts_error *err)
{
	uint64_t resolution = ts_clock_resolution_ns(clock), wall_ns = 0, clock_ns = 0;
	struct ts_bytes *out;

	if (!resolution)
		return ts_error_set(err, EINVAL,
				    "cannot describe clock %d: this kernel does not know it",
				    clock);
	ts_bytes_u64(features_begin(set, TS_FEAT_CLOCKID), resolution);
	read_clocks(clock, &wall_ns, &clock_ns);
	out = features_begin(set, TS_FEAT_CLOCK_DATA);
	ts_bytes_u32(out, 1); /* version */
	ts_bytes_u32(out, (uint32_t)clock);
	ts_bytes_u64(out, wall_ns);
	ts_bytes_u64(out, clock_ns);
	return check_memory(set, err);
}

void features_set_compressed(struct ts_feature_set *set, int level, uint64_t raw_bytes,
			     uint64_t disk_bytes)
{
	struct ts_bytes *out = features_begin(set, TS_FEAT_COMPRESSED);
	uint64_t ratio = disk_bytes ? (raw_bytes + disk_bytes / 2) / disk_bytes : 0;

	ts_bytes_u32(out, 0); /* version */
	ts_bytes_u32(out, 1); /* zstd */
	ts_bytes_u32(out, (uint32_t)level);
	ts_bytes_u32(out, ratio > UINT32_MAX ? UINT32_MAX : (uint32_t)ratio);
	ts_bytes_u32(out, TS_COMPRESS_MMAP_LEN);
}

static int put_modules(struct ts_bytes *out, struct ts_error *err)
{
	struct kmodules modules;
	int failed = kmodules_load_running(&modules, err);

	if (failed)
		return failed;
	for (size_t i = 0; i < modules.nr; i++) {
		char path[512];
		struct ts_build_id id;

		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
			 modules.items[i].name);
		if (ts_build_id_of_notes_file(path, &id))
			ts_header_put_build_id(out, PERF_RECORD_MISC_KERNEL, &id,
					       modules.items[i].path);
	}
	kmodules_release(&modules);
	return 0;
}

void features_put_build_id(struct ts_bytes *files, const struct ts_build_id *id, const char *path)
{
	ts_header_put_build_id(files, PERF_RECORD_MISC_USER, id, path);
}

int features_set_build_ids(struct ts_feature_set *set, bool sees_kernel,
			   const struct ts_bytes *files, struct ts_error *err)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct ts_bytes *out = features_begin(set, TS_FEAT_BUILD_ID);
	struct ts_build_id id;
	int failed = 0;

	if (sees_kernel) {
		if (ts_build_id_of_notes_file("/sys/kernel/notes", &id))
			ts_header_put_build_id(out, PERF_RECORD_MISC_KERNEL, &id,
					       "[kernel.kallsyms]");
		failed = put_modules(out, err);
	}
	/* only its first page is surely there, and has its headers and notes */
	if (vdso && ts_build_id_of_image(vdso, (size_t)sysconf(_SC_PAGESIZE), &id))
		ts_header_put_build_id(out, PERF_RECORD_MISC_USER, &id, "[vdso]");
	if (files)
		ts_bytes_put(out, files->data, files->len);
	set->present[TS_FEAT_BUILD_ID] = out->len > 0;
	return failed ? failed : check_memory(set, err);
}
