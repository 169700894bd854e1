/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of /proc/kallsyms, taken apart: the recorder looks for the bounds of the kernel and for
 * BPF code in them, the reader for symbols.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_BASE_KALLSYMS_LINE_H
#define TS_COMMON_BASE_KALLSYMS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line, "ADDRESS TYPE NAME[\t[MODULE]]". The strings are no C strings: they end at their
 * length. */
struct ts_kallsyms_line {
	uint64_t addr;
	char type;
	const char *name;
	size_t name_len;
	const char *module; /* without brackets; NULL: of the kernel itself */
	size_t module_len;
};

/* Takes one line of len bytes (without its newline) apart; false if it is none of that form. */
bool ts_kallsyms_parse(const char *line, size_t len, struct ts_kallsyms_line *ret);

#endif
