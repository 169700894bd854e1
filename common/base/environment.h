/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a program that has more rights than its caller (AT_SECURE: file capabilities,
 * set-user-ID).
 *
 * Libraries take the names of plugins, folders, programs and servers from environment variables.
 * hwloc, for instance, loads every plugin in $HWLOC_PLUGINS_PATH. A program with more rights keeps
 * only variables that are known to name none of these, and uses the system's PATH. TZ may name a
 * file, which glibc checks in such a program. A command that the program starts for its caller
 * still gets all variables of the caller: ts_environment_of_caller().
 *
 * Threads: main() only, before anything else.
 */
#ifndef TS_COMMON_BASE_ENVIRONMENT_H
#define TS_COMMON_BASE_ENVIRONMENT_H

/*
 * Keeps the harmless variables in environ, and replaces the caller's PATH by the system's. The
 * caller's variables stay where the kernel put them. -ENOMEM: nothing is changed.
 */
int ts_environment_distrust(void);

/*
 * The environment that the program was started with, even after environ has changed. `argv` is that
 * of main(), or its end, with argc words: the kernel puts the variables behind their NULL.
 */
char *const *ts_environment_of_caller(int argc, char *const argv[]);

/* The value of a variable in that environment; NULL: it has no variable of this name. */
const char *ts_environment_value(char *const *environment, const char *name);

#endif
