/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the plan of the writers for people, for --dry-run.
 *
 * Threads: the thread that prints.
 */
#ifndef TS_STREAMER_LAYOUT_PRINT_LAYOUT_H
#define TS_STREAMER_LAYOUT_PRINT_LAYOUT_H

#include <stdio.h>

#include "streamer/layout/layout.h"

/* Prints one line for each writer: "writer 0: samples 0-3, side-band 0-3, runs on 3". */
void print_layout(const struct layout *layout, FILE *out);

#endif
