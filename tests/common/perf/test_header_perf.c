// SPDX-License-Identifier: Apache-2.0
/*
 * perf is the judge: it must read the files that we pack, and we must read the files that it
 * records. Skipped if perf is not installed or may not record.
 */
#include "common/perf/header.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

static struct scratch dir;

static void make_dir(void)
{
	scratch_make(&dir);
}

static void remove_dir(void)
{
	scratch_remove(&dir);
}

/* Runs a command in the folder of the test; returns its status and keeps its output. */
static int run(const char *command, char *out, size_t len)
{
	char line[512];
	size_t got;
	FILE *f;

	snprintf(line, sizeof(line), "cd '%s' && { %s; } 2>&1", dir.path, command);
	f = popen(line, "r");
	cr_assert_not_null(f);
	got = fread(out, 1, len - 1, f);
	out[got] = '\0';
	return pclose(f);
}

static void need(const char *command)
{
	char out[4096];

	if (!run(command, out, sizeof(out)))
		return;
	remove_dir(); /* a skipped test does not reach its end */
	cr_skip_test("this does not run here: %s", command);
}

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	return path;
}

static void write_file(const char *name, const struct ts_bytes *b)
{
	FILE *f = fopen(path_of(name), "w");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(b->data, 1, b->len, f), b->len);
	fclose(f);
}

static struct ts_bytes read_file(const char *name)
{
	FILE *f = fopen(path_of(name), "r");
	struct ts_bytes b = {0};
	char buf[4096];
	size_t got;

	cr_assert_not_null(f, "%s", name);
	while ((got = fread(buf, 1, sizeof(buf), f)) > 0)
		ts_bytes_put(&b, buf, got);
	fclose(f);
	return b;
}

static struct ts_header parsed(const struct ts_bytes *file)
{
	struct ts_error err = {0};
	struct ts_header h;

	cr_assert_eq(ts_header_parse(file->data, file->len, "f", &h, &err), 0, "%s", err.text);
	cr_assert_eq(h.nr_bad_features, 0);
	cr_assert(!h.data_cut);
	return h;
}

/* --- perf reads ours --- */

static void put_header(struct ts_bytes *b, uint32_t type, uint16_t misc, uint16_t size)
{
	struct perf_event_header h = {.type = type, .misc = misc, .size = size};

	ts_bytes_put(b, &h, sizeof(h));
}

static void put_comm(struct ts_bytes *b, uint32_t pid, const char *name)
{
	char comm[16] = {0};

	put_header(b, PERF_RECORD_COMM, 0, 8 + 8 + 16 + 32);
	ts_bytes_u32(b, pid);
	ts_bytes_u32(b, pid);
	memcpy(comm, name, strlen(name));
	ts_bytes_put(b, comm, sizeof(comm));
	ts_bytes_zero(b, 32);
}

static void put_sample(struct ts_bytes *b, uint64_t id, uint64_t time)
{
	put_header(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 56);
	ts_bytes_u64(b, id);
	ts_bytes_u64(b, 0x4242);
	ts_bytes_u32(b, 500);
	ts_bytes_u32(b, 500);
	ts_bytes_u64(b, time);
	ts_bytes_u64(b, 1);
	ts_bytes_u64(b, 1000);
}

static void add_event(struct ts_events *evs, uint64_t config, const char *name, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1000,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	uint64_t ids[] = {id, id + 1};
	struct ts_error err;

	cr_assert_eq(ts_events_add(evs, &attr, name, ids, 2, &err), 0);
}

static void pack_capture(const char *name)
{
	struct ts_bytes records = {0}, file = {0}, *b;
	struct ts_feature_set set = {0};
	struct ts_events evs = {0};
	struct ts_error err;

	add_event(&evs, PERF_COUNT_SW_CPU_CLOCK, "renamed-clock", 1001);
	add_event(&evs, PERF_COUNT_SW_PAGE_FAULTS, NULL, 2001);
	put_comm(&records, 500, "thecomm");
	put_sample(&records, 1002, 1000);
	put_sample(&records, 2001, 2000);
	b = ts_header_feature(&set, TS_FEAT_NRCPUS);
	ts_bytes_u32(b, 2);
	ts_bytes_u32(b, 2);
	ts_header_put_string(ts_header_feature(&set, TS_FEAT_HOSTNAME), "host.example");
	b = ts_header_feature(&set, TS_FEAT_CMDLINE);
	ts_bytes_u32(b, 3);
	ts_header_put_string(b, "/usr/bin/tstream");
	ts_header_put_string(b, "record");
	ts_header_put_string(b, "true");
	cr_assert_eq(ts_header_pack(&evs, records.data, records.len, &set, &file, &err), 0);
	write_file(name, &file);
	ts_bytes_release(&records);
	ts_bytes_release(&file);
	ts_feature_set_release(&set);
	ts_events_release(&evs);
}

