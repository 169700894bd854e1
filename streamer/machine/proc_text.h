/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of /proc/PID/maps, stat and status, taken apart.
 *
 * Threads: pure functions.
 *
 * Source: proc(5), fs/proc/task_mmu.c, fs/proc/array.c.
 */
#ifndef TS_STREAMER_MACHINE_PROC_TEXT_H
#define TS_STREAMER_MACHINE_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One line of maps. */
struct proc_map {
	uint64_t start, end; /* addresses [start, end) */
	uint64_t pgoff;	     /* bytes */
	uint32_t prot;	     /* PROT_* */
	uint32_t flags;	     /* MAP_SHARED or MAP_PRIVATE */
	uint32_t maj, min;
	uint64_t ino;
	const char *
		name; /* no C string: ends at name_len; as it stands there, " (deleted)" included */
	size_t name_len; /* 0: anonymous */
};

/* Takes one line of len bytes (without its newline) apart; false if it is none of that form. */
bool proc_parse_map(const char *line, size_t len, struct proc_map *ret);

#define PROC_COMM_BYTES                                                                            \
	16 /* TASK_COMM_LEN: 15 characters and a NUL, as in the kernel's own records */

/* What a task's stat says. */
struct proc_stat {
	char comm[PROC_COMM_BYTES];
	pid_t ppid;
	uint64_t nr_threads;
	uint64_t vsize_bytes; /* 0: a kernel thread, or a leader that has ended */
};

/* Takes a whole stat (a C string) apart; false if it is none. A name may hold ") (" itself. */
bool proc_parse_stat(const char *text, struct proc_stat *ret);

/* The process of a thread, from its whole status (a C string); 0 if it does not say. */
pid_t proc_parse_tgid(const char *status);

#endif
