// SPDX-License-Identifier: Apache-2.0
#include "reader/perf_map.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/symbols_folder.h"
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

enum place { IN_ARCHIVE, BELOW_SYMFS, IN_PROCESS, HERE, NR_PLACES };

/* Writes to `path`, PATH_MAX bytes; false: there is no such place. */
static bool name_map(enum place place, uint32_t pid, const struct process *process,
		     const struct symbol_search *search, char *path)
{
	char name[TS_SYMBOLS_NAME];

	ts_symbols_map_name(name, place == IN_PROCESS ? process->pid_inside : pid);
	switch (place) {
	case IN_ARCHIVE:
		return search->archive &&
		       snprintf(path, PATH_MAX, "%s/%s", search->archive, name) < PATH_MAX;
	case BELOW_SYMFS:
		return search->symfs &&
		       snprintf(path, PATH_MAX, "%s/tmp/%s", search->symfs, name) < PATH_MAX;
	case IN_PROCESS:
		return process->pid_inside &&
		       snprintf(path, PATH_MAX, "/proc/%u/root/tmp/%s", pid, name) < PATH_MAX;
	default:
		return snprintf(path, PATH_MAX, "/tmp/%s", name) < PATH_MAX;
	}
}

static void note(const struct symbol_search *search, const char *sentence)
{
	if (search->trail)
		ts_bytes_printf(search->trail, "%s\n", sentence);
}

int perf_map_load(struct symbol_table *t, uint32_t pid, const struct symbol_search *search,
		  char *ret_path, struct ts_error *err)
{
	const struct process process = find_process(pid);
	int rc = -ENOENT;

	for (int place = 0; rc && place < NR_PLACES; place++) {
		if (!name_map(place, pid, &process, search, ret_path))
			continue;
		rc = symbol_text_perf_map(t, ret_path,
					  place == IN_ARCHIVE ? SYMBOL_TEXT_ANYBODY : process.owner,
					  err);
		if (rc && place != HERE)
			note(search, err->text);
	}
	if (rc)
		return rc;
	*err = (struct ts_error){0};
	if (search->trail)
		ts_bytes_printf(search->trail, "%zu symbols from %s\n", t->nr, ret_path);
	return 0;
}
