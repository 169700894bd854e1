/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KSYMBOL, BPF_EVENT and TEXT_POKE records as the kernel writes them for one of several listeners.
 *
 * Threads: pure functions.
 */
#ifndef TS_TESTS_SUPPORT_LENGTHENED_RECORDS_H
#define TS_TESTS_SUPPORT_LENGTHENED_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

/* Bytes of each of them in front of the trailer. */
#define LENGTHENED_KSYMBOL_BYTES   40 /* its name is "bpf_prog_made" */
#define LENGTHENED_BPF_EVENT_BYTES 24
#define LENGTHENED_TEXT_POKE_BYTES 32 /* five bytes were replaced by five */

/* In front of the trailer, as the kernel writes a record of that type. */
size_t lengthened_body_bytes(uint32_t type);
/*
 * Appends such a record: its body, the trailer, and `stale` where its size reaches beyond them by
 * stale_bytes.
 */
void put_lengthened(struct ts_bytes *out, uint32_t type, const void *trailer, size_t trailer_bytes,
		    const void *stale, size_t stale_bytes);

#endif
