// SPDX-License-Identifier: Apache-2.0
/*
 * Each feature that is printed has a function; the functions are called in the order of the feature
 * bits. A payload that ends too early is printed as far as it goes.
 */
#include "reader/dump/print_header.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/min_max.h"
#include "reader/dump/print_attr.h"
#include "reader/runtime/text.h"

#define LAST_KNOWN_FEATURE TS_FEAT_PMU_CAPS
#define NSEC_PER_SEC	   1000000000u

static void put_u32(struct ts_cursor c, const char *title, struct ts_bytes *out)
{
	uint32_t v;

	if (ts_cursor_u32(&c, &v))
		ts_bytes_printf(out, "# %s : %" PRIu32 "\n", title, v);
}

static void put_string(struct ts_cursor c, const char *title, struct ts_bytes *out)
{
	const char *text;

	if (!ts_cursor_string(&c, &text))
		return;
	ts_bytes_printf(out, "# %s : ", title);
	text_name(out, text, 0);
	text_char(out, '\n');
}

static void put_nrcpus(struct ts_cursor c, struct ts_bytes *out)
{
	struct ts_cursor online = c;
	uint32_t available;

	if (!ts_cursor_u32(&online, &available))
		return;
	put_u32(online, "nrcpus online", out);
	put_u32(c, "nrcpus avail", out);
}

static void put_total_mem(struct ts_cursor c, struct ts_bytes *out)
{
	uint64_t kib;

	if (ts_cursor_u64(&c, &kib))
		ts_bytes_printf(out, "# total memory : %" PRIu64 " kB\n", kib);
}

static void put_cmdline(struct ts_cursor c, struct ts_bytes *out)
{
	const char *word;
	uint32_t nr;

	if (!ts_cursor_u32(&c, &nr))
		return;
	text_put(out, "# cmdline : ");
	for (; nr && ts_cursor_string(&c, &word); nr--) {
		for (; *word; word++) {
			if (*word == '\'')
				text_put(out, "\\'");
			else
				text_name_n(out, word, 1);
		}
		text_char(out, ' ');
	}
	text_char(out, '\n');
}

static void put_event(const struct ts_event *event, struct ts_bytes *out)
{
	text_put(out, "# event : name = ");
	text_name(out, event->name, 0);
	text_put(out, ", ");
	for (size_t i = 0; i < event->nr_ids; i++)
		ts_bytes_printf(out, "%s %" PRIu64, i ? "," : ", id = {", event->ids[i]);
	text_put(out, event->nr_ids ? " }" : "");
	print_attr(&event->attr, out);
	text_char(out, '\n');
}

static void put_pmu_mappings(struct ts_cursor c, struct ts_bytes *out)
{
	const char *name, *between = "";
	uint32_t nr, type;

	if (!ts_cursor_u32(&c, &nr))
		return;
	text_put(out, nr ? "# pmu mappings: " : "# pmu mappings: not available");
	for (; nr && ts_cursor_u32(&c, &type) && ts_cursor_string(&c, &name); nr--) {
		text_put(out, between);
		text_name(out, name, 0);
		ts_bytes_printf(out, " = %" PRIu32, type);
		between = ", ";
	}
	text_char(out, '\n');
}

static void put_group(const struct ts_events *events, const char *name, uint32_t leader,
		      uint64_t nr_members, struct ts_bytes *out)
{
	text_put(out, "# group: ");
	if (strcmp(name, "{anon_group}") != 0)
		text_name(out, name, 0);
	for (uint64_t i = 0; i < nr_members && leader < events->nr; i++, leader++) {
		text_char(out, i ? ',' : '{');
		text_name(out, events->items[leader].name, 0);
	}
	text_put(out, "}\n");
}

/* An event is in one group only, so all groups together have as many members as there are events. */
static void put_groups(const struct ts_events *events, struct ts_cursor c, struct ts_bytes *out)
{
	uint64_t left = events->nr, members;
	uint32_t nr, leader, nr_members;
	const char *name;

	if (!ts_cursor_u32(&c, &nr))
		return;
	for (; nr && ts_cursor_string(&c, &name) && ts_cursor_u32(&c, &leader) &&
	       ts_cursor_u32(&c, &nr_members);
	     nr--) {
		members = ts_min(left, (uint64_t)nr_members);
		put_group(events, name, leader, members, out);
		left -= members;
	}
}

static void put_time(const char *title, uint64_t ns, struct ts_bytes *out)
{
	ts_bytes_printf(out, "# %s : %" PRIu64 ".%06" PRIu64 "\n", title, ns / NSEC_PER_SEC,
			ns % NSEC_PER_SEC / 1000);
}

static void put_sample_time(struct ts_cursor c, struct ts_bytes *out)
{
	uint64_t first, last;

	if (!ts_cursor_u64(&c, &first) || !ts_cursor_u64(&c, &last))
		return;
	put_time("time of first sample", first, out);
	put_time("time of last sample", last, out);
	ts_bytes_printf(out, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void put_clockid(struct ts_cursor c, struct ts_bytes *out)
{
	uint64_t resolution;

	if (ts_cursor_u64(&c, &resolution))
		ts_bytes_printf(out, "# clockid frequency: %" PRIu64 " MHz\n", resolution * 1000);
}

static void put_dir_format(struct ts_cursor c, struct ts_bytes *out)
{
	uint64_t version;

	if (ts_cursor_u64(&c, &version))
		ts_bytes_printf(out, "# directory data version : %" PRIu64 "\n", version);
}

static void put_compressed(struct ts_cursor c, struct ts_bytes *out)
{
	uint32_t version, type, level, ratio;

	if (ts_cursor_u32(&c, &version) && ts_cursor_u32(&c, &type) && ts_cursor_u32(&c, &level) &&
	    ts_cursor_u32(&c, &ratio))
		ts_bytes_printf(out,
				"# compressed : %s, level = %" PRId32 ", ratio = %" PRIu32 "\n",
				type == 1 ? "Zstd" : "Unknown", (int32_t)level, ratio);
}

static const char *clock_name(uint32_t clock)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_PROCESS_CPUTIME_ID] = "process_cputime_id",
		[CLOCK_THREAD_CPUTIME_ID] = "thread_cputime_id",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_REALTIME_COARSE] = "realtime_coarse",
		[CLOCK_MONOTONIC_COARSE] = "monotonic_coarse",
		[CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return clock < sizeof(names) / sizeof(*names) && names[clock] ? names[clock]
								      : "(not found)";
}

