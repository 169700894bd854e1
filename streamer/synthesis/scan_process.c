// SPDX-License-Identifier: Apache-2.0
/*
 * In the order of perf's own synthesis: the leader (FORK, NAMESPACES, COMM), its maps, then the
 * other threads. The leader's stat file reports whether it has other threads, and whether it has
 * maps. So a kernel thread costs one file, a process of one thread two.
 */
#include "streamer/synthesis/scan_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "streamer/machine/proc_text.h"
#include "streamer/synthesis/mapped_file.h"
#include "streamer/synthesis/synth_record.h"

#define PATH_BYTES	  96	 /* "PID/task/TID/map_files/START-END" */
#define MAP_LIMIT_MS	  500	 /* perf's --proc-map-timeout */
#define MAPS_PER_LOOK	  64	 /* at the clock */
#define MISC_CUT_SHORT	  0x1000 /* PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT */
#define MISC_FORK_EXEC	  0x2000 /* a FORK that a tool wrote, not the kernel */
#define MISC_MMAP_DATA	  0x2000
#define MISC_HAS_BUILD_ID 0x4000

static void put_fork(struct scan *s, pid_t pid, pid_t tid, pid_t ppid)
{
	size_t at;

	if (!s->forks)
		return;
	at = synth_record_begin(&s->out, PERF_RECORD_FORK, MISC_FORK_EXEC);
	ts_bytes_u32(&s->out, (uint32_t)pid);
	ts_bytes_u32(&s->out, (uint32_t)ppid);
	ts_bytes_u32(&s->out, (uint32_t)tid);
	ts_bytes_u32(&s->out, (uint32_t)ppid);
	ts_bytes_u64(&s->out, 0);
	synth_record_end(&s->out, at, s->options->trailer_bytes);
}

/* In the kernel's order (PERF_RECORD_NAMESPACES). */
static const char *const namespace_names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
#define NR_NAMESPACES (sizeof(namespace_names) / sizeof(namespace_names[0]))

static void put_namespaces(struct scan *s, pid_t pid, pid_t tid)
{
	char path[PATH_BYTES];
	struct stat st;
	size_t at;

	if (!s->options->namespaces)
		return;
	at = synth_record_begin(&s->out, PERF_RECORD_NAMESPACES, 0);
	ts_bytes_u32(&s->out, (uint32_t)pid);
	ts_bytes_u32(&s->out, (uint32_t)tid);
	ts_bytes_u64(&s->out, NR_NAMESPACES);
	for (size_t i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "%d/task/%d/ns/%s", pid, tid, namespace_names[i]);
		if (fstatat(s->proc_fd, path, &st, 0))
			st = (struct stat){0};
		ts_bytes_u64(&s->out, st.st_dev);
		ts_bytes_u64(&s->out, st.st_ino);
	}
	synth_record_end(&s->out, at, s->options->trailer_bytes);
}

static void put_comm(struct scan *s, pid_t pid, pid_t tid, const char *comm)
{
	size_t at = synth_record_begin(&s->out, PERF_RECORD_COMM, 0);

	ts_bytes_u32(&s->out, (uint32_t)pid);
	ts_bytes_u32(&s->out, (uint32_t)tid);
	synth_record_name(&s->out, comm, strlen(comm));
	synth_record_end(&s->out, at, s->options->trailer_bytes);
	s->counts.threads++;
}

/*
 * Opens the very file that is mapped. Without the privilege for that, opens the file that has its
 * path now. A thread that has ended shows neither, so a thread with maps is asked.
 */
