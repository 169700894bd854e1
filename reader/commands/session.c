// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/session.h"

#include <unistd.h>

#include "reader/commands/sigbus.h"
#include "reader/runtime/workers.h"

int session_begin(struct session *s, uint64_t mem_limit, uint64_t nr_jobs, enum ts_log_level level,
		  struct ts_error *err)
{
	ts_log_set_level(level);
	sigbus_watch();
	s->nr_workers = workers_asked(nr_jobs);
	memory_init(&s->memory, mem_limit, NULL);
	return progress_init(&s->progress, err);
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
	return progress_init(&s->progress, err);
}

void session_end(struct session *s)
{
	memory_release(&s->memory);
	progress_release(&s->progress);
}
