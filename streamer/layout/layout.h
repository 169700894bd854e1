/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of the writers: how many there are, which CPUs' rings each drains, and where it runs.
 *
 * It is a function of the topology, the --threads value and some CPU sets, and of nothing else, so
 * that a synthetic topology (HWLOC_SYNTHETIC) shows what a machine that is not at hand would do.
 * Its invariant: every CPU whose samples are wanted has exactly one writer, so has the side-band of
 * every online CPU, and no writer has an empty affinity.
 *
 * Threads: made by one thread, constant afterwards but for layout_welcome(); others see of it only
 * what does not change.
 */
#ifndef TS_STREAMER_LAYOUT_LAYOUT_H
#define TS_STREAMER_LAYOUT_LAYOUT_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/notes.h"

/*
 * Without --threads: a writer for each recorded CPU, or for each core, as long as they are no more
 * than FEW and one may run on each; else by memory node, none serving more than WRITER_CPUS.
 */
#define LAYOUT_WRITERS_FEW 32
#define LAYOUT_WRITER_CPUS 16

struct layout_writer {
	hwloc_bitmap_t cpus;	      /* whose sample rings it drains; never empty */
	hwloc_bitmap_t sideband_cpus; /* whose side-band rings it drains */
	/* The same of CPUs that are offline, should they come online; NULL: nobody waits for any. */
	hwloc_bitmap_t expected_cpus, expected_sideband_cpus;
	hwloc_bitmap_t affinity; /* where it runs; never empty */
	hwloc_bitmap_t nodes;	 /* OS numbers of the memory nodes of its affinity */
};

struct layout {
	struct layout_writer *writers; /* owned; in the order of the streams data.N */
	size_t nr;		       /* at least 1 */
	const char *kind;	       /* "cpu", "core", ..., "mask", or "auto" without --threads */
};

struct layout_input {
	hwloc_topology_t topology;
	const char *spec;	      /* the value of --threads, "" for none; NULL: no --threads */
	hwloc_const_bitmap_t present; /* a CPU that is not in here cannot be named */
	hwloc_const_bitmap_t online;  /* rings exist only there */
	hwloc_const_bitmap_t monitored; /* -C: whose samples are wanted; NULL: of all online CPUs */
	hwloc_const_bitmap_t allowed;	/* cpuset of this process: writers stay inside */
	hwloc_const_bitmap_t isolated;	/* writers stay off unless a user mask names them */
};

/* The sets of `layout_input` for this machine, or for the synthetic one of HWLOC_SYNTHETIC. */
struct layout_machine {
	hwloc_topology_t topology; /* owned, as are the sets */
	hwloc_bitmap_t present;
	hwloc_bitmap_t online;
	hwloc_bitmap_t allowed;
	hwloc_bitmap_t isolated;
	int *offline_nodes; /* owned; see layout_expect() */
	bool is_synthetic;
};

/* Loads the topology and reads the sets. */
int layout_machine_init(struct layout_machine *machine, struct ts_error *err);
void layout_machine_release(struct layout_machine *machine); /* accepts a zeroed one */

/* Refuses to record by a topology that was made up, unless it has just the CPUs that are online. */
int layout_machine_check(const struct layout_machine *machine, struct ts_error *err);

/*
 * Makes the plan. -EINVAL with a sentence for a spec that cannot be followed. Notes say what was
 * left out (offline CPUs, emptied groups) or moved (off isolated CPUs).
 */
int layout_init(struct layout *layout, const struct layout_input *in, struct ts_notes *notes,
		struct ts_error *err);
/*
 * Gives each CPU that is present but offline to a writer, which is to drain its rings when it comes
 * online: to the one whose user mask names it, else to the one with the fewest CPUs of those that run
 * on its memory node, else by its number. `in`: of layout_init(). offline_nodes: the nodes of these
 * CPUs in ascending order (-1: unknown); NULL: all are unknown.
 */
int layout_expect(struct layout *layout, const struct layout_input *in, const int *offline_nodes,
		  struct ts_error *err);
/* One of them has come: its rings are there. */
void layout_welcome(struct layout *layout, unsigned int cpu);
void layout_release(struct layout *layout); /* accepts a zeroed or half-made one; idempotent */

#endif
