// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "common/base/units.h"
#include "reader/runtime/memory_parts.h"
#include "reader/runtime/temporary_file.h"

#define WINDOW_LEAST (16ull << 20)
#define WORKER_BYTES (1u << 20) /* what a worker needs at least */

void memory_init(struct memory *s, uint64_t limit_bytes, const char *folder)
{
	*s = (struct memory){
		.limit_bytes = limit_bytes,
		.window_bytes = MEMORY_WINDOW,
		.folder = folder ? folder : temporary_folder(),
		.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC),
	};
	if (limit_bytes && limit_bytes < MEMORY_WINDOW)
		s->window_bytes = ts_max(limit_bytes, WINDOW_LEAST);
	pthread_mutex_init(&s->lock, NULL);
}

void memory_release(struct memory *s)
{
	if (!s->folder)
		return;
	if (s->statm >= 0)
		close(s->statm);
	pthread_mutex_destroy(&s->lock);
	s->folder = NULL;
}

/* --- the account --- */

/* Resident bytes of the process: private ones, and those of files. Zeros where nobody tells. */
static void read_statm(const struct memory *s, uint64_t *ret_private, uint64_t *ret_files)
{
	unsigned long long size, resident, shared;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[128];
	ssize_t len = s->statm < 0 ? 0 : pread(s->statm, text, sizeof(text) - 1, 0);

	*ret_private = *ret_files = 0;
	text[len > 0 ? len : 0] = '\0';
	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3)
		return;
	*ret_files = shared * page;
	*ret_private = resident > shared ? (resident - shared) * page : 0;
}

static void add(_Atomic uint64_t *sum, uint64_t bytes)
{
	atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed);
}

