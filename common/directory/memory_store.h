/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where `record -M` holds what it recorded, for who writes it (streamer/recording/memory_segments.h) and who rescues it
 * (reader/merge/memory_stores.h).
 */
#ifndef TS_COMMON_DIRECTORY_MEMORY_STORE_H
#define TS_COMMON_DIRECTORY_MEMORY_STORE_H

#define TS_MEMORY_STORE_PARENT "/dev/shm"
#define TS_MEMORY_STORE_PREFIX "tstream." /* then UID.PID */
#define TS_MEMORY_STORE_CAPTURE                                                                    \
	"held"			  /* the running segment; finished ones have a stamp behind it */
#define TS_MEMORY_STORE_OUT "out" /* a file: the absolute path of OUT, and a newline */

#endif
