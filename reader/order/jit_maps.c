// SPDX-License-Identifier: Apache-2.0
#include "reader/order/jit_maps.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/keyed_hash.h"
#include "common/perf/record_layout.h"
#include "reader/runtime/memory_limit.h"
#include "reader/symbols/jitdump.h"

#define MAPS_MAX      (1u << 24) /* of all files together; later ones are left out */
#define CHECK_RECORDS 1024u	 /* between two looks at the memory */
#define NOBODY	      UINT32_MAX
#define REFUSED_NAMED 3 /* files with a warning each; the rest is counted */
/*
 * The processes that a JIT process forked map its file, too, and it is read for each. So many
 * records are read in this way; otherwise a small file would become any number of maps.
 */
#define AGAIN_MAX (1u << 18)

void jit_maps_init(struct jit_maps *j, const struct capture *capture, struct ts_notes *warnings,
		   struct ts_error *err)
{
	*j = (struct jit_maps){.capture = capture, .warnings = warnings, .err = err};
}

void jit_maps_release(struct jit_maps *j)
{
	if (j->nr_refused > REFUSED_NAMED)
		ts_notes_add_again(j->warnings, "%u more jitdump files could not be used",
				   j->nr_refused - REFUSED_NAMED);
	for (uint32_t i = 0; i < j->nr_files; i++) {
		free(j->files[i].recorded);
		free(j->files[i].path);
	}
	free(j->files);
	memory_free(j->items);
	hash_index_release(&j->file_of_name);
	hash_index_release(&j->file_of_inode);
	*j = (struct jit_maps){0};
}

/* --- the heap --- */

static bool is_earlier(const struct jit_map *a, const struct jit_map *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->number < b->number;
}

static int push_map(struct jit_maps *j, const struct jit_map *map)
{
	size_t at = j->nr, cap = j->cap ? 2 * j->cap : 1024;

	if (j->nr == j->cap) {
		struct jit_map *grown =
			memory_resize(j->capture->memory, j->items, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		j->items = grown;
		j->cap = cap;
	}
	j->nr++;
	for (; at && is_earlier(map, &j->items[(at - 1) / 2]); at = (at - 1) / 2)
		j->items[at] = j->items[(at - 1) / 2];
	j->items[at] = *map;
	return 0;
}

/* Takes the earliest map out; there is one. */
static struct jit_map pop_map(struct jit_maps *j)
{
	const struct jit_map first = j->items[0], *last = &j->items[--j->nr];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < j->nr; at = child) {
		if (child + 1 < j->nr && is_earlier(&j->items[child + 1], &j->items[child]))
			child++;
		if (!is_earlier(&j->items[child], last))
			break;
		j->items[at] = j->items[child];
	}
	j->items[at] = *last;
	return first;
}

/* --- reading a file --- */

struct code { /* a function, by its number in the file */
	uint64_t index, offset, bytes;
	uint32_t pid; /* numbers are those of a process */
};

