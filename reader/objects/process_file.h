/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a living process has mapped. The kernel has links to them below /proc/PID, also to
 * those that have no name any longer: they were deleted, or others took their names.
 *
 * A link proves nothing: the number may belong to another process by now. So the build-id of the file
 * has to be compared.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_OBJECTS_PROCESS_FILE_H
#define TS_READER_OBJECTS_PROCESS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/objects/harmless.h"

#define PROCESS_FILE_BYTES   64
#define PROCESS_FILE_DELETED " (deleted)" /* the kernel puts it behind the path of such a file */

/* How to open such a link: the file must be one that any path may lead to. */
#define PROCESS_FILE_HOW ((struct harmless){.own = SIZE_MAX, .links = HARMLESS_MAPPED})

/* The length of a path without PROCESS_FILE_DELETED. */
size_t process_file_path_len(const char *path);
/* Writes the link to the program that it runs; false: pid 0. */
bool process_file_program(uint32_t pid, char ret[PROCESS_FILE_BYTES]);
/* Writes the link to a file that it has mapped, by its path; false: it does not live, or has none. */
bool process_file_mapped(uint32_t pid, const char *path, char ret[PROCESS_FILE_BYTES]);

#endif
