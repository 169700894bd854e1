/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files by build-id from debuginfod servers: --debuginfod.
 *
 * libdebuginfod asks the servers. Its cache ($DEBUGINFOD_CACHE_PATH, else
 * ~/.cache/debuginfod_client) keeps the files that they have. It also keeps, for ten minutes, the
 * answer that a file is missing. debug_server_open() loads the library, and no other code asks
 * servers. All questions together may take DEBUG_SERVER_SECONDS.
 *
 * Threads: any. One question is asked at a time; other threads wait.
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
 * urls: the servers, separated by blanks; NULL: those of $DEBUGINFOD_URLS. A value of `urls` is
 * written into the environment, so no other thread may run. Returns NULL if no server is named or
 * the library cannot be loaded.
 */
struct debug_server *debug_server_open(const char *urls, struct ts_error *err);
void debug_server_close(struct debug_server *s); /* accepts NULL */
/*
 * From here on no code of this process finds a server in the environment. No other thread may run.
 */
void debug_server_forbid(void);
/*
 * Questions are noted in `progress`, and end when it is stopped. `progress` outlives them. Call it
 * before the first question. NULL s: does nothing.
 */
void debug_server_watch(struct debug_server *s, struct progress *progress);

/*
 * Writes the path of the file in the cache to ret_path, PATH_MAX bytes. -errno: no server has the
 * file, or it could not be fetched; the trail has the reason.
 */
int debug_server_find(struct debug_server *s, enum debug_server_kind kind,
		      const struct ts_build_id *id, char *ret_path, struct ts_bytes *trail);

struct debug_server_count {
	unsigned int nr_asked, nr_found;
	bool is_over; /* the time for questions is over */
};
struct debug_server_count debug_server_count(struct debug_server *s);

#endif
