/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes and warnings on stderr about the captures of a report: whether they are being recorded, and
 * which parts could not be read.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_REPORT_PRINT_READING_H
#define TS_READER_REPORT_PRINT_READING_H

#include <stdint.h>

#include "reader/report/report_run.h"

/* Prints and empties the warnings of all captures about what was read until now. */
void print_reading_warnings(struct report_run *r);
/*
 * Call it after the rows; prints one capture after the other. Returns how many parts and samples
 * could not be read.
 */
uint64_t print_reading(struct report_run *r);
/* Says why there is nothing to show. */
void print_reading_empty(const struct report_run *r);

#endif
