// SPDX-License-Identifier: Apache-2.0
/*
 * The cgroups that exist, each as a CGROUP record, as the kernel writes one for a new cgroup.
 */
#include <errno.h>
#include <string.h>

#include "streamer/machine/cgroup.h"
#include "streamer/synthesis/synth_record.h"
#include "streamer/synthesis/synthesis.h"

struct telling {
	struct ts_bytes *out;
	size_t trailer_bytes;
};

static int put_cgroup(void *arg, uint64_t id, const char *path)
{
	struct telling *t = arg;
	size_t at = synth_record_begin(t->out, PERF_RECORD_CGROUP, 0);

	ts_bytes_u64(t->out, id);
	synth_record_name(t->out, path, strlen(path));
	synth_record_end(t->out, at, t->trailer_bytes);
	return ts_bytes_failed(t->out) ? -ENOMEM : 0;
}

int synthesis_cgroups(struct ts_bytes *out, const struct synthesis_options *options,
		      struct ts_error *err)
{
	struct telling t = {.out = out, .trailer_bytes = options->trailer_bytes};
	int rc = cgroup_each(put_cgroup, &t);

	/* Where the hierarchy is not mounted, samples have numbers without names. */
	if (rc == -ENOMEM)
		return ts_error_sys(err, ENOMEM, "cannot describe cgroups");
	return 0;
}
