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
 * The table of files has a fixed size. If it is full, or if main is behind, a file is handed over
 * at a later map, or not at all; then its records keep device and inode.
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

struct file_id {
	_Atomic uint32_t state; /* shared: ordering note 16 */
	/* constant from FILE_ID_ASKED on */
	uint32_t maj, min;
	uint64_t ino, generation;
	/* main only, until FILE_ID_KNOWN */
	uint32_t nr_tries;
	struct ts_build_id id;
};

enum file_ask_turn {
	FILE_ASK_FREE,
	FILE_ASK_TAKEN, /* a writer fills `record` */
	FILE_ASK_MAIN,	/* main may read it */
};

struct file_ask {
	_Atomic uint32_t turn; /* shared: ordering note 16 */
	_Alignas(8) uint8_t record[FILE_IDS_RECORD_BYTES];
};

struct file_ids {
	/* constant after init */
	struct file_id *files; /* open addressing; NULL: there is no table */
	struct file_ask *asks;
	int fd; /* eventfd: readable when a writer asked; -1 when released */
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
 * Main: the answer to such a record. `was_read`: the file was read, and *id (len 0: it has none) is
 * final. Otherwise *id has len 0, and the file is handed over again; after 8 tries it has none.
 */
void file_ids_answer(struct file_ids *f, const void *record, bool was_read,
		     const struct ts_build_id *id);
/* Puts a build-id into an MMAP2, in place of device, inode and generation. */
void file_ids_put(void *record, const struct ts_build_id *id);

#endif
