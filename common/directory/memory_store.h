/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of the segments of `record -M`, for the module that writes them
 * (streamer/recording/memory_segments.h) and the module that rescues them
 * (reader/merge/memory_stores.h).
 */
#ifndef TS_COMMON_DIRECTORY_MEMORY_STORE_H
#define TS_COMMON_DIRECTORY_MEMORY_STORE_H

#define TS_MEMORY_STORE_PARENT "/dev/shm"
#define TS_MEMORY_STORE_PREFIX "tstream." /* then UID.PID */
/* then TS_MEMORY_STORE_RANDOM: an empty folder, until its recorder has locked and renamed it */
#define TS_MEMORY_STORE_UNNAMED "." TS_MEMORY_STORE_PREFIX
#define TS_MEMORY_STORE_RANDOM	"XXXXXX" /* characters of mkdtemp(3) */
#define TS_MEMORY_STORE_CAPTURE                                                                    \
	"held" /* the running segment; finished segments have a stamp behind it */
#define TS_MEMORY_STORE_OUT "out" /* a file: the absolute path of OUT, and a newline */

#endif
