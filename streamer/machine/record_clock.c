// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/record_clock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/perf/record.h"

static int open_dummy(struct record_clock *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	c->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	map = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	c->page = map;
	c->map_bytes = 2 * page_bytes;
	return 0;
}

int record_clock_open(struct record_clock *c, const struct perf_event_attr *attr,
		      struct ts_error *err)
{
	int code = 0;

	*c = (struct record_clock)RECORD_CLOCK_INIT;
	if (attr->use_clockid)
		c->clock = attr->clockid;
	else
		code = open_dummy(c);
	if (code < 0) {
		record_clock_close(c);
		ts_error_sys(err, -code, "cannot read the clock of the events");
		return ts_error_hint(err, "choose a clock that can be read: -k mono");
	}
	return 0;
}

/*
 * The time is the last word of the only record. A record may wrap at the end of the ring, but a
 * word may not.
 */
static uint64_t time_in_ring(struct record_clock *c)
{
	size_t data_bytes = c->map_bytes / 2;
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t time_ns = 0;

	if (head != c->page->data_tail)
		time_ns = ts_record_load_u64((uint8_t *)c->page + data_bytes +
					     ((head - 8) & (data_bytes - 1)));
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
	return time_ns;
}

uint64_t record_clock_now(struct record_clock *c)
{
	char name[16] = "";

	if (c->fd < 0)
		return ts_clock_ns(c->clock);
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, name);
	return time_in_ring(c);
}

void record_clock_close(struct record_clock *c)
{
	if (c->page)
		munmap(c->page, c->map_bytes);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct record_clock)RECORD_CLOCK_INIT;
}
