// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into a recorder it takes the hardware counters away, so that one machine shows what
 * happens on both kinds. The kernel looks at the user's rights first, which an event of its own is
 * asked about here; then its answer to an event of a PMU that is not there is ENOENT.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_ARGS 6

typedef long (*syscall_fn)(long number, ...);

static int is_of_the_cpu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

/* The result of such a kernel: -1 and errno. */
static long refuse(syscall_fn real, const long *arg)
{
	struct perf_event_attr allowed = *(struct perf_event_attr *)arg[0];
	long fd;

	allowed.type = PERF_TYPE_SOFTWARE;
	allowed.config = PERF_COUNT_SW_DUMMY;
	fd = real(SYS_perf_event_open, &allowed, arg[1], arg[2], arg[3], arg[4]);
	if (fd >= 0) {
		close((int)fd);
		errno = ENOENT;
	}
	return -1;
}

long syscall(long number, ...)
{
	syscall_fn real = (syscall_fn)dlsym(RTLD_NEXT, "syscall");
	long arg[NR_ARGS];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < NR_ARGS; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open && is_of_the_cpu((struct perf_event_attr *)arg[0]))
		return refuse(real, arg);
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
