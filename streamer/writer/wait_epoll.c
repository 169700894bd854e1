// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "streamer/writer/wait.h"

#define EVENTS_MAX 64

int wait_epoll_init(struct wait *w, struct ts_error *err)
{
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0)
		return ts_error_sys(err, errno, "cannot create an epoll descriptor");
	return 0;
}

void wait_epoll_close(struct wait *w)
{
	close(w->epoll_fd);
	w->epoll_fd = -1;
}

int wait_epoll_add(struct wait *w, unsigned source, struct ts_error *err)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.u32 = source};

	if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->sources[source].fd, &ev) < 0)
		return ts_error_sys(err, errno, "cannot wait for descriptor %d with epoll",
				    w->sources[source].fd);
	return 0;
}

/* Rounded up: a wake-up before the deadline would only cause another wait. */
static int timeout_ms(uint64_t deadline_ns)
{
	uint64_t now_ns, ms;

	if (deadline_ns == 0)
		return 0;
	if (deadline_ns == TS_TIME_NEVER)
		return -1;
	now_ns = ts_clock_now_ns();
	if (deadline_ns <= now_ns)
		return 0;
	ms = (deadline_ns - now_ns + TS_NS_PER_MS - 1) / TS_NS_PER_MS;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

static int note_event(struct wait *w, const struct epoll_event *ev)
{
	struct wait_source *src = &w->sources[ev->data.u32];

	/* A hang-up is permanent: in the set the descriptor would wake us for nothing. */
	if ((ev->events & (EPOLLHUP | EPOLLERR)) && !src->is_dead) {
		epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, src->fd, NULL);
		src->is_dead = true;
	}
	return (int)src->what;
}

int wait_epoll_next(struct wait *w, uint64_t deadline_ns, struct ts_error *err)
{
	struct epoll_event events[EVENTS_MAX];
	int found = 0, nr, i;

	nr = epoll_wait(w->epoll_fd, events, EVENTS_MAX, timeout_ms(deadline_ns));
	if (nr < 0 && errno != EINTR)
		return ts_error_sys(err, errno, "cannot wait with epoll");
	for (i = 0; i < nr; i++)
		found |= note_event(w, &events[i]);
	return found;
}
