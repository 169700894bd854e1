// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/session.h"

#include <unistd.h>

#include "reader/commands/sigbus.h"
#include "reader/runtime/workers.h"

/* The first stage, before the chunk table: a pipe is copied, a header of a pipe is collected. */
static int begin_progress(struct session *s, struct ts_error *err)
{
	int rc = progress_init(&s->progress, err);

	if (!rc)
		progress_begin(&s->progress, "Opening", 0);
	return rc;
}

int session_begin(struct session *s, uint64_t mem_limit, uint64_t nr_jobs, enum ts_log_level level,
		  struct ts_error *err)
{
	ts_log_set_level(level);
	sigbus_watch();
	s->nr_workers = workers_asked(nr_jobs);
	memory_init(&s->memory, mem_limit, NULL);
	return begin_progress(s, err);
}

void session_watch(struct session *s, bool draws)
{
	interrupt_thread_start(&s->interrupt, &s->progress, draws && isatty(STDERR_FILENO));
}

void session_unwatch(struct session *s)
{
	interrupt_thread_end(&s->interrupt);
}

int session_restart(struct session *s, struct ts_error *err)
{
	progress_release(&s->progress);
	return begin_progress(s, err);
}

void session_end(struct session *s)
{
	memory_release(&s->memory);
	progress_release(&s->progress);
}
