// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/on_snapshot.h"

#include <signal.h>
#include <sys/wait.h>

#define TOLD_MAX (2 * ON_SNAPSHOT_WAITING_MAX)

int on_snapshot_start(struct on_snapshot *h, bool archives, const char *command, int log_fd,
		      const struct caller_state *caller, struct ts_error *err)
{
	const struct program_runner_plan plan = {
		.what = archives ? "tstream archive" : command,
		.deadline_s = archives ? ON_SNAPSHOT_ARCHIVE_DEADLINE_S : ON_SNAPSHOT_DEADLINE_S,
		.log_fd = log_fd,
		.caller = caller,
	};
	int code;

	*h = (struct on_snapshot){.archives = archives, .command = command};
	if (!archives && !command)
		return 0;
	code = program_runner_start(&h->runner, &plan, err);
	h->is_on = code >= 0;
	return code;
}

static const char *name_of(const struct on_snapshot *h, bool is_archive)
{
	return is_archive ? "tstream archive" : h->command;
}

static void note_status(const struct on_snapshot *h, bool is_archive, int status,
			struct ts_notes *notes)
{
	const char *name = name_of(h, is_archive);
	const char *option = is_archive ? "--archive" : "--on-snapshot";

	if (WIFSIGNALED(status))
		ts_notes_add(notes, "%s (%s) was ended by signal %d%s", name, option,
			     WTERMSIG(status),
			     WTERMSIG(status) == SIGKILL ? ", possibly at its deadline" : "");
	else if (WEXITSTATUS(status))
		ts_notes_add(notes, "%s (%s) failed with status %d", name, option,
			     WEXITSTATUS(status));
}

static void collect_programs(struct on_snapshot *h, bool waits, struct ts_notes *notes)
{
	int status;

	while (h->is_on && program_runner_take(&h->runner, waits, &status)) {
		note_status(h, h->is_archive[h->first], status, notes);
		h->first = (h->first + 1) % TOLD_MAX;
	}
}

/* The last word is the path. */
static void tell_runner(struct on_snapshot *h, bool is_archive, const char *const *words, size_t nr,
			struct ts_notes *notes)
{
	const unsigned int max = h->archives && h->command ? TOLD_MAX : ON_SNAPSHOT_WAITING_MAX;
	unsigned int waiting;

	collect_programs(h, false, notes);
	waiting = h->runner.waiting;
	if (waiting < max && program_runner_tell(&h->runner, words, nr) == 0)
		h->is_archive[(h->first + waiting) % TOLD_MAX] = is_archive;
	else
		ts_notes_add(notes, "%s was not run for %s: it still runs for %u others",
			     name_of(h, is_archive), words[nr - 1], waiting);
}

void on_snapshot_archive(struct on_snapshot *h, const char *path, struct ts_notes *notes)
{
	const char *const words[] = {"/proc/self/exe", "archive", "--quiet", "--", path};

	if (h->is_on && h->archives)
		tell_runner(h, true, words, sizeof(words) / sizeof(words[0]), notes);
}

void on_snapshot_tell(struct on_snapshot *h, const char *path, struct ts_notes *notes)
{
	const char *const words[] = {h->command, path};

	on_snapshot_archive(h, path, notes);
	if (h->is_on && h->command)
		tell_runner(h, false, words, 2, notes);
}

void on_snapshot_collect(struct on_snapshot *h, struct ts_notes *notes)
{
	collect_programs(h, false, notes);
}

void on_snapshot_finish(struct on_snapshot *h, struct ts_notes *notes)
{
	if (!h->is_on)
		return;
	collect_programs(h, true, notes);
	program_runner_finish(&h->runner);
	h->is_on = false;
}

void on_snapshot_close(struct on_snapshot *h)
{
	if (h->is_on)
		program_runner_close(&h->runner);
	h->is_on = false;
}
