// SPDX-License-Identifier: Apache-2.0
/* The build-ids of mapped files, which the kernel does not report with --no-buildid-mmap. */
#include <errno.h>
#include <string.h>

#include "common/perf/record_layout.h"
#include "streamer/directory/data_file.h"
#include "streamer/directory/features.h"
#include "streamer/rings/record_walk.h"
#include "streamer/synthesis/mapped_file.h"

static void add_file(struct data_file *d, const struct ts_record_mmap2 *map,
		     const struct ts_build_id *id)
{
	size_t bytes = map->header.size;
	uint8_t *copy = ts_bytes_reserve(&d->mapped, bytes);

	if (copy) {
		memcpy(copy, map, bytes);
		file_ids_put(copy, id);
		record_walk_delay(copy);
		d->mapped.len += bytes;
	}
	features_put_build_id(&d->file_ids, id, map->filename);
	features_put_build_id(ts_header_feature(&d->features, TS_FEAT_BUILD_ID), id, map->filename);
}

int data_file_read_files(struct data_file *d, struct file_ids *files, struct ts_error *err)
{
	_Alignas(8) uint8_t record[FILE_IDS_RECORD_BYTES];
	struct ts_build_id id;
	int nr = 0;

	while (file_ids_take(files, record)) {
		int looked = mapped_file_look(record, &id);

		file_ids_answer(files, record, looked, &id);
		if (!id.len)
			continue;
		add_file(d, (const void *)record, &id);
		nr++;
	}
	if (ts_bytes_failed(&d->mapped) || ts_bytes_failed(&d->file_ids))
		return ts_error_sys(err, ENOMEM, "cannot describe the capture");
	return nr;
}
