/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of the writers: their number, the CPUs whose rings each writer drains, and the CPUs that
 * it runs on.
 *
 * The plan is a function of the topology, the --threads value and some CPU sets, and of nothing
 * else. So a synthetic topology (HWLOC_SYNTHETIC) shows the plan for a machine that is not at hand.
 *
 * Invariant: the samples of each wanted CPU have exactly one writer, and so has the side-band of
 * each online CPU. No writer has an empty affinity.
 *
 * Threads: one thread makes it. Afterwards only layout_add_cpu() changes it, and other threads read
 * only the constant parts.
 */
#ifndef TS_STREAMER_LAYOUT_LAYOUT_H
#define TS_STREAMER_LAYOUT_LAYOUT_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/notes.h"

/*
 * Without --threads there is a writer for each recorded CPU, or for each core. The condition is
 * that they are at most LAYOUT_WRITERS_FEW and that a writer may run on each. Otherwise writers are
 * made by memory node, and none serves more than LAYOUT_WRITER_CPUS.
 */
#define LAYOUT_WRITERS_FEW 32
#define LAYOUT_WRITER_CPUS 16

struct layout_writer {
	hwloc_bitmap_t cpus;	      /* whose sample rings it drains; never empty */
	hwloc_bitmap_t sideband_cpus; /* whose side-band rings it drains */
	/* The same for offline CPUs that may come online; NULL: none is expected. */
	hwloc_bitmap_t expected_cpus, expected_sideband_cpus;
	hwloc_bitmap_t affinity; /* the CPUs that it runs on; never empty */
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
	hwloc_const_bitmap_t present; /* only these CPUs can be named */
	hwloc_const_bitmap_t online;  /* only these CPUs have rings */
	hwloc_const_bitmap_t monitored; /* -C: CPUs whose samples are wanted; NULL: all online */
	hwloc_const_bitmap_t allowed;	/* cpuset of this process: writers stay inside */
	hwloc_const_bitmap_t isolated;	/* no writer runs there unless a user mask names them */
};

/* The sets of `layout_input` for this machine, or for the synthetic one of HWLOC_SYNTHETIC. */
struct layout_machine {
	hwloc_topology_t topology; /* owned, as are the sets */
	hwloc_bitmap_t present;
	hwloc_bitmap_t online;
	hwloc_bitmap_t allowed;
	hwloc_bitmap_t isolated;
	int *offline_nodes; /* owned; for layout_expect() */
	bool is_synthetic;
};

/* Loads the topology and reads the sets. */
int layout_machine_init(struct layout_machine *machine, struct ts_error *err);
void layout_machine_release(struct layout_machine *machine); /* accepts a zeroed one */

/*
 * Refuses to record with a synthetic topology, unless its CPUs are exactly those that are online.
 */
int layout_machine_check(const struct layout_machine *machine, struct ts_error *err);

/*
 * Makes the plan. -EINVAL, with a sentence, for a spec that cannot be followed. Notes name CPUs and
 * groups that were left out (offline CPUs, empty groups) and writers that were moved off isolated
 * CPUs.
 */
int layout_init(struct layout *layout, const struct layout_input *in, struct ts_notes *notes,
		struct ts_error *err);
/*
 * Chooses for each CPU that is present but offline the writer that will drain its rings if it comes
 * online. This is the writer whose user mask names the CPU. Otherwise it is the writer with the
 * fewest CPUs among those that run on its memory node. If the node is unknown, or no writer runs on
 * it, it is the writer with the nearest CPU number. `in` is that of layout_init(). offline_nodes
 * has the nodes of these CPUs, in the order of the CPUs (-1: unknown); NULL: all are unknown.
 */
int layout_expect(struct layout *layout, const struct layout_input *in, const int *offline_nodes,
		  struct ts_error *err);
/*
 * One of these CPUs has come online and has rings: moves it from the expected CPUs to the drained
 * ones.
 */
void layout_add_cpu(struct layout *layout, unsigned int cpu);
void layout_release(struct layout *layout); /* accepts a zeroed or half-made one; idempotent */

#endif
