/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files by build-id from debuginfod servers: --debuginfod.
 *
 * libdebuginfod asks them, keeps what they had, and what they had not for ten minutes, in its cache
 * ($DEBUGINFOD_CACHE_PATH, else ~/.cache/debuginfod_client). It is loaded when this is opened, and
 * nothing is asked by anybody else. All questions together may take DEBUG_SERVER_SECONDS.
 *
 * Threads: any; one question is asked at a time, the others wait.
 */
#ifndef TS_READER_OBJECTS_DEBUG_SERVER_H
#define TS_READER_OBJECTS_DEBUG_SERVER_H

#include "common/base/build_id.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/runtime/progress.h"

#define DEBUG_SERVER_SECONDS 60

enum debug_server_kind {
	DEBUG_SERVER_DEBUGINFO,
	DEBUG_SERVER_EXECUTABLE,
};

struct debug_server;

/*
 * urls: of the servers, with blanks between them; NULL: those of $DEBUGINFOD_URLS, which it sets in
 * the environment else, so no other thread may run. NULL: there are none, or no library.
 */
struct debug_server *debug_server_open(const char *urls, struct ts_error *err);
void debug_server_close(struct debug_server *s); /* accepts NULL */
/* From here on nobody in this process finds a server in the environment. As for threads: as above. */
void debug_server_forbid(void);
/* It is told of questions, which end when it is stopped; it outlives them. Before the first. NULL s: does nothing. */
void debug_server_watch(struct debug_server *s, struct progress *progress);

/*
 * Writes where in the cache the file is to ret_path, PATH_MAX bytes. -errno: none of them has it, or
 * it could not be had; the trail says so.
 */
int debug_server_find(struct debug_server *s, enum debug_server_kind kind,
		      const struct ts_build_id *id, char *ret_path, struct ts_bytes *trail);

struct debug_server_count {
	unsigned int nr_asked, nr_found;
	bool is_over; /* the time for questions */
};
struct debug_server_count debug_server_count(struct debug_server *s);

#endif
