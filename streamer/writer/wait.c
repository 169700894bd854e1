// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/wait.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/clock.h"

int wait_init(struct wait *w, enum wait_kind kind, unsigned max_sources, const cpu_set_t *cpus,
	      size_t cpus_bytes, struct ts_error *err)
{
	int rc;

	*w = (struct wait){.kind = kind, .epoll_fd = -1, .max_sources = max_sources};
	w->sources = calloc(max_sources + 1, sizeof(*w->sources));
	if (!w->sources)
		return ts_error_sys(err, ENOMEM, "cannot wait for %u descriptors", max_sources);
	if (kind == WAIT_URING)
		rc = wait_uring_init(w, cpus, cpus_bytes, err);
	else
		rc = wait_epoll_init(w, err);
	w->is_open = rc == 0;
	if (rc < 0)
		wait_close(w);
	return rc;
}

void wait_close(struct wait *w)
{
	if (w->is_open && w->kind == WAIT_URING)
		wait_uring_close(w);
	else if (w->is_open)
		wait_epoll_close(w);
	w->is_open = false;
	free(w->sources);
	w->sources = NULL;
	w->nr_sources = 0;
}

int wait_add(struct wait *w, int fd, enum wait_what what, struct ts_error *err)
{
	if (w->nr_sources == w->max_sources)
		return ts_error_set(err, ENOSPC, "cannot wait for more than %u descriptors",
				    w->max_sources);
	w->sources[w->nr_sources] = (struct wait_source){.fd = fd, .what = what};
	if (w->kind == WAIT_URING)
		return wait_uring_add(w, w->nr_sources++, err);
	return wait_epoll_add(w, w->nr_sources++, err);
}

static int wait_once(struct wait *w, uint64_t deadline_ns, struct ts_error *err)
{
	if (w->kind == WAIT_URING)
		return wait_uring_next(w, deadline_ns, err);
	return wait_epoll_next(w, deadline_ns, err);
}

/*
 * Both kinds may return early with nothing. On Linux 6.18 epoll_wait() did so some milliseconds
 * early.
 */
int wait_next(struct wait *w, uint64_t deadline_ns, struct ts_error *err)
{
	int found;

	do
		found = wait_once(w, deadline_ns, err);
	while (found == 0 && ts_clock_now_ns() < deadline_ns);
	return found;
}

void wait_look(struct wait *w)
{
	/*
	 * epoll keeps its edges for the next wait, and the sink looks at the pwrite helper
	 * directly.
	 */
	if (w->kind == WAIT_URING)
		wait_uring_look(w);
}
