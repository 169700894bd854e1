// SPDX-License-Identifier: Apache-2.0
#include "reader/running.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "reader/account.h"

/* Of recorders that did not say theirs: the default. */
#define FLUSH_DEFAULT_NS TS_NS_PER_SEC
/* A file's time of change is that of the last tick of the kernel's clock, 10 ms apart at most. */
#define TICK_NS (20 * TS_NS_PER_MS)

bool running_is(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_locked;

	if (fd < 0)
		return false;
	is_locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return is_locked;
}

static uint64_t flush_ns(const struct capture *c)
{
	struct account account;
	uint64_t ns;

	account_read(&account, c);
	ns = account.flush_ns ? account.flush_ns : FLUSH_DEFAULT_NS;
	account_release(&account);
	return ns;
}

/*
 * A record was made before its stream was written to. So the clock of the capture, which need not
 * be one that can be read here, is at least so far from the wall clock; the stream that was written
 * last tells best.
 */
static bool clock_offset(const struct chunk_table *t, int64_t *ret_ns)
{
	bool is_known = false;

	for (size_t i = 0; i < t->nr; i++) {
		const struct chunk *chunk = &t->chunks[i];
		int64_t offset_ns;

		if (!chunk->header_bytes || !chunk->time_max_ns)
			continue;
		offset_ns = (int64_t)(chunk->time_max_ns -
				      t->capture->streams[chunk->stream].map.changed_ns);
		if (!is_known || offset_ns > *ret_ns)
			*ret_ns = offset_ns;
		is_known = true;
	}
	return is_known;
}

bool running_until(const struct chunk_table *t, uint64_t *ret_ns)
{
	int64_t offset_ns = 0, until_ns;

	if (!clock_offset(t, &offset_ns))
		return false;
	until_ns = (int64_t)(t->capture->opened_ns + (uint64_t)offset_ns - flush_ns(t->capture) -
			     TICK_NS);
	*ret_ns = until_ns > 0 ? (uint64_t)until_ns : 1;
	return true;
}
