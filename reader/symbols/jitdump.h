/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A jitdump file: what a process with a JIT compiler tells of each function that it makes, as `perf inject
 * --jit` reads it.
 *
 *	header, then records: [id][bytes][time] ...
 *	    LOAD   code of so many bytes, which follow, is at an address from now on, and called so
 *	    MOVE   it is at another address
 *	    DEBUG_INFO, UNWINDING_INFO   before the LOAD of the code that they are of: its lines, its .eh_frame
 *
 * Code is known by where its bytes stand in the file, so that the file is the object and an address of its
 * code a file offset, as everywhere where a module is asked.
 *
 * The file is written by who is recorded, perhaps meanwhile: reading ends at the first record that is not whole
 * or not sound.
 *
 * Threads: each struct belongs to one thread at a time.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt of Linux 6.1.
 */
#ifndef TS_READER_SYMBOLS_JITDUMP_H
#define TS_READER_SYMBOLS_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "reader/objects/symbol_places.h"
#include "reader/objects/untrusted_file.h"
#include "reader/symbols/symbol_table.h"

#define JITDUMP_NAME_MAX 4096 /* bytes of a function's name; what is longer is cut */

struct jitdump_part { /* of the file */
	uint64_t at, bytes;
};

struct jitdump {
	FILE *file;
	uint64_t at, end;		      /* of records, in the file */
	struct jitdump_part lines, unwinding; /* of the code that comes next; 0 bytes: none */
};

struct jitdump_record {
	bool is_move;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t index;	  /* of the code: that of a MOVE is one of a LOAD before */
	uint64_t address, bytes;
	uint64_t offset; /* LOAD: of the code in the file */
	/* LOAD: its lines as they stand in the file, and its .eh_frame; 0 bytes: it has none */
	struct jitdump_part lines, unwinding;
	char name[JITDUMP_NAME_MAX]; /* LOAD */
};

/* Is this the name of one: "/tmp/jit-4711.dump"? */
bool jitdump_is_name(const char *path);
/*
 * Opens what a process mapped under the name `path`; *ret is where it is: in the capture's own folder
 * of symbols, below --symfs, in the root of process `pid` while it lives, or at `path`. But in the first it must belong to root,
 * to this user or to the user whom the process runs as. -errno, with a sentence for the last that was tried.
 */
int jitdump_find(struct jitdump *d, const char *path, uint32_t pid,
		 const struct symbol_search *search, struct untrusted_file_place *ret,
		 struct ts_error *err);
/* Opens that one. */
int jitdump_open(struct jitdump *d, const char *path, uid_t owner, const struct harmless *how,
		 struct ts_error *err);
void jitdump_close(struct jitdump *d); /* idempotent after it was opened */
/* The next LOAD or MOVE; false: there is no more. */
bool jitdump_next(struct jitdump *d, struct jitdump_record *ret);
/* Reads what jitdump_next() told of; false: the file has lost it. */
bool jitdump_read(struct jitdump *d, const struct jitdump_part *part, void *to);

/* Fills and finishes the table with all functions of a file that jitdump_find() found. */
int jitdump_load(struct symbol_table *t, const char *path, const struct harmless *how,
		 struct ts_error *err);

#endif
