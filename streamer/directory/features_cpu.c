// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "common/base/cpus.h"
#include "common/base/text_file.h"
#include "streamer/directory/features_parts.h"

#define PATH_BYTES 160

/* Reads the word in a file of a CPU's folder; false where there is none. */
static bool read_cpu_word(struct ts_bytes *text, unsigned cpu, const char *file)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), FEATURES_SYSTEM "/cpu/cpu%u/%s", cpu, file);
	return !ts_text_file_read_word(text, AT_FDCWD, path) && text->len;
}

/* Available is one more than the highest number, so that every CPU number is below it. */
static void add_count(struct ts_feature_set *set, hwloc_const_bitmap_t present,
		      hwloc_const_bitmap_t online)
{
	struct ts_bytes *out = features_begin(set, TS_FEAT_NRCPUS);

	ts_bytes_u32(out, (uint32_t)(hwloc_bitmap_last(present) + 1));
	ts_bytes_u32(out, (uint32_t)hwloc_bitmap_weight(online));
}

/*
 * Takes the text after "NAME\t: " from a line of /proc/cpuinfo, each run of white space made one
 * space.
 */
static bool take_cpuinfo(const char *line, size_t len, const char *name, char *ret, size_t size)
{
	const char *colon = memchr(line, ':', len), *end = line + len;
	size_t at = 0;

	if (!colon || len < strlen(name) || memcmp(line, name, strlen(name)) != 0)
		return false;
	for (const char *c = colon + 1; c < end && at < size - 1; c++) {
		bool is_space = *c == ' ' || *c == '\t';

		if (!is_space || (at && ret[at - 1] != ' '))
			ret[at++] = is_space ? ' ' : *c;
	}
	while (at && ret[at - 1] == ' ')
		at--;
	ret[at] = '\0';
	return at > 0;
}

/* Stops after the first CPU: the kernel asks each CPU for its frequency when that part is read. */
static void add_description(struct ts_feature_set *set)
{
	struct ts_text_file *file = malloc(sizeof(*file));
	char model[256];
	const char *line;
	size_t len;
	bool found = false;

	if (file && !ts_text_file_open(file, AT_FDCWD, "/proc/cpuinfo")) {
		while (!found && ts_text_file_next(file, &line, &len) > 0)
			found = take_cpuinfo(line, len, "model name", model, sizeof(model)) ||
				take_cpuinfo(line, len, "Model Name", model, sizeof(model)) ||
				take_cpuinfo(line, len, "cpu\t", model, sizeof(model));
		ts_text_file_close(file);
	}
	free(file);
	if (found)
		ts_header_put_string(features_begin(set, TS_FEAT_CPUDESC), model);
}

#if defined(__x86_64__) || defined(__i386__)
static bool read_cpuid(char *ret, size_t size)
{
	unsigned a, vendor[3], ignored, family, model;

	if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]) ||
	    !__get_cpuid(1, &a, &ignored, &ignored, &ignored))
		return false;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	snprintf(ret, size, "%.12s,%u,%u,%u", (const char *)vendor, family, model, a & 0xf);
	return true;
}
#else
/* Arm reports a register; other machines have nothing that perf's readers know. */
static bool read_cpuid(char *ret, size_t size)
{
	struct ts_bytes text = {0};
	bool found = read_cpu_word(&text, 0, "regs/identification/midr_el1");

	if (found)
		snprintf(ret, size, "%s", (char *)text.data);
	ts_bytes_release(&text);
	return found;
}
#endif

static void add_cpuid(struct ts_feature_set *set)
{
	char id[64];

	if (read_cpuid(id, sizeof(id)))
		ts_header_put_string(features_begin(set, TS_FEAT_CPUID), id);
}

/* True if `s` is one of `strings`, which are one behind the other, each with its NUL. */
static bool has_string(const struct ts_bytes *strings, const char *s)
{
	for (size_t at = 0; at < strings->len; at += strlen((char *)strings->data + at) + 1)
		if (!strcmp((char *)strings->data + at, s))
			return true;
	return false;
}

/* Appends the different CPU lists of a topology file as a string list; returns how many. */
static uint32_t put_siblings(struct ts_bytes *out, hwloc_const_bitmap_t online, const char *file,
			     const char *older_file)
{
	struct ts_bytes seen = {0}, lists = {0}, text = {0};
	uint32_t nr = 0;
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, online)
	{
		const char *list;

		if (!read_cpu_word(&text, (unsigned)cpu, file) &&
		    !(older_file && read_cpu_word(&text, (unsigned)cpu, older_file)))
			continue;
		list = (const char *)text.data;
		if (has_string(&seen, list))
			continue;
		ts_bytes_put(&seen, list, text.len + 1);
		ts_header_put_string(&lists, list);
		nr++;
	}
	hwloc_bitmap_foreach_end();
	ts_bytes_u32(out, nr);
	ts_bytes_put(out, lists.data, lists.len);
	out->failed = out->failed || ts_bytes_failed(&seen) || ts_bytes_failed(&lists);
	ts_bytes_release(&seen);
	ts_bytes_release(&lists);
	ts_bytes_release(&text);
	return nr;
}

/* A number of a CPU's topology; -1 where the CPU is offline. */
static uint32_t read_topology(unsigned cpu, const char *file)
{
	struct ts_bytes text = {0};
	uint32_t v = UINT32_MAX;

	if (read_cpu_word(&text, cpu, file))
		v = (uint32_t)strtol((char *)text.data, NULL, 10);
	ts_bytes_release(&text);
	return v;
}

