// SPDX-License-Identifier: Apache-2.0
/*
 * A parser finds the feature table only through data.size. perf writes this size at its end. A
 * killed perf leaves 0 there, all feature bits set, and records in the place of the table.
 */
#include "common/base/min_max.h"
#include "common/perf/header.h"
#include "common/perf/header_pipe.h"
#include "common/perf/section_form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/record_type.h"

struct ts_cursor ts_header_feature_cursor(const struct ts_header *h, enum ts_feature bit)
{
	return (struct ts_cursor){h->features[bit].data, h->features[bit].size};
}

/* --- parsing --- */

struct file {
	const uint8_t *base;
	uint64_t len;
	const char *path;
	struct ts_file_header h; /* features are all zero if the file has no bitmap */
};

static bool in_file(const struct file *f, uint64_t offset, uint64_t size)
{
	return offset <= f->len && size <= f->len - offset;
}

static int refuse_file(const struct file *f, const char *reason, struct ts_error *err)
{
	return ts_error_set(err, EINVAL, "cannot read %s: %s", f->path, reason);
}

static int refuse_magic(const struct file *f, uint64_t magic, struct ts_error *err)
{
	if (magic == TS_PERF_MAGIC_SWAPPED)
		return refuse_file(f, "it was recorded on a machine of the other byte order", err);
	if (!memcmp(&magic, "PERFFILE", sizeof(magic)))
		return refuse_file(f, "it has the file format that perf used before Linux 2.6.36",
				   err);
	return refuse_file(f, "it is no perf.data file", err);
}

static int refuse_size(const struct file *f, uint64_t size, struct ts_error *err)
{
	return ts_error_set(err, EINVAL,
			    "cannot read %s: its header has %llu bytes, known are %zu and %zu",
			    f->path, (unsigned long long)size,
			    offsetof(struct ts_file_header, features), sizeof(f->h));
}

static int parse_file_header(struct file *f, struct ts_error *err)
{
	size_t without_bitmap = offsetof(struct ts_file_header, features);
	uint64_t start[2];

	if (!in_file(f, 0, sizeof(start)))
		return refuse_file(f, f->len ? "it is no perf.data file" : "it is empty", err);
	memcpy(start, f->base, sizeof(start));
	if (start[0] != TS_PERF_MAGIC)
		return refuse_magic(f, start[0], err);
	if (start[1] == TS_PIPE_HEADER_BYTES) {
		memcpy(&f->h, f->base, sizeof(start));
		return 0;
	}
	if (start[1] != without_bitmap && (start[1] < sizeof(f->h) || start[1] % 8))
		return refuse_size(f, start[1], err);
	if (!in_file(f, 0, start[1]))
		return refuse_file(f, "it ends within its header", err);
	memcpy(&f->h, f->base, ts_min(start[1], sizeof(f->h)));
	/*
	 * In a longer header of a newer perf everything lies behind the header; otherwise the size
	 * is damaged.
	 */
	if (start[1] > sizeof(f->h) && ts_min(f->h.attrs.offset, f->h.data.offset) < start[1])
		return refuse_size(f, start[1], err);
	return 0;
}

/* The size that the attr of an entry gives for itself; 0 if that size is impossible. */
static size_t attr_bytes(const uint8_t *entry, size_t room)
{
	uint32_t size = ts_record_load_u32(entry + offsetof(struct perf_event_attr, size));

	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	return size < PERF_ATTR_SIZE_VER0 || size > room ? 0 : size;
}

static int refuse_event(const struct file *f, uint64_t nr, const char *reason, struct ts_error *err)
{
	return ts_error_set(err, EINVAL, "cannot read %s: %s of event %llu", f->path, reason,
			    (unsigned long long)nr);
}

/*
 * Reads attr entry `nr`. *ids_left limits the ids of all events together to the length of the file.
 * Without it, entries that all claim the same ids would cost the square of that length in memory.
 */
static int parse_event(const struct file *f, uint64_t nr, uint64_t *ids_left, struct ts_header *h,
		       struct ts_error *err)
{
	const uint8_t *entry = f->base + f->h.attrs.offset + nr * f->h.attr_size;
	size_t room = f->h.attr_size - sizeof(struct ts_file_section);
	size_t size = attr_bytes(entry, room);
	struct perf_event_attr attr = {0};
	struct ts_file_section ids;

	if (!size)
		return refuse_event(f, nr, "the attr size does not fit the entry", err);
	memcpy(&attr, entry, size < sizeof(attr) ? size : sizeof(attr));
	attr.size = (uint32_t)size;
	h->nr_newer_attrs += ts_header_attr_is_newer(entry, size);
	memcpy(&ids, entry + room, sizeof(ids));
	if (ids.size && ids.offset < f->h.size && f->h.size > sizeof(f->h))
		return refuse_size(f, f->h.size, err);
	if (!in_file(f, ids.offset, ids.size) || ids.size > *ids_left)
		return refuse_event(f, nr, "the file does not hold the ids", err);
	*ids_left -= ids.size;
	return ts_events_add(&h->events, &attr, NULL, f->base + ids.offset,
			     ids.size / sizeof(uint64_t), err);
}

