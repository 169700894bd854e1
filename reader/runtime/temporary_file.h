/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files without a name, for data that is needed only while the program runs. The kernel frees their
 * room when the process ends, however it ends.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_RUNTIME_TEMPORARY_FILE_H
#define TS_READER_RUNTIME_TEMPORARY_FILE_H

/* $TMPDIR, else /var/tmp. */
const char *temporary_folder(void);
/* An empty file without a name, to read and write; -1 with errno. */
int temporary_file_open(const char *folder);

#endif
