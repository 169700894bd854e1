// SPDX-License-Identifier: Apache-2.0
/*
 * The library calls tick_progress() about once a second while it waits, and stops if tick_progress() says so. This
 * ends a question when the time for questions is over, or after ^C. Its functions are those of
 * elfutils' debuginfod_find_debuginfo(3).
 */
#include "reader/objects/debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"

#define LIBRARY	 "libdebuginfod.so.1"
#define URLS	 "DEBUGINFOD_URLS"
#define MOST_NS	 (DEBUG_SERVER_SECONDS * TS_NS_PER_SEC)
#define NR_KINDS 2

struct client; /* of the library */

typedef int (*find_function)(struct client *client, const unsigned char *id, int nr_id,
			     char **ret_path);
typedef int (*tick_function)(struct client *client, long a, long b);

struct debug_server {
	/* constant once opened */
	void *library;
	void (*end)(struct client *client);
	find_function find[NR_KINDS];
	struct progress *progress;

	/* under the lock */
	pthread_mutex_t lock;
	struct client *client;
	uint64_t began_ns, taken_ns; /* the current question; all questions before */
	struct debug_server_count count;
};

static bool is_over(const struct debug_server *s, uint64_t now_ns)
{
	return s->taken_ns + (now_ns - s->began_ns) >= MOST_NS;
}

/*
 * Finds the function of this name. `ret` points to a pointer to a function of any type. False: not
 * found.
 */
static bool find_symbol(void *library, const char *name, void *ret)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol;
}

/* The library calls it while the caller of the library holds the lock. Not 0: give up. */
static int tick_progress(struct client *client, long a, long b)
{
	void *(*user_data)(struct client * client);
	const struct debug_server *s;

	(void)a, (void)b;
	if (!find_symbol(RTLD_DEFAULT, "debuginfod_get_user_data", &user_data))
		return 1;
	s = user_data(client);
	return progress_is_stopped(s->progress) || is_over(s, ts_clock_now_ns());
}

static int load_library(struct debug_server *s, struct ts_error *err)
{
	struct client *(*begin)(void);
	void (*set_user_data)(struct client * client, void *value);
	void (*set_tick)(struct client * client, tick_function function);

	s->library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	if (!s->library) {
		ts_error_set(err, ENOENT, "cannot ask debuginfod servers: %s", dlerror());
		return ts_error_hint(err, "install the package libdebuginfod1");
	}
	if (!find_symbol(s->library, "debuginfod_begin", &begin) ||
	    !find_symbol(s->library, "debuginfod_end", &s->end) ||
	    !find_symbol(s->library, "debuginfod_set_user_data", &set_user_data) ||
	    !find_symbol(s->library, "debuginfod_get_user_data", &(void *){NULL}) ||
	    !find_symbol(s->library, "debuginfod_set_progressfn", &set_tick) ||
	    !find_symbol(s->library, "debuginfod_find_debuginfo",
			 &s->find[DEBUG_SERVER_DEBUGINFO]) ||
	    !find_symbol(s->library, "debuginfod_find_executable",
			 &s->find[DEBUG_SERVER_EXECUTABLE]))
		return ts_error_set(err, ENOSYS,
				    "cannot ask debuginfod servers: " LIBRARY " is too old");
	s->client = begin();
	if (!s->client)
		return ts_error_sys(err, errno ? errno : ENOMEM, "cannot ask debuginfod servers");
	set_user_data(s->client, s);
	set_tick(s->client, tick_progress);
	return 0;
}

static int set_urls(const char *urls, struct ts_error *err)
{
	const char *known = urls ? urls : getenv(URLS);

	if (!known || !known[strspn(known, " ")]) {
		ts_error_set(err, EINVAL, "cannot ask debuginfod servers: no server was given");
		return ts_error_hint(err, "give --debuginfod=URL, or set " URLS);
	}
	if (urls && setenv(URLS, urls, 1))
		return ts_error_sys(err, errno, "cannot ask debuginfod servers");
	return 0;
}

struct debug_server *debug_server_open(const char *urls, struct ts_error *err)
{
	struct debug_server *s = calloc(1, sizeof(*s));

	if (!s) {
		ts_error_sys(err, ENOMEM, "cannot ask debuginfod servers");
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	if (!set_urls(urls, err) && !load_library(s, err))
		return s;
	debug_server_close(s);
	return NULL;
}

/* The library stays loaded: it has handlers for the end of the process. */
void debug_server_close(struct debug_server *s)
{
	if (s && s->client)
		s->end(s->client);
	free(s);
}

void debug_server_forbid(void)
{
	unsetenv(URLS);
}

void debug_server_watch(struct debug_server *s, struct progress *progress)
{
	if (s)
		s->progress = progress;
}

static int ask_server(struct debug_server *s, enum debug_server_kind kind,
		      const struct ts_build_id *id, char *ret_path)
{
	char *path = NULL;
	int fd = s->find[kind](s->client, id->bytes, id->len, &path);

	if (fd < 0)
		return fd;
	close(fd);
	fd = path && strlen(path) < PATH_MAX ? 0 : -ENAMETOOLONG;
	if (!fd)
		strcpy(ret_path, path);
	free(path);
	return fd;
}

/* With the lock held. */
static int ask_in_time(struct debug_server *s, enum debug_server_kind kind,
		       const struct ts_build_id *id, char *ret_path)
{
	int rc;

	s->count.nr_asked++;
	s->began_ns = ts_clock_now_ns();
	if (is_over(s, s->began_ns))
		return -ETIME;
	if (progress_is_stopped(s->progress))
		return -EINTR;
	progress_wait(s->progress, "asking debuginfod servers");
	rc = ask_server(s, kind, id, ret_path);
	progress_wait(s->progress, NULL);
	s->taken_ns += ts_clock_now_ns() - s->began_ns;
	s->count.nr_found += !rc;
	s->count.is_over = s->taken_ns >= MOST_NS;
	return rc && s->count.is_over ? -ETIME : rc;
}

static void note_answer(struct ts_bytes *trail, enum debug_server_kind kind, int rc,
			const char *path)
{
	const char *what = kind == DEBUG_SERVER_EXECUTABLE ? "file itself" : "debug file";

	if (!trail)
		return;
	if (rc == -ETIME)
		ts_bytes_printf(trail, "cannot get the %s from debuginfod servers: %d s are over\n",
				what, DEBUG_SERVER_SECONDS);
	else if (rc)
		ts_bytes_printf(trail, "cannot get the %s from debuginfod servers: %s\n", what,
				strerror(-rc));
	else
		ts_bytes_printf(trail, "debuginfod servers have the %s: %s\n", what, path);
}

int debug_server_find(struct debug_server *s, enum debug_server_kind kind,
		      const struct ts_build_id *id, char *ret_path, struct ts_bytes *trail)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = ask_in_time(s, kind, id, ret_path);
	pthread_mutex_unlock(&s->lock);
	note_answer(trail, kind, rc, ret_path);
	return rc;
}

struct debug_server_count debug_server_count(struct debug_server *s)
{
	struct debug_server_count count;

	pthread_mutex_lock(&s->lock);
	count = s->count;
	pthread_mutex_unlock(&s->lock);
	return count;
}
