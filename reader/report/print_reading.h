/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What report says on stderr of the captures that its rows were counted from: whether they are
 * being recorded, and what of them could not be read.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_REPORT_PRINT_READING_H
#define TS_READER_REPORT_PRINT_READING_H

#include <stdint.h>

#include "reader/report/report_run.h"

/* Behind the rows; of one capture after the other. Returns how much could not be read. */
uint64_t print_reading(struct report_run *r);

#endif
