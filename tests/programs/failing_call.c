// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into tstream it lets one call of a kind fail, or that call and all behind it, as a
 * machine without memory, room or rights does.
 *
 *	FAIL_KIND=write FAIL_AT=7 [FAIL_ALL=1] [FAIL_SINCE=file] [FAIL_COUNT=file] [FAIL_TRACE=file]
 *
 * Calls count from the first, or from when the file FAIL_SINCE is there. FAIL_COUNT gets the number of
 * calls of that kind at the end, FAIL_TRACE the functions that led to the call that failed. Other
 * programs (the recorded command, hooks, a pager) are left alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#define FRAMES 48

static const char *kind, *since;
static long fail_at, nr_calls;
static bool fails_all;

/* Of glibc, below its malloc(). */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *data, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static int open_report(const char *variable)
{
	const char *path = getenv(variable);
	int (*real)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");

	return path ? real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

static void report_trace(void)
{
	const char *armed = kind;
	void *frames[FRAMES];
	int fd;

	kind = NULL; /* what follows does not count */
	fd = open_report("FAIL_TRACE");
	if (fd >= 0) {
		backtrace_symbols_fd(frames, backtrace(frames, FRAMES), fd);
		close(fd);
	}
	kind = armed;
}

/* Does a call count already? */
static bool has_begun(void)
{
	int saved = errno;

	if (since && access(since, F_OK) == 0)
		since = NULL;
	errno = saved;
	return !since;
}

/* Counts a call; true: it has to fail. */
static bool is_failing(const char *name)
{
	long nr;

	if (!kind || strcmp(kind, name) != 0 || !has_begun())
		return false;
	nr = __atomic_add_fetch(&nr_calls, 1, __ATOMIC_RELAXED);
	if (!fail_at || nr < fail_at || (nr > fail_at && !fails_all))
		return false;
	if (nr == fail_at)
		report_trace();
	return true;
}

static int fail(int code)
{
	errno = code;
	return -1;
}

__attribute__((constructor)) static void arm(void)
{
	const char *at = getenv("FAIL_AT");
	void *frames[1];

	if (strcmp(program_invocation_short_name, "tstream") != 0)
		return;
	backtrace(frames, 1); /* loads what it needs */
	fail_at = at ? atol(at) : 0;
	fails_all = getenv("FAIL_ALL") != NULL;
	since = getenv("FAIL_SINCE");
	kind = getenv("FAIL_KIND");
}

__attribute__((destructor)) static void report_count(void)
{
	char text[32];
	int fd, len;

	if (!kind)
		return;
	kind = NULL;
	fd = open_report("FAIL_COUNT");
	len = snprintf(text, sizeof(text), "%ld\n", nr_calls);
	if (fd >= 0 && write(fd, text, (size_t)len) < 0)
		abort();
}

/* --- memory --- */

void *malloc(size_t bytes)
{
	if (is_failing("malloc"))
		return errno = ENOMEM, NULL;
	return __libc_malloc(bytes);
}

void *calloc(size_t nr, size_t bytes)
{
	if (is_failing("malloc"))
		return errno = ENOMEM, NULL;
	return __libc_calloc(nr, bytes);
}

void *realloc(void *data, size_t bytes)
{
	if (is_failing("malloc"))
		return errno = ENOMEM, NULL;
	return __libc_realloc(data, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	if (is_failing("malloc"))
		return errno = ENOMEM, NULL;
	return __libc_memalign(align, bytes);
}

void *reallocarray(void *data, size_t nr, size_t bytes)
{
	if (is_failing("malloc") || __builtin_mul_overflow(nr, bytes, &bytes))
		return errno = ENOMEM, NULL;
	return __libc_realloc(data, bytes);
}

int posix_memalign(void **ret, size_t align, size_t bytes)
{
	void *data = is_failing("malloc") ? NULL : __libc_memalign(align, bytes);

	if (!data)
		return ENOMEM;
	*ret = data;
	return 0;
}

/* --- calls --- */

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
#define CALL(of_kind, type, code, name, params, args)                                              \
	type name params                                                                           \
	{                                                                                          \
		static __typeof__(name) *real;                                                     \
                                                                                                   \
		if (is_failing(of_kind))                                                           \
			return (type)(long)fail(code);                                             \
		if (!real)                                                                         \
			real = REAL(name);                                                         \
		return real args;                                                                  \
	}

CALL("read", ssize_t, EIO, read, (int fd, void *to, size_t len), (fd, to, len))
CALL("read", ssize_t, EIO, pread, (int fd, void *to, size_t len, off_t at), (fd, to, len, at))

/* Messages on stderr stay, and no other kind of file runs out of room. */
ssize_t write(int fd, const void *from, size_t len)
{
	struct stat st;

	if (fd != STDERR_FILENO && !REAL(fstat)(fd, &st) && S_ISREG(st.st_mode) &&
	    is_failing("write"))
		return fail(ENOSPC);
	return REAL(write)(fd, from, len);
}

CALL("write", ssize_t, ENOSPC, pwrite, (int fd, const void *from, size_t len, off_t at),
     (fd, from, len, at))
CALL("write", ssize_t, ENOSPC, writev, (int fd, const struct iovec *from, int nr), (fd, from, nr))
CALL("mmap", void *, ENOMEM, mmap,
     (void *at, size_t len, int protection, int flags, int fd, off_t from),
     (at, len, protection, flags, fd, from))
CALL("rename", int, EACCES, rename, (const char *from, const char *to), (from, to))
CALL("rename", int, EACCES, renameat, (int from_fd, const char *from, int to_fd, const char *to),
     (from_fd, from, to_fd, to))
CALL("rename", int, EACCES, renameat2,
     (int from_fd, const char *from, int to_fd, const char *to, unsigned int flags),
     (from_fd, from, to_fd, to, flags))
CALL("unlink", int, EACCES, unlink, (const char *path), (path))
CALL("unlink", int, EACCES, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
CALL("unlink", int, EACCES, rmdir, (const char *path), (path))
CALL("mkdir", int, ENOSPC, mkdir, (const char *path, mode_t mode), (path, mode))
CALL("mkdir", int, ENOSPC, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
CALL("stat", int, EIO, fstat, (int fd, struct stat *ret), (fd, ret))
CALL("stat", int, EIO, stat, (const char *path, struct stat *ret), (path, ret))
CALL("stat", int, EIO, lstat, (const char *path, struct stat *ret), (path, ret))
CALL("stat", int, EIO, fstatat, (int fd, const char *path, struct stat *ret, int flags),
     (fd, path, ret, flags))
CALL("stat", int, EIO, statx,
     (int fd, const char *path, int flags, unsigned int mask, struct statx *ret),
     (fd, path, flags, mask, ret))
CALL("stat", int, EIO, fstatfs, (int fd, struct statfs *ret), (fd, ret))
CALL("stat", int, EIO, statfs, (const char *path, struct statfs *ret), (path, ret))
CALL("truncate", int, EIO, ftruncate, (int fd, off_t len), (fd, len))
CALL("allocate", int, ENOSPC, fallocate, (int fd, int mode, off_t from, off_t len),
     (fd, mode, from, len))
CALL("sync", int, EIO, fsync, (int fd), (fd))
CALL("sync", int, EIO, fdatasync, (int fd), (fd))
CALL("descriptor", int, EMFILE, dup, (int fd), (fd))
CALL("descriptor", int, EMFILE, pipe2, (int fds[2], int flags), (fds, flags))
CALL("descriptor", int, EMFILE, eventfd, (unsigned int value, int flags), (value, flags))
CALL("descriptor", int, EMFILE, epoll_create1, (int flags), (flags))
CALL("descriptor", int, EMFILE, memfd_create, (const char *name, unsigned int flags), (name, flags))
CALL("descriptor", int, EMFILE, signalfd, (int fd, const sigset_t *set, int flags),
     (fd, set, flags))
CALL("descriptor", int, EMFILE, socket, (int domain, int type, int protocol),
     (domain, type, protocol))

int pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	if (is_failing("thread"))
		return EAGAIN;
	return REAL(pthread_create)(ret, attr, run, arg);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name, params, last, args)                                                             \
	int name params                                                                            \
	{                                                                                          \
		mode_t mode;                                                                       \
		va_list more;                                                                      \
                                                                                                   \
		va_start(more, last);                                                              \
		mode = mode_of(flags, more);                                                       \
		va_end(more);                                                                      \
		return is_failing("open") ? fail(EMFILE) : REAL(name) args;                        \
	}

OPEN(open, (const char *path, int flags, ...), flags, (path, flags, mode))
OPEN(openat, (int fd, const char *path, int flags, ...), flags, (fd, path, flags, mode))

DIR *opendir(const char *path)
{
	if (is_failing("open"))
		return errno = EMFILE, NULL;
	return REAL(opendir)(path);
}

FILE *fopen(const char *path, const char *mode)
{
	if (is_failing("open"))
		return errno = EMFILE, NULL;
	return REAL(fopen)(path, mode);
}
