/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A jitdump file: a process with a JIT compiler writes a record for each function that it makes.
 * `perf inject --jit` reads the same file.
 *
 *	header, then records: [id][bytes][time] ...
 *	    LOAD   code: its bytes follow; it is at this address from now on, with this name
 *	    MOVE   the code is at another address from now on
 *	    DEBUG_INFO, UNWINDING_INFO   lines and .eh_frame of the next LOAD, which follows
 *
 * Code is identified by the offset of its bytes in the file. So the file is the object, and an
 * address of its code is a file offset, as in all questions to a module.
 *
 * The recorded process writes the file, perhaps at this moment. Reading ends at the first record
 * that is not whole or not sound.
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

#define JITDUMP_NAME_MAX 4096 /* bytes of a function's name; longer names are cut */

struct jitdump_part { /* of the file */
	uint64_t at, bytes;
};

struct jitdump {
	FILE *file;
	uint64_t at, end;		      /* of records, in the file */
	uint64_t nr_read;		      /* records */
	struct jitdump_part lines, unwinding; /* of the next code; 0 bytes: none */
	uint32_t pid;			      /* of the process that began it, as it sees itself */
};

struct jitdump_record {
	bool is_move;
	uint32_t pid;	  /* as the process sees itself; a forked one may go on with the file */
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t index;	  /* number of the code; a MOVE has that of a LOAD before */
	uint64_t address, bytes;
	uint64_t offset; /* LOAD: of the code in the file */
	/* LOAD: its lines as in the file, and its .eh_frame; 0 bytes: none */
	struct jitdump_part lines, unwinding;
	char name[JITDUMP_NAME_MAX]; /* LOAD */
};

/* Is this the name of a jitdump file: "/tmp/jit-4711.dump"? */
bool jitdump_is_name(const char *path);
/*
 * Opens the file that a process mapped as `path`; *ret gets its place. It is searched in the
 * capture's own folder of symbols, below --symfs, in the root of process `pid` while it lives, and
 * at `path`. In all places but the first it must belong to root, to this user or to the user of the
 * process. -errno, with a sentence for the last place.
 */
int jitdump_find(struct jitdump *d, const char *path, uint32_t pid,
		 const struct symbol_search *search, struct untrusted_file_place *ret,
		 struct ts_error *err);
/* Opens the file at `path`. */
int jitdump_open(struct jitdump *d, const char *path, uid_t owner, const struct harmless *how,
		 struct ts_error *err);
/* The errno of a file that could not be read to its end; 0: it was. */
int jitdump_fault(const struct jitdump *d);
void jitdump_close(struct jitdump *d); /* idempotent after it was opened */
/* The next LOAD or MOVE; false: no more. */
bool jitdump_next(struct jitdump *d, struct jitdump_record *ret);
/* Reads a part that jitdump_next() returned; false: the file is shorter by now. */
bool jitdump_read(struct jitdump *d, const struct jitdump_part *part, void *to);

/* Fills and finishes the table with all functions of a file that jitdump_find() found. */
int jitdump_load(struct symbol_table *t, const char *path, const struct harmless *how,
		 struct ts_error *err);

#endif