TestSuite(header_perf, .init = make_dir, .fini = remove_dir);

Test(header_perf, perf_script_prints_the_samples_of_a_packed_file)
{
	char out[4096];

	need("perf --version");
	pack_capture("ours");
	cr_assert_eq(
		run("perf script -i ours -F comm,tid,cpu,time,event,ip --ns", out, sizeof(out)), 0,
		"%s", out);
	cr_assert_not_null(strstr(out, "thecomm"), "%s", out);
	cr_assert_not_null(strstr(out, " 0.000001000:  renamed-clock: "), "%s", out);
	cr_assert_not_null(strstr(out, " 0.000002000: page-faults:HG: "), "%s", out);
}

Test(header_perf, perf_evlist_lists_the_events_of_a_packed_file)
{
	char out[4096];

	need("perf --version");
	pack_capture("ours");
	cr_assert_eq(run("perf evlist -v -i ours", out, sizeof(out)), 0, "%s", out);
	cr_assert_not_null(strstr(out, "renamed-clock: type: 1, size: 120"), "%s", out);
	cr_assert_not_null(strstr(out, "page-faults:HG: type: 1, size: 120, config: 0x2"), "%s",
			   out);
}

Test(header_perf, perf_report_shows_the_features_of_a_packed_file)
{
	char out[8192];

	need("perf --version");
	pack_capture("ours");
	cr_assert_eq(run("perf report --header-only -i ours", out, sizeof(out)), 0, "%s", out);
	cr_assert_not_null(strstr(out, "hostname : host.example"), "%s", out);
	cr_assert_not_null(strstr(out, "nrcpus avail : 2"), "%s", out);
	cr_assert_not_null(strstr(out, "cmdline : /usr/bin/tstream record true"), "%s", out);
	cr_assert_not_null(strstr(out, "name = renamed-clock, , id = { 1001, 1002 }"), "%s", out);
}

/* Without EVENT_DESC perf derives the names itself; they must equal ours. */
static void expect_same_derived_name(uint32_t type, uint64_t config, uint32_t mods)
{
	struct perf_event_attr attr = {.type = type,
				       .size = TS_ATTR_SIZE,
				       .config = config,
				       .exclude_kernel = mods & 1,
				       .exclude_user = mods >> 1 & 1,
				       .exclude_hv = mods >> 2 & 1,
				       .exclude_host = mods >> 3 & 1,
				       .exclude_guest = mods >> 4 & 1,
				       .precise_ip = mods >> 5 & 3};
	struct ts_bytes file = {0};
	struct ts_events evs = {0};
	struct ts_error err;
	char out[4096];

	cr_assert_eq(ts_events_add(&evs, &attr, NULL, NULL, 0, &err), 0);
	cr_assert_eq(ts_header_pack(&evs, NULL, 0, NULL, &file, &err), 0);
	((struct ts_file_header *)(void *)file.data)->features[0] = 0;
	write_file("unnamed", &file);
	cr_assert_eq(run("perf evlist -i unnamed", out, sizeof(out)), 0, "%s", out);
	*strchrnul(out, '\n') = '\0';
	cr_assert_str_eq(out, evs.items[0].name);
	ts_bytes_release(&file);
	ts_events_release(&evs);
}

Test(header_perf, perf_derives_the_same_names)
{
	need("perf --version");
	for (uint32_t mods = 0; mods < 128; mods += 9)
		expect_same_derived_name(PERF_TYPE_HARDWARE, mods % 10, mods);
	for (uint64_t config = 0; config < 10; config++)
		expect_same_derived_name(PERF_TYPE_SOFTWARE, config, 0);
	expect_same_derived_name(PERF_TYPE_HW_CACHE, 0x10002, 16);
	expect_same_derived_name(PERF_TYPE_HW_CACHE, 0x00101, 16);
	expect_same_derived_name(PERF_TYPE_HW_CACHE, 0x00204, 0);
	expect_same_derived_name(PERF_TYPE_HW_CACHE, 0x000ff, 0);
	expect_same_derived_name(PERF_TYPE_HW_CACHE, 0x0ff01, 0);
	expect_same_derived_name(PERF_TYPE_HW_CACHE, 0xff0001, 0);
	expect_same_derived_name(42, 7, 1);
	expect_same_derived_name(PERF_TYPE_RAW, 0x1c2, 5);
}

