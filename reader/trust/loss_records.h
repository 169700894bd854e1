/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The losses of a capture that is not ours, from its records: by CPU.
 *
 * Threads: the one that opens the loss.
 */
#ifndef TS_READER_TRUST_LOSS_RECORDS_H
#define TS_READER_TRUST_LOSS_RECORDS_H

#include "reader/trust/loss.h"

/* Fills in what LOST records tell; rings are then complete. 0 or -errno. */
int loss_records_read(struct loss *l, const struct chunk_table *t);

#endif