static int open_mapped(struct scan *s, pid_t tid, const struct proc_map *map)
{
	char path[PATH_BYTES + 4096];
	int fd;

	snprintf(path, sizeof(path), "%d/map_files/%llx-%llx", tid, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	fd = mapped_file_open(s->proc_fd, path, 0);
	if (fd >= 0 || ts_error_is_shortage(-fd))
		return fd;
	snprintf(path, sizeof(path), "%d/root%.*s", tid, (int)map->name_len, map->name);
	return mapped_file_open(s->proc_fd, path, map->ino);
}

static struct ts_build_id build_id_of_map(struct scan *s, pid_t tid, const struct proc_map *map)
{
	struct ts_build_id id = {0};
	const struct ts_build_id *known;
	int fd, code;

	if (!s->options->build_ids || !map->ino || !map->name_len || map->name[0] != '/')
		return id;
	known = ts_build_id_cache_find(&s->build_ids, map->maj, map->min, map->ino);
	if (known)
		return *known;
	fd = open_mapped(s, tid, map);
	code = fd < 0 ? fd : ts_build_id_of_fd(fd, &id);
	if (fd >= 0)
		close(fd);
	/* A device, or a file on a bad disk, may be in thousands of maps. */
	if (!ts_error_is_shortage(-code))
		ts_build_id_cache_add(&s->build_ids, map->maj, map->min, map->ino, &id);
	return id;
}

static bool is_wanted(const struct scan *s, const struct proc_map *map)
{
	return map->prot & PROT_EXEC || (s->options->data_maps && map->prot & PROT_READ);
}

/* In the kernel's records anonymous memory is "//anon", even if prctl() gave it a name. */
static void put_map_name(struct ts_bytes *out, const struct proc_map *map)
{
	static const char anon[] = "//anon", named[] = "[anon:";

	if (!map->name_len ||
	    (map->name_len >= strlen(named) && !memcmp(map->name, named, strlen(named))))
		synth_record_name(out, anon, strlen(anon));
	else
		synth_record_name(out, map->name, map->name_len);
}

static void put_file_identity(struct ts_bytes *out, const struct proc_map *map,
			      const struct ts_build_id *id)
{
	if (id->len) {
		ts_bytes_u32(out, id->len); /* one byte of size, three of zeros */
		ts_bytes_put(out, id->bytes, sizeof(id->bytes));
		return;
	}
	ts_bytes_u32(out, map->maj);
	ts_bytes_u32(out, map->min);
	ts_bytes_u64(out, map->ino);
	ts_bytes_u64(out, 0); /* the inode's generation, which /proc does not have */
}

static void put_map(struct scan *s, pid_t pid, const struct proc_map *map,
		    const struct ts_build_id *id, uint16_t misc)
{
	size_t at;

	misc |= PERF_RECORD_MISC_USER;
	misc |= map->prot & PROT_EXEC ? 0 : MISC_MMAP_DATA;
	misc |= id->len ? MISC_HAS_BUILD_ID : 0;
	at = synth_record_begin(&s->out, PERF_RECORD_MMAP2, misc);
	ts_bytes_u32(&s->out, (uint32_t)pid);
	ts_bytes_u32(&s->out, (uint32_t)pid);
	ts_bytes_u64(&s->out, map->start);
	ts_bytes_u64(&s->out, map->end - map->start);
	ts_bytes_u64(&s->out, map->pgoff);
	put_file_identity(&s->out, map, id);
	ts_bytes_u32(&s->out, map->prot);
	ts_bytes_u32(&s->out, map->flags);
	put_map_name(&s->out, map);
	synth_record_end(&s->out, at, s->options->trailer_bytes);
	s->counts.maps++;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/*
 * x86 has one executable page that is no map. So it cannot be asked for, only read as text. It is
 * in every process of 64 bits or in none; the text of our own maps shows which. Returns whether the
 * text was read.
 */
static bool find_vsyscall(struct scan *s)
{
	static const char name[] = "[vsyscall]";
	struct proc_map map;
	const char *line;
	size_t len;
	int more;

	if (ts_text_file_open(&s->maps, s->proc_fd, "self/maps"))
		return false;
	while ((more = ts_text_file_next(&s->maps, &line, &len)) > 0)
		if (proc_parse_map(line, len, &map) && map.name_len == strlen(name) &&
		    !memcmp(map.name, name, strlen(name))) {
			s->vsyscall = map;
			s->vsyscall.name = name;
		}
	ts_text_file_close(&s->maps);
	return !more;
}

static void put_vsyscall(struct scan *s, pid_t pid, uint64_t highest_addr)
{
	static const struct ts_build_id none;

	if (!s->knows_vsyscall)
		s->knows_vsyscall = find_vsyscall(s);
	if (s->vsyscall.end && highest_addr > UINT32_MAX)
		put_map(s, pid, &s->vsyscall, &none, 0);
}

/* The time that the maps of one process may take. */
struct patience {
	uint64_t until_ms;
	size_t looked_at; /* maps */
};

static struct patience patience_begin(const struct scan *s)
{
	unsigned limit_ms = s->options->map_limit_ms ? s->options->map_limit_ms : MAP_LIMIT_MS;

	return (struct patience){.until_ms = now_ms() + limit_ms};
}

static bool patience_is_over(struct patience *p)
{
	return ++p->looked_at % MAPS_PER_LOOK == 0 && now_ms() >= p->until_ms;
}

/*
 * Puts a record for each executable map, one question each. -ENOTTY: this kernel does not answer.
 */
static int ask_for_maps(struct scan *s, pid_t pid, int fd)
{
	struct patience patience = patience_begin(s);
	struct map_query *q = &s->query;
	struct ts_build_id id;
	struct proc_map map;
	int more;

	q->fd = fd;
	q->with_build_ids = s->options->build_ids;
	q->next_addr = 0;
	while ((more = map_query_next(q, &map, &id)) > 0) {
		bool late = patience_is_over(&patience);

		put_map(s, pid, &map, &id, late ? MISC_CUT_SHORT : 0);
		if (late) {
			s->counts.cut_short++;
			return 0;
		}
	}
	put_vsyscall(s, pid, q->next_addr);
	return more;
}

/* Puts a record for each map that is wanted, from the text. */
static void read_maps(struct scan *s, pid_t pid, pid_t tid, int fd)
{
	struct patience patience = patience_begin(s);
	struct proc_map map;
	const char *line;
	size_t len;

	ts_text_file_start(&s->maps, fd);
	while (ts_text_file_next(&s->maps, &line, &len) > 0) {
		bool late = patience_is_over(&patience);
		struct ts_build_id id;

		if (!proc_parse_map(line, len, &map))
			continue;
		if (is_wanted(s, &map)) {
			id = build_id_of_map(s, tid, &map);
			put_map(s, pid, &map, &id, late ? MISC_CUT_SHORT : 0);
		}
		if (late) {
			s->counts.cut_short++;
			return;
		}
	}
}

/* Puts the maps of a process, asked through its thread tid; returns whether it had any. */
static bool put_maps(struct scan *s, pid_t pid, pid_t tid)
{
	uint64_t before = s->counts.maps;
	char path[PATH_BYTES];
	int fd;

	snprintf(path, sizeof(path), "%d/task/%d/maps", pid, tid);
	fd = openat(s->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (s->asks)
		s->asks = ask_for_maps(s, pid, fd) != -ENOTTY;
	if (!s->asks)
		read_maps(s, pid, tid, fd);
	close(fd);
	return s->counts.maps > before;
}

static DIR *open_tasks(struct scan *s, pid_t pid)
{
	char path[PATH_BYTES];
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%d/task", pid);
	fd = openat(s->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

/* Returns the next thread of a process; 0 at the end. */
static pid_t next_task(DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

/* A first thread that has ended has no maps. Any thread that it left behind has them. */
static void put_maps_of_others(struct scan *s, pid_t pid)
{
	DIR *dir = open_tasks(s, pid);
	pid_t tid;

	while (dir && (tid = next_task(dir)))
		if (tid != pid && put_maps(s, pid, tid))
			break;
	if (dir)
		closedir(dir);
}

static bool read_stat(struct scan *s, pid_t pid, struct proc_stat *ret)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%d/task/%d/stat", pid, pid);
	return !ts_text_file_read_all(&s->text, s->proc_fd, path) &&
	       proc_parse_stat((char *)s->text.data, ret);
}

/* Puts FORK, NAMESPACES and COMM of a leader, and its maps; false: the leader is gone. */
static bool put_leader(struct scan *s, pid_t pid, struct proc_stat *ret)
{
	if (!read_stat(s, pid, ret))
		return false;
	put_fork(s, pid, pid, ret->ppid);
	put_namespaces(s, pid, pid);
	put_comm(s, pid, pid, ret->comm);
	if (ret->vsize_bytes)
		put_maps(s, pid, pid);
	else if (ret->nr_threads > 1)
		put_maps_of_others(s, pid);
	s->counts.processes++;
	return true;
}

bool scan_leader(struct scan *s, pid_t pid)
{
	struct proc_stat stat;

	return put_leader(s, pid, &stat);
}

bool scan_thread(struct scan *s, pid_t pid, pid_t tid)
{
	char path[PATH_BYTES], comm[PROC_COMM_BYTES] = "";

	snprintf(path, sizeof(path), "%d/task/%d/comm", pid, tid);
	if (ts_text_file_read_all(&s->text, s->proc_fd, path))
		return false;
	if (s->text.len && s->text.data[s->text.len - 1] == '\n')
		s->text.data[--s->text.len] = '\0';
	snprintf(comm, sizeof(comm), "%s", (char *)s->text.data);
	put_fork(s, pid, tid, pid);
	put_namespaces(s, pid, tid);
	put_comm(s, pid, tid, comm);
	return true;
}

size_t scan_process(struct scan *s, pid_t pid)
{
	struct proc_stat stat;
	size_t nr = 1;
	pid_t tid;
	DIR *dir;

	if (!put_leader(s, pid, &stat))
		return 0;
	dir = stat.nr_threads == 1 ? NULL : open_tasks(s, pid);
	if (!dir)
		return nr;
	while ((tid = next_task(dir)))
		nr += tid != pid && scan_thread(s, pid, tid);
	closedir(dir);
	return nr;
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* Puts the threads that are not in `seen` (sorted) and adds them to it; returns how many. */
static size_t put_new_threads(struct scan *s, pid_t pid, struct ts_bytes *seen)
{
	size_t nr_seen = seen->len / sizeof(pid_t), nr = 0;
	struct ts_bytes found = {0};
	DIR *dir = open_tasks(s, pid);
	pid_t tid;

	while (dir && (tid = next_task(dir))) {
		if (bsearch(&tid, seen->data, nr_seen, sizeof(tid), by_number) ||
		    !scan_thread(s, pid, tid))
			continue;
		ts_bytes_put(&found, &tid, sizeof(tid));
		nr++;
	}
	if (dir)
		closedir(dir);
	ts_bytes_put(seen, found.data, found.len);
	qsort(seen->data, seen->len / sizeof(pid_t), sizeof(pid_t), by_number);
	if (ts_bytes_failed(&found) || ts_bytes_failed(seen))
		s->out.failed = true;
	ts_bytes_release(&found);
	return nr;
}

size_t scan_process_until_settled(struct scan *s, pid_t pid)
{
	struct ts_bytes seen = {0};
	size_t nr = 1, more;

	if (!scan_leader(s, pid))
		return 0;
	ts_bytes_put(&seen, &pid, sizeof(pid));
	while (!ts_bytes_failed(&s->out) && !ts_bytes_failed(&seen) &&
	       (more = put_new_threads(s, pid, &seen)) > 0)
		nr += more;
	if (ts_bytes_failed(&seen))
		s->out.failed = true;
	ts_bytes_release(&seen);
	return nr;
}

pid_t scan_process_of(struct scan *s, pid_t tid)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%d/status", tid);
	if (ts_text_file_read_all(&s->text, s->proc_fd, path))
		return 0;
	return proc_parse_tgid((char *)s->text.data);
}

struct scan *scan_new(int proc_fd, const struct synthesis_options *options, bool forks)
{
	struct scan *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->options = options;
	s->proc_fd = proc_fd;
	s->forks = forks;
	s->asks = !options->data_maps && !options->reads_text;
	return s;
}

void scan_free(struct scan *s)
{
	if (!s)
		return;
	ts_bytes_release(&s->out);
	ts_bytes_release(&s->text);
	ts_build_id_cache_release(&s->build_ids);
	free(s);
}