/* --- we read perf's --- */

static void expect_event(const struct ts_header *h, size_t i, const char *name, uint32_t type,
			 uint64_t config)
{
	const struct ts_event *ev = &h->events.items[i];

	cr_assert_str_eq(ev->name, name);
	cr_assert_eq(ev->attr.type, type);
	cr_assert_eq(ev->attr.config, config);
	cr_assert_gt(ev->nr_ids, 0);
	for (size_t j = 0; j < ev->nr_ids; j++)
		cr_assert_eq(ts_events_find(&h->events, ev->ids[j]), i);
}

/* Walks the records of a file and decodes each; returns their number. */
static size_t expect_all_decode(const struct ts_bytes *file, const struct ts_header *h)
{
	uint64_t at = h->data_offset, end = at + h->data_size;
	struct ts_sample_id sid;
	struct ts_sample sample;
	size_t nr = 0;

	for (struct perf_event_header r; at < end; at += r.size, nr++) {
		const void *hdr = file->data + at;

		r = ts_record_load_header(hdr);
		cr_assert(r.size >= 8 && r.size <= end - at);
		if (r.type == PERF_RECORD_SAMPLE)
			cr_assert_eq(ts_decode_sample(&h->events, hdr, &sample), TS_DECODE_OK);
		else if (r.type < TS_RECORD_USER_START)
			cr_assert_eq(ts_decode_trailer(&h->events, hdr, &sid), TS_DECODE_OK);
	}
	return nr;
}

Test(header_perf, parses_a_capture_of_perf)
{
	struct ts_bytes file;
	struct ts_header h;

	need("perf record -q -B -o theirs -e cpu-clock,context-switches -a -- true");
	file = read_file("theirs");
	h = parsed(&file);
	expect_event(&h, 0, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	expect_event(&h, 1, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	cr_assert(!h.is_directory && !h.data_unfinished);
	cr_assert_gt(h.nr_cpus_avail, 0);
	cr_assert_gt(expect_all_decode(&file, &h), 10);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header_perf, parses_a_capture_with_one_event_and_no_ids)
{
	struct ts_bytes file;
	struct ts_header h;

	need("perf record -q -B -o theirs -e cpu-clock:u -g -- true");
	file = read_file("theirs");
	h = parsed(&file);
	cr_assert_eq(h.events.nr, 1);
	cr_assert_str_eq(h.events.items[0].name, "cpu-clock:u");
	cr_assert_gt(expect_all_decode(&file, &h), 5);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header_perf, parses_a_capture_directory)
{
	struct ts_bytes file;
	struct ts_header h;

	need("perf record -q -B -o theirs --threads -e cpu-clock -a -- true");
	file = read_file("theirs/data");
	h = parsed(&file);
	cr_assert(h.is_directory);
	expect_event(&h, 0, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header_perf, parses_a_compressed_capture)
{
	struct ts_bytes file;
	struct ts_header h;

	need("perf record -q -B -o theirs -z -e cpu-clock -a -- true");
	file = read_file("theirs");
	h = parsed(&file);
	cr_assert_gt(h.compressed_mmap_len, 4096);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header_perf, parses_a_capture_that_was_killed)
{
	struct ts_bytes file;
	struct ts_header h;

	need("perf record -q -B -o theirs -e cpu-clock -a -- sh -c 'kill -9 $PPID'; test -s "
	     "theirs");
	file = read_file("theirs");
	h = parsed(&file);
	cr_assert(h.data_unfinished);
	cr_assert_gt(expect_all_decode(&file, &h), 5);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header_perf, parses_what_perf_wrote_to_a_pipe)
{
	struct ts_bytes file;
	struct ts_header h;

	need("perf record -q -B -o - -e cpu-clock -a -- true > piped");
	file = read_file("piped");
	h = parsed(&file);
	cr_assert(h.is_pipe && h.data_unfinished);
	expect_event(&h, 0, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	cr_assert(h.features[TS_FEAT_VERSION].size > 0 && h.nr_cpus_avail > 0);
	ts_header_release(&h);
	ts_bytes_release(&file);
}
