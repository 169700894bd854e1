/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks, maps and programs that already existed when recording began, as records in the
 * kernel's form: tasks, their maps, the kernel, its modules, loaded BPF programs, and the tables
 * that go with the events.
 *
 * Every function appends whole perf records to `out`, in the order of the calls. Kernel record
 * types get a trailer of `trailer_bytes` zero bytes: id 0 (the first event), time 0 (holds from the
 * beginning). The records go into the file `data`. They equal those of `perf record`, except where
 * perf loses something.
 *
 * The scan of /proc runs after side-band is enabled. If a task starts meanwhile, the kernel's
 * records report it. A task that ends meanwhile may be left out, without a note.
 *
 * Threads: a call may start its own threads and joins them before it returns. Calls share nothing,
 * so different calls may run at the same time on different `out`.
 *
 * Source: tools/perf/util/synthetic-events.c, include/uapi/linux/perf_event.h.
 */
#ifndef TS_STREAMER_SYNTHESIS_SYNTHESIS_H
#define TS_STREAMER_SYNTHESIS_SYNTHESIS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/machine/kallsyms.h"

struct synthesis_options {
	size_t trailer_bytes; /* ts_record_trailer_bytes() of the events */
	bool data_maps;	      /* also readable data maps (-d) */
	bool build_ids;	      /* MMAP2 carries build-ids (attr.build_id) */
	bool namespaces;      /* NAMESPACES records (attr.namespaces) */
	unsigned nr_threads; /* for the scan of all tasks; 0: one a CPU we may run on, at most 16 */
	bool reads_text;     /* reads maps as text even where the kernel answers questions */
	unsigned map_limit_ms; /* time for the maps of one process, 0: 500 */
};

/* The tasks to scan. `pids`, `tids` and `command` are not read with `all`. */
struct synthesis_target {
	bool all;
	bool is_again;	   /* with `all`: no FORK, which would begin each task anew */
	const pid_t *pids; /* processes, with all their threads */
	size_t nr_pids;
	const pid_t *tids; /* single threads; the maps of their processes come with them */
	size_t nr_tids;
	pid_t command; /* a held child: its COMM only, its exec reports the rest; 0: none */
};

/* The counts of a scan. */
struct synthesis_counts {
	uint64_t processes, threads, maps;
	uint64_t cut_short; /* processes whose maps took longer than map_limit_ms (misc 0x1000) */
};

/*
 * Tasks: FORK (only of a scan of all), NAMESPACES, COMM, MMAP2, in the order of their pids.
 * ret_counts and notes may be NULL. Fails if /proc cannot be read at all, with -ENOMEM, or with
 * -ESRCH if no named task exists (any more).
 */
int synthesis_tasks(struct ts_bytes *out, const struct synthesis_target *target,
		    const struct synthesis_options *options, struct synthesis_counts *ret_counts,
		    struct ts_notes *notes, struct ts_error *err);

/*
 * The kernel map: MMAP of pid -1, from the start of the kernel's text to _etext; pgoff is the
 * reference symbol. Where addresses are hidden (kptr_restrict) nothing is appended, and a note
 * reports that with the remedy. Skip the call if every event excludes the kernel.
 */
void synthesis_kernel(struct ts_bytes *out, const struct kallsyms *symbols,
		      const struct synthesis_options *options, struct ts_notes *notes);

/*
 * One MMAP for each loaded module, with the name of its .ko file, or "[name]". Called at the start,
 * and again at the stop, because loading a module makes no MMAP record. Then the caller drops the
 * older run of bytes, or appends the new one behind it; both read the same.
 */
int synthesis_modules(struct ts_bytes *out, const struct synthesis_options *options,
		      struct ts_error *err);

/*
 * KSYMBOL and BPF_EVENT of every loaded BPF program, KSYMBOL of trampolines and dispatchers.
 * Without the privilege to list programs nothing is appended. Returns the number of programs.
 */
int synthesis_bpf(struct ts_bytes *out, const struct kallsyms *symbols,
		  const struct synthesis_options *options, struct ts_error *err);

/* CGROUP of every cgroup that exists; none where the hierarchy is not mounted. */
int synthesis_cgroups(struct ts_bytes *out, const struct synthesis_options *options,
		      struct ts_error *err);

/* One descriptor, for ID_INDEX. */
struct synthesis_id {
	uint64_t id;  /* PERF_EVENT_IOC_ID */
	uint64_t idx; /* of its ring, counted over the recorded CPUs */
	int32_t cpu;  /* -1: any */
	int32_t tid;  /* -1: every task */
};

/* The functions below only append. Running out of memory shows in ts_bytes_failed(out). */
void synthesis_id_index(struct ts_bytes *out, const struct synthesis_id *ids, size_t nr);
/* The tasks that were asked for; none (nr 0): every task, as the one tid -1. */
void synthesis_thread_map(struct ts_bytes *out, const pid_t *tids, size_t nr);
/* The CPUs recorded, ascending. */
void synthesis_cpu_map(struct ts_bytes *out, const uint32_t *cpus, size_t nr);
/*
 * Unit and scale of an event for which perf has one: clocks count ns, shown in msec. id: its first.
 */
void synthesis_event_update(struct ts_bytes *out, const struct perf_event_attr *attr,
			    const char *name, uint64_t id);
/* FINISHED_INIT: the state at the start is complete. The last record of the start. */
void synthesis_finished_init(struct ts_bytes *out);
/* The total loss of a descriptor (PERF_FORMAT_LOST), at the end; appends nothing if lost is 0. */
void synthesis_lost_samples(struct ts_bytes *out, const struct perf_event_attr *attr, uint64_t id,
			    uint32_t cpu, uint64_t lost);

#endif
