// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/interrupt_thread.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/terminal.h"

#define PERIOD_MS 1000

bool interrupt_thread_is_unwanted(void)
{
	struct sigaction now;

	return sigaction(SIGINT, NULL, &now) < 0 || now.sa_handler == SIG_IGN;
}

static void take_signal(struct interrupt_thread *v)
{
	struct signalfd_siginfo info;

	if (read(v->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (!progress_is_stopped(v->progress)) {
		ts_stop_raise(&v->progress->stop);
		return;
	}
	if (ts_terminal_may_draw())
		ts_terminal_erase();
	_exit(INTERRUPT_STATUS);
}

static void draw_progress(const struct interrupt_thread *v)
{
	char text[TS_TERMINAL_LINE_BYTES];
	struct progress_facts facts;

	if (progress_look(v->progress, ts_clock_now_ns(), &facts) && ts_terminal_may_draw())
		ts_terminal_draw(progress_text(text, &facts, ts_terminal_columns()));
}

static void wait_for_signals(void *arg)
{
	struct interrupt_thread *v = arg;
	struct pollfd fds[] = {{.fd = v->end.fd, .events = POLLIN},
			       {.fd = v->signal_fd, .events = POLLIN}};
	uint64_t next_ns = ts_clock_now_ns() + PERIOD_MS * TS_NS_PER_MS;
	bool is_drawn = false;

	while (!ts_stop_is_raised(&v->end)) {
		uint64_t now_ns = ts_clock_now_ns();

		if (v->draws && now_ns >= next_ns) {
			draw_progress(v);
			is_drawn = true;
			next_ns = now_ns + PERIOD_MS * TS_NS_PER_MS;
		}
		poll(fds, 2, v->draws ? (int)((next_ns - now_ns) / TS_NS_PER_MS) + 1 : -1);
		if (fds[1].revents & POLLIN)
			take_signal(v);
	}
	if (is_drawn && ts_terminal_may_draw())
		ts_terminal_erase();
}

/* Only this thread takes SIGINT, so main must block it, too. */
static bool block_signals(struct interrupt_thread *v, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	v->is_blocked =
		!interrupt_thread_is_unwanted() && !pthread_sigmask(SIG_BLOCK, set, &v->mask);
	return v->is_blocked;
}

void interrupt_thread_start(struct interrupt_thread *v, struct progress *p, bool draws)
{
	struct ts_error ignored;
	sigset_t set;

	*v = (struct interrupt_thread){
		.progress = p, .draws = draws, .signal_fd = -1, .end.fd = -1};
	if (ts_stop_init(&v->end, &ignored))
		return;
	if (block_signals(v, &set))
		v->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (v->signal_fd >= 0)
		take_signal(v); /* a signal that came before the signalfd existed */
	if ((v->is_blocked && v->signal_fd < 0) || (!v->is_blocked && !v->draws) ||
	    ts_thread_start(&v->thread, "tstream-vigil", NULL, 0, wait_for_signals, v, &ignored))
		interrupt_thread_end(v);
}

void interrupt_thread_end(struct interrupt_thread *v)
{
	if (!v->progress)
		return;
	ts_stop_raise(&v->end);
	ts_thread_join(&v->thread);
	if (v->signal_fd >= 0)
		close(v->signal_fd);
	ts_stop_release(&v->end);
	if (v->is_blocked)
		pthread_sigmask(SIG_SETMASK, &v->mask, NULL);
	*v = (struct interrupt_thread){0};
}