static int by_index(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int remember_code(void **codes, const struct jitdump_record *record)
{
	struct code *code = malloc(sizeof(*code)), **found;

	if (!code)
		return -ENOMEM;
	*code = (struct code){record->index, record->offset, record->bytes, record->pid};
	found = tsearch(code, codes, by_index);
	if (found && *found != code) {
		**found = *code;
		free(code);
	} else if (!found) {
		free(code);
		return -ENOMEM;
	}
	return 0;
}

/*
 * The process that made the code of a record. One that was forked from the file's owner may go on
 * with the file. The numbers in the file are of the owner's namespace; NOBODY: that says nothing here.
 */
static uint32_t pid_of(const struct jit_file *file, const struct jitdump_record *record)
{
	if (record->pid == file->pid_in_file || record->pid == file->pid)
		return file->pid;
	return file->pid == file->pid_in_file ? record->pid : NOBODY;
}

static int add_map(struct jit_maps *j, const struct jitdump_record *record, uint64_t offset,
		   uint64_t bytes)
{
	const uint32_t pid = pid_of(&j->files[j->nr_files - 1], record);
	const struct jit_map map = {.time_ns = record->time_ns,
				    .number = j->nr_ever++,
				    .address = record->address,
				    .bytes = bytes,
				    .offset = offset,
				    .pid = pid,
				    .file = j->nr_files - 1};

	return pid == NOBODY ? 0 : push_map(j, &map);
}

static int add_record(struct jit_maps *j, void **codes, const struct jitdump_record *record)
{
	const struct code wanted = {.index = record->index, .pid = record->pid};
	struct code **found;
	int rc;

	if (!record->is_move) {
		rc = remember_code(codes, record);
		return rc ? rc : add_map(j, record, record->offset, record->bytes);
	}
	found = tfind(&wanted, codes, by_index);
	return found ? add_map(j, record, (*found)->offset, (*found)->bytes) : 0;
}

static int read_records(struct jit_maps *j, struct jitdump *d)
{
	struct jitdump_record record;
	void *codes = NULL;
	int rc = 0;

	while (!rc && j->nr_ever < MAPS_MAX && jitdump_next(d, &record)) {
		rc = add_record(j, &codes, &record);
		if (!rc && d->nr_read % CHECK_RECORDS == 0)
			rc = memory_check_growth(j->capture->memory, j->capture->path, j->err);
	}
	tdestroy(codes, free);
	return rc;
}

static void note_refused(struct jit_maps *j, const struct ts_error *err)
{
	if (j->nr_refused++ < REFUSED_NAMED)
		ts_notes_add_again(j->warnings, "%s", err->text);
}

static bool has_its_times(const struct jit_maps *j)
{
	const struct ts_events *events = &j->capture->header.events;

	return events->nr && events->items[0].attr.use_clockid &&
	       events->items[0].attr.clockid == CLOCK_MONOTONIC;
}

static int open_dump(struct jit_maps *j, struct jitdump *d, const struct jit_file *file,
		     struct untrusted_file_place *place, struct ts_error *err)
{
	const struct symbol_search search = {
		.symfs = j->capture->places ? j->capture->places->symfs : NULL,
		.archive = j->capture->archive,
	};

	if (!has_its_times(j))
		return ts_error_set(err, EINVAL,
				    "cannot use %s: its clock is CLOCK_MONOTONIC, and that of the "
				    "capture is not (record with -k mono)",
				    file->recorded);
	return jitdump_find(d, file->recorded, file->pid, &search, place, err);
}

/* The file as it was read for another process; NULL: it was not. */
static const struct jit_file *find_inode(const struct jit_maps *j, uint64_t device, uint64_t inode)
{
	struct hash_walk walk = hash_walk(&j->file_of_inode, (uint32_t)inode);
	uint32_t i;

	while (hash_walk_next(&j->file_of_inode, &walk, &i))
		if (j->files[i].inode == inode && j->files[i].device == device)
			return &j->files[i];
	return NULL;
}

/* Notes which file this is. 1: it was read for too many processes already. */
static int look_at_inode(struct jit_maps *j, struct jit_file *file, struct jitdump *d)
{
	const struct jit_file *before;
	struct stat st;

	if (fstat(fileno(d->file), &st))
		return 1;
	before = find_inode(j, st.st_dev, st.st_ino);
	if (!before) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
		return hash_index_add(&j->file_of_inode, (uint32_t)file->inode, j->nr_files - 1);
	}
	j->nr_again += before->nr_records;
	return j->nr_again > AGAIN_MAX;
}

static int read_open(struct jit_maps *j, struct jit_file *file, struct jitdump *d, const char *path)
{
	struct ts_error err;
	int rc = look_at_inode(j, file, d);

	if (rc > 0) {
		ts_error_set(&err, EINVAL, "cannot use %s for process %u: other processes have it",
			     path, file->pid);
		note_refused(j, &err);
		return 0;
	}
	file->path = rc ? NULL : strdup(path);
	rc = file->path ? read_records(j, d) : -ENOMEM;
	file->nr_records = d->nr_read;
	return rc;
}

