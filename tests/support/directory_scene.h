/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures in the current directory of a test, as its recorder left them.
 *
 * Threads: one, the test.
 */
#ifndef TS_TESTS_SUPPORT_DIRECTORY_SCENE_H
#define TS_TESTS_SUPPORT_DIRECTORY_SCENE_H

#include <stdbool.h>

#include "common/base/error.h"
#include "tests/support/scratch.h"

#define DIRECTORY_DATA "PERFILE2 and more"

/* A capture with this text as `data`, a stream data.0 and an empty tstream.json. */
void directory_put(const struct scratch *s, const char *path, const char *data);
/* One with DIRECTORY_DATA, whose tstream.json names data.0. */
void directory_put_noted(const struct scratch *s, const char *path);
/* The file or directory is then another user's; false: only root can do that. */
bool directory_give_away(const char *path);
bool directory_has(const char *path);
/* Fails the test unless the file dir/name has this text. */
void directory_check(const char *dir, const char *name, const char *text);
/* Records an empty capture with this text as `data`. */
int directory_record(const char *path, const char *data, struct ts_error *err);

#endif
