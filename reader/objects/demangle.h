/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust functions as in their source, without parameters, as perf prints them by
 * default.
 *
 * Threads: a pure function.
 */
#ifndef TS_READER_OBJECTS_DEMANGLE_H
#define TS_READER_OBJECTS_DEMANGLE_H

/*
 * A heap string, for the caller to free(). NULL: `name` is not mangled, or the result would be
 * longer than 64 KB; or memory has run out, and errno is ENOMEM only then.
 */
char *demangle(const char *name);

#endif
