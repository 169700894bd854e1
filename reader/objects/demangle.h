/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust functions as people wrote them, without parameters (what perf prints by
 * default).
 *
 * Threads: a pure function.
 */
#ifndef TS_READER_OBJECTS_DEMANGLE_H
#define TS_READER_OBJECTS_DEMANGLE_H

/* A heap string (free() it), or NULL when `name` is not mangled, or would become longer than 64 KB. */
char *demangle(const char *name);

#endif
