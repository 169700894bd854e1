/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and maps over time: which command a task was, and what was mapped at an address, at a given
 * moment.
 *
 * Side-band records (COMM, FORK, EXIT, MMAP, MMAP2, ...) are applied in time order; each adds
 * versions, never changes older ones, so that a sample of any time can be resolved afterwards in
 * any order. A fork copies the parent's maps by reference; an exec (COMM with COMM_EXEC) starts an
 * empty address space; an MMAP takes the place of what it overlaps. Rules equal those of perf's
 * ordered processing. Records with time 0 (synthesized state) hold from the beginning.
 *
 * Threads: one thread applies; after ts_tasks_freeze() any number of threads may look up at the
 * same time.
 */
#ifndef TS_COMMON_TASKS_H
#define TS_COMMON_TASKS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/record.h"

#define TS_BUILD_ID_MAX 20
#define TS_PID_KERNEL	((uint32_t)-1)

/* One mapping, as an MMAP or MMAP2 record (or the part of it that was left) said. */
struct ts_map {
	uint64_t start, end; /* addresses [start, end) */
	uint64_t pgoff; /* file offset that `start` stands for; for the kernel map: its reference
			   address */
	uint32_t prot,
		flags; /* PROT_*, MAP_*; 0 for MMAP records: executable unless misc said data */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t dso;	/* index into ts_tasks_dso(): equal path (and build-id) = equal dso */
	bool is_kernel; /* of pid -1: the kernel or a module */
};

/* A mapped object: one a path (and build-id, when records carry them). */
struct ts_dso {
	const char *path; /* as recorded: "/usr/lib/...", "[vdso]", "//anon",
			     "[kernel.kallsyms]_text" */
	uint8_t build_id[TS_BUILD_ID_MAX];
	uint8_t build_id_bytes; /* 0: not recorded with the map */
	bool is_kernel;
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
/* No more records: lookups may begin. */
int ts_tasks_freeze(struct ts_tasks *tasks, struct ts_error *err);

/* The command name of a thread at a time; perf's ":TID" form is the caller's when this is NULL. */
const char *ts_tasks_comm(const struct ts_tasks *tasks, uint32_t pid, uint32_t tid,
			  uint64_t time_ns);
/* The mapping that covers addr in process pid at a time; NULL if none. pid TS_PID_KERNEL: kernel
 * and modules. */
const struct ts_map *ts_tasks_map(const struct ts_tasks *tasks, uint32_t pid, uint64_t addr,
				  uint64_t time_ns);

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

void ts_tasks_moment(const struct ts_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time_ns,
		     struct ts_moment *ret);

size_t ts_tasks_nr_dsos(const struct ts_tasks *tasks);
const struct ts_dso *ts_tasks_dso(const struct ts_tasks *tasks, uint32_t dso);

#endif
