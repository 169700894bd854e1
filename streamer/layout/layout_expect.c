// SPDX-License-Identifier: Apache-2.0
/*
 * Chooses the writer for a CPU that is offline. Its core and caches are unknown while it is
 * offline, but its memory node is known. So among the writers of that node the one with the fewest
 * CPUs gets it; among equals, the one with the nearest CPU. If the node is unknown, or no writer
 * runs on it, only the nearest CPU decides.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cpus.h"
#include "streamer/layout/layout.h"

/*
 * Parses the CPUs that each user mask names, offline ones included. There is one mask for each
 * writer.
 */
static int parse_masks(const char *spec, hwloc_bitmap_t *masks, size_t nr)
{
	char *copy = strdup(spec), *rest = copy, *text;
	struct ts_error ignored;
	size_t i = 0;
	int code = copy ? 0 : -ENOMEM;

	while (!code && i < nr && (text = strsep(&rest, ":"))) {
		if (!*text)
			continue;
		text[strcspn(text, "/")] = '\0';
		code = ts_cpus_parse(text, masks[i++], &ignored);
	}
	free(copy);
	return code;
}

static int distance(hwloc_const_bitmap_t set, int cpu)
{
	int least = INT32_MAX, other;

	hwloc_bitmap_foreach_begin(other, set) least =
		abs(other - cpu) < least ? abs(other - cpu) : least;
	hwloc_bitmap_foreach_end();
	return least;
}

static int count_cpus(const struct layout_writer *w)
{
	return hwloc_bitmap_weight(w->sideband_cpus) +
	       hwloc_bitmap_weight(w->expected_sideband_cpus);
}

static bool has_fewer(const struct layout_writer *a, const struct layout_writer *b, int cpu)
{
	int nr_a = count_cpus(a), nr_b = count_cpus(b);

	return nr_a < nr_b ||
	       (nr_a == nr_b && distance(a->sideband_cpus, cpu) < distance(b->sideband_cpus, cpu));
}

static struct layout_writer *choose_writer(struct layout *layout, const hwloc_bitmap_t *masks,
					   int cpu, int node)
{
	struct layout_writer *of_node = NULL, *nearest = &layout->writers[0];

	for (size_t i = 0; i < layout->nr; i++) {
		struct layout_writer *w = &layout->writers[i];

		if (hwloc_bitmap_isset(masks[i], (unsigned int)cpu))
			return w;
		if (distance(w->sideband_cpus, cpu) < distance(nearest->sideband_cpus, cpu))
			nearest = w;
		if (node >= 0 && hwloc_bitmap_isset(w->nodes, (unsigned int)node) &&
		    (!of_node || has_fewer(w, of_node, cpu)))
			of_node = w;
	}
	return of_node ? of_node : nearest;
}

static void assign_cpus(struct layout *layout, const struct layout_input *in, const int *nodes,
			const hwloc_bitmap_t *masks, hwloc_const_bitmap_t offline)
{
	size_t nr = 0;
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, offline)
	{
		struct layout_writer *w = choose_writer(layout, masks, cpu, nodes ? nodes[nr] : -1);

		nr++;
		hwloc_bitmap_set(w->expected_sideband_cpus, (unsigned int)cpu);
		if (!in->monitored || hwloc_bitmap_isset(in->monitored, (unsigned int)cpu))
			hwloc_bitmap_set(w->expected_cpus, (unsigned int)cpu);
	}
	hwloc_bitmap_foreach_end();
}

static int alloc_sets(struct layout *layout, hwloc_bitmap_t *masks)
{
	for (size_t i = 0; i < layout->nr; i++) {
		struct layout_writer *w = &layout->writers[i];

		w->expected_cpus = hwloc_bitmap_alloc();
		w->expected_sideband_cpus = hwloc_bitmap_alloc();
		masks[i] = hwloc_bitmap_alloc();
		if (!w->expected_cpus || !w->expected_sideband_cpus || !masks[i])
			return -ENOMEM;
	}
	return 0;
}

int layout_expect(struct layout *layout, const struct layout_input *in, const int *offline_nodes,
		  struct ts_error *err)
{
	hwloc_bitmap_t *masks = calloc(layout->nr, sizeof(*masks)), offline = hwloc_bitmap_alloc();
	int code = masks && offline ? alloc_sets(layout, masks) : -ENOMEM;

	if (!code && !strcmp(layout->kind, "mask"))
		code = parse_masks(in->spec, masks, layout->nr);
	if (!code && hwloc_bitmap_andnot(offline, in->present, in->online))
		code = -ENOMEM;
	if (!code)
		assign_cpus(layout, in, offline_nodes, masks, offline);
	for (size_t i = 0; masks && i < layout->nr; i++)
		hwloc_bitmap_free(masks[i]);
	free(masks);
	hwloc_bitmap_free(offline);
	return code ? ts_error_sys(err, ENOMEM, "cannot lay out the writers") : 0;
}

static void move_cpu(hwloc_bitmap_t from, hwloc_bitmap_t to, unsigned int cpu)
{
	if (!from || !hwloc_bitmap_isset(from, cpu))
		return;
	hwloc_bitmap_clr(from, cpu);
	hwloc_bitmap_set(to, cpu);
}

void layout_add_cpu(struct layout *layout, unsigned int cpu)
{
	for (size_t i = 0; i < layout->nr; i++) {
		struct layout_writer *w = &layout->writers[i];

		move_cpu(w->expected_cpus, w->cpus, cpu);
		move_cpu(w->expected_sideband_cpus, w->sideband_cpus, cpu);
	}
}
