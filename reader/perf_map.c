// SPDX-License-Identifier: Apache-2.0
#include "reader/perf_map.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/symbol_text.h"

struct process {
	uint32_t pid_inside; /* in its own namespace; 0: it does not live */
	uid_t owner;
};

/* "NSpid:\t4711\t12\t1": its numbers from our namespace to its own. */
static uint32_t last_number(const char *line)
{
	const char *last = strrchr(line, '\t');

	return last ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

static struct process find_process(uint32_t pid)
{
	struct process p = {.owner = geteuid()};
	char path[64], *line = NULL;
	size_t cap = 0;
	struct stat st;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	if (!file)
		return p;
	if (!fstat(fileno(file), &st))
		p.owner = st.st_uid;
	while (!p.pid_inside && getline(&line, &cap, file) >= 0)
		if (!strncmp(line, "NSpid:", 6))
			p.pid_inside = last_number(line);
	free(line);
	fclose(file);
	return p;
}

static int try(struct symbol_table *t, const char *path, uid_t owner,
	       const struct symbol_search *search, struct ts_error *err)
{
	int rc = symbol_text_perf_map(t, path, owner, err);

	if (!rc && search->trail)
		ts_bytes_printf(search->trail, "%zu symbols from %s\n", t->nr, path);
	return rc;
}

static void note(const struct symbol_search *search, const struct ts_error *err)
{
	if (search->trail)
		ts_bytes_printf(search->trail, "%s\n", err->text);
}

int perf_map_load(struct symbol_table *t, uint32_t pid, const struct symbol_search *search,
		  struct ts_error *err)
{
	const struct process process = find_process(pid);
	char path[PATH_MAX];

	if (search->symfs && snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", search->symfs,
				      pid) < (int)sizeof(path)) {
		if (!try(t, path, process.owner, search, err))
			return 0;
		note(search, err);
	}
	if (process.pid_inside) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", pid,
			 process.pid_inside);
		if (!try(t, path, process.owner, search, err))
			return 0;
		note(search, err);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	return try(t, path, process.owner, search, err);
}
