// SPDX-License-Identifier: Apache-2.0
#include "streamer/hook.h"

#include <signal.h>
#include <sys/wait.h>

int hook_start(struct hook *h, const char *command, int log_fd, const struct watch_signals *signals,
	       struct ts_error *err)
{
	int code = runner_start(&h->runner, command, HOOK_DEADLINE_S, log_fd, signals, err);

	h->command = code < 0 ? NULL : command;
	return code;
}

void hook_tell(struct hook *h, const char *path, struct ts_notes *notes)
{
	const char *const words[] = {h->command, path};

	if (!h->command)
		return;
	hook_collect(h, notes);
	if (h->runner.waiting < HOOK_WAITING_MAX && runner_tell(&h->runner, words, 2) == 0)
		return;
	ts_notes_add(notes, "%s was not run for %s: it still runs for %u others", h->command, path,
		     h->runner.waiting);
}

static void note_status(const struct hook *h, int status, struct ts_notes *notes)
{
	if (WIFSIGNALED(status))
		ts_notes_add(notes, "%s (--on-snapshot) was ended by signal %d%s", h->command,
			     WTERMSIG(status),
			     WTERMSIG(status) == SIGKILL ? ", as after its deadline" : "");
	else if (WEXITSTATUS(status))
		ts_notes_add(notes, "%s (--on-snapshot) failed with status %d", h->command,
			     WEXITSTATUS(status));
}

static void collect(struct hook *h, bool waits, struct ts_notes *notes)
{
	int status;

	while (h->command && runner_take(&h->runner, waits, &status))
		note_status(h, status, notes);
}

void hook_collect(struct hook *h, struct ts_notes *notes)
{
	collect(h, false, notes);
}

void hook_finish(struct hook *h, struct ts_notes *notes)
{
	if (!h->command)
		return;
	collect(h, true, notes);
	runner_finish(&h->runner);
	h->command = NULL;
}

void hook_close(struct hook *h)
{
	if (h->command)
		runner_close(&h->runner);
	h->command = NULL;
}
