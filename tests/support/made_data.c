// SPDX-License-Identifier: Apache-2.0
#include "tests/support/made_data.h"

#include "common/perf/header.h"
#include "common/perf/inflate.h"
#include "tests/support/task_records.h"

static void put_features(const struct made_data *d, struct ts_feature_set *features)
{
	struct ts_bytes *b;

	if (d->nr_cpus) {
		b = ts_header_feature(features, TS_FEAT_NRCPUS);
		ts_bytes_u32(b, d->nr_cpus);
		ts_bytes_u32(b, d->nr_cpus);
	}
	if (d->is_directory)
		ts_bytes_u64(ts_header_feature(features, TS_FEAT_DIR_FORMAT), 1);
	if (d->may_be_compressed) {
		b = ts_header_feature(features, TS_FEAT_COMPRESSED);
		ts_bytes_u32(b, 0);
		ts_bytes_u32(b, 1); /* zstd */
		ts_bytes_u32(b, 1); /* level */
		ts_bytes_u32(b, 4); /* ratio */
		ts_bytes_u32(b, TS_COMPRESS_MMAP_LEN);
	}
}

int made_data_pack(const struct made_data *d, struct ts_bytes *file, struct ts_error *err)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = TS_ATTR_SIZE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = TASK_RECORDS_SAMPLE_TYPE | d->more_fields,
		.exclude_kernel = d->excludes_kernel,
		.sample_id_all = 1,
		.mmap = d->has_sideband,
		.mmap2 = d->has_sideband,
		.comm = d->has_sideband,
		.comm_exec = d->has_sideband,
		.task = d->has_sideband,
	};
	struct ts_feature_set features = {0};
	struct ts_events events = {0};
	int rc = ts_events_add(&events, &attr, "cpu-clock", d->ids, (uint32_t)d->nr_ids, err);

	put_features(d, &features);
	if (!rc)
		rc = ts_header_pack(&events, d->records, d->records_bytes, &features, file, err);
	ts_feature_set_release(&features);
	ts_events_release(&events);
	return rc;
}
