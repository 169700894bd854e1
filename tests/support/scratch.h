/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of the test's own: made empty, filled with files, removed with all its files. A failure
 * ends the test program.
 *
 * Threads: one a folder.
 */
#ifndef TS_TESTS_SUPPORT_SCRATCH_H
#define TS_TESTS_SUPPORT_SCRATCH_H

struct scratch {
	char path[32]; /* /tmp/tstream-test.XXXXXX */
};

void scratch_make(struct scratch *s);
/* A file with this text; `name` may have folders in it, which are made. */
void scratch_put(const struct scratch *s, const char *name, const char *text);
/* The same two, and the folder is the current directory in between. */
void scratch_enter(struct scratch *s);
void scratch_leave(struct scratch *s);
void scratch_remove(const struct scratch *s); /* it may be gone already */

#endif
