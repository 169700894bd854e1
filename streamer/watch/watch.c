// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/clock.h"

/* SIGHUP only if it is not ignored: under nohup a recording outlives its terminal. */
static void wanted_signals(sigset_t *set)
{
	struct sigaction hangup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGCHLD);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

/*
 * Signals that must not end a recording. perf ignores SIGUSR1 and SIGUSR2, too. Without SIGPIPE a
 * write to a peer of --control that has left returns EPIPE.
 */
static void unwanted_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGPIPE);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
}

int watch_block_signals(struct caller_state *s, struct ts_error *err)
{
	struct sigaction wait_for_children = {.sa_handler = SIG_DFL};
	struct sigaction fail_to_write = {.sa_handler = SIG_IGN};
	sigset_t wanted, unwanted, set;

	if (s->blocked)
		return 0;
	wanted_signals(&wanted);
	unwanted_signals(&unwanted);
	sigorset(&set, &wanted, &unwanted);
	if (sigprocmask(SIG_BLOCK, &set, &s->mask) < 0)
		return ts_error_sys(err, errno, "cannot block signals");
	if (sigaction(SIGXFSZ, &fail_to_write, &s->sigxfsz) < 0 ||
	    sigaction(SIGCHLD, &wait_for_children, &s->sigchld) < 0) {
		ts_error_sys(err, errno, "cannot set signal actions");
		sigprocmask(SIG_SETMASK, &s->mask, NULL);
		return -err->code;
	}
	s->blocked = true;
	return 0;
}

static void forget_unwanted(void)
{
	const struct timespec now = {0};
	sigset_t set;

	unwanted_signals(&set);
	while (sigtimedwait(&set, NULL, &now) > 0 || errno == EINTR)
		;
}

void watch_restore_signals(struct caller_state *s)
{
	if (!s->blocked)
		return;
	forget_unwanted();
	caller_state_restore(s);
	s->blocked = false;
}

int watch_open(struct watch *w, struct ts_error *err)
{
	sigset_t set;

	memset(w, 0, sizeof(*w));
	w->failure_fd = w->limit_fd = w->supply_fd = w->switch_fd = w->gap_fd = w->files_fd = -1;
	w->control_fd = w->targets_fd = w->cpus_fd = w->saved_fd = w->socket_fd = -1;
	wanted_signals(&set);
	w->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return w->signal_fd < 0 ? ts_error_sys(err, errno, "cannot receive signals") : 0;
}

int watch_switches(struct watch *w, struct ts_error *err)
{
	sigset_t set;

	wanted_signals(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	return signalfd(w->signal_fd, &set, 0) < 0
		       ? ts_error_sys(err, errno, "cannot receive SIGUSR1 and SIGUSR2")
		       : 0;
}

/* The event of the signal, or -EAGAIN: there was none. A SIGCHLD does not change w->signal. */
static int read_signal(struct watch *w, struct ts_error *err)
{
	struct signalfd_siginfo info;
	ssize_t n = read(w->signal_fd, &info, sizeof(info));

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return ts_error_sys(err, errno, "cannot receive signals");
	if (n != (ssize_t)sizeof(info))
		return -EAGAIN;
	if (info.ssi_signo == SIGCHLD)
		return WATCH_CHILD;
	if (info.ssi_signo == SIGUSR1 || info.ssi_signo == SIGUSR2) {
		w->switch_signal = (int)info.ssi_signo;
		return WATCH_SWITCH;
	}
	w->signal = (int)info.ssi_signo;
	return WATCH_SIGNAL;
}

#define WATCH_FDS 12 /* without the descriptors of triggers */

/* Notes in watch.more which descriptors have fired. True if any has. */
static bool keep_fired(struct watch *w, const struct pollfd *fds)
{
	bool any = false;

	for (size_t i = 0; i < w->nr_more; i++) {
		w->more[i].has_fired |= fds && fds[i].revents & w->more[i].events;
		any |= w->more[i].has_fired;
	}
	return any;
}

int watch_next(struct watch *w, uint64_t deadline_ns, struct ts_error *err)
{
	for (;;) {
		struct pollfd fds[WATCH_FDS + WATCH_MORE_MAX] = {
			{.fd = w->signal_fd, .events = POLLIN},
			{.fd = w->failure_fd, .events = POLLIN},
			{.fd = w->limit_fd, .events = POLLIN},
			{.fd = w->targets_fd, .events = POLLIN},
			{.fd = w->control_fd, .events = POLLIN},
			{.fd = w->cpus_fd, .events = POLLIN},
			{.fd = w->supply_fd, .events = POLLIN},
			{.fd = w->switch_fd, .events = POLLIN},
			{.fd = w->saved_fd, .events = POLLIN},
			{.fd = w->socket_fd, .events = POLLIN},
			{.fd = w->gap_fd, .events = POLLIN},
			{.fd = w->files_fd, .events = POLLIN},
		};
		uint64_t now = ts_clock_now_ns();
		struct timespec left = ts_clock_timespec(deadline_ns > now ? deadline_ns - now : 0);
		int n, event = -EAGAIN;

		for (size_t i = 0; i < w->nr_more; i++)
			fds[WATCH_FDS + i] =
				(struct pollfd){.fd = w->more[i].fd, .events = w->more[i].events};
		if (keep_fired(w, NULL))
			return WATCH_MORE;
		n = ppoll(fds, WATCH_FDS + w->nr_more, deadline_ns == TS_TIME_NEVER ? NULL : &left,
			  NULL);
		if (n == 0)
			return WATCH_DEADLINE;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ts_error_sys(err, errno, "cannot wait for signals and writers");
		keep_fired(w, fds + WATCH_FDS);
		if (fds[6].revents)
			return WATCH_SUPPLY;
		if (fds[0].revents)
			event = read_signal(w, err);
		if (event != -EAGAIN)
			return event;
		if (fds[1].revents)
			return WATCH_FAILURE;
		if (fds[2].revents)
			return WATCH_LIMIT;
		if (fds[3].revents)
			return WATCH_TARGETS;
		if (fds[4].revents)
			return WATCH_CONTROL;
		if (fds[5].revents)
			return WATCH_CPUS;
		if (fds[7].revents)
			return WATCH_SIZE;
		if (fds[8].revents)
			return WATCH_SAVED;
		if (fds[9].revents)
			return WATCH_SOCKET;
		if (fds[10].revents)
			return WATCH_GAP;
		if (fds[11].revents)
			return WATCH_FILES;
	}
}

int watch_next_signal(struct watch *w, struct ts_error *err)
{
	sigset_t set;
	int signo;

	wanted_signals(&set);
	while ((signo = sigwaitinfo(&set, NULL)) < 0)
		if (errno != EINTR)
			return ts_error_sys(err, errno, "cannot wait for signals");
	if (signo == SIGCHLD)
		return WATCH_CHILD;
	w->signal = signo;
	return WATCH_SIGNAL;
}

void watch_close(struct watch *w)
{
	if (w->signal_fd >= 0)
		close(w->signal_fd);
	w->signal_fd = -1;
}
