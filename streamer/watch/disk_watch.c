// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/disk_watch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/base/units.h"

#define DEFAULT_BYTES	(UINT64_C(1) << 30)
#define DEFAULT_PERCENT 2
#define INTERVAL_NS	TS_NS_PER_SEC
#define FIRST_NS	(100 * TS_NS_PER_MS) /* the rate is not known yet */

int disk_min_free_parse(const char *text, struct disk_min_free *ret)
{
	size_t len = strlen(text);
	char number[8];
	uint64_t value;

	if (len && text[len - 1] == '%') {
		if (len > sizeof(number))
			return -EINVAL;
		memcpy(number, text, len - 1);
		number[len - 1] = '\0';
		if (ts_units_parse_u64(number, &value) < 0 || value > 99)
			return -EINVAL;
		*ret = (struct disk_min_free){MIN_FREE_PERCENT, value};
		return 0;
	}
	if (ts_units_parse_size(text, &value) < 0)
		return -EINVAL;
	*ret = (struct disk_min_free){MIN_FREE_BYTES, value};
	return 0;
}

uint64_t disk_min_free_bytes(const struct disk_min_free *m, uint64_t filesystem_bytes)
{
	uint64_t part;

	switch (m->kind) {
	case MIN_FREE_BYTES:
		return m->value;
	case MIN_FREE_PERCENT:
		return filesystem_bytes / 100 * m->value;
	default:
		part = filesystem_bytes / 100 * DEFAULT_PERCENT;
		return ts_min(part, DEFAULT_BYTES);
	}
}

/*
 * Reads the bytes that df calls available. False: the filesystem does not report them, or has no
 * bounds (some tmpfs).
 */
static bool read_free(int dir_fd, uint64_t *ret_free, uint64_t *ret_size)
{
	struct statvfs fs;

	if (fstatvfs(dir_fd, &fs) < 0 || !fs.f_blocks)
		return false;
	*ret_free = (uint64_t)fs.f_bavail * fs.f_frsize;
	*ret_size = (uint64_t)fs.f_blocks * fs.f_frsize;
	return true;
}

static int refuse_to_start(const struct disk_watch *d, struct ts_error *err)
{
	char free[TS_UNITS_TEXT], least[TS_UNITS_TEXT];

	ts_error_set(err, ENOSPC, "cannot record into %s: %s are free there, --min-free keeps %s",
		     d->path, ts_units_format_size(free, d->free_bytes),
		     ts_units_format_size(least, d->min_free_bytes));
	return ts_error_hint(err, "make room, record to another filesystem with -o, or lower "
				  "--min-free (0: off)");
}

int disk_watch_open(struct disk_watch *d, int dir_fd, const char *path,
		    const struct disk_min_free *min_free, struct ts_error *err)
{
	struct stat st;
	uint64_t size;

	*d = (struct disk_watch){.dir_fd = dir_fd, .path = path, .next_ns = TS_TIME_NEVER};
	if (dir_fd < 0)
		return 0;
	d->counts_links = fstat(dir_fd, &st) == 0 && st.st_nlink > 0;
	d->looked_ns = ts_clock_now_ns();
	d->interval_ns = FIRST_NS;
	d->next_ns = d->looked_ns + d->interval_ns;
	if (min_free->kind != MIN_FREE_DEFAULT && !min_free->value)
		return 0;
	if (!read_free(dir_fd, &d->free_bytes, &size)) {
		if (min_free->kind == MIN_FREE_DEFAULT)
			return 0;
		ts_error_set(err, ENOTSUP,
			     "cannot keep --min-free on the filesystem of %s: this filesystem does "
			     "not report its free space",
			     path);
		return ts_error_hint(err, "leave --min-free out");
	}
	d->min_free_bytes = disk_min_free_bytes(min_free, size);
	return d->free_bytes < d->min_free_bytes ? refuse_to_start(d, err) : 0;
}

/* Returns the bytes that will be taken until the next look, at the rate since the last one. */
static uint64_t expected(const struct disk_watch *d, uint64_t now_ns, uint64_t free_bytes,
			 uint64_t written_bytes, uint64_t next_interval_ns)
{
	uint64_t taken = written_bytes - d->written_bytes, past_ns = now_ns - d->looked_ns;

	if (d->free_bytes > free_bytes && d->free_bytes - free_bytes > taken)
		taken = d->free_bytes - free_bytes;
	return past_ns ? (uint64_t)((double)taken / (double)past_ns * (double)next_interval_ns) : 0;
}

void disk_watch_note(struct disk_watch *d, uint64_t now_ns, uint64_t free_bytes,
		     uint64_t written_bytes)
{
	uint64_t next_ns = ts_min(d->interval_ns * 2, INTERVAL_NS);

	d->expected_bytes = expected(d, now_ns, free_bytes, written_bytes, next_ns);
	d->looked_ns = now_ns;
	d->free_bytes = free_bytes;
	d->written_bytes = written_bytes;
	d->interval_ns = next_ns;
	d->next_ns = now_ns + next_ns;
}

bool disk_watch_leaves_too_little(const struct disk_watch *d)
{
	if (!d->min_free_bytes)
		return false;
	return d->free_bytes < d->min_free_bytes ||
	       d->free_bytes - d->min_free_bytes < d->expected_bytes;
}

int disk_watch_look(struct disk_watch *d, uint64_t now_ns, uint64_t written_bytes,
		    struct ts_error *err)
{
	char free[TS_UNITS_TEXT], least[TS_UNITS_TEXT];
	uint64_t free_bytes = 0, size;
	struct stat st;

	if (d->counts_links && fstat(d->dir_fd, &st) == 0 && st.st_nlink == 0) {
		ts_error_set(err, ENOENT, "cannot go on recording into %s: it was removed",
			     d->path);
		return ts_error_hint(err, "do not move or remove a capture while it is recorded");
	}
	/*
	 * If the free space cannot be read this time, the disk is not taken for full: a failed
	 * write would report that.
	 */
	if (!d->min_free_bytes || !read_free(d->dir_fd, &free_bytes, &size))
		free_bytes = d->free_bytes;
	disk_watch_note(d, now_ns, free_bytes, written_bytes);
	if (!disk_watch_leaves_too_little(d))
		return 0;
	return ts_error_set(
		err, ENOSPC,
		"cannot go on recording into %s: %s are free there, --min-free keeps %s", d->path,
		ts_units_format_size(free, free_bytes),
		ts_units_format_size(least, d->min_free_bytes));
}

void disk_watch_move(struct disk_watch *d, int dir_fd)
{
	d->dir_fd = dir_fd;
	d->written_bytes = 0;
}
