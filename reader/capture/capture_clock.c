// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/capture_clock.h"

static bool read_moment(const struct ts_header *header, struct capture_clock *ret)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_CLOCK_DATA);
	uint32_t version, id;

	if (!ts_cursor_u32(&c, &version) || !ts_cursor_u32(&c, &id) ||
	    !ts_cursor_u64(&c, &ret->wall_ns) || !ts_cursor_u64(&c, &ret->then_ns))
		return false;
	ret->id = (int)id;
	return true;
}

struct capture_clock capture_clock_of(const struct ts_header *header)
{
	struct capture_clock clock = {.id = CAPTURE_CLOCK_PERF};

	clock.has_wall = read_moment(header, &clock);
	if (!clock.has_wall && header->events.nr && header->events.items[0].attr.use_clockid)
		clock.id = header->events.items[0].attr.clockid;
	return clock;
}

void capture_clock_take_start(struct capture_clock *c, uint64_t start_ns, uint64_t first_ns)
{
	if (c->has_wall || !start_ns)
		return;
	c->has_wall = true;
	c->wall_ns = start_ns;
	c->then_ns = first_ns;
}

uint64_t capture_clock_offset_ns(const struct capture_clock *c)
{
	return c->has_wall ? c->wall_ns - c->then_ns : 0;
}

uint64_t capture_clock_wall_ns(const struct capture_clock *c, uint64_t time_ns)
{
	uint64_t wall_ns;

	if (!c->has_wall)
		return 0;
	if (time_ns >= c->then_ns)
		return __builtin_add_overflow(c->wall_ns, time_ns - c->then_ns, &wall_ns) ? 0
											  : wall_ns;
	return __builtin_sub_overflow(c->wall_ns, c->then_ns - time_ns, &wall_ns) ? 0 : wall_ns;
}
