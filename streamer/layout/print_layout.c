// SPDX-License-Identifier: Apache-2.0
#include "streamer/layout/print_layout.h"

#include <stdlib.h>

#include "common/base/cpus.h"

static void print_cpus(const char *before, hwloc_const_bitmap_t set, FILE *out)
{
	char *text = ts_cpus_text(set);

	fprintf(out, "%s%s", before, !text ? "?" : *text ? text : "none");
	free(text);
}

void print_layout(const struct layout *layout, FILE *out)
{
	for (size_t i = 0; i < layout->nr; i++) {
		const struct layout_writer *writer = &layout->writers[i];

		fprintf(out, "writer %zu:", i);
		print_cpus(" samples ", writer->cpus, out);
		print_cpus(", side-band ", writer->sideband_cpus, out);
		if (writer->expected_sideband_cpus &&
		    !hwloc_bitmap_iszero(writer->expected_sideband_cpus))
			print_cpus(", once online ", writer->expected_sideband_cpus, out);
		print_cpus(", runs on ", writer->affinity, out);
		if (!hwloc_bitmap_iszero(writer->nodes))
			print_cpus(hwloc_bitmap_weight(writer->nodes) > 1 ? ", nodes " : ", node ",
				   writer->nodes, out);
		fputc('\n', out);
	}
}
