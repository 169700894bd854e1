/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search by time. Versions of something (maps of a process, names of a thread, lives of a pid)
 * stand in an array, oldest first. Each version begins at its own time.
 *
 * Threads: any number may search an array that no thread changes.
 */
#ifndef TS_READER_TASKS_TIMED_VERSIONS_H
#define TS_READER_TASKS_TIMED_VERSIONS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The number of versions, of `nr`, that have begun at time_ns; the last of them is the one that
 * held. Each version has `bytes` bytes. Its beginning, a uint64_t in ns, stands `time_offset` bytes
 * behind the beginning of the version. `versions` may be NULL if nr is 0.
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
