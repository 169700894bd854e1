// SPDX-License-Identifier: Apache-2.0
/*
 * perf puts threads into 256 buckets by tid and walks the buckets. Each thread of the walk is put
 * into the tree together with its line of parents. So siblings stand in the order in which this
 * walk meets them or one of their children.
 */
#include "reader/report/task_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/perf/record_layout.h"
#include "reader/order/ordered.h"
#include "reader/runtime/name_table.h"
#include "reader/runtime/text.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/hash_index.h"

#define NOBODY	   UINT32_MAX
#define COMM_MAX   64 /* longer than names of the kernel */
#define BUCKETS	   256u
#define DEEPEST	   1000u /* most blanks before a name: no real tree is deeper */
#define TREE_TYPES (1ull << PERF_RECORD_COMM | 1ull << PERF_RECORD_FORK)
#define MAP_TYPES  (1ull << PERF_RECORD_MMAP | 1ull << PERF_RECORD_MMAP2)
#define TEXT_MANY  (64u << 10) /* bytes of text that are passed to the sink */
/*
 * The text of all maps grows with the product of tasks and maps. So many bytes, and so many more
 * for each map of the capture, are printed in full; real captures stay far below.
 */
#define MAPS_MANY     (256u << 20)
#define MAPS_MANY_MAP 4096u
#define MAP_BYTES     256u /* the time for a map that is looked at, in bytes of text */

struct task {
	uint32_t pid, tid;
	uint32_t parent_tid; /* NOBODY: its start was not recorded */
	uint32_t name;	     /* in names; NAME_TABLE_NONE: unnamed */
	/* the tree, by index; NOBODY: none */
	uint32_t parent, first_child, last_child, next_sibling;
	bool is_listed;
};

struct task_tree {
	struct task *tasks;
	uint32_t nr, cap;
	struct hash_index by_tid;
	struct name_table names;
	uint32_t first_root, last_root;
};

static void release_tree(struct task_tree *t)
{
	memory_free(t->tasks);
	hash_index_release(&t->by_tid);
	name_table_release(&t->names);
}

/* --- threads --- */

static uint32_t find_task(const struct task_tree *t, uint32_t tid)
{
	struct hash_walk walk = hash_walk(&t->by_tid, tid);
	uint32_t at;

	return hash_walk_next(&t->by_tid, &walk, &at) ? at : NOBODY;
}

static void begin_task(struct task *task, uint32_t pid, uint32_t tid)
{
	*task = (struct task){.pid = pid,
			      .tid = tid,
			      .parent_tid = NOBODY,
			      .name = NAME_TABLE_NONE,
			      .first_child = NOBODY,
			      .last_child = NOBODY,
			      .next_sibling = NOBODY};
}

