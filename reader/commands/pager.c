// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pager_command(void)
{
	const char *command = getenv("PAGER");

	if (!isatty(STDOUT_FILENO))
		return NULL;
	if (!command)
		return "command -v less >/dev/null && exec less; exec cat";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void exec_pager(const char *command, int input)
{
	dup2(input, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_start(struct pager *p)
{
	const char *command = pager_command();
	int ends[2];

	*p = (struct pager){.fd = STDOUT_FILENO};
	if (!command || pipe2(ends, O_CLOEXEC))
		return;
	/* Before the fork: other threads may run, and then the child may hardly call anything. */
	setenv("LESS", "FRSX", 0);
	p->pid = fork();
	if (!p->pid)
		exec_pager(command, ends[0]);
	close(ends[0]);
	if (p->pid < 0) {
		close(ends[1]);
		p->pid = 0;
		return;
	}
	/* From here on ^C is for the pager, which decides when it ends. */
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	p->fd = ends[1];
}

void pager_end(struct pager *p)
{
	if (!p->pid)
		return;
	close(p->fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}
