/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules that the kernel has loaded, their addresses and their files.
 *
 * Threads: one thread loads. Afterwards the list is immutable.
 */
#ifndef TS_STREAMER_MACHINE_KMODULES_H
#define TS_STREAMER_MACHINE_KMODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct kmodule {
	char *name;	/* owned; as the kernel writes it, with '_' */
	char *path;	/* owned; its .ko file under the modules' folder, or "[name]" */
	uint64_t start; /* address; 0: the kernel hides it */
	uint64_t bytes;
};

struct kmodules {
	struct kmodule *items; /* by name */
	size_t nr;
};

/* Parses a line of /proc/modules. Its first *ret_name_len bytes are the name. */
bool kmodules_parse_line(const char *line, size_t len, size_t *ret_name_len, uint64_t *ret_bytes,
			 uint64_t *ret_start);
/*
 * Parses a line of modules.dep, "PATH: PATH...". The name of its module goes to name (size bytes),
 * the length of its path to *ret_path_len. False: the line has another form, or the name is too
 * long.
 */
bool kmodules_parse_dep(const char *line, size_t len, char *name, size_t size,
			size_t *ret_path_len);

/*
 * Reads `loaded` ("/proc/modules") and folder/modules.dep. A missing file is no error. A kernel
 * without modules has no /proc/modules, and without modules.dep the path of a module is "[name]".
 * The only error is -ENOMEM.
 */
int kmodules_load(struct kmodules *ret, const char *loaded, const char *folder,
		  struct ts_error *err);
/* The same for the running kernel, with /lib/modules/RELEASE. */
int kmodules_load_running(struct kmodules *ret, struct ts_error *err);
void kmodules_release(struct kmodules *m); /* accepts a zeroed one; idempotent */

#endif
