/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the text of /proc/PID/maps, stat and status.
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
	/* no C string: name_len bytes, unchanged, with " (deleted)" if it is there */
	const char *name;
	size_t name_len; /* 0: anonymous */
};

/* Parses one line of len bytes (without its newline). False if the line has another form. */
bool proc_parse_map(const char *line, size_t len, struct proc_map *ret);

#define PROC_COMM_BYTES                                                                            \
	16 /* TASK_COMM_LEN: 15 characters and a NUL, as in the kernel's own records */

/* The fields of a task's stat. */
struct proc_stat {
	char comm[PROC_COMM_BYTES];
	pid_t ppid;
	uint64_t nr_threads;
	uint64_t vsize_bytes; /* 0: a kernel thread, or a leader that has ended */
};

/*
 * Parses a whole stat (a C string). False if the text has another form. A name may contain ") (".
 */
bool proc_parse_stat(const char *text, struct proc_stat *ret);

/* Returns the process of a thread from its whole status (a C string); 0: it is not there. */
pid_t proc_parse_tgid(const char *status);

#endif
