/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and maps over time: the command name of a task, and the map that holds an address, at a
 * given moment.
 *
 * Side-band records (COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL) are applied in time order. Each adds a
 * version and changes no older one, so samples of any time can be resolved afterwards, in any
 * order. The rules are those of perf's ordered processing:
 * - A thread is known by its tid alone. Its name is that of the last COMM. From its FORK up to that
 *   COMM it has the name that its parent had at the FORK. Threads of one process share its maps.
 * - A map replaces all maps that it overlaps, data maps included, as in the address space. But
 *   memory without a file does not replace the code that was told to be in it (perf inject).
 * - A new process (FORK) begins with its parent's maps of that moment, by reference. A synthesized
 *   FORK (PERF_RECORD_MISC_FORK_EXEC) begins empty. A FORK over a living pid or tid ends the older
 *   one: its number was reused.
 * - An exec (COMM with COMM_EXEC) keeps the maps; later maps replace them.
 * - An EXIT changes nothing: late samples of the task are still resolved.
 * - A KSYMBOL adds its own map to the kernel's where none is yet. A KSYMBOL that unregisters
 *   removes it.
 *
 * Records with time 0 (synthesized state) hold from the beginning.
 *
 * Threads: one thread applies; after tasks_freeze() any number of threads may look up at the
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

#define TASK_PID_KERNEL ((uint32_t)-1)

/*
 * One mapping, as in its record. Later maps may have replaced parts of [start, end). Only
 * tasks_map() tells which map holds an address.
 */
struct task_map {
	uint64_t start, end; /* addresses [start, end) */
	uint64_t pgoff; /* file offset of `start`; of the main kernel map: its reference address */
	uint64_t time_ns;   /* it holds from then on; 0: from the beginning */
	uint64_t inode;	    /* 0: not recorded */
	uint32_t prot;	    /* PROT_*; of an MMAP record PROT_EXEC, unless its misc marks data */
	uint32_t flags;	    /* MAP_* */
	uint32_t dso;	    /* index for tasks_dso(): equal path and build-id = equal dso */
	bool is_kernel : 1; /* the kernel, a module or a KSYMBOL (a BPF program) */
	bool is_memory : 1; /* no file that was there before is behind it */
	bool is_made : 1;   /* code that a process made and told of (tasks_map_made()) */
	uint32_t nr_execs : 29; /* how often the process, or those that it was forked from, had
				   called exec */
};

/* A mapped object: one for each path (and build-id, if records have them). */
struct task_dso {
	const char *path; /* as recorded: "/usr/lib/...", "//anon", "[kernel.kallsyms]_text" */
	uint8_t build_id[TS_BUILD_ID_MAX];
	uint8_t build_id_bytes; /* 0: not recorded with the map */
	bool is_kernel;
	uint32_t pid; /* the process that mapped it last */
};

struct tasks;
struct memory;

/* Blocks of `memory`, which may be NULL, hold what makes lookups fast. NULL: out of memory. */
struct tasks *tasks_new(struct memory *memory);
struct memory *tasks_memory(const struct tasks *tasks); /* that of tasks_new() */
void tasks_free(struct tasks *tasks);

/*
 * Applies one kernel record that is no SAMPLE; ignores types that are not about tasks and maps.
 * Records must come in the order in which they hold (time 0 first). Returns 0, -ENOMEM, or -EINVAL
 * for a record whose fields reach beyond its end (nothing was changed).
 */
int tasks_apply(struct tasks *tasks, const struct perf_event_header *hdr,
		const struct ts_sample_id *sid);
/*
 * Maps code that process `pid` made and told of in the file at `path`: of *code the addresses, the
 * offset and the time count. It comes in the order of records. 0 or -ENOMEM.
 */
int tasks_map_made(struct tasks *tasks, uint32_t pid, const char *path,
		   const struct task_map *code);
/*
 * At this point of the records: was `pid` forked from `from`, directly or over at most 16 forks, and
 * had no process on the way called exec before it forked?
 */
bool tasks_has_maps_of(const struct tasks *tasks, uint32_t pid, uint32_t from);
/*
 * Ends the records: lookups may begin. If a capture grows, more records may be applied while no
 * thread looks up; then freeze again. Results of earlier lookups stay valid.
 */
int tasks_freeze(struct tasks *tasks, struct ts_error *err);

/*
 * The command name of a thread at a time; NULL: no record had named it (perf prints ":TID").
 * Callers whose records have no time pass UINT64_MAX, here and below.
 */
const char *tasks_comm(const struct tasks *tasks, uint32_t tid, uint64_t time_ns);
/*
 * The first later name of a thread that had none at that time; NULL: none. perf's report also uses
 * it for earlier samples of the thread.
 */
