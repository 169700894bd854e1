/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What held at a time: versions of something (maps of a process, names of a thread, lives of a pid)
 * stand in an array, oldest first, and each begins at a time of its own.
 *
 * Threads: any number may search an array that nobody changes.
 */
#ifndef TS_READER_TASKS_TIMED_VERSIONS_H
#define TS_READER_TASKS_TIMED_VERSIONS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * How many of `nr` versions, `bytes` each, have begun at time_ns; the last of them is the one that
 * held. Each has its beginning, a uint64_t in ns, `time_offset` bytes behind its own. `versions`
 * may be NULL where nr is 0.
 */
static inline uint32_t timed_versions_until(const void *versions, size_t bytes, size_t time_offset,
					    uint32_t nr, uint64_t time_ns)
{
	uint32_t low = 0, high = nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		uint64_t begin_ns;

		memcpy(&begin_ns, (const char *)versions + mid * bytes + time_offset,
		       sizeof(begin_ns));
		if (begin_ns <= time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#endif
