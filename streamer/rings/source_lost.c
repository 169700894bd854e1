// SPDX-License-Identifier: Apache-2.0
/* The records that the kernel could not write, by its own counts (PERF_FORMAT_LOST). */
#include "streamer/rings/source_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* read(2) gives value, times (with -s), id, lost: the words of the event's read_format. */
static int read_lost(const struct source *source, const struct source_fd *fd, uint64_t *ret,
		     struct ts_error *err)
{
	uint64_t format = source->attrs[fd->event].read_format, words[5];
	size_t nr = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 5 : 3;
	ssize_t n = read(fd->fd, words, sizeof(words));

	if (n == (ssize_t)(nr * sizeof(words[0]))) {
		*ret = words[nr - 1];
		return 0;
	}
	if (!n) { /* a pinned event that never got its counter has lost nothing */
		*ret = 0;
		return 0;
	}
	return ts_error_sys(err, n < 0 ? errno : EIO,
			    "cannot read the number of lost records [event %s, CPU %u]",
			    source->names[fd->event], source->rings[fd->ring].cpu);
}

/* Lost records, one number for each pair of event and ring; NULL with an error. */
static uint64_t *sum_lost(const struct source *source, struct ts_error *err)
{
	uint64_t *sums = calloc(source->nr_attrs * source->nr_rings, sizeof(*sums)), records = 0;

	if (!sums)
		source_no_memory(err);
	for (size_t i = 0; sums && i < source->nr_fds; i++) {
		const struct source_fd *fd = &source->fds[i];

		if (!read_lost(source, fd, &records, err)) {
			sums[fd->event * source->nr_rings + fd->ring] += records;
			continue;
		}
		free(sums);
		sums = NULL;
	}
	return sums;
}

static int list_lost(const struct source *source, const uint64_t *sums, struct source_lost **ret,
		     size_t *ret_nr, struct ts_error *err)
{
	size_t nr_sums = source->nr_attrs * source->nr_rings, nr = 0;
	struct source_lost *rows = calloc(nr_sums, sizeof(*rows));

	if (!rows)
		return source_no_memory(err);
	for (size_t i = 0; i < nr_sums; i++)
		if (sums[i])
			rows[nr++] = (struct source_lost){.event = i / source->nr_rings,
							  .ring = i % source->nr_rings,
							  .records = sums[i]};
	*ret = rows;
	*ret_nr = nr;
	return 0;
}

int source_read_lost(const struct source *source, struct source_lost **ret, size_t *ret_nr,
		     struct ts_error *err)
{
	uint64_t *sums;
	int rc;

	if (!source->counts_lost) {
		*ret = NULL;
		*ret_nr = 0;
		return 0;
	}
	sums = sum_lost(source, err);
	if (!sums)
		return -err->code;
	rc = list_lost(source, sums, ret, ret_nr, err);
	free(sums);
	return rc;
}

uint64_t source_sideband_lost(const struct source *source)
{
	uint64_t sum = 0, records;
	struct ts_error ignored;

	for (size_t i = 0; source->counts_lost && i < source->nr_fds; i++)
		if (source_is_sideband(source, source->fds[i].event) &&
		    !read_lost(source, &source->fds[i], &records, &ignored))
			sum += records;
	return sum;
}
