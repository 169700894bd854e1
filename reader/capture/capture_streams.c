// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/capture_streams.h"

#include <string.h>

#include "common/base/path.h"

const char *capture_streams_name(const struct capture_stream *s)
{
	return ts_path_name(s->path);
}

/* Streams behind the first one are in the order of versionsort(). */
const struct capture_stream *capture_streams_find(const struct capture *c, const char *name)
{
	size_t low = 1, high = c->nr_streams;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int by = strverscmp(capture_streams_name(&c->streams[middle]), name);

		if (!by)
			return &c->streams[middle];
		if (by < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