static void sub(_Atomic uint64_t *sum, uint64_t bytes)
{
	atomic_fetch_sub_explicit(sum, bytes, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *sum)
{
	return atomic_load_explicit(sum, memory_order_relaxed);
}

bool memory_promise(struct memory *s, uint64_t more, uint64_t share)
{
	uint64_t there, files, untouched;

	if (!s)
		return true;
	add(&s->untouched_bytes, more);
	if (!s->limit_bytes)
		return true;
	read_statm(s, &there, &files);
	untouched = load(&s->untouched_bytes);
	if (ts_max(there + untouched, load(&s->private_bytes) + more) <= share)
		return true;
	sub(&s->untouched_bytes, more);
	return false;
}

void memory_withdraw(struct memory *s, uint64_t bytes)
{
	if (s)
		sub(&s->untouched_bytes, bytes);
}

void memory_count(struct memory_block *block, size_t untouched)
{
	struct memory *s = block->owner;

	block->untouched = untouched;
	if (!s)
		return;
	if (block->kind != BLOCK_FILE) {
		add(&s->private_bytes, block->bytes);
		return;
	}
	add(&s->file_bytes, block->bytes);
	pthread_mutex_lock(&s->lock);
	s->most_file_bytes = ts_max(load(&s->most_file_bytes), load(&s->file_bytes));
	block->next = s->files;
	block->prev = NULL;
	if (s->files)
		s->files->prev = block;
	s->files = block;
	pthread_mutex_unlock(&s->lock);
}

void memory_count_moved(struct memory_block *block, size_t bytes, size_t more)
{
	struct memory *s = block->owner;

	if (s) {
		sub(&s->untouched_bytes, block->untouched);
		sub(&s->private_bytes, block->bytes);
		add(&s->private_bytes, bytes);
	}
	block->untouched = more;
	block->bytes = bytes;
}

void memory_uncount(struct memory_block *block)
{
	struct memory *s = block->owner;

	if (!s)
		return;
	sub(&s->untouched_bytes, block->untouched);
	if (block->kind != BLOCK_FILE) {
		sub(&s->private_bytes, block->bytes);
		return;
	}
	sub(&s->file_bytes, block->bytes);
	pthread_mutex_lock(&s->lock);
	if (block->next)
		block->next->prev = block->prev;
	if (block->prev)
		block->prev->next = block->next;
	else
		s->files = block->next;
	pthread_mutex_unlock(&s->lock);
}

uint64_t memory_share_of_blocks(const struct memory *s)
{
	return s ? s->limit_bytes - s->limit_bytes / 4 : 0;
}

uint64_t memory_share_of_caches(const struct memory *s)
{
	return s ? s->limit_bytes - s->limit_bytes / 8 : 0;
}

bool memory_has_room(const struct memory *s, uint64_t bytes)
{
	uint64_t there, files;

	if (!s || !s->limit_bytes)
		return true;
	read_statm(s, &there, &files);
	return there + load(&s->untouched_bytes) + bytes <= memory_share_of_caches(s);
}

void memory_note_failure(struct memory *s, int code, size_t bytes)
{
	char size[TS_UNITS_TEXT];

	pthread_mutex_lock(&s->lock);
	if (!s->failure.code) {
		ts_error_sys(&s->failure, code, "cannot move %s of counted data to a file in %s",
			     ts_units_format_size(size, bytes), s->folder);
		ts_error_hint(&s->failure,
			      "%s, set TMPDIR to another folder, or give more with --mem-limit",
			      code == EFBIG ? "allow larger files (ulimit -f)" : "make room there");
	}
	pthread_mutex_unlock(&s->lock);
}

/* --- the window --- */

uint64_t memory_window_bytes(const struct memory *s)
{
	return s ? s->window_bytes : MEMORY_WINDOW;
}

bool memory_is_wide(struct memory *s)
{
	uint64_t there, files;

	if (!s || !load(&s->file_bytes))
		return false;
	read_statm(s, &there, &files);
	if (files < load(&s->kept_file_bytes)) /* maps of captures were given back */
		atomic_store_explicit(&s->kept_file_bytes, files, memory_order_relaxed);
	return files > s->window_bytes && files - s->window_bytes / 4 > load(&s->kept_file_bytes);
}

void memory_trim(struct memory *s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t there, files;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	for (struct memory_block *b = s->files; b; b = b->next)
		madvise(b, (b->bytes + page - 1) & ~(page - 1), MADV_DONTNEED);
	read_statm(s, &there, &files);
	atomic_store_explicit(&s->kept_file_bytes, files, memory_order_relaxed);
	pthread_mutex_unlock(&s->lock);
}

void memory_keep_narrow(struct memory *s)
{
	if (memory_is_wide(s))
		memory_trim(s);
}

/* --- failures --- */

int memory_failed(struct memory *s, struct ts_error *err)
{
	int code;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	code = s->failure.code;
	if (code)
		*err = s->failure;
	pthread_mutex_unlock(&s->lock);
	return -code;
}

int memory_check_growth(struct memory *s, const char *capture, struct ts_error *err)
{
	char limit[TS_UNITS_TEXT], more[TS_UNITS_TEXT];
	uint64_t there, files;

	if (!s || !s->limit_bytes)
		return 0;
	read_statm(s, &there, &files);
	if (there <= s->limit_bytes)
		return 0;
	ts_error_set(err, EFBIG, "cannot read %s with %s of memory: its names and maps take more",
		     capture, ts_units_format_size(limit, s->limit_bytes));
	return ts_error_hint(err, "give more memory, such as --mem-limit=%s",
			     ts_units_format_size(more, 2 * s->limit_bytes));
}

int memory_check(struct memory *s, const char *capture, unsigned int nr_workers,
		 struct ts_error *err)
{
	char limit[TS_UNITS_TEXT], taken[TS_UNITS_TEXT], needed[TS_UNITS_TEXT];
	const uint64_t megabyte = 1u << 20;
	uint64_t there, files, least;

	if (!s || !s->limit_bytes)
		return 0;
	read_statm(s, &there, &files);
	there = ts_max(there, load(&s->private_bytes));
	least = there + nr_workers * (uint64_t)WORKER_BYTES;
	if (least <= s->limit_bytes)
		return 0;
	least = (least + least / 4 + megabyte) / megabyte * megabyte;
	ts_error_set(err, EFBIG,
		     "cannot read %s with %s of memory: its names, its maps and the list of its "
		     "chunks take %s, and each of %u threads needs 1M",
		     capture, ts_units_format_size(limit, s->limit_bytes),
		     ts_units_format_size(taken, there), nr_workers);
	return ts_error_hint(err, "give at least --mem-limit=%s, or fewer threads",
			     ts_units_format_size(needed, least));
}
