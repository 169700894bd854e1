/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints losses for `report --loss`: a table by ring and a map by CPU and time, as wide as the
 * terminal; or JSON. Also prints the line of a report about loss bias.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_LOSS_H
#define TS_READER_TRUST_PRINT_LOSS_H

#include <stdbool.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/capture/account.h"
#include "reader/trust/loss.h"

struct loss_style {
	bool quiet;    /* rows only */
	bool has_utf8; /* otherwise plain ASCII */
	bool has_colors;
	size_t columns, lines; /* of the terminal, or defaults */
};

/* The style for standard output. Call it before the pager is started. */
struct loss_style loss_style_of_terminal(void);

/* Prints a row for each ring that lost records, and the sum; `capture` is the name in the head. */
void print_loss_table(const struct loss *l, const char *capture, const struct loss_style *style,
		      struct ts_bytes *out);
/* Prints nothing if no time is known. Returns 0 or -ENOMEM. */
int print_loss_map(const struct loss *l, const struct loss_style *style, struct ts_bytes *out);

struct ts_json;

/* The JSON document of docs/format.md for one capture or several. Zero-initialise. */
struct loss_json {
	struct ts_json *root; /* owned; has the members of the first capture */
	struct ts_json *others;
};

/* a: the account of the same capture. Returns 0 or -ENOMEM. */
int loss_json_add(struct loss_json *j, const char *path, const struct loss *l,
		  const struct account *a);
/* After the first loss_json_add(). Returns 0 or -ENOMEM. */
int loss_json_print(const struct loss_json *j, struct ts_bytes *out);
void loss_json_close(struct loss_json *j); /* accepts a zeroed one; idempotent */

/* Prints "# Loss bias: ..." if shares can be off by LOSS_BIAS_POINTS or more. */
void print_loss_bias(const struct loss *l, struct ts_bytes *out);

#endif
