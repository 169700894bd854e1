/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and maps over time: which command a task was, and what was mapped at an address, at a given
 * moment.
 *
 * Side-band records (COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL) are applied in time order; each adds a
 * version, none changes an older one, so that a sample of any time can be resolved afterwards in
 * any order. The rules are those of perf's ordered processing:
 *  - A thread is known by its tid alone. Its name is that of the last COMM or, from its FORK on,
 * the name that its parent had then. Threads of one process share its maps.
 *  - A map takes the place of whatever it overlaps, data maps included, as in the address space.
 *  - A new process (FORK) begins with its parent's maps of that moment, by reference; a FORK that
 *    was synthesized (PERF_RECORD_MISC_FORK_EXEC) begins empty. A FORK over a living pid or tid
 * ends the older one: its number was reused.
 *  - An exec (COMM with COMM_EXEC) keeps the maps: those that follow it take their places.
 *  - An EXIT changes nothing: late samples of the task are still resolved.
 *  - KSYMBOL adds a map of its own to the kernel's where there is none yet, and removes it when it
 *    says so.
 * Records with time 0 (synthesized state) hold from the beginning.
 *
 * Threads: one thread applies; after ts_tasks_freeze() any number of threads may look up at the
 * same time.
 *
 * Source: machine, thread, maps and comm in tools/perf/util/ of Linux 6.1.
 */
#ifndef TS_READER_TASKS_TASKS_H
#define TS_READER_TASKS_TASKS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/build_id.h"
#include "common/base/error.h"
#include "common/perf/record.h"

#define TS_PID_KERNEL ((uint32_t)-1)

/*
 * One mapping, as a record said. Later maps may have taken parts of [start, end) since; which map
 * holds an address only ts_tasks_map() tells.
 */
struct ts_map {
	uint64_t start, end; /* addresses [start, end) */
	uint64_t pgoff; /* file offset of `start`; of the main kernel map: its reference address */
	uint64_t time_ns; /* from when it holds; 0: from the beginning */
	uint64_t inode;	  /* 0: not recorded */
	uint32_t prot;	  /* PROT_*; of an MMAP record PROT_EXEC, unless its misc says data */
	uint32_t flags;	  /* MAP_* */
	uint32_t dso;	  /* index for ts_tasks_dso(): equal path and build-id = equal dso */
	bool is_kernel;	  /* the kernel, a module or a KSYMBOL (a BPF program) */
};

/* A mapped object: one a path (and build-id, when records carry them). */
struct ts_dso {
	const char *path; /* as recorded: "/usr/lib/...", "//anon", "[kernel.kallsyms]_text" */
	uint8_t build_id[TS_BUILD_ID_MAX];
	uint8_t build_id_bytes; /* 0: not recorded with the map */
	bool is_kernel;
	uint32_t pid; /* of the process that mapped it last */
};

struct ts_tasks;

struct ts_tasks *ts_tasks_new(void); /* NULL: out of memory */
void ts_tasks_free(struct ts_tasks *tasks);

/*
 * Applies one kernel record that is no SAMPLE; ignores types that say nothing about tasks and maps.
 * Records must come in the order in which they hold (time 0 first). Returns 0, -ENOMEM, or -EINVAL
 * for a record whose fields reach beyond its end (nothing was changed).
 */
int ts_tasks_apply(struct ts_tasks *tasks, const struct perf_event_header *hdr,
		   const struct ts_sample_id *sid);
/*
 * No more records: lookups may begin. Of a capture that grows more may be applied while nobody looks
 * up; then it is frozen again. What was found before stays as it is.
 */
int ts_tasks_freeze(struct ts_tasks *tasks, struct ts_error *err);

/*
 * The command name of a thread at a time; NULL where no record had named it (perf prints ":TID").
 * Callers whose records carry no time pass UINT64_MAX, here and below.
 */
const char *ts_tasks_comm(const struct ts_tasks *tasks, uint32_t tid, uint64_t time_ns);
/*
 * The first name that a thread got later, which had none at that time; NULL: none. perf's report gives
 * it to what the thread did before.
 */
const char *ts_tasks_first_comm(const struct ts_tasks *tasks, uint32_t tid, uint64_t time_ns);
/* The last name that this thread had, whoever had its tid afterwards; NULL: never named. */
const char *ts_tasks_last_comm(const struct ts_tasks *tasks, uint32_t tid, uint64_t time_ns);
/*
 * The mapping that holds addr in process pid at a time; NULL if none. pid TS_PID_KERNEL: kernel,
 * modules and KSYMBOLs. The pointer is good until ts_tasks_free().
 */
const struct ts_map *ts_tasks_map(const struct ts_tasks *tasks, uint32_t pid, uint64_t addr,
				  uint64_t time_ns);

struct ts_range {
	uint64_t start, end; /* addresses [start, end) */
};
/*
 * The same of a process, not the kernel, and addresses around it for which the same is found: one of the
 * space (see ts_moment) has one answer for all of them.
 */
const struct ts_map *ts_tasks_map_around(const struct ts_tasks *tasks, uint32_t pid, uint64_t addr,
					 uint64_t time_ns, struct ts_range *ret);

/*
 * What holds for a thread over a stretch of time, so that whoever reads many records of one thread
 * need not look up for each: for every time in [from_ns, until_ns) ts_tasks_comm() gives `comm`,
 * and ts_tasks_map() gives for every address what it gives for any other (pid, time) of the same
 * `space`. pid TS_PID_KERNEL: the kernel's maps (comm NULL).
 */
struct ts_moment {
	const char *comm; /* NULL: unknown */
	uint64_t space;	  /* identity of the set of maps; 0: there are none */
	uint64_t from_ns, until_ns;
};

/* The moment around time_ns; its words belong to *tasks. */
void ts_tasks_moment(const struct ts_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time_ns,
		     struct ts_moment *ret);

/* What is left of a mapping, or of a part of it that others did not take. */
struct ts_piece {
	uint64_t start, end;
	const struct ts_map *map;
	uint32_t pid; /* of who mapped it: the process itself, or one that it was forked from */
};

/*
 * What a process (not the kernel) has mapped at the end, by address: *ret_nr pieces, the caller's to
 * free(). 0 or -ENOMEM.
 */
int ts_tasks_pieces(const struct ts_tasks *tasks, uint32_t pid, struct ts_piece **ret,
		    size_t *ret_nr);

/* The first map of an object that the kernel has, or is; NULL: there is none. */
const struct ts_map *ts_tasks_kernel_map(const struct ts_tasks *tasks, uint32_t dso);

/* How many threads records tell of, but for the idle one. */
size_t ts_tasks_nr_threads(const struct ts_tasks *tasks);

/* Has any record told of it? */
bool ts_tasks_has_thread(const struct ts_tasks *tasks, uint32_t tid);
bool ts_tasks_has_process(const struct ts_tasks *tasks, uint32_t pid);

/* All names that threads had, numbered from 0. */
size_t ts_tasks_nr_names(const struct ts_tasks *tasks);
const char *ts_tasks_name(const struct ts_tasks *tasks, size_t i);

/* Objects are numbered from 0, as in ts_map; they live as long as *tasks. */
size_t ts_tasks_nr_dsos(const struct ts_tasks *tasks);
const struct ts_dso *ts_tasks_dso(const struct ts_tasks *tasks, uint32_t dso);

#endif
