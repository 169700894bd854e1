// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/untrusted_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "reader/objects/process_root.h"

struct process {
	uint32_t pid_inside; /* in its own namespace; 0: it does not live */
	uid_t owner;
};

enum place { IN_ARCHIVE, BELOW_SYMFS, IN_PROCESS, HERE, NR_PLACES };

/* "NStgid:\t4711\t12\t1" has its numbers from our namespace to its own. */
static uint32_t last_number(const char *line)
{
	const char *last = strrchr(line, '\t');

	return last ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

/* Reads its status. Returns 0 or a positive errno. */
static int read_status(struct process *p, FILE *file)
{
	char *line = NULL;
	size_t cap = 0;
	struct stat st;

	if (!fstat(fileno(file), &st))
		p->owner = st.st_uid;
	errno = 0;
	while (!p->pid_inside && getline(&line, &cap, file) >= 0)
		if (!strncmp(line, "NStgid:", 7))
			p->pid_inside = last_number(line);
	free(line); /* keeps errno */
	return p->pid_inside ? 0 : errno;
}

/* An error is of the machine: whether the process lives is not known. */
static int find_process(uint32_t pid, struct process *ret, struct ts_error *err)
{
	char path[64];
	FILE *file;
	int code;

	*ret = (struct process){.owner = geteuid()};
	snprintf(path, sizeof(path), "/proc/%u/status", process_root_thread(pid));
	file = fopen(path, "re");
	code = file ? read_status(ret, file) : errno;
	if (file)
		fclose(file);
	return ts_error_is_of_machine(code) ? ts_error_sys(err, code, "cannot read %s", path) : 0;
}

static FILE *refuse(int fd, struct ts_error *err, const char *path, const char *why)
{
	if (fd >= 0)
		close(fd);
	ts_error_set(err, EPERM, "cannot use %s: %s", path, why);
	return NULL;
}

/* errno is of the machine, and says nothing of the file. */
static FILE *give_up(int fd, struct ts_error *err, const char *path)
{
	ts_error_sys(err, errno, "cannot read %s", path);
	close(fd);
	return NULL;
}

FILE *untrusted_file_open(const char *path, uid_t owner, const struct harmless *how,
			  struct ts_error *err)
{
	const int fd = harmless_open(path, how);
	struct stat st;
	FILE *file;

	if (fd == -TS_REGULAR_OTHER)
		return refuse(fd, err, path, ts_regular_reason(-fd));
	if (fd < 0) {
		ts_error_set(err, -fd, "cannot open %s for symbols: %s", path,
			     ts_regular_reason(-fd));
		return NULL;
	}
	if (fstat(fd, &st))
		return give_up(fd, err, path);
	if (st.st_uid && st.st_uid != geteuid() && st.st_uid != owner &&
	    owner != UNTRUSTED_FILE_ANYBODY)
		return refuse(fd, err, path,
			      "it belongs to neither root, nor this user, nor the process's");
	file = fdopen(fd, "r");
	return file ? file : give_up(fd, err, path);
}

/* Writes `root` and the path, with a number in place of "%u". */
static bool put_path(char *to, const char *root, const char *path, uint32_t number)
{
	const char *mark = strstr(path, "%u");
	int len = mark ? snprintf(to, PATH_MAX, "%s%.*s%u%s", root, (int)(mark - path), path,
				  number, mark + 2)
		       : snprintf(to, PATH_MAX, "%s%s", root, path);

	return len < PATH_MAX;
}

static bool name_in_process(const struct untrusted_file *wanted, const struct process *process,
			    struct untrusted_file_place *ret)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%u/root", process_root_thread(wanted->pid));
	ret->how = (struct harmless){strlen(root), HARMLESS_NO_LINK_END};
	return process->pid_inside && put_path(ret->path, root, wanted->path, process->pid_inside);
}

/* False: this place does not exist. */
static bool name_place(enum place place, const struct untrusted_file *wanted,
		       const struct process *process, const struct symbol_search *search,
		       struct untrusted_file_place *ret)
{
	switch (place) {
	case IN_ARCHIVE:
		if (!search->archive)
			return false;
		ret->how = harmless_archived(search->archive);
		return snprintf(ret->path, PATH_MAX, "%s/%s", search->archive, wanted->archived) <
		       PATH_MAX;
	case BELOW_SYMFS:
		if (!search->symfs)
			return false;
		ret->how = (struct harmless){strlen(search->symfs), HARMLESS_NO_LINK_END};
		return put_path(ret->path, search->symfs, wanted->path, wanted->pid);
	case IN_PROCESS:
		return name_in_process(wanted, process, ret);
	default:
		ret->how = (struct harmless){0, HARMLESS_NO_LINK_END};
		return put_path(ret->path, "", wanted->path, wanted->pid);
	}
}

FILE *untrusted_file_find(const struct untrusted_file *wanted, const struct symbol_search *search,
			  struct untrusted_file_place *ret, struct ts_error *err)
{
	struct process process;
	FILE *file = NULL;

	if (find_process(wanted->pid, &process, err) < 0)
		return NULL;
	ts_error_set(err, ENAMETOOLONG, "cannot look for %s", wanted->archived);
	for (int place = 0; !file && place < NR_PLACES; place++) {
		if (!name_place(place, wanted, &process, search, ret))
			continue;
		file = untrusted_file_open(
			ret->path, place == IN_ARCHIVE ? UNTRUSTED_FILE_ANYBODY : process.owner,
			&ret->how, err);
		if (!file && place != HERE)
			symbol_search_note(search, err);
	}
	return file;
}