const char *tasks_first_comm(const struct tasks *tasks, uint32_t tid, uint64_t time_ns);
/* The last name of this thread, even if another thread got its tid later; NULL: never named. */
const char *tasks_last_comm(const struct tasks *tasks, uint32_t tid, uint64_t time_ns);
/*
 * The mapping that holds addr in process pid at a time; NULL: none. pid TASK_PID_KERNEL: kernel,
 * modules and KSYMBOLs. The pointer is valid until tasks_free().
 */
const struct task_map *tasks_map(const struct tasks *tasks, uint32_t pid, uint64_t addr,
				 uint64_t time_ns);

/*
 * The file that may have been copied into the memory of `map`, which tasks_map() returned for addr.
 * It was executable there before, and reached over all of `map`. The process has not called exec
 * since. `map` has no build-id of its own, and no code was told of in it. NULL: none.
 */
const struct task_map *tasks_copied_from(const struct tasks *tasks, uint32_t pid,
					 const struct task_map *map, uint64_t addr,
					 uint64_t time_ns);

/*
 * The process from which `pid` was forked, or from which that one was forked, and so on: the nth of
 * them, from 1. It has `map`, too: nobody mapped that later, and no exec lies between. TASK_PID_KERNEL:
 * there is none.
 */
uint32_t tasks_forked_from(const struct tasks *tasks, uint32_t pid, const struct task_map *map,
			   uint64_t time_ns, uint32_t nth);

struct task_range {
	uint64_t start, end; /* addresses [start, end) */
};
/*
 * The same for a process, not the kernel. *ret becomes a range around addr in which all addresses
 * have the same answer, for every (pid, time) with the same space (see task_moment).
 */
const struct task_map *tasks_map_around(const struct tasks *tasks, uint32_t pid, uint64_t addr,
					uint64_t time_ns, struct task_range *ret);

/*
 * The name and the maps of a thread over a stretch of time. A reader of many records of one thread
 * need not look up for each of them. For every time in [from_ns, until_ns):
 * - tasks_comm() gives `comm`;
 * - tasks_map() gives, for every address, the same answer as for any other (pid, time) with the
 *   same `space`.
 *
 * For pid TASK_PID_KERNEL these are the kernel's maps, and comm is NULL.
 */
struct task_moment {
	const char *comm; /* NULL: unknown */
	uint64_t space;	  /* identity of the set of maps; 0: no maps */
	uint64_t from_ns, until_ns;
};

/* The moment around time_ns. Its strings belong to *tasks. */
void tasks_moment(const struct tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time_ns,
		  struct task_moment *ret);

/* A mapping, or a part of one that no later map replaced. */
struct task_piece {
	uint64_t start, end;
	const struct task_map *map;
	uint32_t pid; /* the process that mapped it: this one, or one that it was forked from */
};

/*
 * The mappings of a process (not the kernel) at the end of the capture, by address: *ret_nr pieces,
 * for the caller to free(). *room becomes less by the number of maps that were looked at: its own and
 * those that it was forked with. 0, -ENOMEM, or -E2BIG if *room is less than that.
 */
int tasks_pieces(const struct tasks *tasks, uint32_t pid, uint64_t *room, struct task_piece **ret,
		 size_t *ret_nr);
/*
 * The same of the maps that the process made itself. *ret_parent becomes the process from which it
 * has others; TASK_PID_KERNEL: none. 0 or -ENOMEM.
 */
int tasks_own_pieces(const struct tasks *tasks, uint32_t pid, uint32_t *ret_parent,
		     struct task_piece **ret, size_t *ret_nr);
/* The number of maps in the records. */
uint64_t tasks_nr_maps(const struct tasks *tasks);

/* The first map that the kernel has of an object, or that is the object; NULL: none. */
const struct task_map *tasks_kernel_map(const struct tasks *tasks, uint32_t dso);

/* The number of threads in the records, without the idle one. */
size_t tasks_nr_threads(const struct tasks *tasks);

/* Does any record name it? */
bool tasks_has_thread(const struct tasks *tasks, uint32_t tid);
bool tasks_has_process(const struct tasks *tasks, uint32_t pid);

/* All names that threads had, numbered from 0. */
size_t tasks_nr_names(const struct tasks *tasks);
const char *tasks_name(const struct tasks *tasks, size_t i);

/* Objects are numbered from 0, as in task_map; they live as long as *tasks. */
size_t tasks_nr_dsos(const struct tasks *tasks);
const struct task_dso *tasks_dso(const struct tasks *tasks, uint32_t dso);

#endif
