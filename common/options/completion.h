/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completions of commands and options for a shell: a script that the shell reads once, made from
 * the rows of all commands.
 *
 * Threads: main thread.
 */
#ifndef TS_COMMON_OPTIONS_COMPLETION_H
#define TS_COMMON_OPTIONS_COMPLETION_H

#include "common/base/bytes.h"
#include "common/options/command_line.h"

/*
 * Appends the script for "bash", "zsh" or "fish" and a program of these commands. -EINVAL: another
 * shell. Out of memory: ts_bytes_failed().
 */
int ts_completion(const char *shell, const char *program, const struct ts_command *const *commands,
		  size_t nr_commands, struct ts_bytes *out, struct ts_error *err);

#endif
