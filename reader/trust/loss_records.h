/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The losses of a capture of another recorder, by CPU, from its LOST records.
 *
 * Threads: only the thread that opens the loss.
 */
#ifndef TS_READER_TRUST_LOSS_RECORDS_H
#define TS_READER_TRUST_LOSS_RECORDS_H

#include "reader/trust/loss.h"

/*
 * Adds the losses that LOST records report. Afterwards the rings are complete. Returns 0 or -errno.
 */
int loss_records_read(struct loss *l, const struct chunk_table *t);

#endif
