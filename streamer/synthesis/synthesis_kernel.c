// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis/synthesis.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/perf/record.h"
#include "streamer/machine/kmodules.h"
#include "streamer/synthesis/synth_record.h"

#define PID_OF_KERNEL ((uint32_t)-1)

static void put_map(struct ts_bytes *out, const struct synthesis_options *options, uint64_t start,
		    uint64_t len, uint64_t pgoff, const char *name)
{
	size_t at = synth_record_begin(out, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	ts_bytes_u32(out, PID_OF_KERNEL);
	ts_bytes_u32(out, 0);
	ts_bytes_u64(out, start);
	ts_bytes_u64(out, len);
	ts_bytes_u64(out, pgoff);
	synth_record_name(out, name, strlen(name));
	synth_record_end(out, at, options->trailer_bytes);
}

void synthesis_kernel(struct ts_bytes *out, const struct kallsyms *symbols,
		      const struct synthesis_options *options, struct ts_notes *notes)
{
	char name[64];

	if (!symbols->reference || symbols->end <= symbols->start) {
		ts_notes_add(notes,
			     "kernel functions will have no names: /proc/kallsyms hides their "
			     "addresses; set kernel.kptr_restrict to 0 and "
			     "kernel.perf_event_paranoid to 1, or record with CAP_SYSLOG");
		return;
	}
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", symbols->reference);
	put_map(out, options, symbols->start, symbols->end - symbols->start, symbols->start, name);
}

int synthesis_modules(struct ts_bytes *out, const struct synthesis_options *options,
		      struct ts_error *err)
{
	struct kmodules modules;
	int failed = kmodules_load_running(&modules, err);

	if (failed)
		return failed;
	for (size_t i = 0; i < modules.nr; i++)
		if (modules.items[i].start)
			put_map(out, options, modules.items[i].start, modules.items[i].bytes, 0,
				modules.items[i].path);
	kmodules_release(&modules);
	return ts_bytes_failed(out)
		       ? ts_error_set(err, ENOMEM, "cannot describe kernel modules: out of memory")
		       : 0;
}