static void put_clock_data(struct ts_cursor c, struct ts_bytes *out)
{
	uint64_t wall_ns, clock_ns;
	uint32_t version, clock;
	char text[64] = "";
	struct tm tm;
	time_t seconds;

	if (!ts_cursor_u32(&c, &version) || !ts_cursor_u32(&c, &clock) ||
	    !ts_cursor_u64(&c, &wall_ns) || !ts_cursor_u64(&c, &clock_ns))
		return;
	seconds = (time_t)(wall_ns / NSEC_PER_SEC);
	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%F %T", &tm);
	ts_bytes_printf(out, "# clockid: %s (%" PRIu32 ")\n", clock_name(clock), clock);
	ts_bytes_printf(out,
			"# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64
			" (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
			text, wall_ns % NSEC_PER_SEC / 1000, wall_ns / NSEC_PER_SEC,
			wall_ns % NSEC_PER_SEC / 1000, clock_ns / NSEC_PER_SEC,
			clock_ns % NSEC_PER_SEC, clock_name(clock));
}

static void put_feature(const struct capture *capture, enum ts_feature bit, struct ts_bytes *out)
{
	const struct ts_events *events = &capture->header.events;
	struct ts_cursor c = ts_header_feature_cursor(&capture->header, bit);

	switch (bit) {
	case TS_FEAT_HOSTNAME:
		return put_string(c, "hostname", out);
	case TS_FEAT_OSRELEASE:
		return put_string(c, "os release", out);
	case TS_FEAT_VERSION:
		return put_string(c, "perf version", out);
	case TS_FEAT_ARCH:
		return put_string(c, "arch", out);
	case TS_FEAT_NRCPUS:
		return put_nrcpus(c, out);
	case TS_FEAT_CPUDESC:
		return put_string(c, "cpudesc", out);
	case TS_FEAT_CPUID:
		return put_string(c, "cpuid", out);
	case TS_FEAT_TOTAL_MEM:
		return put_total_mem(c, out);
	case TS_FEAT_CMDLINE:
		return put_cmdline(c, out);
	case TS_FEAT_EVENT_DESC:
		for (size_t i = 0; i < events->nr; i++)
			put_event(&events->items[i], out);
		return;
	case TS_FEAT_CPU_TOPOLOGY:
	case TS_FEAT_NUMA_TOPOLOGY:
	case TS_FEAT_CACHE:
	case TS_FEAT_MEM_TOPOLOGY:
		ts_bytes_printf(out, "# %s info available, use -I to display\n",
				ts_header_feature_name(bit));
		return;
	case TS_FEAT_BRANCH_STACK:
		return text_put(out, "# contains samples with branch stack\n");
	case TS_FEAT_PMU_MAPPINGS:
		return put_pmu_mappings(c, out);
	case TS_FEAT_GROUP_DESC:
		return put_groups(events, c, out);
	case TS_FEAT_AUXTRACE:
		return text_put(out, "# contains AUX area data (e.g. instruction trace)\n");
	case TS_FEAT_STAT:
		return text_put(out, "# contains stat data\n");
	case TS_FEAT_SAMPLE_TIME:
		return put_sample_time(c, out);
	case TS_FEAT_CLOCKID:
		return put_clockid(c, out);
	case TS_FEAT_DIR_FORMAT:
		return put_dir_format(c, out);
	case TS_FEAT_COMPRESSED:
		return put_compressed(c, out);
	case TS_FEAT_CLOCK_DATA:
		return put_clock_data(c, out);
	default:
		return;
	}
}

static void put_file(const struct capture *capture, struct ts_bytes *out)
{
	const struct ts_header *h = &capture->header;
	char text[32];
	struct stat st;

	if (!stat(capture->streams[0].path, &st) && ctime_r(&st.st_ctime, text))
		ts_bytes_printf(out, "# captured on    : %s", text);
	ts_bytes_printf(out, "# header version : 1\n");
	ts_bytes_printf(out, "# data offset    : %" PRIu64 "\n", h->data_offset);
	ts_bytes_printf(out, "# data size      : %" PRIu64 "\n", h->data_size);
	ts_bytes_printf(out, "# feat offset    : %" PRIu64 "\n", h->data_offset + h->data_size);
}

void print_header(const struct capture *capture, struct ts_bytes *out)
{
	const struct ts_feature_section *features = capture->header.features;

	text_put(out, "# ========\n");
	put_file(capture, out);
	for (int bit = 1; bit <= LAST_KNOWN_FEATURE; bit++)
		if (features[bit].data)
			put_feature(capture, (enum ts_feature)bit, out);
	text_put(out, "# missing features: ");
	for (int bit = 1; bit <= LAST_KNOWN_FEATURE; bit++)
		if (!features[bit].data)
			ts_bytes_printf(out, "%s ", ts_header_feature_name(bit));
	text_put(out, "\n# ========\n#\n");
}
