/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules that the kernel has loaded, where, and from which file.
 *
 * Threads: loading is for one thread; afterwards the list is immutable.
 */
#ifndef TS_STREAMER_MACHINE_KMODULES_H
#define TS_STREAMER_MACHINE_KMODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct kmodule {
	char *name;	/* owned; as the kernel says it, with '_' */
	char *path;	/* owned; its .ko file under the modules' folder, or "[name]" */
	uint64_t start; /* address; 0: hidden from us */
	uint64_t bytes;
};

struct kmodules {
	struct kmodule *items; /* by name */
	size_t nr;
};

/* Takes a line of /proc/modules apart; *ret_name_len bytes of line are the name. */
bool kmodules_parse_line(const char *line, size_t len, size_t *ret_name_len, uint64_t *ret_bytes,
			 uint64_t *ret_start);
/*
 * Takes a line of modules.dep, "PATH: PATH..." apart: the name of its module goes to name (size
 * bytes), how long its path is to *ret_path_len. false: no such line, or a name that long.
 */
bool kmodules_parse_dep(const char *line, size_t len, char *name, size_t size,
			size_t *ret_path_len);

/*
 * Reads `loaded` ("/proc/modules") and folder/modules.dep. A missing file is no error: a kernel
 * without modules has none, one whose folder is elsewhere shows "[name]". -ENOMEM is the only one.
 */
int kmodules_load(struct kmodules *ret, const char *loaded, const char *folder,
		  struct ts_error *err);
/* The same for the running kernel, /lib/modules/RELEASE. */
int kmodules_load_running(struct kmodules *ret, struct ts_error *err);
void kmodules_release(struct kmodules *m); /* accepts a zeroed one; idempotent */

#endif
