/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process of the scan of /proc: FORK, NAMESPACES, COMM of its threads, MMAP2 of its maps.
 *
 * If a process ends during its scan, the records so far stay. A process that is already gone leaves
 * nothing. Files that may not be read (maps of another user) are left out.
 *
 * Threads: each scanning thread has a `struct scan` of its own.
 */
#ifndef TS_STREAMER_SYNTHESIS_SCAN_PROCESS_H
#define TS_STREAMER_SYNTHESIS_SCAN_PROCESS_H

#include <sys/types.h>

#include "common/base/build_id.h"
#include "common/base/bytes.h"
#include "common/base/text_file.h"
#include "streamer/machine/proc_text.h"
#include "streamer/synthesis/map_query.h"
#include "streamer/synthesis/synthesis.h"

struct scan {
	const struct synthesis_options *options; /* borrowed */
	int proc_fd;				 /* /proc; borrowed */
	bool forks;				 /* with FORK records */
	struct ts_bytes out;			 /* owned; the records */
	struct synthesis_counts counts;
	bool asks;		  /* asks for maps, instead of reading them as text */
	bool knows_vsyscall;	  /* if it asks: the maps of this process were read */
	struct proc_map vsyscall; /* end 0: there is none */
	struct ts_bytes text;	  /* scratch */
	struct map_query query;	  /* scratch */
	struct ts_text_file maps; /* scratch; large, so a scan lives on the heap */
	struct ts_build_id_cache build_ids;
};

/* NULL: out of memory. */
struct scan *scan_new(int proc_fd, const struct synthesis_options *options, bool forks);
void scan_free(struct scan *s); /* accepts NULL */

/* Scans a process with all its threads and maps. Returns the number of threads; 0: it is gone. */
size_t scan_process(struct scan *s, pid_t pid);
/*
 * The same for a process whose threads may still start others that no event records yet: looks
 * again until no new thread appears.
 */
size_t scan_process_until_settled(struct scan *s, pid_t pid);
/* The same for its leader's COMM and its maps alone; false: the process is gone. */
bool scan_leader(struct scan *s, pid_t pid);
/* NAMESPACES and COMM of one thread; false: it is gone. */
bool scan_thread(struct scan *s, pid_t pid, pid_t tid);
/* The process of a thread; 0: it is gone. */
pid_t scan_process_of(struct scan *s, pid_t tid);

#endif
