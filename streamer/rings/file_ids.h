/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build-ids of mapped files, where the kernel does not report them (--no-buildid-mmap).
 *
 *	writer: an MMAP2 of a file that nobody has seen  -> file_ids_put_run() hands a copy to main
 *	main:   file_ids_take(), looks at the file, file_ids_answer()
 *	writer: the next MMAP2 of that file gets the build-id in place of device and inode
 *
 * So a record in the stream looks as if the kernel had been asked, except for the first ones of a
 * file. Main adds those to `data` (data_file_add_file()).
 *
 * The table has a fixed size. A new file takes the place of the one that has had its place longest,
 * which is looked at anew at its next map. If main is far behind, a file is handed over at a later map.
 *
 * Threads: any writer calls file_ids_put_run(); main calls the others (ordering note 16 of
 * docs/threads.md). file_ids_put() is pure.
 *
 * Source: perf_event_mmap_output() in kernel/events/core.c.
 */
#ifndef TS_STREAMER_RINGS_FILE_IDS_H
#define TS_STREAMER_RINGS_FILE_IDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/build_id.h"
#include "common/base/error.h"

#define FILE_IDS_RECORD_BYTES 4352 /* of the largest MMAP2: a path of 4096 bytes */

enum file_id_state {
	FILE_ID_FREE,
	FILE_ID_CLAIMED, /* a writer fills the key */
	FILE_ID_ASKED,	 /* main has not answered yet */
	FILE_ID_UNREAD,	 /* main could not open it: ask again */
	FILE_ID_KNOWN,	 /* `id` is final */
};

/* 24 bytes of an MMAP2, as there: device, inode and generation, or the length and the build-id. */
struct file_id_words {
	uint64_t words[3];
};

/* shared: ordering note 16 */
struct file_id {
	_Atomic uint64_t state; /* a file_id_state, above it the number of claims */
	_Atomic uint64_t key[3], id[3];
	uint32_t nr_tries; /* the claiming writer's, then main's until it answers */
};

struct file_ids {
	/* constant after init */
	struct file_id *files; /* open addressing; NULL: there is no table */
	uint8_t *asks;	       /* ring of MMAP2 records, zeros where none is */
	int fd;		       /* eventfd: readable when a writer asked; -1 when released */
	/* shared: ordering note 16; positions in `asks`, ascending without end */
	_Atomic uint64_t head, tail;
};

int file_ids_init(struct file_ids *f, struct ts_error *err);
void file_ids_release(struct file_ids *f); /* accepts {.fd = -1}; idempotent */

/*
 * Writer: goes through a run of whole records. Each MMAP2 loses the flag "build-id", which the
 * kernel set for another listener. If its file is known, it gets the file's build-id.
 */
void file_ids_put_run(struct file_ids *f, void *run, size_t len);

/* Main: copies the next MMAP2 of an unknown file to `record`; false: there is none. */
bool file_ids_take(struct file_ids *f, uint8_t record[FILE_IDS_RECORD_BYTES]);
/*
 * Main: the answer to such a record. `looked` 1: the file was read, and *id (len 0: it has none) is
 * final. Otherwise *id has len 0, and the file is handed over again. 0: no file could be read; after
 * 8 such tries it has none. -errno: a shortage, which says nothing about the file.
 */
void file_ids_answer(struct file_ids *f, const void *record, int looked,
		     const struct ts_build_id *id);
/* Puts a build-id into an MMAP2, in place of device, inode and generation. */
void file_ids_put(void *record, const struct ts_build_id *id);

#endif
