/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings and notes on stderr about a capture. Most come from the recorder's account, because the
 * streams themselves do not show them: streams that are missing or cut short, and records that were
 * lost while recording. Others are about parts that the reader sees but does not use.
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
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/selection.h"
#include "reader/samples/unwind.h"

/*
 * Warns of records that were lost while recording. The account tells how many; without one, the
 * chunks of `t`, the table of c. If the recording ended cleanly, also names streams that are missing
 * or cut short. Returns the number of streams that are incomplete or are links.
 */
size_t print_account(const struct capture *c, const struct chunk_table *t);
/*
 * Names the parts of a capture that are symbolic links and were not read; returns their number.
 * Notes files that are none of its streams (capture.h).
 * print_account() and print_missing_streams() include it.
 */
size_t print_links(const struct capture *c);
/* As print_account(), but without losses, and with an account that was read before. */
size_t print_missing_streams(const struct account *a, const struct capture *c);
/*
 * If the capture is being recorded, notes that and the time up to which it was read. s may be NULL.
 */
void print_running(const struct capture *c, const struct selection *s);
/*
 * For a capture that should be followed but has no account of a running recorder: notes that it may
 * be growing nevertheless, as captures of perf may.
 */
void print_not_followed(const struct capture *c);
/* Warns of damage in the header; returns 1 if there is any, else 0. */
size_t print_header_damage(const struct capture *c);
/* Notes about the unwinding of dumped stacks; `way` is the value of --unwind. */
void print_unwound(const struct capture *c, enum unwind_way way,
		   const struct unwind_counts *counts);
/* Warns of samples whose deferred user callchain is missing, if there are any. */
void print_deferred(uint64_t nr_missing, const char *capture);

#endif