static int parse_events(const struct file *f, struct ts_header *h, struct ts_error *err)
{
	uint64_t nr, ids_left = f->len;
	int ret;

	if (f->h.attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct ts_file_section))
		return refuse_file(f, "the size of its event entries is too small", err);
	if (!in_file(f, f->h.attrs.offset, f->h.attrs.size))
		return refuse_file(f, "it ends within its events", err);
	nr = f->h.attrs.size / f->h.attr_size;
	if (!nr)
		return refuse_file(f, "it has no events", err);
	for (uint64_t i = 0; i < nr; i++) {
		ret = parse_event(f, i, &ids_left, h, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int index_events(const struct file *f, struct ts_events *evs, struct ts_error *err)
{
	struct ts_error why;
	int ret = ts_events_index(evs, &why);

	if (ret)
		return ts_error_set(err, -ret, "cannot read %s: %s", f->path, why.text);
	return 0;
}

static void parse_data(const struct file *f, struct ts_header *ret)
{
	uint64_t there = f->h.data.offset < f->len ? f->len - f->h.data.offset : 0;

	ret->data_offset = ts_min(f->h.data.offset, f->len);
	ret->data_unfinished = f->h.data.size == 0;
	ret->data_cut = f->h.data.size > there;
	ret->data_size = ret->data_unfinished || ret->data_cut ? there : f->h.data.size;
}

/* Finds the sections; the table has one entry for each set bit. */
static void parse_feature_table(const struct file *f, struct ts_header *ret)
{
	uint64_t at = ret->data_offset + ret->data_size;

	for (size_t bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		struct ts_file_section section;

		if (!(f->h.features[bit / 64] & 1ULL << bit % 64))
			continue;
		if (!in_file(f, at, sizeof(section))) {
			ret->nr_bad_features++;
			continue;
		}
		memcpy(&section, f->base + at, sizeof(section));
		at += sizeof(section);
		if (in_file(f, section.offset, section.size))
			ret->features[bit] =
				(struct ts_feature_section){f->base + section.offset, section.size};
		else
			ret->nr_bad_features++;
	}
}

/*
 * Finds the event that a description belongs to: the event with its ids, otherwise the event at its
 * place.
 */
static struct ts_event *described_event(struct ts_events *evs, uint32_t place, const uint8_t *ids,
					uint32_t nr_ids)
{
	uint32_t found = nr_ids ? ts_events_find(evs, ts_record_load_u64(ids)) : place;

	if (found == TS_NO_EVENT && place < evs->nr && !evs->items[place].nr_ids)
		found = place;
	return found < evs->nr ? &evs->items[found] : NULL;
}

/* Reads one description of EVENT_DESC; 0, -EINVAL if it is malformed, -ENOMEM. */
static int name_event(struct ts_cursor *c, uint32_t place, uint32_t attr_bytes_each,
		      struct ts_events *evs)
{
	const uint8_t *attr, *ids;
	struct ts_event *ev;
	const char *name;
	uint32_t nr_ids;
	char *copy;

	if (!ts_cursor_bytes(c, attr_bytes_each, &attr) || !ts_cursor_u32(c, &nr_ids) ||
	    !ts_cursor_string(c, &name) || !ts_cursor_bytes(c, sizeof(uint64_t) * nr_ids, &ids))
		return -EINVAL;
	ev = described_event(evs, place, ids, nr_ids);
	if (!ev || !*name)
		return 0;
	copy = strndup(name, TS_RECORD_NAME_MAX - 1);
	if (!copy)
		return -ENOMEM;
	free(ev->name);
	ev->name = copy;
	return 0;
}

static int parse_event_desc(struct ts_header *h)
{
	struct ts_cursor c = ts_header_feature_cursor(h, TS_FEAT_EVENT_DESC);
	uint32_t nr, attr_size;
	int ret = 0;

	if (!c.at)
		return 0;
	if (!ts_cursor_u32(&c, &nr) || !ts_cursor_u32(&c, &attr_size))
		return -EINVAL;
	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = name_event(&c, i, attr_size, &h->events);
	return ret;
}

/* Reads the number at a fixed place of NRCPUS or COMPRESSED. */
static uint32_t number_at(const struct ts_header *h, enum ts_feature bit, size_t offset)
{
	struct ts_cursor c = ts_header_feature_cursor(h, bit);
	const uint8_t *before;
	uint32_t value;

	return ts_cursor_bytes(&c, offset, &before) && ts_cursor_u32(&c, &value) ? value : 0;
}

bool ts_header_feature_is_sound(const struct ts_header *h, unsigned int bit)
{
	struct ts_cursor c = ts_header_feature_cursor(h, (enum ts_feature)bit);

	return c.at && ts_section_form(bit, c, &h->events) == TS_SECTION_SOUND;
}

static void count_damaged(struct ts_header *h)
{
	for (unsigned int bit = 0; bit < TS_PERF_FEATURE_BITS; bit++)
		h->nr_bad_features += h->features[bit].data && !ts_header_feature_is_sound(h, bit);
}

static int parse_dir_format(const struct file *f, struct ts_header *h, struct ts_error *err)
{
	struct ts_cursor c = ts_header_feature_cursor(h, TS_FEAT_DIR_FORMAT);
	uint64_t version;

	if (!ts_cursor_u64(&c, &version))
		return 0;
	h->is_directory = version == 1;
	if (version > 1)
		return ts_error_set(err, EINVAL,
				    "cannot read %s: version %llu of the directory format is "
				    "unknown, known is 1",
				    f->path, (unsigned long long)version);
	return 0;
}

static int parse_features(const struct file *f, struct ts_header *ret, struct ts_error *err)
{
	if (ret->data_unfinished && !ret->is_pipe)
		return 0;
	if (!ret->is_pipe)
		parse_feature_table(f, ret);
	if (parse_event_desc(ret) == -ENOMEM)
		return ts_error_sys(err, ENOMEM, "cannot read %s", f->path);
	count_damaged(ret);
	ret->nr_cpus_avail = number_at(ret, TS_FEAT_NRCPUS, 0);
	ret->compressed_mmap_len = number_at(ret, TS_FEAT_COMPRESSED, 16);
	return parse_dir_format(f, ret, err);
}

/*
 * Reads the attrs and finds the records. The records of a pipe hold everything, so its features are
 * read here, too.
 */
static int parse_parts(const struct file *f, struct ts_header *h, struct ts_error *err)
{
	int failed;

	if (f->h.size == TS_PIPE_HEADER_BYTES) {
		failed = ts_header_pipe_collect(f->base, f->len, h);
		if (failed)
			return ts_error_sys(err, -failed, "cannot read %s", f->path);
		if (!h->events.nr)
			return refuse_file(f, "it was written to a pipe and has no events", err);
	} else {
		failed = parse_events(f, h, err);
		if (failed)
			return failed;
		parse_data(f, h);
	}
	return index_events(f, &h->events, err);
}

int ts_header_parse(const void *base, size_t len, const char *path, struct ts_header *ret,
		    struct ts_error *err)
{
	struct file f = {.base = base, .len = len, .path = path};
	struct ts_header h = {0};
	int failed;

	failed = parse_file_header(&f, err);
	if (failed)
		return failed;
	failed = parse_parts(&f, &h, err);
	if (!failed)
		failed = parse_features(&f, &h, err);
	if (!failed && h.is_pipe && ts_header_pipe_name_events(base, len, &h.events))
		failed = ts_error_sys(err, ENOMEM, "cannot read %s", path);
	if (failed) {
		ts_header_release(&h);
		return failed;
	}
	*ret = h;
	return 0;
}

void ts_header_release(struct ts_header *h)
{
	ts_events_release(&h->events);
	ts_bytes_release(&h->build_ids);
	*h = (struct ts_header){0};
}

static const char *const feature_names[] = {
	[TS_FEAT_TRACING_DATA] = "TRACING_DATA",
	[TS_FEAT_BUILD_ID] = "BUILD_ID",
	[TS_FEAT_HOSTNAME] = "HOSTNAME",
	[TS_FEAT_OSRELEASE] = "OSRELEASE",
	[TS_FEAT_VERSION] = "VERSION",
	[TS_FEAT_ARCH] = "ARCH",
	[TS_FEAT_NRCPUS] = "NRCPUS",
	[TS_FEAT_CPUDESC] = "CPUDESC",
	[TS_FEAT_CPUID] = "CPUID",
	[TS_FEAT_TOTAL_MEM] = "TOTAL_MEM",
	[TS_FEAT_CMDLINE] = "CMDLINE",
	[TS_FEAT_EVENT_DESC] = "EVENT_DESC",
	[TS_FEAT_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[TS_FEAT_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[TS_FEAT_BRANCH_STACK] = "BRANCH_STACK",
	[TS_FEAT_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[TS_FEAT_GROUP_DESC] = "GROUP_DESC",
	[TS_FEAT_AUXTRACE] = "AUXTRACE",
	[TS_FEAT_STAT] = "STAT",
	[TS_FEAT_CACHE] = "CACHE",
	[TS_FEAT_SAMPLE_TIME] = "SAMPLE_TIME",
	[TS_FEAT_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[TS_FEAT_CLOCKID] = "CLOCKID",
	[TS_FEAT_DIR_FORMAT] = "DIR_FORMAT",
	[TS_FEAT_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[TS_FEAT_BPF_BTF] = "BPF_BTF",
	[TS_FEAT_COMPRESSED] = "COMPRESSED",
	[TS_FEAT_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[TS_FEAT_CLOCK_DATA] = "CLOCK_DATA",
	[TS_FEAT_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[TS_FEAT_PMU_CAPS] = "PMU_CAPS",
	[TS_FEAT_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[TS_FEAT_E_MACHINE] = "E_MACHINE",
	[TS_FEAT_CLN_SIZE] = "CLN_SIZE",
};

const char *ts_header_feature_name(unsigned int bit)
{
	return bit < sizeof(feature_names) / sizeof(*feature_names) ? feature_names[bit] : NULL;
}
