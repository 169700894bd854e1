/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `report --loss`: what was lost, by ring as a table, by CPU and time as a map of the terminal's
 * width; or as JSON. And the line of a report whose shares losses have moved.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_LOSS_H
#define TS_READER_TRUST_PRINT_LOSS_H

#include <stdbool.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/trust/loss.h"

struct loss_style {
	bool quiet;    /* rows only */
	bool has_utf8; /* else plain ASCII */
	bool has_colors;
	size_t columns, lines; /* of the terminal, or what stands for one */
};

/* As standard output is: asked before the pager is there. */
struct loss_style loss_style_of_terminal(void);

/* A row for each ring that lost records, and the sum; `capture` is the name in its head. */
void print_loss_table(const struct loss *l, const char *capture, const struct loss_style *style,
		      struct ts_bytes *out);
/* Nothing when no time is known. -ENOMEM. */
int print_loss_map(const struct loss *l, const struct loss_style *style, struct ts_bytes *out);

struct json_object;

/* The JSON document of docs/format.md, of one capture or of several. Zero-initialise. */
struct loss_json {
	struct json_object *root; /* owned; with the members of the first capture */
	struct json_object *others;
};

int loss_json_add(struct loss_json *j, const char *path, const struct loss *l); /* -ENOMEM */
/* After the first loss_json_add(). -ENOMEM. */
int loss_json_print(const struct loss_json *j, struct ts_bytes *out);
void loss_json_close(struct loss_json *j); /* accepts a zeroed one; idempotent */

/* "# Loss bias: ..." when shares can be off by LOSS_BIAS_POINTS; else nothing. */
void print_loss_bias(const struct loss *l, struct ts_bytes *out);

#endif
