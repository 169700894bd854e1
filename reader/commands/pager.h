/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's pager, when standard output is a terminal.
 *
 * $PAGER, or less where it is not set; an empty $PAGER or "cat" means none. It is the one program
 * that reading a capture starts.
 *
 * Threads: main thread only, before others start.
 */
#ifndef TS_READER_COMMANDS_PAGER_H
#define TS_READER_COMMANDS_PAGER_H

#include <sys/types.h>

struct pager {
	int fd;	   /* where to write: the pager, or standard output */
	pid_t pid; /* 0: there is no pager */
};

/* Never fails: without a pager the output goes to standard output. */
void pager_start(struct pager *p);
/* Closes the pager's input and waits until the user has left it. */
void pager_end(struct pager *p);

#endif
