// SPDX-License-Identifier: Apache-2.0
#include "streamer/triggers/pinned_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "streamer/machine/bpf.h"

#define BPF_FS_MAGIC   0xcafe4a11
#define PRESERVE_ELEMS (1U << 11) /* BPF_F_PRESERVE_ELEMS, not in headers before 5.10 */

#define CANNOT "cannot put events into the map %s"

/* The kernel also returns EACCES for files that have nothing to do with BPF. */
static bool is_pinned(const char *path)
{
	struct statfs fs;
	struct stat st;

	return !statfs(path, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC && !stat(path, &st) &&
	       S_ISREG(st.st_mode);
}

static int refuse_other(const char *path, struct ts_error *err)
{
	ts_error_set(err, EINVAL, CANNOT ": it is not a pinned BPF map", path);
	return ts_error_hint(
		err, "give map= the path in a bpf filesystem at which the program's map is pinned");
}

/*
 * The lookup of a name with a dot fails with EPERM in a bpf filesystem: no such file can exist
 * there.
 */
static bool has_dot(const char *path)
{
	return access(path, F_OK) && errno == EPERM;
}

static int refuse_open(const char *path, int code, struct ts_error *err)
{
	if (code == EACCES && !access(path, F_OK) && !is_pinned(path))
		return refuse_other(path, err);
	if (code == EPERM && has_dot(path))
		code = ENOENT;
	ts_error_sys(err, code, CANNOT, path);
	switch (code) {
	case ENOENT:
	case ENOTDIR:
		return ts_error_hint(err, "pin the program's map there before the recording starts "
					  "(bpftool map pin)");
	case EACCES:
		return ts_error_hint(err, "run as its owner or as root: it must be writable");
	case EPERM:
		return ts_error_hint(err, "run as root or with CAP_BPF");
	case ENOSYS:
		return ts_error_hint(err, "this kernel has no bpf(2)");
	default:
		return -code;
	}
}

/*
 * Programs and links can be pinned, too, and the kernel would answer our questions with other
 * structs.
 */
static bool is_map(int fd)
{
	char link[64], target[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	return strstr(target, "bpf-map");
}

/* Finds out which map it is, and whether it takes events. */
static int look_at_map(struct pinned_map *m, struct ts_error *err)
{
	struct bpf_map_info info = {0};
	int code;

	if (!is_map(m->fd))
		return refuse_other(m->path, err);
	code = bpf_ask_info(m->fd, &info, sizeof(info));
	if (code < 0)
		return ts_error_sys(err, -code, CANNOT ": cannot read the type of the map",
				    m->path);
	if (info.type != BPF_MAP_TYPE_PERF_EVENT_ARRAY) {
		ts_error_set(err, EINVAL, CANNOT ": it is a map of type %u", m->path, info.type);
		return ts_error_hint(err,
				     "bpf_perf_event_output() needs a map of type %u, "
				     "BPF_MAP_TYPE_PERF_EVENT_ARRAY",
				     BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	}
	m->nr = info.max_entries;
	m->keeps = info.map_flags & PRESERVE_ELEMS;
	return 0;
}

int pinned_map_open(struct pinned_map *m, const char *path, struct ts_error *err)
{
	union bpf_attr attr = {.pathname = (uint64_t)(uintptr_t)path};
	int code, fd = bpf_call(BPF_OBJ_GET, &attr);

	if (fd < 0)
		return refuse_open(path, -fd, err);
	*m = (struct pinned_map){.path = path, .fd = fd, .cpus = hwloc_bitmap_alloc()};
	code = m->cpus ? look_at_map(m, err) : ts_error_sys(err, ENOMEM, CANNOT, path);
	if (code < 0)
		pinned_map_close(m);
	return code;
}

int pinned_map_put(struct pinned_map *m, unsigned int cpu, int event_fd, struct ts_error *err)
{
	union bpf_attr attr = {.map_fd = (uint32_t)m->fd,
			       .key = (uint64_t)(uintptr_t)&cpu,
			       .value = (uint64_t)(uintptr_t)&event_fd};
	int code;

	if (cpu >= m->nr) {
		ts_error_set(err, ERANGE, CANNOT ": it has %u entries, and none for CPU %u",
			     m->path, m->nr, cpu);
		return ts_error_hint(err, "make it with max_entries of at least %ld",
				     sysconf(_SC_NPROCESSORS_CONF));
	}
	code = bpf_call(BPF_MAP_UPDATE_ELEM, &attr);
	if (code < 0)
		return ts_error_sys(err, -code, CANNOT " [CPU %u]", m->path, cpu);
	if (hwloc_bitmap_set(m->cpus, cpu))
		return ts_error_sys(err, ENOMEM, CANNOT, m->path);
	return 0;
}

/* Takes out the event of the CPU, which may be one that another recorder has put there since. */
static void take_out(const struct pinned_map *m, uint32_t cpu)
{
	union bpf_attr attr = {.map_fd = (uint32_t)m->fd, .key = (uint64_t)(uintptr_t)&cpu};

	bpf_call(BPF_MAP_DELETE_ELEM, &attr);
}

void pinned_map_close(struct pinned_map *m)
{
	unsigned int cpu;

	if (!m->path)
		return;
	hwloc_bitmap_foreach_begin(cpu, m->cpus)
	{
		if (m->keeps)
			take_out(m, cpu);
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(m->cpus);
	close(m->fd);
	*m = (struct pinned_map){0};
}
