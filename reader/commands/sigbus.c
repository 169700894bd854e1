// SPDX-License-Identifier: Apache-2.0
/*
 * /proc/self/maps names the file. So no list of mapped files is needed, and the handler needs no
 * state of the program, which may be half changed at that moment. Spilled blocks are the only
 * mappings that are shared and writable.
 *
 * Only async-signal-safe calls are used here: no allocation, no stdio.
 */
#include "reader/commands/sigbus.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/escape_text.h"
#include "common/base/terminal.h"

#define LINE_BYTES (PATH_MAX + 128)
#define FDS_MOST   256 /* the pager's pipe is among the first */

struct mapping {
	bool is_found, is_block;
	char path[LINE_BYTES]; /* empty: the mapping has no path */
};

/*
 * Is it the line "from-to perms offset device inode   path" of the mapping that contains `address`?
 */
static bool read_line(const char *line, uintptr_t address, struct mapping *m)
{
	const char *path;
	char *at;
	uintptr_t from = strtoull(line, &at, 16), to = *at == '-' ? strtoull(at + 1, &at, 16) : 0;

	if (address < from || address >= to || strlen(at) < 5)
		return false;
	path = strchr(at, '/');
	m->is_found = true;
	m->is_block = at[2] == 'w' && at[4] == 's';
	strncpy(m->path, path ? path : "", sizeof(m->path) - 1);
	ts_escape_text(m->path, strlen(m->path), "");
	return true;
}

/* Reads the complete lines of `text`; returns the beginning of the first incomplete line. */
static char *read_lines(char *text, uintptr_t address, struct mapping *m)
{
	char *end;

	while (!m->is_found && (end = strchr(text, '\n'))) {
		*end = '\0';
		read_line(text, address, m);
		text = end + 1;
	}
	return text;
}

static void find_mapping(uintptr_t address, struct mapping *m)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char text[2 * LINE_BYTES];
	size_t have = 0;
	ssize_t got;

	*m = (struct mapping){0};
	while (!m->is_found && (got = read(fd, text + have, sizeof(text) - 1 - have)) > 0) {
		char *rest;

		have += (size_t)got;
		text[have] = '\0';
		rest = read_lines(text, address, m);
		have -= (size_t)(rest - text);
		memmove(text, rest, have);
	}
	if (fd >= 0)
		close(fd);
}

/*
 * A pager shows the text that it has, and owns the terminal until it ends. It ends when its pipe
 * has no writer left. Other threads may still write; their writes then go nowhere.
 */
static void end_pager(void)
{
	int nowhere;
	struct stat st;

	if (waitpid(-1, NULL, WNOHANG) < 0)
		return;
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int fd = STDERR_FILENO + 1; fd < FDS_MOST; fd++)
		if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
			dup3(nowhere, fd, O_CLOEXEC);
	while (waitpid(-1, NULL, 0) >= 0 || errno == EINTR)
		;
}

static void write_sentence(const char *before, const char *path, const char *behind)
{
	const struct iovec parts[] = {{(char *)(uintptr_t)before, strlen(before)},
				      {(char *)(uintptr_t)path, strlen(path)},
				      {(char *)(uintptr_t)behind, strlen(behind)}};
	ssize_t ignored = writev(STDERR_FILENO, parts, 3);

	(void)ignored; /* no one is left to read an error */
}

static void say_lost(const struct mapping *m)
{
	if (m->is_block)
		write_sentence("tstream: cannot keep counted data in a file [", m->path,
			       "]: no space is left for it\n  hint: make room there, set TMPDIR to "
			       "another folder, or give more with --mem-limit\n");
	else
		write_sentence(
			"tstream: cannot read ", m->path,
			" any further: it was cut short while it was read, or its disk failed\n");
}

static void end(int signal, siginfo_t *info, void *context)
{
	static atomic_flag is_ending = ATOMIC_FLAG_INIT;
	struct mapping m;

	(void)context;
	if (atomic_flag_test_and_set(&is_ending))
		for (;;)
			pause();
	find_mapping((uintptr_t)info->si_addr, &m);
	if (!m.path[0]) { /* no file: the signal ends the process as without a handler */
		struct sigaction usual = {.sa_handler = SIG_DFL};

		sigaction(signal, &usual, NULL);
		raise(signal);
		return;
	}
	end_pager();
	if (ts_terminal_may_draw())
		ts_terminal_erase();
	say_lost(&m);
	_exit(1);
}

static void take_note(int signal)
{
	(void)signal; /* the write fails with EFBIG; exec() resets this handler */
}

void sigbus_watch(void)
{
	struct sigaction lost = {.sa_sigaction = end, .sa_flags = SA_SIGINFO};
	struct sigaction too_large = {.sa_handler = take_note, .sa_flags = SA_RESTART};

	sigaction(SIGBUS, &lost, NULL);
	sigaction(SIGXFSZ, &too_large, NULL);
}
