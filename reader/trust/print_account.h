/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder's own account says about a capture that the reader cannot see: streams that are
 * gone or cut short, and records that were lost while recording; and what it sees but does not use.
 * Warnings and notes on stderr.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_ACCOUNT_H
#define TS_READER_TRUST_PRINT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/capture/account.h"
#include "reader/capture/capture.h"
#include "reader/chunks/selection.h"
#include "reader/samples/unwind.h"

/*
 * Warns of records lost while recording, and names what is missing of the streams of a recording
 * that ended cleanly; returns how many streams lack something or are links.
 */
size_t print_account(const struct capture *c);
/* Names what of a capture is a link, and was not read; returns how much. Part of the functions around. */
size_t print_links(const struct capture *c);
/* The same as the first of the streams alone, by an account that was read before. */
size_t print_missing_streams(const struct account *a, const struct capture *c);
/* Of a capture that is being recorded: notes that, and up to which time it was read. s: or NULL. */
void print_running(const struct capture *c, const struct selection *s);
/*
 * Of one that was to be followed and is not being recorded: notes that it may be growing all the
 * same, as perf's may.
 */
void print_not_followed(const struct capture *c);
/* Warns of what is damaged of the header; returns whether anything is. */
size_t print_header_damage(const struct capture *c);
/* What is worth to know of the unwinding of dumped stacks; `way` is what was asked for. */
void print_unwound(const struct capture *c, enum unwind_way way,
		   const struct unwind_counts *counts);
/* Warns of the samples whose user callchain was deferred and is missing, where there are any. */
void print_deferred(uint64_t nr_missing, const char *capture);

#endif
