// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/regular.h"
#include "common/perf/record_layout.h"
#include "streamer/synthesis/map_query.h"

#define PATH_BYTES (PATH_MAX + 64)

struct wanted {
	const struct ts_record_mmap2 *map;
	int shortage; /* the last one, an errno; 0: none */
};

static void note_shortage(struct wanted *w, int code)
{
	if (ts_error_is_shortage(-code))
		w->shortage = -code;
}

/*
 * The kernel answers with the next map if this one is gone. Only the inode is compared: on layered
 * filesystems the record and /proc may tell of different devices.
 */
static bool ask_kernel(struct wanted *w, uint32_t number, struct ts_build_id *ret)
{
	struct map_query q = {.with_build_ids = true, .next_addr = w->map->addr};
	struct ts_build_id id;
	char path[PATH_BYTES];
	struct proc_map map;
	bool is_it;
	int more;

	snprintf(path, sizeof(path), "/proc/%u/maps", number);
	q.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (q.fd < 0) {
		note_shortage(w, -errno);
		return false;
	}
	more = map_query_next(&q, &map, &id);
	close(q.fd);
	note_shortage(w, more);
	is_it = more > 0 && map.start <= w->map->addr && map.ino == w->map->ino;
	if (is_it)
		*ret = id;
	return is_it;
}

/* A filesystem gives the number of a removed file to a new one, often at once. Some do not tell. */
static bool is_generation(int fd, const struct ts_record_mmap2 *map)
{
	unsigned long ret = 0; /* the kernel writes the lower 32 bits */

	return ioctl(fd, FS_IOC_GETVERSION, &ret) < 0 ||
	       (uint32_t)ret == (uint32_t)map->ino_generation;
}

int mapped_file_open(int dir_fd, const char *path, uint64_t ino)
{
	int fd = -ENOENT, path_fd = openat(dir_fd, path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (path_fd < 0)
		return -errno;
	if (!fstat(path_fd, &st) && (!ino || st.st_ino == ino))
		fd = ts_regular_reopen(path_fd, dir_fd, path);
	close(path_fd);
	return fd;
}

/* `checks_device`: the path is not looked up for the process that mapped it. */
static bool read_path(struct wanted *w, const char *path, bool checks_device,
		      struct ts_build_id *ret)
{
	int fd = mapped_file_open(AT_FDCWD, path, w->map->ino), code = 0;
	struct stat st;
	bool is_it;

	if (fd < 0) {
		note_shortage(w, fd);
		return false;
	}
	is_it = is_generation(fd, w->map) &&
		(!checks_device ||
		 (!fstat(fd, &st) && st.st_dev == makedev(w->map->maj, w->map->min)));
	if (is_it)
		code = ts_build_id_of_fd(fd, ret);
	close(fd);
	note_shortage(w, code);
	return is_it && code >= 0;
}

/* `number`: of a process or a thread. */
static bool look_below(struct wanted *w, uint32_t number, struct ts_build_id *ret)
{
	char path[PATH_BYTES];

	if (ask_kernel(w, number, ret))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", number,
		 (unsigned long long)w->map->addr,
		 (unsigned long long)(w->map->addr + w->map->len));
	if (read_path(w, path, false, ret))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/root%s", number, w->map->filename);
	return read_path(w, path, false, ret);
}

int mapped_file_look(const void *record, struct ts_build_id *ret)
{
	struct wanted w = {.map = record};
	struct ts_build_id id = {0};
	bool was_read = look_below(&w, w.map->pid, &id);

	if (!was_read && w.map->tid != w.map->pid)
		was_read = look_below(&w, w.map->tid, &id);
	if (!was_read)
		was_read = read_path(&w, w.map->filename, true, &id);
	*ret = id;
	return was_read ? 1 : -w.shortage;
}