static int read_file(struct jit_maps *j)
{
	struct jit_file *file = &j->files[j->nr_files - 1];
	struct untrusted_file_place place;
	struct ts_error err;
	struct jitdump d;
	int rc;

	if (open_dump(j, &d, file, &place, &err)) {
		if (err.code == ENOMEM)
			return -ENOMEM;
		note_refused(j, &err);
		return 0;
	}
	file->pid_in_file = d.pid;
	rc = read_open(j, file, &d, place.path);
	jitdump_close(&d);
	return rc;
}

/* --- records of the capture --- */

/* NULL: it is no record of a map, or its name is cut. */
static const char *name_of_map(const struct perf_event_header *hdr)
{
	const struct perf_event_header h = ts_record_load_header(hdr);
	const size_t at = h.type == PERF_RECORD_MMAP2  ? offsetof(struct ts_record_mmap2, filename)
			  : h.type == PERF_RECORD_MMAP ? offsetof(struct ts_record_mmap, filename)
						       : h.size;
	const char *name = (const char *)hdr + at;

	return h.size > at && memchr(name, '\0', h.size - at) ? name : NULL;
}

/* The author of a capture chooses both. */
static uint32_t hash_name(struct jit_maps *j, uint32_t pid, const char *name)
{
	const uint32_t hash = hash_index_hash(&j->file_of_name, name, strlen(name));

	return (uint32_t)ts_keyed_hash(j->file_of_name.key, (uint64_t)pid << 32 | hash);
}

static bool is_known(const struct jit_maps *j, uint32_t pid, const char *name, uint32_t hash)
{
	struct hash_walk walk = hash_walk(&j->file_of_name, hash);
	uint32_t i;

	while (hash_walk_next(&j->file_of_name, &walk, &i))
		if (j->files[i].pid == pid && !strcmp(j->files[i].recorded, name))
			return true;
	return false;
}

static int add_file(struct jit_maps *j, uint32_t pid, const char *name, uint32_t hash)
{
	if (j->nr_files == j->cap_files) {
		uint32_t cap = j->cap_files ? 2 * j->cap_files : 16;
		struct jit_file *grown = reallocarray(j->files, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		j->files = grown;
		j->cap_files = cap;
	}
	j->files[j->nr_files] = (struct jit_file){.pid = pid, .recorded = strdup(name)};
	if (!j->files[j->nr_files].recorded)
		return -ENOMEM;
	return hash_index_add(&j->file_of_name, hash, j->nr_files++);
}

int jit_maps_see(struct jit_maps *j, const struct perf_event_header *hdr)
{
	const char *name = name_of_map(hdr);
	uint32_t pid, hash;
	int rc;

	if (!name || *name != '/' || !jitdump_is_name(name))
		return 0;
	pid = ((const struct ts_record_mmap *)hdr)->pid;
	hash = hash_name(j, pid, name);
	if (is_known(j, pid, name, hash))
		return 0;
	rc = add_file(j, pid, name, hash);
	return rc ? rc : read_file(j);
}

/* --- maps --- */

static int apply_map(const struct jit_maps *j, struct tasks *tasks, const struct jit_map *map)
{
	const struct task_map code = {.start = map->address,
				      .end = map->address + map->bytes,
				      .pgoff = map->offset,
				      .time_ns = map->time_ns};
	const uint32_t owner = j->files[map->file].pid;

	/* nobody names the code of others */
	if (map->pid != owner && !tasks_has_maps_of(tasks, map->pid, owner))
		return 0;
	return tasks_map_made(tasks, map->pid, j->files[map->file].path, &code);
}

int jit_maps_apply(struct jit_maps *j, struct tasks *tasks, uint64_t until_ns)
{
	int rc = 0;

	while (!rc && j->nr && j->items[0].time_ns <= until_ns) {
		const struct jit_map map = pop_map(j);

		rc = apply_map(j, tasks, &map);
	}
	return rc;
}
