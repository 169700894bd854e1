// SPDX-License-Identifier: Apache-2.0
#include "common/base/clock.h"

static uint64_t to_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * TS_NS_PER_SEC + (uint64_t)ts->tv_nsec;
}

uint64_t ts_clock_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) == 0 ? to_ns(&ts) : 0;
}

uint64_t ts_clock_resolution_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_getres(clock, &ts) == 0 ? to_ns(&ts) : 0;
}

uint64_t ts_clock_now_ns(void)
{
	return ts_clock_ns(CLOCK_MONOTONIC);
}

struct timespec ts_clock_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / TS_NS_PER_SEC),
		.tv_nsec = (long)(ns % TS_NS_PER_SEC),
	};
}
