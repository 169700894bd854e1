/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the capture as a whole: its host, the sockets and memory nodes of its CPUs, the names
 * of its cgroups.
 *
 * Threads: immutable once opened.
 */
#ifndef TS_READER_STACKS_CAPTURE_FACTS_H
#define TS_READER_STACKS_CAPTURE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/chunks/chunk_table.h"

#define CAPTURE_FACTS_UNKNOWN (-1) /* the capture does not name the socket or node */

struct capture_facts_cgroup {
	uint64_t id;
	char *path; /* owned */
};

struct capture_facts {
	const struct ts_header *header; /* of the capture */
	const char *host;
	bool raw_trace; /* payloads are shown field by field; the caller sets it after opening */
	const uint32_t *events; /* by event of the capture: number in the report; NULL: the same */
	int32_t *sockets, *nodes; /* by CPU */
	uint32_t nr_sockets, nr_nodes;
	struct capture_facts_cgroup *cgroups; /* by id */
	size_t nr_cgroups, cap_cgroups;
};

/* The capture must outlive *s; `host` NULL: the host of the header. Returns 0 or -ENOMEM. */
int capture_facts_open(struct capture_facts *s, const struct ts_header *header, const char *host,
		       struct ts_error *err);
/* Also reads the names of cgroups from the side-band of the capture. Returns 0 or -ENOMEM. */
int capture_facts_read_cgroups(struct capture_facts *s, const struct chunk_table *chunks,
			       struct ts_error *err);
void capture_facts_close(struct capture_facts *s); /* accepts a zeroed one; idempotent */

/* CAPTURE_FACTS_UNKNOWN: the capture does not name it. */
int32_t capture_facts_socket(const struct capture_facts *s, uint32_t cpu);
int32_t capture_facts_node(const struct capture_facts *s, uint32_t cpu);
/* As perf names them: "N/A" for 0, "unknown" for one without a name. */
const char *capture_facts_cgroup(const struct capture_facts *s, uint64_t id);

#endif
