/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a path as text; no file is looked at.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_BASE_PATH_H
#define TS_COMMON_BASE_PATH_H

/* The part behind the last '/', within `path`; all of it, if it has none. "cap/" has the name "". */
const char *ts_path_name(const char *path);
/* The part before the last '/': "." for "cap", "/" for "/cap". The caller frees it; NULL: no memory. */
char *ts_path_folder(const char *path);

#endif