static int add_task(struct task_tree *t, uint32_t pid, uint32_t tid)
{
	if (t->nr == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 256;
		struct task *grown = memory_resize(t->names.memory, t->tasks, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->tasks = grown;
		t->cap = cap;
	}
	begin_task(&t->tasks[t->nr], pid, tid);
	return hash_index_add(&t->by_tid, tid, t->nr++);
}

/* Finds the thread, or adds it; likewise its process, which has its maps. Returns 0 or -ENOMEM. */
static int find_or_add(struct task_tree *t, uint32_t pid, uint32_t tid, uint32_t *ret)
{
	int rc = 0;

	*ret = find_task(t, tid);
	if (*ret != NOBODY)
		return 0;
	rc = add_task(t, pid, tid);
	*ret = t->nr - 1;
	if (!rc && pid != tid && pid != NOBODY && find_task(t, pid) == NOBODY)
		rc = add_task(t, pid, pid);
	return rc;
}

/* --- records --- */

static int apply_comm(struct task_tree *t, const struct ts_record_comm *comm, size_t size)
{
	char name[COMM_MAX];
	uint32_t task;
	size_t len;
	int rc;

	if (size < sizeof(*comm))
		return 0;
	rc = find_or_add(t, comm->pid, comm->tid, &task);
	if (rc)
		return rc;
	len = strnlen(comm->comm, size - sizeof(*comm));
	len = len < sizeof(name) ? len : sizeof(name) - 1;
	memcpy(name, comm->comm, len);
	name[len] = '\0';
	t->tasks[task].name = name_table_intern(&t->names, name);
	return t->tasks[task].name == NAME_TABLE_NONE ? -ENOMEM : 0;
}

static int apply_fork(struct task_tree *t, const struct ts_record_task *fork, size_t size)
{
	uint32_t parent, task;
	int rc;

	if (size < offsetof(struct ts_record_task, time))
		return 0;
	rc = find_or_add(t, fork->ppid, fork->ptid, &parent);
	if (rc)
		return rc;
	if (t->tasks[parent].pid != fork->ppid) /* another thread with the same tid */
		begin_task(&t->tasks[parent], fork->ppid, fork->ptid);
	rc = find_or_add(t, fork->pid, fork->tid, &task);
	if (rc)
		return rc;
	if (task != parent)
		begin_task(&t->tasks[task], fork->pid, fork->tid);
	t->tasks[task].parent_tid = fork->ptid;
	t->tasks[task].name = t->tasks[parent].name;
	return 0;
}

/* Maps of the kernel and of virtual machines belong to no thread. */
static int apply_map(struct task_tree *t, const struct ts_record_thread *map, size_t size)
{
	uint32_t task;

	if (size < sizeof(*map) || map->pid == NOBODY ||
	    (map->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return 0;
	return find_or_add(t, map->pid, map->tid, &task);
}

static int read_records(struct task_tree *t, const struct chunk_table *table, bool with_maps,
			struct damage *damage)
{
	const struct ordered_window all = {.types = TREE_TYPES | (with_maps ? MAP_TYPES : 0),
					   .to_ns = UINT64_MAX};
	struct ordered *o = ordered_open(table, &all);
	struct ordered_record record;
	int rc = -ENOMEM;

	while (o && (rc = ordered_next(o, &record)) > 0) {
		struct perf_event_header h = ts_record_load_header(record.hdr);
		const void *at = record.hdr;

		rc = h.type == PERF_RECORD_COMM	  ? apply_comm(t, at, h.size)
		     : h.type == PERF_RECORD_FORK ? apply_fork(t, at, h.size)
						  : apply_map(t, at, h.size);
		if (rc)
			break;
	}
	if (o && !rc)
		rc = damage_merge(damage, ordered_damage(o));
	ordered_close(o);
	return rc;
}

/* --- the tree --- */

static int by_bucket(const void *a, const void *b)
{
	uint32_t x = (*(const struct task *const *)a)->tid;
	uint32_t y = (*(const struct task *const *)b)->tid;

	if (x % BUCKETS != y % BUCKETS)
		return x % BUCKETS < y % BUCKETS ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void append_child(struct task_tree *t, uint32_t *first, uint32_t *last, uint32_t task)
{
	if (*last == NOBODY)
		*first = task;
	else
		t->tasks[*last].next_sibling = task;
	*last = task;
	t->tasks[task].is_listed = true;
}

/*
 * Puts a task into the tree, and its parents, up to one that is in the tree already or has no
 * parent.
 */
static void hang_under_parent(struct task_tree *t, uint32_t at)
{
	while (!t->tasks[at].is_listed) {
		struct task *task = &t->tasks[at];

		task->parent = task->parent_tid == NOBODY ? NOBODY : find_task(t, task->parent_tid);
		if (task->parent == NOBODY) {
			append_child(t, &t->first_root, &t->last_root, at);
			return;
		}
		append_child(t, &t->tasks[task->parent].first_child,
			     &t->tasks[task->parent].last_child, at);
		at = task->parent;
	}
}

static int grow_tasks(struct task_tree *t)
{
	struct task **order = memory_new(t->names.memory, (size_t)t->nr + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr; i++)
		order[i] = &t->tasks[i];
	qsort(order, t->nr, sizeof(*order), by_bucket);
	t->first_root = t->last_root = NOBODY;
	for (uint32_t i = 0; i < t->nr; i++)
		hang_under_parent(t, (uint32_t)(order[i] - t->tasks));
	memory_free(order);
	return 0;
}

/* --- text --- */

static void put_number(uint32_t number, struct ts_bytes *out)
{
	text_char(out, ' ');
	if (number == NOBODY)
		text_put(out, "      -1");
	else
		text_dec(out, number, 8, ' ');
}

/* Returns the number of columns before the name. */
static unsigned int put_task(const struct task_tree *t, const struct task *task, uint32_t level,
			     struct ts_bytes *out)
{
	size_t from = out->len, columns;
	char buf[UNNAMED_MAX];

	text_char(out, ' ');
	put_number(task->pid, out);
	put_number(task->tid, out);
	put_number(task->parent_tid, out);
	text_put(out, " |");
	for (uint32_t i = 0; i < level && i < DEEPEST; i++)
		text_char(out, ' ');
	columns = out->len - from;
	text_name(out,
		  task->name == NAME_TABLE_NONE ? name_table_unnamed(task->tid, buf)
						: t->names.items[task->name],
		  0);
	text_char(out, '\n');
	return (unsigned int)columns;
}

/* As in /proc/PID/maps, without the device. */
static void put_map(const struct tasks *maps, const struct task_piece *piece, unsigned int columns,
		    struct ts_bytes *out)
{
	const struct task_map *map = piece->map;
	const char *path = tasks_dso(maps, map->dso)->path;
	bool is_vdso = !strcmp(path, "[vdso]");
	char buf[SYMBOLS_FILE_MAX];

	ts_bytes_printf(out, "%*s  %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ",
			(int)columns, "", piece->start, piece->end,
			map->prot & PROT_READ ? 'r' : '-', map->prot & PROT_WRITE ? 'w' : '-',
			map->prot & PROT_EXEC ? 'x' : '-', map->flags & MAP_SHARED ? 's' : 'p',
			is_vdso ? piece->start - map->start
				: map->pgoff + piece->start - map->start,
			is_vdso ? 0 : map->inode);
	text_name(out, symbols_file_of(path, map, piece->pid, buf), 0);
	text_char(out, '\n');
}

/* --- maps below the tasks --- */

struct task_maps {
	const struct tasks *tasks; /* NULL: no maps are printed */
	uint64_t room_bytes;	   /* 0: maps are not repeated */
	uint32_t pid;		   /* whose pieces these are */
	struct task_piece *pieces;
	size_t nr;
};

static void put_pieces(const struct task_maps *m, unsigned int columns, struct ts_bytes *out)
{
	for (size_t i = 0; i < m->nr; i++)
		put_map(m->tasks, &m->pieces[i], columns, out);
}

/* Finds the pieces of a process, unless they are those of the last one. */
static int find_pieces(struct task_maps *m, uint32_t pid)
{
	uint64_t room = m->room_bytes / MAP_BYTES;
	int rc;

	if (m->pieces && m->pid == pid)
		return 0;
	free(m->pieces);
	rc = tasks_pieces(m->tasks, pid, &room, &m->pieces, &m->nr);
	m->pid = pid;
	m->room_bytes = rc ? 0 : room * MAP_BYTES;
	return rc;
}

/* Each map only once, below the process that made it. */
static int put_own_maps(struct task_maps *m, const struct task *task, unsigned int columns,
			struct ts_bytes *out)
{
	uint32_t parent;

	if (task->tid != task->pid) {
		ts_bytes_printf(out, "%*s  (the maps of process %" PRIu32 ")\n", (int)columns, "",
				task->pid);
		return 0;
	}
	free(m->pieces);
	if (tasks_own_pieces(m->tasks, task->pid, &parent, &m->pieces, &m->nr))
		return -ENOMEM;
	put_pieces(m, columns, out);
	if (parent != NOBODY)
		ts_bytes_printf(out,
				"%*s  (and the maps that process %" PRIu32 " had at the fork)\n",
				(int)columns, "", parent);
	return 0;
}

static int put_maps(struct task_maps *m, const struct task *task, unsigned int columns,
		    struct ts_bytes *out)
{
	size_t from = out->len, put;
	int rc = -E2BIG;

	if (!m->tasks)
		return 0;
	if (m->room_bytes)
		rc = find_pieces(m, task->pid);
	if (rc == -E2BIG)
		return put_own_maps(m, task, columns, out);
	if (rc)
		return rc;
	put_pieces(m, columns, out);
	put = out->len - from;
	m->room_bytes -= put < m->room_bytes ? put : m->room_bytes;
	return 0;
}

static int give_away(struct ts_bytes *text, report_sink_fn sink, void *sink_arg)
{
	int rc = sink(sink_arg, text);

	ts_bytes_clear(text);
	return rc;
}

/*
 * The task behind this one, with its *level; NOBODY: none. Not recursive, since a tree may be deep.
 */
static uint32_t next_task(const struct task_tree *t, uint32_t at, uint32_t *level)
{
	if (t->tasks[at].first_child != NOBODY) {
		++*level;
		return t->tasks[at].first_child;
	}
	while (at != NOBODY && t->tasks[at].next_sibling == NOBODY) {
		at = t->tasks[at].parent;
		--*level;
	}
	return at == NOBODY ? NOBODY : t->tasks[at].next_sibling;
}

static int put_tree(const struct task_tree *t, const struct tasks *maps, report_sink_fn sink,
		    void *sink_arg)
{
	struct task_maps m = {
		.tasks = maps,
		.room_bytes = MAPS_MANY + (maps ? MAPS_MANY_MAP * tasks_nr_maps(maps) : 0),
	};
	struct ts_bytes text = {0};
	uint32_t level = 0;
	int rc = 0;

	text_put(&text, "#      pid      tid     ppid  comm\n");
	for (uint32_t at = t->first_root; !rc && at != NOBODY; at = next_task(t, at, &level)) {
		unsigned int columns = put_task(t, &t->tasks[at], level, &text);

		rc = put_maps(&m, &t->tasks[at], columns, &text);
		if (!rc && text.len > TEXT_MANY)
			rc = give_away(&text, sink, sink_arg);
	}
	rc = rc ? rc : give_away(&text, sink, sink_arg);
	ts_bytes_release(&text);
	free(m.pieces);
	return rc;
}

int task_tree_print(const struct chunk_table *table, const struct tasks *maps,
		    struct damage *damage, report_sink_fn sink, void *sink_arg,
		    struct ts_error *err)
{
	struct task_tree t = {.names.memory = table->capture->memory};
	uint32_t idle;
	int rc = find_or_add(&t, 0, 0, &idle); /* no record names it */

	if (!rc)
		rc = read_records(&t, table, maps, damage);
	if (!rc)
		rc = grow_tasks(&t);
	if (!rc)
		rc = put_tree(&t, maps, sink, sink_arg);
	release_tree(&t);
	return rc && rc != -EPIPE ? ts_error_sys(err, -rc, "cannot print the threads of %s",
						 table->capture->path)
				  : rc;
}