/* perf writes dies only for architectures that have them. */
static bool has_dies(void)
{
	struct utsname uts;

	return !uname(&uts) &&
	       (!strncmp(uts.machine, "x86_64", 6) || !strncmp(uts.machine, "s390x", 5)) &&
	       !access(FEATURES_SYSTEM "/cpu/cpu0/topology/die_cpus_list", R_OK);
}

static void add_topology(struct ts_feature_set *set, unsigned nr_cpus, hwloc_const_bitmap_t online)
{
	struct ts_bytes payload = {0}, *out;

	if (put_siblings(&payload, online, "topology/package_cpus_list",
			 "topology/core_siblings_list")) {
		put_siblings(&payload, online, "topology/core_cpus_list",
			     "topology/thread_siblings_list");
		for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
			ts_bytes_u32(&payload, read_topology(cpu, "topology/core_id"));
			ts_bytes_u32(&payload, read_topology(cpu, "topology/physical_package_id"));
		}
		if (has_dies()) {
			put_siblings(&payload, online, "topology/die_cpus_list", NULL);
			for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
				ts_bytes_u32(&payload, read_topology(cpu, "topology/die_id"));
		}
		out = features_begin(set, TS_FEAT_CPU_TOPOLOGY);
		ts_bytes_put(out, payload.data, payload.len);
		out->failed = out->failed || ts_bytes_failed(&payload);
	}
	ts_bytes_release(&payload);
}

/* A packed cache; its level is kept because caches are written by level. */
struct cache_level {
	uint32_t level;
	size_t start, len; /* in the bytes of all */
};

struct caches {
	struct ts_bytes packed;
	struct ts_bytes levels; /* struct cache_level */
};

static uint32_t read_cache_number(unsigned cpu, unsigned index, const char *file)
{
	char path[PATH_BYTES];
	uint64_t v = 0;

	snprintf(path, sizeof(path), FEATURES_SYSTEM "/cpu/cpu%u/cache/index%u/%s", cpu, index,
		 file);
	return ts_text_file_read_u64(&v, AT_FDCWD, path) ? 0 : (uint32_t)v;
}

static bool read_cache_word(struct ts_bytes *text, unsigned cpu, unsigned index, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "cache/index%u/%s", index, file);
	return read_cpu_word(text, cpu, path);
}

/* Packs cache `index` of a CPU, unless a lower CPU that shares it did so; false: there is none. */
static bool take_cache(struct caches *c, unsigned cpu, unsigned index)
{
	static const char *const numbers[] = {"coherency_line_size", "number_of_sets",
					      "ways_of_associativity"};
	struct cache_level l = {.start = c->packed.len};
	struct ts_bytes shared = {0}, text = {0};

	if (!read_cache_word(&shared, cpu, index, "shared_cpu_list"))
		return false;
	if (strtoul((char *)shared.data, NULL, 10) == cpu) {
		l.level = read_cache_number(cpu, index, "level");
		ts_bytes_u32(&c->packed, l.level);
		for (size_t i = 0; i < 3; i++)
			ts_bytes_u32(&c->packed, read_cache_number(cpu, index, numbers[i]));
		ts_header_put_string(&c->packed, read_cache_word(&text, cpu, index, "type")
							 ? (char *)text.data
							 : "");
		ts_header_put_string(&c->packed, read_cache_word(&text, cpu, index, "size")
							 ? (char *)text.data
							 : "");
		ts_header_put_string(&c->packed, (char *)shared.data);
		l.len = c->packed.len - l.start;
		ts_bytes_put(&c->levels, &l, sizeof(l));
	}
	ts_bytes_release(&shared);
	ts_bytes_release(&text);
	return true;
}

static void put_caches(struct ts_bytes *out, const struct caches *c)
{
	const struct cache_level *l = (const void *)c->levels.data;
	size_t nr = c->levels.len / sizeof(*l);

	ts_bytes_u32(out, 1); /* version */
	ts_bytes_u32(out, (uint32_t)nr);
	for (uint32_t level = 0, seen = 0; seen < nr; level++)
		for (size_t i = 0; i < nr; i++) {
			if (l[i].level != level)
				continue;
			ts_bytes_put(out, c->packed.data + l[i].start, l[i].len);
			seen++;
		}
	out->failed = out->failed || ts_bytes_failed(&c->packed) || ts_bytes_failed(&c->levels);
}

static void add_caches(struct ts_feature_set *set, hwloc_const_bitmap_t online)
{
	struct caches c = {0};
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, online)
	{
		for (unsigned index = 0; take_cache(&c, (unsigned)cpu, index); index++)
			;
	}
	hwloc_bitmap_foreach_end();
	if (c.levels.len)
		put_caches(features_begin(set, TS_FEAT_CACHE), &c);
	ts_bytes_release(&c.packed);
	ts_bytes_release(&c.levels);
}

void features_add_cpus(struct ts_feature_set *set)
{
	hwloc_bitmap_t present = hwloc_bitmap_alloc(), online = hwloc_bitmap_alloc();
	struct ts_error unknown;

	if (present && online && !ts_cpus_present(present, &unknown) &&
	    !ts_cpus_online(online, &unknown)) {
		add_count(set, present, online);
		add_topology(set, (unsigned)(hwloc_bitmap_last(present) + 1), online);
		add_caches(set, online);
	}
	hwloc_bitmap_free(present);
	hwloc_bitmap_free(online);
	add_description(set);
	add_cpuid(set);
}
