/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser for one line of /proc/kallsyms. The recorder searches the lines for the bounds of the
 * kernel and for BPF code, the reader for symbols.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_BASE_KALLSYMS_LINE_H
#define TS_COMMON_BASE_KALLSYMS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line, "ADDRESS TYPE NAME[\t[MODULE]]". The strings end at their lengths, without a
 * NUL.
 */
struct ts_kallsyms_line {
	uint64_t addr;
	char type;
	const char *name;
	size_t name_len;
	const char *module; /* without brackets; NULL: of the kernel itself */
	size_t module_len;
};

/* Parses one line of len bytes, without its newline; false if the line has another form. */
bool ts_kallsyms_parse(const char *line, size_t len, struct ts_kallsyms_line *ret);

#endif
