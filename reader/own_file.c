// SPDX-License-Identifier: Apache-2.0
#include "reader/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct process {
	uint32_t pid_inside; /* in its own namespace; 0: it does not live */
	uid_t owner;
};

enum place { IN_ARCHIVE, BELOW_SYMFS, IN_PROCESS, HERE, NR_PLACES };

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

static FILE *refuse(int fd, struct ts_error *err, const char *path, const char *why)
{
	close(fd);
	ts_error_set(err, EPERM, "cannot use %s: %s", path, why);
	return NULL;
}

FILE *own_file_open(const char *path, uid_t owner, struct ts_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	FILE *file;

	if (fd < 0) {
		ts_error_sys(err, errno, "cannot open %s for symbols", path);
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return refuse(fd, err, path, "it is no regular file");
	if (st.st_uid && st.st_uid != geteuid() && st.st_uid != owner && owner != OWN_FILE_ANYBODY)
		return refuse(fd, err, path,
			      "it belongs to neither root, nor this user, nor the process's");
	file = fdopen(fd, "r");
	if (!file) {
		ts_error_sys(err, errno, "cannot read %s", path);
		close(fd);
	}
	return file;
}

/* Writes `root`, and the path with a number in the place of "%u". */
static bool put_path(char *to, const char *root, const char *path, uint32_t number)
{
	const char *mark = strstr(path, "%u");
	int len = mark ? snprintf(to, PATH_MAX, "%s%.*s%u%s", root, (int)(mark - path), path,
				  number, mark + 2)
		       : snprintf(to, PATH_MAX, "%s%s", root, path);

	return len < PATH_MAX;
}

/* False: there is no such place. */
static bool name_place(enum place place, const struct own_file *wanted,
		       const struct process *process, const struct symbol_search *search, char *ret)
{
	char root[64];

	switch (place) {
	case IN_ARCHIVE:
		return search->archive && snprintf(ret, PATH_MAX, "%s/%s", search->archive,
						   wanted->archived) < PATH_MAX;
	case BELOW_SYMFS:
		return search->symfs && put_path(ret, search->symfs, wanted->path, wanted->pid);
	case IN_PROCESS:
		snprintf(root, sizeof(root), "/proc/%u/root", wanted->pid);
		return process->pid_inside &&
		       put_path(ret, root, wanted->path, process->pid_inside);
	default:
		return put_path(ret, "", wanted->path, wanted->pid);
	}
}

FILE *own_file_find(const struct own_file *wanted, const struct symbol_search *search,
		    char *ret_path, struct ts_error *err)
{
	const struct process process = find_process(wanted->pid);
	FILE *file = NULL;

	ts_error_set(err, ENAMETOOLONG, "cannot look for %s", wanted->archived);
	for (int place = 0; !file && place < NR_PLACES; place++) {
		if (!name_place(place, wanted, &process, search, ret_path))
			continue;
		file = own_file_open(ret_path,
				     place == IN_ARCHIVE ? OWN_FILE_ANYBODY : process.owner, err);
		if (!file && place != HERE && search->trail)
			ts_bytes_printf(search->trail, "%s\n", err->text);
	}
	return file;
}
