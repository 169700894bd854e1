/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's pager, when standard output is a terminal.
 *
 * It is $PAGER, or less if that is not set; an empty $PAGER or "cat" means none. It is the only
 * program that reading a capture starts.
 *
 * Threads: main thread only, while no other thread runs.
 */
#ifndef TS_READER_COMMANDS_PAGER_H
#define TS_READER_COMMANDS_PAGER_H

#include <sys/types.h>

struct pager {
	int fd;	   /* write here: the pager, or standard output */
	pid_t pid; /* 0: there is no pager */
};

/* Cannot fail: without a pager output goes to standard output. */
void pager_start(struct pager *p);
/* Closes the pager's input and waits until the user quits it. */
void pager_end(struct pager *p);

#endif
