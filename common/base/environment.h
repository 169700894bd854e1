/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a program that has more rights than its caller (AT_SECURE: file capabilities,
 * set-user-ID).
 *
 * Libraries take the names of plugins, folders, programs and servers from environment variables;
 * hwloc, for instance, loads every plugin in $HWLOC_PLUGINS_PATH. Such a program keeps only
 * variables that are known to name none of these (TZ may name a file, which glibc checks in such a
 * program), and the system's PATH. A command that it starts for its caller still gets all that the
 * caller had: ts_environment_of_caller().
 *
 * Threads: main() only, before anything else.
 */
#ifndef TS_COMMON_BASE_ENVIRONMENT_H
#define TS_COMMON_BASE_ENVIRONMENT_H

/*
 * Leaves in environ what is harmless, and takes the system's PATH for the caller's. The variables of
 * the caller stay where the kernel put them. -ENOMEM: nothing is changed.
 */
int ts_environment_distrust(void);

/*
 * The environment that the program was started with, whatever environ has become. `argv` is that of
 * main(), or its end, with argc words: the kernel puts the variables behind their NULL.
 */
char *const *ts_environment_of_caller(int argc, char *const argv[]);

/* What a variable has there; NULL: there is none of this name. */
const char *ts_environment_value(char *const *environment, const char *name);

#endif
