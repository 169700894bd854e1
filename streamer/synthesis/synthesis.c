// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/synthesis.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/base/text_file.h"
#include "common/perf/perf_layout.h"
#include "streamer/machine/proc_text.h"
#include "streamer/synthesis/synth_record.h"

#define ID_ENTRY_BYTES 32 /* id, idx, cpu, tid: 64 bits each */
#define ID_ENTRIES_MAX ((65528 - 16) / ID_ENTRY_BYTES)

static void put_ids(struct ts_bytes *out, const struct synthesis_id *ids, size_t nr)
{
	size_t at = synth_record_begin(out, TS_RECORD_ID_INDEX, 0);

	ts_bytes_u64(out, nr);
	for (size_t i = 0; i < nr; i++) {
		ts_bytes_u64(out, ids[i].id);
		ts_bytes_u64(out, ids[i].idx);
		ts_bytes_u64(out, (uint64_t)(int64_t)ids[i].cpu);
		ts_bytes_u64(out, (uint64_t)(int64_t)ids[i].tid);
	}
	synth_record_end(out, at, 0);
}

void synthesis_id_index(struct ts_bytes *out, const struct synthesis_id *ids, size_t nr)
{
	while (nr) {
		size_t some = ts_min(nr, ID_ENTRIES_MAX);

		put_ids(out, ids, some);
		ids += some;
		nr -= some;
	}
}

static void put_task(struct ts_bytes *out, pid_t tid)
{
	char path[64], comm[PROC_COMM_BYTES] = "";
	struct ts_bytes text = {0};

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (tid > 0 && !ts_text_file_read_word(&text, AT_FDCWD, path))
		strncpy(comm, (char *)text.data, sizeof(comm) - 1);
	ts_bytes_u64(out, (uint64_t)(int64_t)tid);
	ts_bytes_put(out, comm, sizeof(comm));
	ts_bytes_release(&text);
}

void synthesis_thread_map(struct ts_bytes *out, const pid_t *tids, size_t nr)
{
	static const pid_t everyone = -1;
	size_t at = synth_record_begin(out, TS_RECORD_THREAD_MAP, 0);

	if (!nr) {
		tids = &everyone;
		nr = 1;
	}
	ts_bytes_u64(out, nr);
	for (size_t i = 0; i < nr; i++)
		put_task(out, tids[i]);
	synth_record_end(out, at, 0);
}

/* As a list of numbers, which every perf reads; a range needs 6.1 or later. */
void synthesis_cpu_map(struct ts_bytes *out, const uint32_t *cpus, size_t nr)
{
	size_t at = synth_record_begin(out, TS_RECORD_CPU_MAP, 0);

	ts_bytes_u16(out, 0); /* a list */
	ts_bytes_u16(out, (uint16_t)nr);
	for (size_t i = 0; i < nr; i++)
		ts_bytes_u16(out, (uint16_t)cpus[i]);
	ts_bytes_align(out, 8);
	synth_record_end(out, at, 0);
}

enum update { UPDATE_UNIT = 0, UPDATE_SCALE = 1 };

static void put_update(struct ts_bytes *out, enum update what, uint64_t id, const void *data,
		       size_t len)
{
	size_t at = synth_record_begin(out, TS_RECORD_EVENT_UPDATE, 0);

	ts_bytes_u64(out, what);
	ts_bytes_u64(out, id);
	ts_bytes_put(out, data, len);
	ts_bytes_align(out, 8);
	synth_record_end(out, at, 0);
}

/* Unit and scale of a "pmu/event/", which sysfs has beside the event. */
static bool read_unit(const char *name, char *unit, size_t size, double *ret_scale)
{
	char pmu[64], event[64], path[256];
	struct ts_bytes text = {0};
	bool found = false;

	if (sscanf(name, "%63[^/]/%63[^/,:]", pmu, event) != 2)
		return false;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events/%s.unit", pmu, event);
	if (!ts_text_file_read_word(&text, AT_FDCWD, path)) {
		snprintf(unit, size, "%s", (char *)text.data);
		found = true;
	}
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events/%s.scale", pmu,
		 event);
	if (!ts_text_file_read_word(&text, AT_FDCWD, path)) {
		*ret_scale = strtod((char *)text.data, NULL);
		found = true;
	}
	ts_bytes_release(&text);
	return found;
}

void synthesis_event_update(struct ts_bytes *out, const struct perf_event_attr *attr,
			    const char *name, uint64_t id)
{
	char unit[64] = "";
	double scale = 1.0;

	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK)) {
		strcpy(unit, "msec");
		scale = 1e-6;
	} else if (attr->type <= PERF_TYPE_BREAKPOINT ||
		   !read_unit(name, unit, sizeof(unit), &scale)) {
		return;
	}
	if (unit[0])
		put_update(out, UPDATE_UNIT, id, unit, strlen(unit) + 1);
	if (scale != 1.0)
		put_update(out, UPDATE_SCALE, id, &scale, sizeof(scale));
}

void synthesis_finished_init(struct ts_bytes *out)
{
	synth_record_end(out, synth_record_begin(out, TS_RECORD_FINISHED_INIT, 0), 0);
}

/* The trailer, in the kernel's order; only id and CPU are known. */
static void put_trailer(struct ts_bytes *out, uint64_t sample_type, uint64_t id, uint32_t cpu)
{
	if (sample_type & PERF_SAMPLE_TID)
		ts_bytes_u64(out, 0);
	if (sample_type & PERF_SAMPLE_TIME)
		ts_bytes_u64(out, 0);
	if (sample_type & PERF_SAMPLE_ID)
		ts_bytes_u64(out, id);
	if (sample_type & PERF_SAMPLE_STREAM_ID)
		ts_bytes_u64(out, 0);
	if (sample_type & PERF_SAMPLE_CPU) {
		ts_bytes_u32(out, cpu);
		ts_bytes_u32(out, 0);
	}
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		ts_bytes_u64(out, id);
}

void synthesis_lost_samples(struct ts_bytes *out, const struct perf_event_attr *attr, uint64_t id,
			    uint32_t cpu, uint64_t lost)
{
	size_t at;

	if (!lost)
		return;
	at = synth_record_begin(out, PERF_RECORD_LOST_SAMPLES, 0);
	ts_bytes_u64(out, lost);
	if (attr->sample_id_all)
		put_trailer(out, attr->sample_type, id, cpu);
	synth_record_end(out, at, 0);
}
